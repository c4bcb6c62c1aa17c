INSERT INTO seeks VALUES ('alice', 0, 'oust', 3, 1714598746, NULL, 'round', 'swap');
