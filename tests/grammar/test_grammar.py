"""The grammar of commands: the ways in which each of them may be written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm_oust.accounts.password import Secret
from pbm_oust.board import Deed, Place, Wish
from pbm_oust.board.header import Terms
from pbm_oust.board.record import WISHED
from pbm_oust.commands.account import Signup
from pbm_oust.commands.challenge import Challenge
from pbm_oust.commands.general import Help
from pbm_oust.commands.lists import Games
from pbm_oust.commands.play import Move
from pbm_oust.commands.show import Show
from pbm_oust.grammar.notation import Command
from pbm_oust.grammar.values import BoardAt, Filter
from pbm_oust.grammar.wish import WISH_SHOWN, read_wish, rest_of_wish
from pbm_oust.refusal import Unreadable
from pbm_oust.rules import KINDS, parse_grid
from pbm_oust.service.table import FORMS, AnyForm, parse_line
from tests.support import tables

tabled = tables.tabled(__file__)

OUST = KINDS["oust"]
ALL, ACTIVE, INACTIVE, NEXT = Filter.ALL, Filter.ACTIVE, Filter.INACTIVE, Filter.NEXT


def command(text: str) -> Command:
    _, read = parse_line(text)
    assert not isinstance(read, Unreadable), (read.reason, read.culprit)
    return read


def move(words: str) -> tuple[Wish, int | None]:
    read = command(f"oust move 17 alice wonderland {words}")
    assert isinstance(read, Move)
    return read.wish, read.guard


def test_help_alone_asks_for_the_overview() -> None:
    assert command("help") == Help(())


def test_help_takes_subjects_in_letters_of_either_case() -> None:
    assert command("HELP Move oust") == Help(("move", "oust"))


def test_signup_without_an_address() -> None:
    assert command("signup alice wonderland") == Signup("alice", Secret("wonderland"), ())


def test_signup_with_addresses_as_they_are_written() -> None:
    read = command("signup Alice WonderLand Alice@Example.org alice+oust@example.net")
    addresses = ("Alice@Example.org", "alice+oust@example.net")
    assert read == Signup("alice", Secret("WonderLand"), addresses)


def test_a_challenge_without_options_has_the_defaults() -> None:
    read = command("oust challenge rrognlie MarkSteere")
    grid = parse_grid("square 11x11")
    assert read == Challenge(OUST, "rrognlie", "marksteere", None, grid, Terms())


def test_a_move_names_board_userid_and_password() -> None:
    read = command("oust move 17 Alice WonderLand D4#131")
    assert read == Move(OUST, 17, "alice", Secret("WonderLand"), Place(("D4",)), 131)


@pytest.mark.parametrize(
    "words",
    ["D4,E5,F9", "D4 E5 F9", "d4,e5,f9", "D4, E5, F9", "D4;E5;F9", "D4 , E5 F9", "D4,E5,F9,"],
)
def test_placements_are_parted_by_commas_or_spaces(words: str) -> None:
    assert move(words) == (Place(("D4", "E5", "F9")), None)


@pytest.mark.parametrize("words", ["pass", "PASS", "pas"])
def test_a_deed_may_be_shortened(words: str) -> None:
    assert move(words) == (Deed.PASS, None)


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("D4#9", Place(("D4",))),
        ("D4 #9", Place(("D4",))),
        ("D4# 9", Place(("D4",))),
        ("D4,E5#9", Place(("D4", "E5"))),
        ("D4 E5 #9", Place(("D4", "E5"))),
        ("pass#9", Deed.PASS),
        ("swap #9", Deed.SWAP),
        ("resign#9", Deed.RESIGN),
    ],
)
def test_a_guard_stands_behind_what_is_wished(words: str, wish: Wish) -> None:
    assert move(words) == (wish, 9)


@pytest.mark.parametrize(
    ("words", "boards"),
    [
        ("17", (BoardAt(17),)),
        ("17#13", (BoardAt(17, 13),)),
        ("17#0", (BoardAt(17, 0),)),
        ("17 18#2 19", (BoardAt(17), BoardAt(18, 2), BoardAt(19))),
    ],
)
def test_show_takes_boards(words: str, boards: tuple[BoardAt, ...]) -> None:
    assert command(f"oust show {words}") == Show(OUST, boards, (), ALL)


@pytest.mark.parametrize(
    ("words", "userids", "chosen"),
    [
        ("alice", ("alice",), ACTIVE),
        ("Alice BOB", ("alice", "bob"), ACTIVE),
        ("alice all", ("alice",), ALL),
        ("alice active", ("alice",), ACTIVE),
        ("alice bob inactive", ("alice", "bob"), INACTIVE),
        ("alice NEXT", ("alice",), NEXT),
    ],
)
def test_show_takes_userids_and_a_filter(
    words: str, userids: tuple[str, ...], chosen: Filter
) -> None:
    assert command(f"oust show {words}") == Show(OUST, (), userids, chosen)


@pytest.mark.parametrize(
    ("words", "userids", "chosen"),
    [
        ("", (), ACTIVE),
        ("all", (), ALL),
        ("alice", ("alice",), ACTIVE),
        ("alice bob next", ("alice", "bob"), NEXT),
    ],
)
def test_games_takes_userids_and_a_filter(
    words: str, userids: tuple[str, ...], chosen: Filter
) -> None:
    assert command(f"oust games {words}") == Games(OUST, userids, chosen)


@tabled("text", "full")
def test_commands_may_be_shortened_and_capitals_do_not_matter(text: str, full: str) -> None:
    assert command(text) == command(full)


def usage_of(form: AnyForm) -> str:
    """Return how a form is written whose places are its parameters alone."""
    places = [parameter.name for parameter in form.parameters]
    return " ".join([*(["oust"] if form.is_of_kind else []), form.name, *places])


def test_every_form_shows_how_it_is_written() -> None:
    usages = {form.name: form.usages(OUST if form.is_of_kind else None) for form in FORMS}
    plain = {form.name: [usage_of(form)] for form in FORMS if not (form.rest or form.options)}
    written: dict[str, list[str]] = {}
    for name, usage in tables.of(__file__)["every form shows how it is written"]:
        written.setdefault(name, []).append(usage)
    assert usages == plain | written


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
