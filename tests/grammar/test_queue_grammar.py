"""How turns that are queued or submitted are written."""

import pytest

from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.queue import Clause
from pbm_oust.board import Deed, Place
from pbm_oust.commands.play import Queue, Queueing, Submit
from pbm_oust.refusal import Unreadable
from pbm_oust.rules import KINDS
from pbm_oust.service.table import parse_line
from tests.support import tables

tabled = tables.tabled(__file__)

QUEUE, SUBMIT = "oust queue 17 alice wonderland", "oust submit 17 alice wonderland"
D4, F6 = Place(("D4",)), Place(("F6",))


def queued(words: str) -> tuple[Queueing, tuple[Clause, ...], int | None]:
    command = parse_line(f"{QUEUE} {words}")[1]
    assert isinstance(command, Queue)
    assert (command.board, command.userid) == (17, "alice")
    assert command.password == Secret("wonderland")
    return command.queueing, command.clauses, command.guard


@pytest.mark.parametrize(
    ("words", "clauses", "guard"),
    [
        ("D4", (Clause(D4),), None),
        ("d4,e5#9", (Clause(Place(("D4", "E5"))),), 9),
        ("D4 E5 #9", (Clause(Place(("D4", "E5"))),), 9),
        ("swap", (Clause(Deed.SWAP),), None),
        ("if F6 then D4", (Clause(D4, F6),), None),
        ("IF f6 THEN d4", (Clause(D4, F6),), None),
        ("if F6, G7 then D4 E5", (Clause(Place(("D4", "E5")), Place(("F6", "G7"))),), None),
        ("if F6 then D4;if pass then F6;", (Clause(D4, F6), Clause(F6, Deed.PASS)), None),
        (
            "if F6 then D4; if G7 then pas#12",
            (Clause(D4, F6), Clause(Deed.PASS, Place(("G7",)))),
            12,
        ),
    ],
)
def test_what_is_queued_is_a_turn_or_answers_to_turns(
    words: str, clauses: tuple[Clause, ...], guard: int | None
) -> None:
    assert queued(words) == (Queueing.SET, clauses, guard)


def test_without_words_the_queue_is_shown_and_clear_drops_it() -> None:
    assert queued("") == (Queueing.SHOW, (), None)
    assert queued("clear") == (Queueing.CLEAR, (), None)


@tabled("line", "reason")
def test_what_else_is_written_is_not_understood(line: str, reason: str) -> None:
    refusal = parse_line(line)[1]
    assert isinstance(refusal, Unreadable)
    assert type(refusal.reason).__name__ == reason


def test_a_submitted_move_is_written_as_a_move_is() -> None:
    command = parse_line(f"{SUBMIT} resign#4")[1]
    secret = Secret("wonderland")
    assert command == Submit(KINDS["oust"], 17, "alice", secret, Deed.RESIGN, 4)
