"""The commands that settle moves ahead: queue, and submit with confirm."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from pbm_oust.commands.aliases import in_english
from pbm_oust.commands.grammar import Form, Rest
from pbm_oust.commands.play import read_wish
from pbm_oust.commands.values import BOARD, PASSWORD, USERID, read_guard
from pbm_oust.commands.words import fold
from pbm_oust.plans import Clause
from pbm_oust.record import PLAYING, Deed, Wish
from pbm_oust.refusal import Unread, Unreadable
from pbm_oust.replying import Credential
from pbm_oust.rules.position import Kind

MOST_CLAUSES = 20
"""How many clauses one board may have queued."""

_CLAUSE = re.compile(r"if\s+(.+?)\s+then\s+(.+)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_SUBMITTED = (*PLAYING, Deed.RESIGN, Deed.DECLINE)


class Queueing(Enum):
    """What is done to the queue of a board."""

    SHOW = "show"
    CLEAR = "clear"
    SET = "set"


QUEUEING = frozenset({"if", "then", Queueing.CLEAR.value})
"""The words of the command besides those for what is played."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Settle what to play when the other player has made his turn, or show or clear that."""

    kind: Kind
    board: int
    userid: str
    password: Credential
    queueing: Queueing
    clauses: tuple[Clause, ...]
    guard: int | None


@dataclass(frozen=True, slots=True)
class Submit:
    """Keep a move until it is confirmed."""

    kind: Kind
    board: int
    userid: str
    password: Credential
    wish: Wish
    guard: int | None


@dataclass(frozen=True, slots=True)
class Confirm:
    """Make the move that was submitted."""

    kind: Kind
    board: int
    userid: str
    password: Credential


_Queued = tuple[Queueing, tuple[Clause, ...], int | None]


def _read_queue(words: Sequence[str]) -> _Queued:
    """Return what some words queue, and the number behind `#`. Raises Unreadable."""
    if not words:
        return Queueing.SHOW, (), None
    words = [_WORD.sub(_in_english, word) for word in words]
    if fold(words[0]) == Queueing.CLEAR.value:
        if len(words) > 1:
            raise Unreadable(Unread.SURPLUS_WORD, words[1])
        return Queueing.CLEAR, (), None
    text, hash_sign, number = " ".join(words).partition("#")
    guard = read_guard(f"#{number.strip()}") if hash_sign else None
    if fold(words[0]) != "if":
        return Queueing.SET, (Clause(_read_turn(text)),), guard
    parts = [part.strip() for part in text.split(";") if part.strip()]
    if len(parts) > MOST_CLAUSES:
        raise Unreadable(Unread.BAD_PLAN, most=MOST_CLAUSES)
    return Queueing.SET, tuple(map(_read_clause, parts)), guard


def _in_english(word: re.Match[str]) -> str:
    """Return `if`, `then` or `clear` for a word that means it, or else the word."""
    meant = in_english(word[0])
    return meant if meant in QUEUEING else word[0]


def _read_clause(text: str) -> Clause:
    match = _CLAUSE.fullmatch(text)
    if not match:
        raise Unreadable(Unread.BAD_PLAN, most=MOST_CLAUSES)
    return Clause(_read_turn(match[2]), _read_turn(match[1]))


def _read_turn(text: str) -> Wish:
    wish, _ = read_wish(text.split())
    if isinstance(wish, Deed) and wish not in PLAYING:
        raise Unreadable(Unread.NO_TURN, text.strip(), known=_names(PLAYING))
    return wish


def _names(deeds: Iterable[Deed]) -> list[str]:
    return [deed.value for deed in deeds]


def _read_submitted(words: Sequence[str]) -> tuple[Wish, int | None]:
    wish, guard = read_wish(words)
    if isinstance(wish, Deed) and wish not in _SUBMITTED:
        raise Unreadable(Unread.NO_TURN, words[0], known=_names(_SUBMITTED))
    return wish, guard


def _queue(kind: Kind, board: int, userid: str, password: Credential, queued: _Queued) -> Queue:
    return Queue(kind, board, userid, password, *queued)


def _submit(
    kind: Kind, board: int, userid: str, password: Credential, wish: tuple[Wish, int | None]
) -> Submit:
    return Submit(kind, board, userid, password, *wish)


_CLAUSES_SHOWN = "if PLACEMENTS then PLACEMENTS[; if ..][#N]"
_SUBMITTED_SHOWN = ("PLACEMENTS[#N]", f"{'|'.join(_names(_SUBMITTED))}[#N]")

FORMS = (
    Form(
        "queue",
        _queue,
        (BOARD, USERID, PASSWORD),
        Rest(("PLACEMENTS[#N]", _CLAUSES_SHOWN, "[clear]"), _read_queue, least=0, fixed=QUEUEING),
    ),
    Form(
        "submit",
        _submit,
        (BOARD, USERID, PASSWORD),
        Rest(_SUBMITTED_SHOWN, _read_submitted),
    ),
    Form("confirm", Confirm, (BOARD, USERID, PASSWORD)),
)
