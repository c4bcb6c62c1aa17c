INSERT INTO bounces (normal, address, at, status, letter, subject) VALUES
('alice@example.org', 'alice@example.org', unixepoch('2024-05-02'), '5.1.1', '<2@games.example.org>', 'oust 2 #3'),
('alice@example.org', 'alice@example.org', unixepoch('2024-05-03'), '5.1.1', '<3@games.example.org>', 'oust 2 #3'),
('alice@example.org', 'alice@example.org', unixepoch('2024-05-04'), '5.1.1', '<4@games.example.org>', 'oust 2 #3');
