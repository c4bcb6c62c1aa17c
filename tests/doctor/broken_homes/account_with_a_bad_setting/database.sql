INSERT INTO settings VALUES ('alice', 0, 'mail', 'never');
