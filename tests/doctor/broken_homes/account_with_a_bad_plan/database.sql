INSERT INTO queue VALUES ('alice', 0, 'oust', 17, 5, '4f0c1d2e9a8b7c6d', NULL, 'if D4');
