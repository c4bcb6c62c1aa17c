"""Tables for boards: an index made from the histories, and what the histories are still to get."""

VERSION_1 = """
CREATE TABLE boards (
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    x TEXT NOT NULL, -- the userids of the owners
    o TEXT NOT NULL,
    starter_key TEXT, -- the message key of the mail that started the board
    to_move TEXT, -- the userid of the player to move; NULL when the game is over
    state TEXT NOT NULL,
    result TEXT,
    is_rated INTEGER NOT NULL CHECK (is_rated IN (0, 1)),
    started INTEGER NOT NULL,
    latest INTEGER NOT NULL,
    deadline INTEGER, -- when the clock brings about something next
    records INTEGER NOT NULL,
    file_size INTEGER NOT NULL, -- of the history that this was read from
    file_mtime INTEGER NOT NULL, -- in nanoseconds
    file_inode INTEGER NOT NULL,
    PRIMARY KEY (kind, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX boards_x ON boards (x, state);
CREATE INDEX boards_o ON boards (o, state);
CREATE INDEX boards_to_move ON boards (to_move) WHERE to_move IS NOT NULL;
CREATE INDEX boards_deadline ON boards (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX boards_starter ON boards (starter_key) WHERE starter_key IS NOT NULL;
CREATE INDEX boards_state ON boards (state, kind, number);

CREATE TABLE waiting_lines ( -- committed, and not yet known to be in the history
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    number INTEGER NOT NULL, -- of the first record
    lines TEXT NOT NULL,
    message_key TEXT NOT NULL,
    PRIMARY KEY (kind, board, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE waiting_rewritings ( -- userids that are to be replaced in a history
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    old TEXT NOT NULL,
    new TEXT NOT NULL,
    UNIQUE (kind, board, old)
) STRICT;
"""
