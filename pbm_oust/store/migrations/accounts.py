"""Tables for accounts. Times are seconds since 1970 in UTC.

An account is one document. The tables behind it hold what accounts are found by, and are written
from the documents (`store/accounts.py`).
"""

VERSION_1 = """
CREATE TABLE accounts (
    userid TEXT PRIMARY KEY,
    version INTEGER NOT NULL, -- another one after each change, and never one that was there before
    document TEXT NOT NULL, -- JSON, as `players export` writes it
    digest_due INTEGER -- when to look whether boards wait; NULL where no digest is wanted
) STRICT;
CREATE INDEX accounts_digest_due ON accounts (digest_due) WHERE digest_due IS NOT NULL;

CREATE TABLE addresses (
    normal TEXT NOT NULL, -- the form in which addresses are compared
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    PRIMARY KEY (normal, userid)
) STRICT, WITHOUT ROWID;
CREATE INDEX addresses_userid ON addresses (userid);

CREATE TABLE watched (
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    PRIMARY KEY (kind, board, userid)
) STRICT, WITHOUT ROWID;
CREATE INDEX watched_userid ON watched (userid);

CREATE TABLE seeks ( -- open challenges
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    PRIMARY KEY (kind, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX seeks_at ON seeks (kind, at);
CREATE INDEX seeks_userid ON seeks (userid);

CREATE TABLE seek_numbers ( -- the highest number given, also to open challenges that are gone
    kind TEXT PRIMARY KEY,
    highest INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE mentions ( -- who stands in the account of somebody else
    mentioned TEXT NOT NULL, -- a userid
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    PRIMARY KEY (mentioned, userid)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_userid ON mentions (userid);
"""

VERSION_2 = """
ALTER TABLE accounts ADD COLUMN changed INTEGER; -- when a command changed it last
"""
