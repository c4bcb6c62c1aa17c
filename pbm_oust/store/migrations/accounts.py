"""Tables for accounts and what they keep. Times are seconds since 1970 in UTC."""

VERSION_1 = """
CREATE TABLE accounts (
    userid TEXT PRIMARY KEY,
    password TEXT NOT NULL, -- its hash
    joined INTEGER NOT NULL,
    signup_key TEXT, -- the message key of the mail that made the account, if one did
    signed_off INTEGER,
    disabled INTEGER,
    becomes TEXT, -- the userid that the account is about to get
    board_limit INTEGER NOT NULL DEFAULT 0, -- the most boards at once; 0 is any number
    version INTEGER NOT NULL DEFAULT 1 -- one more after each change of the account
) STRICT, WITHOUT ROWID;

CREATE TABLE addresses (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    address TEXT NOT NULL, -- as it was written
    normal TEXT NOT NULL, -- the form in which addresses are compared
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX addresses_normal ON addresses (normal);

CREATE TABLE settings ( -- those that are not as usual
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (userid, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX settings_value ON settings (name, value);

CREATE TABLE notes (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (userid, kind, board)
) STRICT, WITHOUT ROWID;

CREATE TABLE queue ( -- moves that wait for the turn that they answer
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    record INTEGER NOT NULL, -- the number of the board's next record when this was queued
    message_key TEXT NOT NULL,
    condition TEXT, -- the turn that it answers; NULL for any
    answer TEXT NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE submissions ( -- moves that wait to be confirmed
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    record INTEGER NOT NULL, -- the number of the board's next record when this was submitted
    move TEXT NOT NULL,
    PRIMARY KEY (userid, kind, board)
) STRICT, WITHOUT ROWID;

CREATE TABLE seeks ( -- open challenges
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    at INTEGER NOT NULL,
    side TEXT CHECK (side IN ('x', 'o')), -- NULL where lots are drawn
    grid TEXT NOT NULL,
    terms TEXT NOT NULL,
    PRIMARY KEY (kind, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX seeks_userid ON seeks (userid);
CREATE INDEX seeks_at ON seeks (at);

CREATE TABLE seek_numbers ( -- the highest number given, also to challenges that are gone
    kind TEXT PRIMARY KEY,
    highest INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE vacations (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    begins INTEGER NOT NULL,
    ends INTEGER NOT NULL CHECK (ends >= begins),
    PRIMARY KEY (userid, begins)
) STRICT, WITHOUT ROWID;

CREATE TABLE watched (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    PRIMARY KEY (userid, kind, board)
) STRICT, WITHOUT ROWID;
CREATE INDEX watched_board ON watched (kind, board);

CREATE TABLE rejections (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    rejected TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    PRIMARY KEY (userid, rejected),
    CHECK (userid <> rejected)
) STRICT, WITHOUT ROWID;
CREATE INDEX rejections_rejected ON rejections (rejected);

CREATE TABLE broadcasts ( -- when players wrote to everybody
    id INTEGER PRIMARY KEY,
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX broadcasts_userid ON broadcasts (userid, at);

CREATE TABLE digests (
    userid TEXT PRIMARY KEY REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    looked INTEGER NOT NULL, -- when the player's boards were last looked at
    sent INTEGER NOT NULL -- when the player was last mailed about them
) STRICT, WITHOUT ROWID;

CREATE TABLE verified ( -- codes that came back for an account
    id INTEGER PRIMARY KEY,
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    code TEXT NOT NULL, -- a hash of it
    message_key TEXT NOT NULL, -- of the mail that asked for the code
    UNIQUE (userid, code)
) STRICT;
"""
