INSERT INTO ladders (kind, grid, terms) VALUES ('oust', 'square', 'swap rated nagtime=7 forfeittime=14');
