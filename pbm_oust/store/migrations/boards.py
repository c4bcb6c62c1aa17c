"""Tables for boards: what waits for the histories, and an index made from them.

A board is `kind` and `board`, its number. Times are seconds since 1970 in UTC.
"""

VERSION_1 = """
CREATE TABLE waiting_lines ( -- committed, and not yet known to be in the history
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    record INTEGER NOT NULL, -- the number of the first record; 0 for a history from its header on
    lines BLOB NOT NULL,
    message_key TEXT NOT NULL,
    PRIMARY KEY (kind, board, record)
) STRICT, WITHOUT ROWID;

CREATE TABLE waiting_rewritings ( -- userids that are to be replaced in a history
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    old TEXT NOT NULL,
    new TEXT NOT NULL
) STRICT;
CREATE INDEX waiting_rewritings_board ON waiting_rewritings (kind, board, id);
CREATE INDEX waiting_rewritings_old ON waiting_rewritings (old);

CREATE TABLE histories ( -- the files, as they were when they were read
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    size INTEGER NOT NULL, -- this, time and inode are 0 for a file that is to be read again
    mtime INTEGER NOT NULL, -- in nanoseconds
    inode INTEGER NOT NULL,
    is_named INTEGER NOT NULL DEFAULT 0 CHECK (is_named IN (0, 1)), -- the name is on the disk
    is_replayed INTEGER NOT NULL CHECK (is_replayed IN (0, 1)), -- 0: its result line was believed
    challenge TEXT, -- the message key of the mail that started the board
    source TEXT, -- what the board came from, where it is not the mail alone: `seek`
    source_number INTEGER, -- and the number of that
    PRIMARY KEY (kind, board)
) STRICT, WITHOUT ROWID;
CREATE INDEX histories_believed ON histories (kind, board) WHERE is_replayed = 0;
CREATE INDEX histories_challenge ON histories (challenge) WHERE challenge IS NOT NULL;
CREATE INDEX histories_source ON histories (kind, source, source_number) WHERE source IS NOT NULL;

CREATE TABLE boards ( -- those whose history replays
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    grid TEXT NOT NULL,
    x TEXT NOT NULL, -- the userids of the owners
    o TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'over')),
    to_move TEXT, -- the userid of the player to move; NULL when the game is over
    result TEXT, -- as `x resign`; NULL as long as the game goes on
    is_rated INTEGER NOT NULL CHECK (is_rated IN (0, 1)),
    started INTEGER NOT NULL,
    latest INTEGER NOT NULL, -- when the latest record was made
    records INTEGER NOT NULL,
    due INTEGER, -- the earliest moment at which the clock can ask for something
    PRIMARY KEY (kind, board),
    FOREIGN KEY (kind, board) REFERENCES histories ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX boards_state ON boards (kind, state, board);
CREATE INDEX boards_latest ON boards (kind, state, latest, board);
CREATE INDEX boards_to_move ON boards (to_move, kind, board) WHERE to_move IS NOT NULL;
CREATE INDEX boards_due ON boards (due) WHERE due IS NOT NULL;
CREATE INDEX boards_rated ON boards (kind, latest, CAST(board AS TEXT))
    WHERE is_rated = 1 AND state = 'over' AND result <> 'draw void';

CREATE TABLE damaged_boards ( -- those whose history does not replay
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    x TEXT, -- the userids of the owners in the header; NULL where that cannot be read
    o TEXT,
    line INTEGER NOT NULL, -- 0 where the file as a whole cannot be read
    reason TEXT NOT NULL,
    PRIMARY KEY (kind, board),
    FOREIGN KEY (kind, board) REFERENCES histories ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE board_userids ( -- who stands anywhere in a history
    userid TEXT NOT NULL,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'over', 'damaged')),
    is_owner INTEGER NOT NULL CHECK (is_owner IN (0, 1)), -- whether a side is owned at the end
    PRIMARY KEY (userid, kind, board),
    FOREIGN KEY (kind, board) REFERENCES histories ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX board_userids_state ON board_userids (userid, state, is_owner, kind, board);
CREATE INDEX board_userids_board ON board_userids (kind, board);
"""

VERSION_2 = """
DROP INDEX boards_rated;
CREATE INDEX boards_rated ON boards (kind, latest, board)
    WHERE is_rated = 1 AND state = 'over' AND result <> 'draw void';

CREATE TABLE ratings ( -- what players have achieved in the games that were counted
    kind TEXT NOT NULL,
    size TEXT NOT NULL, -- the class of sizes
    userid TEXT NOT NULL,
    rating REAL NOT NULL,
    wins INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    worth REAL NOT NULL, -- the sum of what the provisional games were worth
    PRIMARY KEY (kind, size, userid)
) STRICT, WITHOUT ROWID;
CREATE INDEX ratings_rating ON ratings (kind, size, rating DESC, userid);
"""

VERSION_3 = """
CREATE TABLE rating_steps ( -- what players had achieved before each game that was counted
    kind TEXT NOT NULL,
    size TEXT NOT NULL,
    userid TEXT NOT NULL,
    ended INTEGER NOT NULL, -- the second in which the game ended
    board INTEGER NOT NULL, -- and its number
    outcome INTEGER NOT NULL, -- 1 for a win, 0 for a draw, -1 for a loss
    rating REAL NOT NULL,
    wins INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    worth REAL NOT NULL,
    PRIMARY KEY (kind, size, userid, ended, board)
) STRICT, WITHOUT ROWID;
CREATE INDEX rating_steps_place ON rating_steps (kind, size, ended, board);
"""

VERSION_4 = """
CREATE TABLE rating_classes (
    kind TEXT NOT NULL,
    size TEXT NOT NULL,
    players INTEGER NOT NULL, -- how many have a rating
    changes INTEGER NOT NULL, -- how often it was noted that the class is to be counted anew
    counted INTEGER NOT NULL, -- what `changes` was when that was done last
    PRIMARY KEY (kind, size)
) STRICT, WITHOUT ROWID;
"""

VERSION_5 = """
DROP INDEX boards_state;

CREATE TABLE board_counts ( -- how many boards there are, so that nobody has to count them
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (kind, state)
) STRICT, WITHOUT ROWID;
INSERT INTO board_counts SELECT kind, state, count(*) FROM boards GROUP BY kind, state;
CREATE TRIGGER board_counts_insert AFTER INSERT ON boards BEGIN
    INSERT INTO board_counts (kind, state, number) VALUES (NEW.kind, NEW.state, 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER board_counts_delete AFTER DELETE ON boards BEGIN
    UPDATE board_counts SET number = number - 1 WHERE kind = OLD.kind AND state = OLD.state;
END;
CREATE TRIGGER board_counts_update AFTER UPDATE OF state ON boards
WHEN NEW.state <> OLD.state BEGIN
    UPDATE board_counts SET number = number - 1 WHERE kind = OLD.kind AND state = OLD.state;
    INSERT INTO board_counts (kind, state, number) VALUES (NEW.kind, NEW.state, 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
END;
"""

VERSION_6 = """
CREATE TABLE analyses ( -- what a search says about games that are over; it takes long to make
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    analysis TEXT NOT NULL, -- JSON; it says itself which game it is about
    PRIMARY KEY (kind, board)
) STRICT, WITHOUT ROWID;
"""
