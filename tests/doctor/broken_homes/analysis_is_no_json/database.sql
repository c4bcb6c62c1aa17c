INSERT INTO analyses (kind, board, analysis) VALUES ('oust', 1, '{"game":');
