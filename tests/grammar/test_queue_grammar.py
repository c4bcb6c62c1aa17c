"""How turns that are queued or submitted are written."""

import pytest

from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.queue import MOST_CLAUSES, Clause
from pbm_oust.board.record import Deed, Place
from pbm_oust.commands.play import BadQueue, Queue, Queueing, Submit
from pbm_oust.grammar.form import MissingWord, SurplusWord
from pbm_oust.grammar.values import BadGuard, BadNumber
from pbm_oust.grammar.wish import BadPlacement, NoTurn
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.table import parse_line

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


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (f"{QUEUE} if", BadQueue),
        (f"{QUEUE} if F6", BadQueue),
        (f"{QUEUE} if F6 then", BadQueue),
        (f"{QUEUE} if F6 then D4; G7", BadQueue),
        (f"{QUEUE} if F6 then D4 if G7 then E5", BadPlacement),
        (f"{QUEUE} {'if F6 then D4;' * (MOST_CLAUSES + 1)}", BadQueue),
        (f"{QUEUE} clear D4", SurplusWord),
        (f"{QUEUE} resign", NoTurn),
        (f"{QUEUE} if undo then D4", NoTurn),
        (f"{QUEUE} D4#", BadGuard),
        (f"{SUBMIT} undo", NoTurn),
        (SUBMIT, MissingWord),
        ("oust replay 17 -1 alice bob", BadNumber),
        ("oust join 0 alice wonderland", BadNumber),
    ],
)
def test_what_else_is_written_is_not_understood(line: str, reason: type[UnreadableReason]) -> None:
    refusal = parse_line(line)[1]
    assert isinstance(refusal, Unreadable)
    assert isinstance(refusal.reason, reason)


def test_a_submitted_move_is_written_as_a_move_is() -> None:
    command = parse_line(f"{SUBMIT} resign#4")[1]
    secret = Secret("wonderland")
    assert command == Submit(KINDS["oust"], 17, "alice", secret, Deed.RESIGN, 4)
