INSERT INTO tournaments (kind, number, document, state) VALUES ('oust', 1, '{"kind":"oust","number":1,"title":"Autumn","grid":"square 5x5","terms":"swap rated nagtime=7 forfeittime=14","section":5,"starts":"2026-12-01T00:00:00Z"}', 'open');
INSERT INTO entries (kind, number, userid, at, why) VALUES ('oust', 1, 'alice', 1790000000, 'bored');
