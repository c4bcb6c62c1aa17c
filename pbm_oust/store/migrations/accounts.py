"""Tables for accounts and what they keep. Times are seconds since 1970 in UTC.

Each noun that accounts keep has a table of its name, with its columns behind the userid and the
position of the row.
"""

VERSION_1 = """
CREATE TABLE accounts (
    userid TEXT PRIMARY KEY,
    password TEXT NOT NULL, -- its hash
    joined INTEGER NOT NULL,
    signup_key TEXT, -- the message key of the mail that made the account, if one did
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
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (userid, position),
    UNIQUE (userid, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX settings_value ON settings (name, value);

CREATE TABLE notes (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE watched (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX watched_board ON watched (kind, board);

CREATE TABLE limits ( -- on how many boards at once a player wants to be
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    boards INTEGER NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE rejections (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    rejected TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX rejections_rejected ON rejections (rejected);

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
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    record INTEGER NOT NULL, -- the number of the board's next record when this was submitted
    move TEXT NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE seeks ( -- open challenges
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    side TEXT CHECK (side IN ('x', 'o')), -- NULL where lots are drawn
    grid TEXT NOT NULL,
    terms TEXT NOT NULL,
    PRIMARY KEY (userid, position),
    UNIQUE (kind, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX seeks_at ON seeks (at);

CREATE TABLE seek_numbers ( -- the highest number given, also to challenges that are gone
    kind TEXT PRIMARY KEY,
    highest INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE vacations (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    begins INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE broadcasts ( -- when players wrote to everybody
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE digests (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    looked INTEGER NOT NULL, -- when the player's boards were last looked at
    sent INTEGER NOT NULL, -- when the player was last mailed about them
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE signed_off (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE disabled (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE becomes ( -- the userid that an account is about to get
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    next_userid TEXT NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX becomes_next ON becomes (next_userid);

CREATE TABLE to_be_told ( -- who is to be told of that
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    reader TEXT NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE verified ( -- codes that came back for an account
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    code TEXT NOT NULL, -- a hash of it
    message_key TEXT NOT NULL, -- of the mail that asked for the code
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
"""
