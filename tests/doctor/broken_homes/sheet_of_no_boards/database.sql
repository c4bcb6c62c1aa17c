INSERT INTO sheets (userid, id, written, positions) VALUES ('alice', 'x', 1790000000, 'oust.1 oust.2.x');
