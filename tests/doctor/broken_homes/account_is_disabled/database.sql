INSERT INTO disabled VALUES ('alice', 0, unixepoch('2026-11-20 15:36:00'));
