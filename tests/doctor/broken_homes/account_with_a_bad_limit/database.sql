INSERT INTO board_limits VALUES ('alice', 0, -1);
