-- The tables of a home, as SQLite words them; `postgresql.py` has what PostgreSQL words otherwise.
-- Times are seconds since 1970 in UTC; a board is its kind and its number.

-- Accounts, and what they are found by

CREATE TABLE accounts (
    userid TEXT PRIMARY KEY,
    document TEXT NOT NULL, -- JSON, as `players export` writes it
    digest_due INTEGER, -- when to look whether boards wait; NULL where no digest is wanted
    changed INTEGER -- when a command changed it last
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

CREATE TABLE daily_puzzles ( -- who is mailed the puzzle of the day, and when the next time
    due INTEGER NOT NULL,
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    PRIMARY KEY (due, userid)
) STRICT, WITHOUT ROWID;
CREATE INDEX daily_puzzles_userid ON daily_puzzles (userid);

CREATE TABLE puzzle_tries ( -- how players have fared who tried a puzzle for the first time
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    tried INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY (kind, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE mentions ( -- who stands in the account of somebody else
    mentioned TEXT NOT NULL, -- a userid
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    PRIMARY KEY (mentioned, userid)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_userid ON mentions (userid);

-- Mail: what came in, what goes out, what came back, and how often

CREATE TABLE message_keys (
    message_key TEXT PRIMARY KEY,
    outcome TEXT NOT NULL CHECK (outcome IN ('done', 'refused')),
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX message_keys_at ON message_keys (at);

CREATE TABLE rate_limits (
    word TEXT NOT NULL, -- what was done
    subject TEXT NOT NULL, -- a hash of the address, the userid or the host for which it is counted
    at INTEGER NOT NULL,
    number INTEGER NOT NULL, -- how often
    PRIMARY KEY (word, subject, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX rate_limits_at ON rate_limits (at);

CREATE TABLE verifications ( -- requests that wait for the code that was mailed
    code TEXT PRIMARY KEY, -- a hash of it
    purpose TEXT NOT NULL,
    userid TEXT NOT NULL, -- of an account that may not be there yet
    address TEXT NOT NULL,
    asked INTEGER NOT NULL,
    message_key TEXT NOT NULL,
    password TEXT NOT NULL DEFAULT '', -- its hash
    language TEXT NOT NULL,
    -- Of a challenge: its line, and the userid of the other player.
    line TEXT NOT NULL DEFAULT '',
    other TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX verifications_other ON verifications (other);
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

CREATE TABLE sheets ( -- the positions in a letter that is answered for several boards
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE, -- its reader
    id TEXT NOT NULL, -- made from the reader and the positions
    written INTEGER NOT NULL,
    positions TEXT NOT NULL, -- oust.17.12 churn.3.5: each board, and the record that may be made
    PRIMARY KEY (userid, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sheets_written ON sheets (written);

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

-- Boards

CREATE TABLE boards ( -- with what their histories say
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    version INTEGER NOT NULL, -- a higher one after each change of the history, of all boards
    challenge TEXT, -- the message key of the mail that started the board
    source TEXT, -- what the board came from, where it is not the mail alone: `seek`
    source_number INTEGER, -- and the number of that
    round INTEGER, -- where a tournament has several: the round,
    section INTEGER, -- and the section in which the game is played
    state TEXT NOT NULL CHECK (state IN ('active', 'over', 'damaged')),
    grid TEXT NOT NULL, -- this and what follows is empty or 0 where the history is damaged
    x TEXT NOT NULL, -- the userids of the owners
    o TEXT NOT NULL,
    to_move TEXT, -- the userid of the player to move; NULL when the game is over
    result TEXT, -- as `x resign`; NULL as long as the game goes on
    is_rated INTEGER NOT NULL CHECK (is_rated IN (0, 1)),
    started INTEGER NOT NULL,
    latest INTEGER NOT NULL, -- when the latest record was made
    records INTEGER NOT NULL,
    due INTEGER, -- the earliest moment at which the clock can ask for something
    PRIMARY KEY (kind, board)
) STRICT, WITHOUT ROWID;
CREATE INDEX boards_version ON boards (version);
CREATE INDEX boards_challenge ON boards (challenge) WHERE challenge IS NOT NULL;
CREATE INDEX boards_source ON boards (kind, source, source_number, round, section) WHERE source IS NOT NULL;
CREATE INDEX boards_due ON boards (due) WHERE due IS NOT NULL;
CREATE INDEX boards_latest ON boards (kind, state, latest, board);
CREATE INDEX boards_rated ON boards (kind, latest, board)
    WHERE is_rated = 1 AND result <> 'draw void';
CREATE INDEX boards_to_move ON boards (to_move, kind, board) WHERE to_move IS NOT NULL;

CREATE TABLE records ( -- the lines of histories
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    number INTEGER NOT NULL, -- of the record; 0 for the header
    lines BLOB NOT NULL, -- the record, and the remarks and the result below it
    PRIMARY KEY (kind, board, number),
    FOREIGN KEY (kind, board) REFERENCES boards ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE renamed ( -- userids that have been replaced, and may not be in the published file
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    old TEXT NOT NULL,
    new TEXT NOT NULL,
    at INTEGER NOT NULL,
    FOREIGN KEY (kind, board) REFERENCES boards ON DELETE CASCADE
) STRICT;
CREATE INDEX renamed_board ON renamed (kind, board, id);

CREATE TABLE board_userids ( -- who stands anywhere in a history; also an empty userid, where a header cannot be read
    userid TEXT NOT NULL,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'over', 'damaged')),
    is_owner INTEGER NOT NULL CHECK (is_owner IN (0, 1)), -- whether a side is owned at the end
    PRIMARY KEY (userid, kind, board),
    FOREIGN KEY (kind, board) REFERENCES boards ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX board_userids_state ON board_userids (userid, state, is_owner, kind, board);
CREATE INDEX board_userids_board ON board_userids (kind, board);

CREATE TABLE players ( -- who owns a side of any board
    userid TEXT PRIMARY KEY,
    day INTEGER NOT NULL -- of the latest record on a board of theirs, in UTC, counted from 1970 on
) STRICT, WITHOUT ROWID;
CREATE INDEX players_day ON players (day DESC, userid);

CREATE TABLE board_counts ( -- how many boards there are, so that nobody has to count them
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (kind, state)
) STRICT, WITHOUT ROWID;

-- Tournaments

CREATE TABLE tournaments (
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    document TEXT NOT NULL, -- JSON
    state TEXT NOT NULL CHECK (state IN ('open', 'running', 'over', 'cancelled')),
    due INTEGER, -- when to look at it; NULL where nothing is to be done
    organiser TEXT, -- the userid of the player who has announced it; NULL if the operator has
    PRIMARY KEY (kind, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX tournaments_organiser ON tournaments (organiser, state) WHERE organiser IS NOT NULL;
CREATE INDEX tournaments_due ON tournaments (due) WHERE due IS NOT NULL;
CREATE INDEX tournaments_state ON tournaments (kind, state, number);

CREATE TABLE entries ( -- who takes part in a tournament
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    userid TEXT NOT NULL,
    at INTEGER NOT NULL,
    most INTEGER, -- on how many boards of the tournament the player plays at once; NULL for any number
    out INTEGER, -- since when the player is out of it
    why TEXT, -- and for what reason
    PRIMARY KEY (kind, number, userid),
    FOREIGN KEY (kind, number) REFERENCES tournaments ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX entries_userid ON entries (userid);

CREATE TABLE sections (
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    round INTEGER NOT NULL,
    section INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'drawn' CHECK (state IN ('drawn', 'begun', 'over')),
    due INTEGER, -- when to look at it; NULL where all its games are played or in play
    PRIMARY KEY (kind, number, round, section),
    FOREIGN KEY (kind, number) REFERENCES tournaments ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX sections_due ON sections (due, kind, number) WHERE due IS NOT NULL;

CREATE TABLE section_players (
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    round INTEGER NOT NULL,
    section INTEGER NOT NULL,
    place INTEGER NOT NULL, -- from 1, the strongest first
    userid TEXT NOT NULL,
    has_won INTEGER NOT NULL DEFAULT 0 CHECK (has_won IN (0, 1)), -- whether the section is over, and the player plays on
    PRIMARY KEY (kind, number, round, section, place),
    FOREIGN KEY (kind, number, round, section) REFERENCES sections ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX section_players_userid ON section_players (userid);

CREATE TABLE ladders ( -- how the boards of a game's ladder begin, and who stands on it
    kind TEXT NOT NULL PRIMARY KEY,
    grid TEXT, -- NULL for the usual one
    terms TEXT, -- NULL for the usual ones
    at INTEGER NOT NULL DEFAULT 0, -- it stands as it does after the event of this second,
    board INTEGER NOT NULL DEFAULT 0, -- this board
    number INTEGER NOT NULL DEFAULT 0, -- and this number
    document TEXT -- JSON: from the top; NULL before anything has happened
) STRICT, WITHOUT ROWID;

CREATE TABLE ladder_steps ( -- who has joined a ladder, or left it
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    board INTEGER NOT NULL, -- behind the events of which board of that second,
    number INTEGER NOT NULL, -- and behind which event
    userid TEXT NOT NULL,
    step TEXT NOT NULL CHECK (step IN ('join', 'leave')),
    PRIMARY KEY (kind, at, board, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX ladder_steps_userid ON ladder_steps (userid);

CREATE TABLE ladder_boards ( -- the challenges on ladders, as the histories of their boards say
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    challenger TEXT NOT NULL,
    defender TEXT NOT NULL,
    began INTEGER NOT NULL,
    ended INTEGER,
    how TEXT CHECK (how IN ('win', 'hold', 'void')),
    PRIMARY KEY (kind, board)
) STRICT, WITHOUT ROWID;
CREATE INDEX ladder_boards_began ON ladder_boards (kind, began, board);
CREATE INDEX ladder_boards_ended ON ladder_boards (kind, ended, board) WHERE ended IS NOT NULL;
CREATE INDEX ladder_boards_challenger ON ladder_boards (challenger, kind, began);
CREATE INDEX ladder_boards_defender ON ladder_boards (defender, kind, ended);

-- Ratings

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

CREATE TABLE rating_classes (
    kind TEXT NOT NULL,
    size TEXT NOT NULL,
    players INTEGER NOT NULL, -- how many have a rating
    PRIMARY KEY (kind, size)
) STRICT, WITHOUT ROWID;

CREATE TABLE rating_marks ( -- the kinds of which games wait to be counted, those after this one:
    kind TEXT PRIMARY KEY,
    ended INTEGER NOT NULL, -- the second in which it ended
    board INTEGER NOT NULL -- and its number
) STRICT, WITHOUT ROWID;

-- Openings

CREATE TABLE openings ( -- the first placements of games that are over
    kind TEXT NOT NULL,
    position INTEGER NOT NULL, -- the key of the position before it, however the board is turned
    board INTEGER NOT NULL,
    number INTEGER NOT NULL, -- of its cell, on the board turned as the key demands
    side TEXT NOT NULL CHECK (side IN ('x', 'o')), -- that placed
    winner TEXT CHECK (winner IN ('x', 'o')), -- the side that won; NULL for a draw
    PRIMARY KEY (kind, position, board),
    FOREIGN KEY (kind, board) REFERENCES boards ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX openings_board ON openings (kind, board);

CREATE TABLE openings_wanted ( -- the boards whose openings the next sweep looks at
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    PRIMARY KEY (kind, board),
    FOREIGN KEY (kind, board) REFERENCES boards ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Analyses

CREATE TABLE analyses ( -- what a search says about games that are over; it takes long to make
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    analysis TEXT NOT NULL, -- JSON; it says itself which game it is about
    PRIMARY KEY (kind, board)
) STRICT, WITHOUT ROWID;

CREATE TABLE analyses_wanted ( -- who waits for one, until it is made
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    asked INTEGER NOT NULL,
    PRIMARY KEY (kind, board, userid)
) STRICT, WITHOUT ROWID;
CREATE INDEX analyses_wanted_userid ON analyses_wanted (userid);
CREATE INDEX analyses_wanted_asked ON analyses_wanted (asked);
