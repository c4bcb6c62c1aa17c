INSERT INTO bounces (normal, address, at, status, letter, subject) VALUES
('alice@example.org', 'alice@example.org', 99999999999999, '5.1.1', '<2@games.example.org>', 'oust 2 #3');
