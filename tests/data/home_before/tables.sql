PRAGMA page_size=4096;
BEGIN TRANSACTION;
DROP TABLE IF EXISTS account_versions;
CREATE TABLE account_versions ( -- one row, with the highest version that was given
    id INTEGER PRIMARY KEY CHECK (id = 1),
    latest INTEGER NOT NULL
) STRICT;
INSERT INTO account_versions VALUES(1,16);
DROP TABLE IF EXISTS accounts;
CREATE TABLE accounts (
    userid TEXT PRIMARY KEY,
    password TEXT NOT NULL, -- its hash
    joined INTEGER NOT NULL,
    signup_key TEXT, -- the message key of the mail that made the account, if one did
    digest_due INTEGER, -- when to look whether boards wait; NULL where no digest is wanted
    version INTEGER NOT NULL -- another one after each change, and never one that was there before
, changed INTEGER) STRICT, WITHOUT ROWID;
INSERT INTO accounts VALUES('player0','scrypt 16384 8 1 00000000000000000000000000000000 cd1ce8a7acbbb15623f98b32db788ca095d23fa1c49226529a17f60cb3059e39 a',1637496000,NULL,NULL,1,NULL);
INSERT INTO accounts VALUES('player1','scrypt 16384 8 1 00000000000000000000000000000000 cd1ce8a7acbbb15623f98b32db788ca095d23fa1c49226529a17f60cb3059e39 a',1637496000,NULL,NULL,2,NULL);
INSERT INTO accounts VALUES('player2','scrypt 16384 8 1 00000000000000000000000000000000 cd1ce8a7acbbb15623f98b32db788ca095d23fa1c49226529a17f60cb3059e39 a',1637496000,NULL,NULL,3,NULL);
INSERT INTO accounts VALUES('player3','scrypt 16384 8 1 00000000000000000000000000000000 cd1ce8a7acbbb15623f98b32db788ca095d23fa1c49226529a17f60cb3059e39 a',1637496000,NULL,NULL,4,NULL);
INSERT INTO accounts VALUES('player4','scrypt 16384 8 1 00000000000000000000000000000000 cd1ce8a7acbbb15623f98b32db788ca095d23fa1c49226529a17f60cb3059e39 a',1637496000,NULL,NULL,5,NULL);
INSERT INTO accounts VALUES('player5','scrypt 16384 8 1 00000000000000000000000000000000 cd1ce8a7acbbb15623f98b32db788ca095d23fa1c49226529a17f60cb3059e39 a',1637496000,NULL,NULL,6,NULL);
INSERT INTO accounts VALUES('yan','scrypt 16384 8 1 21e09999dd5bc576fa55fb9d9b57b524 00467605918181ba9feff421cad775299e02ac87c5b5cb7905c9ee848cee7ae8 a',1795687926,NULL,NULL,16,1795687960);
INSERT INTO accounts VALUES('zoe','scrypt 16384 8 1 97459c85aa3e36e9064d400f35b7d4d0 e39c543b398a5474a5c00bd591da2a1893b42d8ab67000068fb537495d6981cf a',1795687925,NULL,NULL,15,1795687959);
CREATE INDEX accounts_digest_due ON accounts (digest_due) WHERE digest_due IS NOT NULL;
DROP TABLE IF EXISTS addresses;
CREATE TABLE addresses (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    address TEXT NOT NULL, -- as it was written
    normal TEXT NOT NULL, -- the form in which addresses are compared
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
INSERT INTO addresses VALUES('player0',0,'player0@players.example','player0@players.example');
INSERT INTO addresses VALUES('player1',0,'player1@players.example','player1@players.example');
INSERT INTO addresses VALUES('player2',0,'player2@players.example','player2@players.example');
INSERT INTO addresses VALUES('player3',0,'player3@players.example','player3@players.example');
INSERT INTO addresses VALUES('player4',0,'player4@players.example','player4@players.example');
INSERT INTO addresses VALUES('player5',0,'player5@players.example','player5@players.example');
INSERT INTO addresses VALUES('yan',0,'yan@example.org','yan@example.org');
INSERT INTO addresses VALUES('zoe',0,'zoe@example.org','zoe@example.org');
CREATE INDEX addresses_normal ON addresses (normal, userid);
DROP TABLE IF EXISTS analyses;
CREATE TABLE analyses ( -- what a search says about games that are over; it takes long to make
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    analysis TEXT NOT NULL, -- JSON; it says itself which game it is about
    PRIMARY KEY (kind, board)
) STRICT, WITHOUT ROWID;
DROP TABLE IF EXISTS board_counts;
CREATE TABLE board_counts ( -- how many boards there are, so that nobody has to count them
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (kind, state)
) STRICT, WITHOUT ROWID;
INSERT INTO board_counts VALUES('churn','over',7);
INSERT INTO board_counts VALUES('oust','active',2);
INSERT INTO board_counts VALUES('oust','over',6);
DROP TABLE IF EXISTS board_limits;
CREATE TABLE board_limits (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    boards INTEGER NOT NULL, -- the most at once
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
INSERT INTO board_limits VALUES('yan',0,20);
DROP TABLE IF EXISTS board_userids;
CREATE TABLE board_userids ( -- who stands anywhere in a history
    userid TEXT NOT NULL,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('active', 'over', 'damaged')),
    is_owner INTEGER NOT NULL CHECK (is_owner IN (0, 1)), -- whether a side is owned at the end
    PRIMARY KEY (userid, kind, board),
    FOREIGN KEY (kind, board) REFERENCES histories ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO board_userids VALUES('player0','churn',4,'over',1);
INSERT INTO board_userids VALUES('player0','churn',5,'over',1);
INSERT INTO board_userids VALUES('player0','churn',6,'over',1);
INSERT INTO board_userids VALUES('player0','oust',1,'over',1);
INSERT INTO board_userids VALUES('player0','oust',3,'over',1);
INSERT INTO board_userids VALUES('player0','oust',6,'over',1);
INSERT INTO board_userids VALUES('player1','churn',4,'over',1);
INSERT INTO board_userids VALUES('player1','oust',3,'over',1);
INSERT INTO board_userids VALUES('player1','oust',7,'over',1);
INSERT INTO board_userids VALUES('player2','oust',1,'over',1);
INSERT INTO board_userids VALUES('player2','oust',2,'over',1);
INSERT INTO board_userids VALUES('player3','churn',1,'over',1);
INSERT INTO board_userids VALUES('player3','churn',2,'over',1);
INSERT INTO board_userids VALUES('player3','churn',3,'over',1);
INSERT INTO board_userids VALUES('player3','churn',5,'over',1);
INSERT INTO board_userids VALUES('player3','churn',7,'over',1);
INSERT INTO board_userids VALUES('player3','oust',2,'over',1);
INSERT INTO board_userids VALUES('player4','oust',4,'active',1);
INSERT INTO board_userids VALUES('player4','churn',2,'over',1);
INSERT INTO board_userids VALUES('player4','churn',3,'over',1);
INSERT INTO board_userids VALUES('player4','oust',5,'over',1);
INSERT INTO board_userids VALUES('player4','oust',7,'over',1);
INSERT INTO board_userids VALUES('player5','oust',4,'active',1);
INSERT INTO board_userids VALUES('player5','churn',1,'over',1);
INSERT INTO board_userids VALUES('player5','churn',6,'over',1);
INSERT INTO board_userids VALUES('player5','churn',7,'over',1);
INSERT INTO board_userids VALUES('player5','oust',5,'over',1);
INSERT INTO board_userids VALUES('player5','oust',6,'over',1);
INSERT INTO board_userids VALUES('yan','oust',8,'active',1);
INSERT INTO board_userids VALUES('zoe','oust',8,'active',1);
CREATE INDEX board_userids_board ON board_userids (kind, board);
CREATE INDEX board_userids_state ON board_userids (userid, state, is_owner, kind, board);
DROP TABLE IF EXISTS boards;
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
INSERT INTO boards VALUES('churn',1,'hex 3','player3','player5','over',NULL,'o majority',1,1708935240,1711077960,62,NULL);
INSERT INTO boards VALUES('churn',2,'hex 3','player3','player4','over',NULL,'o majority',1,1737370680,1739266080,65,NULL);
INSERT INTO boards VALUES('churn',3,'hex 3','player4','player3','over',NULL,'o majority',1,1745390160,1747259160,70,NULL);
INSERT INTO boards VALUES('churn',4,'hex 3','player1','player0','over',NULL,'x majority',1,1684360860,1685220540,72,NULL);
INSERT INTO boards VALUES('churn',5,'hex 3','player0','player3','over',NULL,'x majority',1,1671586140,1671891060,66,NULL);
INSERT INTO boards VALUES('churn',6,'hex 3','player5','player0','over',NULL,'o majority',1,1752709200,1754048400,80,NULL);
INSERT INTO boards VALUES('churn',7,'hex 3','player3','player5','over',NULL,'x majority',1,1758830160,1759671960,61,NULL);
INSERT INTO boards VALUES('oust',1,'square 9x9','player0','player2','over',NULL,'x capture',1,1780174200,1780687200,45,NULL);
INSERT INTO boards VALUES('oust',2,'hex 5','player2','player3','over',NULL,'x capture',1,1705048140,1705223400,23,NULL);
INSERT INTO boards VALUES('oust',3,'square 7x7','player1','player0','over',NULL,'x capture',1,1676221260,1676866260,43,NULL);
INSERT INTO boards VALUES('oust',4,'hex 4','player4','player5','active','player5',NULL,1,1794953880,1795687960,6,1795947160);
INSERT INTO boards VALUES('oust',5,'square 9x9','player5','player4','over',NULL,'x capture',1,1744202700,1744424100,41,NULL);
INSERT INTO boards VALUES('oust',6,'square 8x8','player5','player0','over',NULL,'o capture',1,1716001080,1716232200,36,NULL);
INSERT INTO boards VALUES('oust',7,'square 8x8','player1','player4','over',NULL,'o capture',1,1754458440,1755874440,40,NULL);
INSERT INTO boards VALUES('oust',8,'square 5x5','zoe','yan','active','yan',NULL,1,1795687927,1795687958,1,1796292758);
CREATE TRIGGER board_counts_delete AFTER DELETE ON boards BEGIN
    UPDATE board_counts SET number = number - 1 WHERE kind = OLD.kind AND state = OLD.state;
END;
CREATE TRIGGER board_counts_insert AFTER INSERT ON boards BEGIN
    INSERT INTO board_counts (kind, state, number) VALUES (NEW.kind, NEW.state, 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER board_counts_update AFTER UPDATE OF state ON boards
WHEN NEW.state <> OLD.state BEGIN
    UPDATE board_counts SET number = number - 1 WHERE kind = OLD.kind AND state = OLD.state;
    INSERT INTO board_counts (kind, state, number) VALUES (NEW.kind, NEW.state, 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE INDEX boards_due ON boards (due) WHERE due IS NOT NULL;
CREATE INDEX boards_latest ON boards (kind, state, latest, board);
CREATE INDEX boards_rated ON boards (kind, latest, board)
    WHERE is_rated = 1 AND state = 'over' AND result <> 'draw void';
CREATE INDEX boards_to_move ON boards (to_move, kind, board) WHERE to_move IS NOT NULL;
CREATE TRIGGER ratings_delete AFTER DELETE ON boards
WHEN OLD.is_rated = 1 AND OLD.state = 'over' AND OLD.result <> 'draw void' BEGIN
    UPDATE ratings_until SET ended = OLD.latest, board = OLD.board - 1
    WHERE kind = OLD.kind AND (OLD.latest, OLD.board) <= (ended, board);
END;
CREATE TRIGGER ratings_insert AFTER INSERT ON boards
WHEN NEW.is_rated = 1 AND NEW.state = 'over' AND NEW.result <> 'draw void' BEGIN
    UPDATE ratings_until SET ended = NEW.latest, board = NEW.board - 1
    WHERE kind = NEW.kind AND (NEW.latest, NEW.board) <= (ended, board);
END;
CREATE TRIGGER ratings_update AFTER UPDATE ON boards
WHEN (OLD.grid, OLD.x, OLD.o, OLD.state, OLD.result, OLD.is_rated, OLD.latest) IS NOT
    (NEW.grid, NEW.x, NEW.o, NEW.state, NEW.result, NEW.is_rated, NEW.latest)
    AND (OLD.state = 'over' OR NEW.state = 'over') BEGIN
    UPDATE ratings_until SET ended = OLD.latest, board = OLD.board - 1
    WHERE kind = OLD.kind AND (OLD.latest, OLD.board) <= (ended, board)
    AND OLD.is_rated = 1 AND OLD.state = 'over' AND OLD.result <> 'draw void';
    UPDATE ratings_until SET ended = NEW.latest, board = NEW.board - 1
    WHERE kind = NEW.kind AND (NEW.latest, NEW.board) <= (ended, board)
    AND NEW.is_rated = 1 AND NEW.state = 'over' AND NEW.result <> 'draw void';
END;
DROP TABLE IF EXISTS bounces;
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
DROP TABLE IF EXISTS broadcasts;
CREATE TABLE broadcasts ( -- when players wrote to everybody
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
DROP TABLE IF EXISTS causes;
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
INSERT INTO causes VALUES('oust',8,1,1,'6aa9c4526db151ed',1795687958,'zoe','zoe@example.org','<58683751@example.org>');
CREATE INDEX causes_came ON causes (came);
CREATE INDEX causes_userid ON causes (userid);
DROP TABLE IF EXISTS damaged_boards;
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
DROP TABLE IF EXISTS digests;
CREATE TABLE digests (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    looked INTEGER NOT NULL, -- when the player's boards were last looked at
    sent INTEGER NOT NULL, -- when the player was last mailed about them
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
DROP TABLE IF EXISTS disabled;
CREATE TABLE disabled (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
DROP TABLE IF EXISTS histories;
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
INSERT INTO histories VALUES('churn',1,4560,1795687923634601470,6440868,0,1,NULL,NULL,NULL);
INSERT INTO histories VALUES('churn',2,4773,1795687923634993540,6440869,0,1,NULL,NULL,NULL);
INSERT INTO histories VALUES('churn',3,5128,1795687923645603636,6440870,0,1,NULL,NULL,NULL);
INSERT INTO histories VALUES('churn',4,5270,1795687923646586950,6440871,0,1,NULL,NULL,NULL);
INSERT INTO histories VALUES('churn',5,4844,1795687923647067988,6440872,0,1,NULL,NULL,NULL);
INSERT INTO histories VALUES('churn',6,5838,1795687923647424806,6440873,0,0,NULL,NULL,NULL);
INSERT INTO histories VALUES('churn',7,4489,1795687923647689507,6440874,0,0,NULL,NULL,NULL);
INSERT INTO histories VALUES('oust',1,3356,1795687924260253235,6440875,0,0,NULL,NULL,NULL);
INSERT INTO histories VALUES('oust',2,1789,1795687924260506350,6440876,0,0,NULL,NULL,NULL);
INSERT INTO histories VALUES('oust',3,3214,1795687924260760175,6440877,0,0,NULL,NULL,NULL);
INSERT INTO histories VALUES('oust',4,570,1795687961008940079,6440878,1,1,NULL,NULL,NULL);
INSERT INTO histories VALUES('oust',5,3074,1795687924261675791,6440879,0,0,NULL,NULL,NULL);
INSERT INTO histories VALUES('oust',6,2717,1795687924269442266,6440880,0,0,NULL,NULL,NULL);
INSERT INTO histories VALUES('oust',7,3005,1795687924269791883,6440881,0,0,NULL,NULL,NULL);
INSERT INTO histories VALUES('oust',8,246,1795687958379745985,6440895,1,1,'624ffdf408c2e4cb',NULL,NULL);
CREATE INDEX histories_believed ON histories (kind, board) WHERE is_replayed = 0;
CREATE INDEX histories_challenge ON histories (challenge) WHERE challenge IS NOT NULL;
CREATE INDEX histories_source ON histories (kind, source, source_number) WHERE source IS NOT NULL;
DROP TABLE IF EXISTS letters;
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
INSERT INTO letters VALUES(1,'zoe@example.org','zoe@example.org','zoe','oust',8,0,1,1,1,'<oust.8.0.zoe.d31ee5afb4f4.3z63xs4adn2qzzth@localhost>','oust 8 #1: your turn, zoe',1795687927,'waiting',1795687927,0,NULL,'',0,NULL,X'61206C6574746572');
INSERT INTO letters VALUES(2,'yan@example.org','yan@example.org','yan','oust',8,0,1,0,0,'<oust.8.0.yan.9e9fef104605.mddy7xoa5kjkbjtk@localhost>','zoe challenges you: oust 8',1795687927,'waiting',1795687927,0,NULL,'',0,NULL,X'61206C6574746572');
INSERT INTO letters VALUES(3,'zoe@example.org','zoe@example.org',NULL,NULL,NULL,NULL,1,1,1,'<refusal.2e0e4c53b97836f0@localhost>','not understood',1795687928,'waiting',1795687928,0,NULL,'',0,NULL,X'61206C6574746572');
INSERT INTO letters VALUES(4,'yan@example.org','yan@example.org','yan',NULL,NULL,NULL,1,1,1,'<sought.8e688ed28e75358d@localhost>','open challenge',1795687929,'waiting',1795687929,0,NULL,'',0,NULL,X'61206C6574746572');
INSERT INTO letters VALUES(5,'zoe@example.org','zoe@example.org',NULL,NULL,NULL,NULL,1,1,1,'<oust.1.45.31593cf0e1b8dcae@localhost>','oust 1: not done',1795687930,'waiting',1795687930,0,NULL,'',0,NULL,X'61206C6574746572');
INSERT INTO letters VALUES(6,'zoe@example.org','zoe@example.org',NULL,NULL,NULL,NULL,1,1,1,'<refusal.772ca5b49f6f344d@localhost>','not understood',1795687931,'waiting',1795687931,0,NULL,'',0,NULL,X'61206C6574746572');
INSERT INTO letters VALUES(7,'zoe@example.org','zoe@example.org',NULL,NULL,NULL,NULL,1,1,1,'<refusal.b05556a7be651b15@localhost>','not done',1795687931,'waiting',1795687931,0,NULL,'',0,NULL,X'61206C6574746572');
INSERT INTO letters VALUES(8,'zoe@example.org','zoe@example.org','zoe',NULL,NULL,NULL,1,1,1,'<rejected.960dfae9d0ca98cb@localhost>','no challenges from player1',1795687932,'waiting',1795687932,0,NULL,'',0,NULL,X'61206C6574746572');
INSERT INTO letters VALUES(9,'zoe@example.org','zoe@example.org','zoe',NULL,NULL,NULL,1,1,1,'<settings.6d5c2ba936d09300@localhost>','vos choix, zoe',1795687943,'waiting',1795687943,0,NULL,'',0,NULL,X'61206C6574746572');
INSERT INTO letters VALUES(10,'zoe@example.org','zoe@example.org',NULL,NULL,NULL,NULL,1,1,1,'<refusal.bbd5eb150943acfe@localhost>','rien n''est fait',1795687943,'waiting',1795687943,0,NULL,'',0,NULL,X'61206C6574746572');
INSERT INTO letters VALUES(11,'zoe@example.org','zoe@example.org','zoe',NULL,NULL,NULL,1,1,1,'<oust.8.0.zoe.9845181a5bc7.oahji47ot4a4p75b@localhost>','oust 8: rien n''est fait',1795687944,'waiting',1795687944,0,NULL,'',0,NULL,X'61206C6574746572');
INSERT INTO letters VALUES(12,'yan@example.org','yan@example.org','yan',NULL,NULL,NULL,1,1,1,'<settings.096e7ebb477e850d@localhost>','your settings, yan',1795687945,'waiting',1795687945,0,NULL,'',0,NULL,X'61206C6574746572');
CREATE INDEX letters_board ON letters (kind, board, record) WHERE kind IS NOT NULL;
CREATE INDEX letters_due ON letters (state, next_try);
CREATE UNIQUE INDEX letters_file ON letters (file) WHERE file IS NOT NULL;
CREATE INDEX letters_normal ON letters (normal, state, next_try);
CREATE INDEX letters_unwritten ON letters (id) WHERE state = 'file' AND file IS NULL;
CREATE INDEX letters_userid ON letters (userid);
DROP TABLE IF EXISTS message_keys;
CREATE TABLE message_keys (
    message_key TEXT PRIMARY KEY,
    outcome TEXT NOT NULL CHECK (outcome IN ('begun', 'done', 'refused')),
    at INTEGER NOT NULL,
    progress TEXT NOT NULL DEFAULT '' -- what a command that was cut off needs to go on
) STRICT, WITHOUT ROWID;
INSERT INTO message_keys VALUES('0e765ff70fc4985e','done',1795687932,'');
INSERT INTO message_keys VALUES('12030518b59fcdf3','done',1795687929,'');
INSERT INTO message_keys VALUES('3140edacc8ce03ed','done',1795687958,'');
INSERT INTO message_keys VALUES('37a33104ce1ce12c','refused',1795687944,'');
INSERT INTO message_keys VALUES('3cf82bd5901d7792','refused',1795687931,'');
INSERT INTO message_keys VALUES('4a485a87c99ccca9','refused',1795687943,'');
INSERT INTO message_keys VALUES('679d20946a2d64f1','done',1795687960,'');
INSERT INTO message_keys VALUES('84a89d5423070537','done',1795687943,'');
INSERT INTO message_keys VALUES('a04b95e9db5c2506','done',1795687959,'');
INSERT INTO message_keys VALUES('a6fccd5ca7f6d3f1','refused',1795687957,'');
INSERT INTO message_keys VALUES('b689a8e39c83f7f5','done',1795687959,'');
INSERT INTO message_keys VALUES('e4d41bf16abf185d','done',1795687945,'');
INSERT INTO message_keys VALUES('ed8a894db8917acc','refused',1795687930,'');
CREATE INDEX message_keys_at ON message_keys (at);
DROP TABLE IF EXISTS notes;
CREATE TABLE notes (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
INSERT INTO notes VALUES('zoe',0,'oust',8,'A good beginning.');
DROP TABLE IF EXISTS queue;
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
INSERT INTO queue VALUES('zoe',0,'oust',8,2,'3140edacc8ce03ed',NULL,'D4');
DROP TABLE IF EXISTS rate_limits;
CREATE TABLE rate_limits (
    word TEXT NOT NULL, -- what was done
    subject TEXT NOT NULL, -- a hash of the address, the userid or the host for which it is counted
    at INTEGER NOT NULL,
    number INTEGER NOT NULL, -- how often
    PRIMARY KEY (word, subject, at)
) STRICT, WITHOUT ROWID;
INSERT INTO rate_limits VALUES('all_answers_an_hour','e3b0c44298fc1c14',1795687920,6);
INSERT INTO rate_limits VALUES('all_answers_an_hour','e3b0c44298fc1c14',1795687950,1);
INSERT INTO rate_limits VALUES('answers_to_a_player_an_hour','1763c758c09a8e6d',1795687928,1);
INSERT INTO rate_limits VALUES('answers_to_a_player_an_hour','1763c758c09a8e6d',1795687930,1);
INSERT INTO rate_limits VALUES('answers_to_a_player_an_hour','1763c758c09a8e6d',1795687931,2);
INSERT INTO rate_limits VALUES('answers_to_a_player_an_hour','1763c758c09a8e6d',1795687943,1);
INSERT INTO rate_limits VALUES('answers_to_a_player_an_hour','1763c758c09a8e6d',1795687944,1);
INSERT INTO rate_limits VALUES('answers_to_a_player_an_hour','1763c758c09a8e6d',1795687957,1);
INSERT INTO rate_limits VALUES('boards_a_day','e3b0c44298fc1c14',1795687920,1);
INSERT INTO rate_limits VALUES('challenges_a_day','9d017e2681b7f317',1795687927,1);
INSERT INTO rate_limits VALUES('challenges_to_one_player_a_day','e730a75e6bbf7325',1795687927,1);
INSERT INTO rate_limits VALUES('equal_refusals_an_hour','9ac0dce6dd45408d',1795687931,1);
INSERT INTO rate_limits VALUES('equal_refusals_an_hour','fb1d025230aa3d70',1795687928,1);
INSERT INTO rate_limits VALUES('moves_an_hour','281aca1a80b52620',1795687920,2);
INSERT INTO rate_limits VALUES('moves_an_hour','281aca1a80b52620',1795687950,1);
INSERT INTO rate_limits VALUES('moves_an_hour','9d017e2681b7f317',1795687920,7);
INSERT INTO rate_limits VALUES('moves_an_hour','9d017e2681b7f317',1795687950,5);
INSERT INTO rate_limits VALUES('refused mails','881fbdbd32f51a46',1795687931,1);
INSERT INTO rate_limits VALUES('refused mails','8dbc318e44ec8d3c',1795687928,1);
CREATE INDEX rate_limits_at ON rate_limits (at);
DROP TABLE IF EXISTS rating_counts;
CREATE TABLE rating_counts ( -- how many players have ratings
    kind TEXT NOT NULL,
    size TEXT NOT NULL, -- the class of sizes
    number INTEGER NOT NULL,
    PRIMARY KEY (kind, size)
) STRICT, WITHOUT ROWID;
INSERT INTO rating_counts VALUES('churn','small',5);
INSERT INTO rating_counts VALUES('oust','medium',4);
INSERT INTO rating_counts VALUES('oust','small',6);
DROP TABLE IF EXISTS rating_steps;
CREATE TABLE rating_steps ( -- what players had achieved before each game that has been counted
    kind TEXT NOT NULL,
    userid TEXT NOT NULL,
    size TEXT NOT NULL, -- the class of sizes
    ended INTEGER NOT NULL,
    board INTEGER NOT NULL,
    rating REAL NOT NULL,
    wins INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    draws INTEGER NOT NULL,
    worth REAL NOT NULL,
    PRIMARY KEY (kind, userid, size, ended, board)
) STRICT, WITHOUT ROWID;
INSERT INTO rating_steps VALUES('churn','player0','small',1671891060,5,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('churn','player0','small',1685220540,4,1800.0,1,0,0,1800.0);
INSERT INTO rating_steps VALUES('churn','player0','small',1754048400,6,1650.0,1,1,0,3300.0);
INSERT INTO rating_steps VALUES('churn','player1','small',1685220540,4,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('churn','player3','small',1671891060,5,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('churn','player3','small',1711077960,1,1400.0,0,1,0,1400.0);
INSERT INTO rating_steps VALUES('churn','player3','small',1739266080,2,1350.0,0,2,0,2700.0);
INSERT INTO rating_steps VALUES('churn','player3','small',1747259160,3,1325.0,0,3,0,3975.0);
INSERT INTO rating_steps VALUES('churn','player3','small',1759671960,7,1418.75,1,3,0,5675.0);
INSERT INTO rating_steps VALUES('churn','player4','small',1739266080,2,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('churn','player4','small',1747259160,3,1675.0,1,0,0,1675.0);
INSERT INTO rating_steps VALUES('churn','player5','small',1711077960,1,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('churn','player5','small',1754048400,6,1700.0,1,0,0,1700.0);
INSERT INTO rating_steps VALUES('churn','player5','small',1759671960,7,1587.5,1,1,0,3175.0);
INSERT INTO rating_steps VALUES('oust','player0','medium',1780687200,1,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('oust','player0','small',1676866260,3,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('oust','player0','small',1716232200,6,1400.0,0,1,0,1400.0);
INSERT INTO rating_steps VALUES('oust','player1','small',1676866260,3,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('oust','player1','small',1755874440,7,1800.0,1,0,0,1800.0);
INSERT INTO rating_steps VALUES('oust','player2','medium',1780687200,1,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('oust','player2','small',1705223400,2,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('oust','player3','small',1705223400,2,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('oust','player4','medium',1744424100,5,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('oust','player4','small',1755874440,7,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('oust','player5','medium',1744424100,5,1600.0,0,0,0,0.0);
INSERT INTO rating_steps VALUES('oust','player5','small',1716232200,6,1600.0,0,0,0,0.0);
CREATE INDEX rating_steps_place ON rating_steps (kind, ended, board);
DROP TABLE IF EXISTS ratings;
CREATE TABLE ratings ( -- what players have achieved in the games of a kind up to some game
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
INSERT INTO ratings VALUES('churn','small','player0',1725.0,2,1,0,5175.0);
INSERT INTO ratings VALUES('churn','small','player1',1900.0,1,0,0,1900.0);
INSERT INTO ratings VALUES('churn','small','player3',1475.625,2,3,0,7378.125);
INSERT INTO ratings VALUES('churn','small','player4',1487.5,1,1,0,2975.0);
INSERT INTO ratings VALUES('churn','small','player5',1492.7083333333333,1,2,0,4478.125);
INSERT INTO ratings VALUES('oust','medium','player0',1800.0,1,0,0,1800.0);
INSERT INTO ratings VALUES('oust','medium','player2',1400.0,0,1,0,1400.0);
INSERT INTO ratings VALUES('oust','medium','player4',1400.0,0,1,0,1400.0);
INSERT INTO ratings VALUES('oust','medium','player5',1800.0,1,0,0,1800.0);
INSERT INTO ratings VALUES('oust','small','player0',1550.0,1,1,0,3100.0);
INSERT INTO ratings VALUES('oust','small','player1',1650.0,1,1,0,3300.0);
INSERT INTO ratings VALUES('oust','small','player2',1800.0,1,0,0,1800.0);
INSERT INTO ratings VALUES('oust','small','player3',1400.0,0,1,0,1400.0);
INSERT INTO ratings VALUES('oust','small','player4',1900.0,1,0,0,1900.0);
INSERT INTO ratings VALUES('oust','small','player5',1300.0,0,1,0,1300.0);
CREATE TRIGGER rating_counts_delete AFTER DELETE ON ratings BEGIN
    UPDATE rating_counts SET number = number - 1 WHERE kind = OLD.kind AND size = OLD.size;
END;
CREATE TRIGGER rating_counts_insert AFTER INSERT ON ratings BEGIN
    INSERT INTO rating_counts (kind, size, number) VALUES (NEW.kind, NEW.size, 1)
    ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE INDEX ratings_rating ON ratings (kind, size, rating DESC, userid);
DROP TABLE IF EXISTS ratings_until;
CREATE TABLE ratings_until ( -- up to this place, what was counted is what the boards say
    kind TEXT PRIMARY KEY,
    ended INTEGER NOT NULL, -- the second in which the game ended
    board INTEGER NOT NULL -- and its number
) STRICT, WITHOUT ROWID;
INSERT INTO ratings_until VALUES('churn',1759671960,7);
INSERT INTO ratings_until VALUES('oust',1780687200,1);
DROP TABLE IF EXISTS rejections;
CREATE TABLE rejections (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    rejected TEXT NOT NULL, -- the userid of a player
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
INSERT INTO rejections VALUES('zoe',0,'player1');
CREATE INDEX rejections_rejected ON rejections (rejected, userid);
DROP TABLE IF EXISTS seek_numbers;
CREATE TABLE seek_numbers ( -- the highest number given, also to open challenges that are gone
    kind TEXT PRIMARY KEY,
    highest INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO seek_numbers VALUES('churn',1);
DROP TABLE IF EXISTS seeks;
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
INSERT INTO seeks VALUES('yan',0,'churn',1,1795687929,NULL,'hex 3','swap rated nagtime=7 forfeittime=21');
CREATE TRIGGER seeks_are_numbered AFTER INSERT ON seeks BEGIN
    INSERT INTO seek_numbers VALUES (NEW.kind, NEW.number)
    ON CONFLICT (kind) DO UPDATE SET highest = max(highest, excluded.highest);
END;
DROP TABLE IF EXISTS settings;
CREATE TABLE settings ( -- those that are not as usual
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (userid, position),
    UNIQUE (userid, name)
) STRICT, WITHOUT ROWID;
INSERT INTO settings VALUES('yan',0,'mail','mine');
INSERT INTO settings VALUES('zoe',0,'language','fr');
INSERT INTO settings VALUES('zoe',1,'zone','Europe/Paris');
DROP TABLE IF EXISTS sheets;
CREATE TABLE sheets ( -- the positions in a letter that is answered for several boards
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE, -- its reader
    id TEXT NOT NULL, -- made from the reader and the positions
    written INTEGER NOT NULL,
    positions TEXT NOT NULL, -- oust.17.12 churn.3.5: each board, and the record that may be made
    PRIMARY KEY (userid, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sheets_written ON sheets (written);
DROP TABLE IF EXISTS signed_off;
CREATE TABLE signed_off (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
DROP TABLE IF EXISTS submissions;
CREATE TABLE submissions ( -- moves that wait to be confirmed
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    record INTEGER NOT NULL, -- the number of the board's next record when this was submitted
    move TEXT NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
DROP TABLE IF EXISTS vacations;
CREATE TABLE vacations (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    begins INTEGER NOT NULL,
    ends INTEGER NOT NULL CHECK (ends >= begins),
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
DROP TABLE IF EXISTS verifications;
CREATE TABLE verifications ( -- requests that wait for the code that was mailed
    code TEXT PRIMARY KEY, -- a hash of it
    purpose TEXT NOT NULL,
    userid TEXT NOT NULL, -- of an account that may not be there yet
    address TEXT NOT NULL,
    asked INTEGER NOT NULL,
    message_key TEXT NOT NULL,
    password TEXT NOT NULL DEFAULT '', -- its hash
    language TEXT NOT NULL
, line TEXT NOT NULL DEFAULT '', text TEXT NOT NULL DEFAULT '', other TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;
CREATE INDEX verifications_asked ON verifications (asked);
CREATE INDEX verifications_other ON verifications (other);
CREATE INDEX verifications_userid ON verifications (userid);
DROP TABLE IF EXISTS verified;
CREATE TABLE verified ( -- codes that came back for an account
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    code TEXT NOT NULL, -- a hash of it
    message_key TEXT NOT NULL, -- of the mail that asked for the code
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
DROP TABLE IF EXISTS waiting_lines;
CREATE TABLE waiting_lines ( -- committed, and not yet known to be in the history
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    record INTEGER NOT NULL, -- the number of the first record; 0 for a history from its header on
    lines BLOB NOT NULL,
    message_key TEXT NOT NULL,
    PRIMARY KEY (kind, board, record)
) STRICT, WITHOUT ROWID;
DROP TABLE IF EXISTS waiting_rewritings;
CREATE TABLE waiting_rewritings ( -- userids that are to be replaced in a history
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    old TEXT NOT NULL,
    new TEXT NOT NULL
) STRICT;
CREATE INDEX waiting_rewritings_board ON waiting_rewritings (kind, board, id);
CREATE INDEX waiting_rewritings_old ON waiting_rewritings (old);
DROP TABLE IF EXISTS watched;
CREATE TABLE watched (
    userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    board INTEGER NOT NULL,
    PRIMARY KEY (userid, position)
) STRICT, WITHOUT ROWID;
INSERT INTO watched VALUES('zoe',0,'oust',4);
CREATE INDEX watched_board ON watched (kind, board, userid);
DELETE FROM main.sqlite_sequence WHERE name='letters';
INSERT INTO main.sqlite_sequence VALUES ('letters', 20);
INSERT INTO vacations VALUES('zoe',0,1798761600,1799539200);
INSERT INTO waiting_lines VALUES('oust',8,1,X'202020312078204333202020202020202020202020202020202020202020202020323032362d31312d32365431303a31323a33385a20366161396334353236646231353165640a','6aa9c4526db151ed');
pragma user_version=10;
COMMIT TRANSACTION;
