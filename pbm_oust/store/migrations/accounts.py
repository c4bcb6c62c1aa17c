"""Tables for accounts and what they keep. Times are seconds since 1970 in UTC.

Each noun in `accounts/registry.py` has a table of its name; the rows of an account are in the order
of `position`.
"""

VERSION_1 = """
CREATE TABLE accounts (
    userid TEXT PRIMARY KEY,
    password TEXT NOT NULL, -- its hash
    joined INTEGER NOT NULL,
    signup_key TEXT, -- the message key of the mail that made the account, if one did
    digest_due INTEGER, -- when to look whether boards wait; NULL where no digest is wanted
    version INTEGER NOT NULL -- another one after each change, and never one that was there before
) STRICT, WITHOUT ROWID;
CREATE INDEX accounts_digest_due ON accounts (digest_due) WHERE digest_due IS NOT NULL;

CREATE TABLE account_versions ( -- one row, with the highest version that was given
    id INTEGER PRIMARY KEY CHECK (id = 1),
    latest INTEGER NOT NULL
) STRICT;
INSERT INTO account_versions VALUES (1, 0);

CREATE TABLE addresses (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    address TEXT NOT NULL, -- as it was written
    normal TEXT NOT NULL, -- the form in which addresses are compared
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX addresses_normal ON addresses (normal, userid);

CREATE TABLE settings ( -- those that are not as usual
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (userid, position),
    UNIQUE (userid, name)
) STRICT, WITHOUT ROWID;

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
CREATE INDEX watched_board ON watched (kind, board, userid);

CREATE TABLE board_limits (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    boards INTEGER NOT NULL, -- the most at once
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE rejections (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    rejected TEXT NOT NULL, -- the userid of a player
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX rejections_rejected ON rejections (rejected, userid);

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

CREATE TABLE seek_numbers ( -- the highest number given, also to open challenges that are gone
    kind TEXT PRIMARY KEY,
    highest INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER seeks_are_numbered AFTER INSERT ON seeks BEGIN
    INSERT INTO seek_numbers VALUES (NEW.kind, NEW.number)
    ON CONFLICT (kind) DO UPDATE SET highest = max(highest, excluded.highest);
END;

CREATE TABLE vacations (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    begins INTEGER NOT NULL,
    ends INTEGER NOT NULL CHECK (ends >= begins),
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

CREATE TABLE verified ( -- codes that came back for an account
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    code TEXT NOT NULL, -- a hash of it
    message_key TEXT NOT NULL, -- of the mail that asked for the code
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
"""

VERSION_2 = """
ALTER TABLE accounts ADD COLUMN changed INTEGER; -- when a command changed it last
"""
