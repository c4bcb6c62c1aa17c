CREATE VIEW everybody AS SELECT userid FROM accounts;
CREATE TABLE visits (at INTEGER);
CREATE INDEX by_place ON boards (grid, board);
