INSERT INTO tournaments (kind, number, document, state) VALUES ('oust', 1, '{"kind":"oust", "num', 'open');
