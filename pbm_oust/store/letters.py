"""The outbox: letters that wait for the relay, are held back, are in the Maildir, or have failed.

A letter is added within the transaction of the command that it tells of. Letters to one address
leave in the order in which they were added: if one is put off, so are those after it. One that is
written later has no Message-ID until then, and its content is what it is written from.
"""

from collections.abc import Iterable
from datetime import datetime
from email.message import EmailMessage
from enum import Enum
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from pbm_oust.accounts.address import normal_address
from pbm_oust.accounts.asks import Ask
from pbm_oust.board import Game
from pbm_oust.store.database import (
    Row,
    Snapshot,
    Transaction,
    Value,
    moment_of,
    seconds,
    words_list,
)

if TYPE_CHECKING:
    from email.policy import EmailPolicy


class LetterState(Enum):
    """The states of a letter on its way."""

    WAITING = "waiting"
    """It waits for the relay."""
    HELD = "held"
    """It comes from a backup, and may have left after the backup; the operator releases it."""
    FAILED = "failed"
    """The relay does not take it; the operator decides what becomes of it."""
    FILE = "file"
    """It is in the Maildir, or is about to be written there."""


class About(Struct, frozen=True):
    """The board and the record that a letter tells of."""

    kind: str
    board: int
    record: int


class Head(Struct, frozen=True):
    """The entry of a letter in the outbox: its recipient, and its purpose."""

    recipient: str
    """The mail address."""
    message_id: str
    """Empty as long as the letter is not written."""
    subject: str
    userid: str | None = None
    """Its reader, if it belongs to an account."""
    about: About | None = None
    """What it tells of, if that is a single board."""
    copies: int = 1
    """The number of letters that say this, to all addresses of its reader."""
    is_answer: bool = False
    """Whether its reader asked for it."""
    may_show_any_board: bool = False
    """Whether it is neither the news of a single board nor what another player wrote."""


class Draft(Struct, frozen=True):
    """A letter to be added to the outbox."""

    head: Head
    content: bytes
    """As the outbox keeps it: its lines end in LF."""
    written: datetime
    kept: Ask | None = None
    """What is kept so that the letter can be answered for several boards."""


class Letter(Struct, frozen=True):
    """A letter of the outbox without its content."""

    id: int
    head: Head
    posted: datetime
    state: LetterState
    next_try: datetime
    failures: int
    """How often the relay has put it off."""
    put_off_since: datetime | None
    """When the relay first put it off, or a letter to the same address before it."""
    reason: str
    """What the relay said last."""
    is_leaving: bool
    """Whether it was about to be handed to the relay, which may have it."""
    file: str
    """Its name in the Maildir, when it is written there."""

    @property
    def is_written(self) -> bool:
        """Whether its content is the letter, and not what it is to be written from."""
        return bool(self.head.message_id)

    @property
    def is_put_aside(self) -> bool:
        """Whether it could not be written when that was tried; `reason` says why."""
        return bool(self.reason) and not self.is_written


SELECT = (
    "SELECT id, recipient, message_id, subject, userid, kind, board, record, copies, is_answer,"
    " may_show_any_board, posted, state, next_try, failures, put_off_since, reason, is_leaving,"
    " file FROM letters"
)
"""The statement that reads letters, without its condition."""
SELECT_ALL = SELECT.replace(" FROM", ", content FROM")
"""The same with their contents at the end."""
_ADD = (
    "INSERT INTO letters (recipient, normal, message_id, subject, userid, kind, board, record,"
    " copies, is_answer, may_show_any_board, posted, state, content, next_try) VALUES"
)
_ADDED = (
    "(?, ?, ?, ?, (SELECT userid FROM accounts WHERE userid = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?,"
    " coalesce((SELECT max(next_try) FROM letters WHERE normal = ? AND state = 'waiting'"
    " AND next_try > ? AND (message_id <> '' OR reason = '')), ?))"
)
"""The statement that adds letters, and each letter in it; nobody waits for one put aside."""
_MOST_TOGETHER = 100
"""The most letters that one statement adds."""
_IN_STATES = "state IN (SELECT value FROM json_each(?))"
_DUE = "state = 'waiting' AND next_try <= ? AND normal NOT IN (SELECT value FROM json_each(?))"


def add_letters(transaction: Transaction, drafts: Iterable[Draft], state: LetterState) -> None:
    """Add letters, which are WAITING or are to be FILEs, in their order.

    One belongs to nobody if its reader's account has just been removed.
    """
    left = iter(drafts)
    while some := list(islice(left, _MOST_TOGETHER)):
        values = [value for draft in some for value in _values(draft, state)]
        transaction.run(f"{_ADD} {', '.join([_ADDED] * len(some))}", *values)
        if state is LetterState.FILE:
            transaction.follows[state] = True


def _values(draft: Draft, state: LetterState) -> list[Value]:
    """Return what a new row has, in the order of `_ADD`."""
    head, normal, posted = draft.head, normal_address(draft.head.recipient), seconds(draft.written)
    about = head.about
    return [
        head.recipient,
        normal,
        head.message_id,
        head.subject,
        head.userid,
        *((about.kind, about.board, about.record) if about else (None, None, None)),
        head.copies,
        int(head.is_answer),
        int(head.may_show_any_board),
        posted,
        state.value,
        draft.content,
        normal,
        posted,
        posted,
    ]


def read_letter(snapshot: Snapshot, letter: int) -> tuple[Letter, bytes] | None:
    """Return a letter with its content, or None if it is gone."""
    row = snapshot.row(f"{SELECT_ALL} WHERE id = ?", letter)
    return (letter_of(row[:-1]), row[-1]) if row else None


def unpublished(snapshot: Snapshot, now: datetime, most: int) -> list[tuple[Letter, bytes]]:
    """Return letters that are to be files, with their contents, oldest first.

    Those that were put aside until later are left out.
    """
    rows = snapshot.rows(
        f"{SELECT_ALL} WHERE state = 'file' AND file IS NULL"
        " AND (message_id <> '' OR reason = '' OR next_try <= ?) ORDER BY id LIMIT ?",
        seconds(now),
        most,
    )
    return [(letter_of(row[:-1]), row[-1]) for row in rows]


def keep_written(transaction: Transaction, letter: int, written: Head, content: bytes) -> None:
    """Keep a letter as it was written, if the outbox has only what it was written from."""
    transaction.run(
        "UPDATE letters SET message_id = ?, subject = ?, content = ?, reason = ''"
        " WHERE id = ? AND message_id = ''",
        written.message_id,
        written.subject,
        content,
        letter,
    )


def put_aside(transaction: Transaction, letter: int, until: datetime, reason: str) -> None:
    """Let a letter that cannot be written wait by itself; others to its address go on."""
    transaction.run(
        "UPDATE letters SET next_try = ?, is_leaving = 0, reason = ?"
        " WHERE id = ? AND message_id = ''",
        seconds(until),
        reason,
        letter,
    )


def all_letters(snapshot: Snapshot, *states: LetterState) -> list[Letter]:
    """Return all letters in these states, or in any, oldest first."""
    words = words_list(state.value for state in states or LetterState)
    rows = snapshot.rows(f"{SELECT} WHERE {_IN_STATES} ORDER BY id", words)
    return [letter_of(row) for row in rows]


def count_letters(snapshot: Snapshot) -> dict[LetterState, int]:
    """Return the number of letters in each state."""
    rows = snapshot.rows("SELECT state, count(*) FROM letters GROUP BY state")
    return dict.fromkeys(LetterState, 0) | {LetterState(word): number for word, number in rows}


def remove_letters(transaction: Transaction, letters: Iterable[int]) -> None:
    """Remove letters, as far as they are still there. The Maildir removes their files."""
    transaction.run_all("DELETE FROM letters WHERE id = ?", [(letter,) for letter in letters])


def files_to(snapshot: Snapshot, address: str) -> list[str]:
    """Return the names of the files with letters to an address."""
    search = "SELECT file FROM letters WHERE normal = ? AND file IS NOT NULL ORDER BY id"
    return [file for (file,) in snapshot.rows(search, normal_address(address))]


def remove_letters_to(transaction: Transaction, address: str) -> None:
    """Remove the letters to an address, in whatever state. The Maildir removes their files."""
    transaction.run("DELETE FROM letters WHERE normal = ?", normal_address(address))


def count_letters_to(snapshot: Snapshot, addresses: Iterable[str]) -> int:
    """Return the number of letters to some addresses in the outbox, including failed ones."""
    search = "SELECT count(*) FROM letters WHERE normal = ?"
    return sum(snapshot.number(search, each) for each in set(map(normal_address, addresses)))


# What a player has not been told


def unsent_about(
    snapshot: Snapshot, addresses: Iterable[str], kind: str, board: int, since: int
) -> list[Letter]:
    """Return the letters in the outbox that tell a reader of a board's records from `since` on.

    `addresses` are all that the reader has. Failed letters are left out.
    """
    normal = set(map(normal_address, addresses))
    rows = snapshot.rows(
        f"{SELECT} WHERE kind = ? AND board = ? AND record >= ? AND state <> 'failed' ORDER BY id",
        kind,
        board,
        since,
    )
    letters = map(letter_of, rows)
    return [each for each in letters if normal_address(each.head.recipient) in normal]


def answers_about(snapshot: Snapshot, game: Game, record: int, userid: str) -> list[LetterState]:
    """Return where the letters are in the outbox that answered a player with a board.

    `record` is the latest one that they show.
    """
    rows = snapshot.rows(
        "SELECT state FROM letters WHERE kind = ? AND board = ? AND record = ?"
        " AND userid = ? AND is_answer = 1 ORDER BY id",
        game.header.kind.name,
        game.header.board,
        record,
        userid,
    )
    return [LetterState(state) for (state,) in rows]


def may_show_board_since(snapshot: Snapshot, addresses: Iterable[str], letter: int) -> bool:
    """Return whether any letter to a reader, from an id on, may show any board."""
    search = (
        "SELECT 1 FROM letters WHERE normal = ? AND state IN ('waiting', 'held', 'file')"
        " AND id >= ? AND may_show_any_board = 1 LIMIT 1"
    )
    return any(snapshot.row(search, normal_address(each), letter) for each in addresses)


def letter_of(row: Row) -> Letter:
    """Return the letter of a row that `SELECT` gives."""
    number, recipient, message_id, subject, userid, kind, board, record, *rest = row
    copies, is_answer, shows_any, posted, state, next_try, failures, since, *last = rest
    reason, is_leaving, file = last
    about = About(kind, board, record) if kind else None
    purpose = copies, bool(is_answer), bool(shows_any)
    return Letter(
        number,
        Head(recipient, message_id, subject, userid, about, *purpose),
        moment_of(posted),
        LetterState(state),
        moment_of(next_try),
        failures,
        moment_of(since) if since is not None else None,
        reason,
        bool(is_leaving),
        file or "",
    )


def task_of(address: str) -> str:
    """Return the task of handing over the letters to an address in its normal form."""
    return f"letters to {address}"


def addresses_waiting(snapshot: Snapshot) -> list[str]:
    """Return the addresses, in their normal forms, of the letters that wait for the relay."""
    rows = snapshot.rows("SELECT normal FROM letters WHERE state = 'waiting'")
    return sorted({normal for (normal,) in rows})


def next_due(snapshot: Snapshot, now: datetime, without: Iterable[str] = ()) -> Letter | None:
    """Return the next letter for the relay; those to one address come in their order.

    Those to the addresses `without`, in their normal forms, are left out.
    """
    row = snapshot.row(
        f"{SELECT} WHERE {_DUE} ORDER BY next_try, id LIMIT 1", seconds(now), words_list(without)
    )
    return letter_of(row) if row else None


def first_due(snapshot: Snapshot) -> datetime | None:
    """Return since when a letter is due, or when the first one will be; None if none waits."""
    ((first,),) = snapshot.rows("SELECT min(next_try) FROM letters WHERE state = 'waiting'")
    return None if first is None else moment_of(first)


def wait_beyond(snapshot: Snapshot, longest: datetime) -> bool:
    """Return whether a letter waits for a later moment than any letter is put off to.

    It was written or put off while a clock was ahead.
    """
    search = "SELECT 1 FROM letters WHERE state = 'waiting' AND next_try > ? LIMIT 1"
    return snapshot.row(search, seconds(longest)) is not None


def wait_no_more(transaction: Transaction, now: datetime, longest: datetime) -> None:
    """Let letters leave now that wait for a later moment than `longest`."""
    transaction.run(
        "UPDATE letters SET next_try = ?1,"
        " put_off_since = CASE WHEN put_off_since > ?1 THEN ?1 ELSE put_off_since END"
        " WHERE state = 'waiting' AND next_try > ?2",
        seconds(now),
        seconds(longest),
    )


def begin_sending(transaction: Transaction, letter: int) -> bytes:
    """Mark a letter as leaving, and return its content.

    From now on nobody may take it back, as the relay may have it.
    """
    mark = "UPDATE letters SET is_leaving = 1 WHERE id = ? RETURNING content"
    ((content,),) = transaction.rows(mark, letter)
    return bytes(content)


def doubt_waiting(transaction: Transaction) -> None:
    """Mark all letters that wait as leaving: the relay may have any of them.

    So it is after a power cut, which may undo that they have left (`Database.write`).
    """
    transaction.run("UPDATE letters SET is_leaving = 1 WHERE state = 'waiting' AND is_leaving = 0")


def stop_sending(transaction: Transaction, letter: int) -> None:
    """Mark a letter as waiting again, which was not handed to the relay after all."""
    transaction.run("UPDATE letters SET is_leaving = 0 WHERE id = ?", letter)


def put_off(
    transaction: Transaction, letter: int, now: datetime, until: datetime, reason: str
) -> int:
    """Put off a letter that the relay does not take now, and all others to its address.

    Returns how many these are.
    """
    row = transaction.row(
        "UPDATE letters SET failures = failures + 1, reason = ? WHERE id = ? RETURNING normal",
        reason,
        letter,
    )
    if row is None:
        return 0
    return transaction.run(
        "UPDATE letters SET next_try = CASE WHEN next_try > ?1 THEN next_try ELSE ?1 END,"
        " is_leaving = 0, put_off_since = coalesce(put_off_since, ?2)"
        " WHERE normal = ?3 AND state = 'waiting'",
        seconds(until),
        seconds(now),
        row[0],
    )


def fail_letter(transaction: Transaction, letter: int, reason: str) -> None:
    """Mark a letter as failed."""
    transaction.run(
        "UPDATE letters SET state = 'failed', is_leaving = 0, reason = ? WHERE id = ?",
        reason,
        letter,
    )


def turn_into_files(transaction: Transaction, addresses: Iterable[str]) -> None:
    """Let the letters that wait for a relay and go to some addresses go into the Maildir."""
    transaction.run(
        "UPDATE letters SET state = 'file', is_leaving = 0, failures = 0, put_off_since = NULL"
        " WHERE state = 'waiting' AND normal IN (SELECT value FROM json_each(?))",
        words_list(addresses),
    )


def recall_letter(transaction: Transaction, letter: Letter) -> None:
    """Let a letter wait for the relay, after the Maildir has taken back its file, if it had one.

    Nothing is done if the letter has got a file since, or is gone.
    """
    transaction.run(
        "UPDATE letters SET state = 'waiting', file = NULL"
        " WHERE id = ? AND state = 'file' AND coalesce(file, '') = ?",
        letter.id,
        letter.file,
    )


def hold_letters(
    transaction: Transaction,
    states: Iterable[LetterState] = (LetterState.WAITING, LetterState.FILE),
) -> int:
    """Hold back all letters in these states, and return their number. They have no files then.

    A relay that runs may still hand over those that it has marked as leaving.
    """
    return transaction.run(
        "UPDATE letters SET state = 'held', file = NULL, is_leaving = 0"
        " WHERE state IN (SELECT value FROM json_each(?))",
        words_list(state.value for state in states),
    )


def let_leave(
    transaction: Transaction,
    held: LetterState,
    state: LetterState,
    now: datetime,
    letter: int | None = None,
) -> int:
    """Let letters that are HELD, or have FAILED, leave in another state: all, or a single one.

    Returns their number.
    """
    return transaction.run(
        "UPDATE letters SET state = ?, next_try = ?, failures = 0, put_off_since = NULL"
        " WHERE state = ? AND id = coalesce(?, id)",
        state.value,
        seconds(now),
        held.value,
        letter,
    )


# The content of a letter


@cache
def _as_written() -> "EmailPolicy[EmailMessage]":
    """Return what keeps the headers of letters as they were written."""
    from email import policy  # writing letters needs none

    return policy.default.clone(refold_source="none")


def parse_content(content: bytes) -> EmailMessage:
    """Return a letter as a message, with its headers as they were written."""
    from email.parser import BytesParser

    return BytesParser(EmailMessage, policy=_as_written()).parsebytes(content)


def text_of(message: EmailMessage) -> str:
    """Return the text of a letter, without its HTML."""
    body = message.get_body(("plain",))
    return str(body.get_content()) if body else ""


def on_the_wire(content: bytes, *, is_international: bool) -> bytes:
    """Return a letter with the line ends of SMTP, and with UTF-8 in its headers if that may be."""
    if content.isascii():
        return content.replace(b"\n", b"\r\n")
    policy = _as_written().clone(linesep="\r\n", utf8=is_international)
    return parse_content(content).as_bytes(policy=policy)
