"""The grammar of commands: the ways in which each of them may be written."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.queue import Clause
from pbm_oust.board import Deed, Place, Wish
from pbm_oust.board.record import WISHED
from pbm_oust.commands.play import QUEUE, Queueing
from pbm_oust.grammar.form import Command
from pbm_oust.grammar.wish import WISH_SHOWN, read_wish, rest_of_wish
from pbm_oust.refusal import Unreadable
from pbm_oust.rules import KINDS
from pbm_oust.service.table import parse_line
from tests.support import commands, kept, tables

tabled = tables.tabled(__file__)

OUST = KINDS["oust"]


def command(text: str) -> Command:
    _, read = parse_line(text)
    assert not isinstance(read, Unreadable), (read.reason, read.culprit)
    return read


@tabled("text", "full")
def test_a_line_is_read_as_it_is_written_in_full(text: str, full: str) -> None:
    assert command(text).line(mask=False) == full
    assert command(full) == command(text)


def test_what_a_line_says_is_in_the_values_of_its_command() -> None:
    read = command("oust move 17 Alice WonderLand D4,E5#131")
    assert read == commands.command(
        "move",
        kind=OUST,
        board=17,
        userid="alice",
        password=Secret("WonderLand"),
        wish=Place(("D4", "E5")),
        guard=131,
    )
    queued = command("oust queue 17 alice wonderland if F6 then D4; if G7 then pas#12")
    clauses = (
        Clause((Place(("F6",)), Place(("D4",)))),
        Clause((Place(("G7",)), Deed.PASS)),
    )
    assert (queued["queueing"], queued["clauses"], queued["guard"]) == (Queueing.SET, clauses, 12)


CELLS = st.tuples(st.sampled_from("ABCDEFGHJKLMNOPQRSTUVWXYZ"), st.integers(1, 25))
WISHES = st.one_of(
    st.sampled_from(WISHED),
    st.lists(CELLS.map(lambda cell: f"{cell[0]}{cell[1]}"), min_size=1).map(tuple).map(Place),
)
GUARDS = st.none() | st.integers(1, 10**9 - 1)


@given(WISHES, GUARDS)
@settings(deadline=None)
def test_a_wish_is_read_as_it_was_written(wish: Wish, guard: int | None) -> None:
    written = rest_of_wish(WISH_SHOWN, read_wish).write((wish, guard))
    assert read_wish([*written]) == (wish, guard)


@given(st.lists(kept.clauses, min_size=1, max_size=6), GUARDS)
@settings(deadline=None)
def test_what_is_queued_is_read_as_it_was_written(clauses: list[Clause], guard: int | None) -> None:
    several = [clause for clause in clauses if len(clause.turns) > 1]
    value = Queueing.SET, tuple(several or clauses[:1]), guard
    rest = QUEUE.rest
    assert rest
    assert rest.read(" ".join(rest.write(value)).split()) == value
