"""Tables for mail: what came in, what goes out, what came back, and how often."""

VERSION_1 = """
CREATE TABLE message_keys (
    message_key TEXT PRIMARY KEY,
    outcome TEXT NOT NULL CHECK (outcome IN ('begun', 'done', 'refused')),
    at INTEGER NOT NULL,
    progress TEXT NOT NULL DEFAULT '' -- what a command that was cut off needs to go on
) STRICT, WITHOUT ROWID;
CREATE INDEX message_keys_at ON message_keys (at);

CREATE TABLE rate_limits (
    word TEXT NOT NULL, -- what was done
    subject TEXT NOT NULL, -- a hash of the address or the userid for which it is counted
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX rate_limits_subject ON rate_limits (word, subject, at);
CREATE INDEX rate_limits_at ON rate_limits (at);

CREATE TABLE verifications ( -- requests that wait for the code that was mailed
    code TEXT PRIMARY KEY, -- a hash of it
    purpose TEXT NOT NULL,
    userid TEXT NOT NULL, -- of an account that may not be there yet
    address TEXT NOT NULL,
    asked INTEGER NOT NULL,
    message_key TEXT NOT NULL,
    password TEXT NOT NULL DEFAULT '', -- its hash
    language TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX verifications_userid ON verifications (userid);
CREATE INDEX verifications_asked ON verifications (asked);

CREATE TABLE bounces (
    id INTEGER PRIMARY KEY,
    normal TEXT NOT NULL, -- the form in which addresses are compared
    address TEXT NOT NULL, -- as it was written
    at INTEGER NOT NULL,
    status TEXT NOT NULL, -- RFC 3463
    letter TEXT NOT NULL, -- its Message-ID
    subject TEXT NOT NULL,
    UNIQUE (normal, letter)
) STRICT;

CREATE TABLE letters ( -- the outbox
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
    recipient TEXT NOT NULL, -- the address
    normal TEXT NOT NULL, -- the form in which addresses are compared
    userid TEXT REFERENCES accounts ON DELETE SET NULL ON UPDATE CASCADE,
    kind TEXT, -- the board and the record that it tells of, if it tells of one
    board INTEGER,
    record INTEGER,
    copies INTEGER NOT NULL, -- how many letters say the same to other addresses, with this one
    is_answer INTEGER NOT NULL CHECK (is_answer IN (0, 1)),
    may_show_any_board INTEGER NOT NULL CHECK (may_show_any_board IN (0, 1)),
    message_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    posted INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'failed', 'file')),
    next_try INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0, -- how often the relay put it off
    put_off_since INTEGER, -- when the relay first put off a letter to its address
    reason TEXT NOT NULL DEFAULT '', -- what the relay said last
    is_leaving INTEGER NOT NULL DEFAULT 0 CHECK (is_leaving IN (0, 1)), -- the relay may have it
    file TEXT, -- its name in the Maildir, when it is written there
    content BLOB NOT NULL
) STRICT;
CREATE INDEX letters_due ON letters (state, next_try);
CREATE INDEX letters_normal ON letters (normal, state, next_try);
CREATE INDEX letters_userid ON letters (userid);
CREATE INDEX letters_board ON letters (kind, board, record) WHERE kind IS NOT NULL;
CREATE INDEX letters_unwritten ON letters (id) WHERE state = 'file' AND file IS NULL;
CREATE UNIQUE INDEX letters_file ON letters (file) WHERE file IS NOT NULL;
"""

VERSION_2 = """
-- Of a challenge: its line, what came with it, and the userid of the other player.
ALTER TABLE verifications ADD COLUMN line TEXT NOT NULL DEFAULT '';
ALTER TABLE verifications ADD COLUMN text TEXT NOT NULL DEFAULT '';
ALTER TABLE verifications ADD COLUMN other TEXT NOT NULL DEFAULT '';
CREATE INDEX verifications_other ON verifications (other);
DROP TABLE rate_limits; -- what was counted before begins anew
CREATE TABLE rate_limits (
    word TEXT NOT NULL, -- what was done
    subject TEXT NOT NULL, -- a hash of the address, the userid or the host for which it is counted
    at INTEGER NOT NULL,
    number INTEGER NOT NULL, -- how often
    PRIMARY KEY (word, subject, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX rate_limits_at ON rate_limits (at);
"""

VERSION_3 = """
CREATE TABLE sheets ( -- the positions in a letter that is answered for several boards
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE, -- its reader
    id TEXT NOT NULL, -- made from the reader and the positions
    written INTEGER NOT NULL,
    positions TEXT NOT NULL, -- oust.17.12 churn.3.5: each board, and the record that may be made
    PRIMARY KEY (userid, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sheets_written ON sheets (written);
"""

VERSION_4 = """
CREATE TABLE causes ( -- the mails that led to records
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    record INTEGER NOT NULL, -- the first one that a mail led to
    until INTEGER NOT NULL, -- the last one
    message_key TEXT NOT NULL, -- of the first one
    came INTEGER NOT NULL,
    userid TEXT REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE, -- none: imported
    sender TEXT NOT NULL, -- the address
    message_id TEXT NOT NULL,
    PRIMARY KEY (kind, board, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX causes_userid ON causes (userid);
CREATE INDEX causes_came ON causes (came);
"""
