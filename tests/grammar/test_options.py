"""The options of a challenge: what they say, where they may stand, and what is wrong with them."""

import pytest

from pbm_oust.grammar.form import Command
from pbm_oust.grammar.parts import BadOptionValue, OptionTwice, UnknownOption
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import parse_grid
from pbm_oust.service.table import parse_line
from tests.support import tables
from tests.support.commands import sure

tabled = tables.tabled(__file__)

CHALLENGE = "oust challenge alice bob"


def challenge(options: str) -> Command:
    _, read = parse_line(f"{CHALLENGE} {options}")
    return sure("challenge", read)


def refused(options: str) -> tuple[UnreadableReason, str]:
    _, read = parse_line(f"{CHALLENGE} {options}")
    assert isinstance(read, Unreadable)
    return read.reason, read.culprit


@tabled("option", "grid")
def test_a_challenge_names_its_grid(option: str, grid: str) -> None:
    assert challenge(option)["grid"] == parse_grid(grid)


def test_an_option_that_does_not_exist() -> None:
    reason, culprit = refused("-swp")
    assert isinstance(reason, UnknownOption)
    assert "noswap" in reason.known
    assert culprit == "-swp"


def test_an_option_that_is_almost_one() -> None:
    reason, culprit = refused("--nagtim3=7")
    assert isinstance(reason, UnknownOption)
    assert (reason.resembles, culprit) == ("nagtime", "--nagtim3=7")


@pytest.mark.parametrize("option", ["-n", "-s=9", "--un"])
def test_one_or_two_letters_are_no_option(option: str) -> None:
    reason, culprit = refused(option)
    assert isinstance(reason, UnknownOption)
    assert culprit == option


@tabled("options", "culprit")
def test_an_option_that_says_again_what_another_has_said(options: str, culprit: str) -> None:
    assert refused(options) == (OptionTwice(), culprit)


@pytest.mark.parametrize(
    ("option", "forms"),
    [
        *tables.of(__file__)["an option with a value it does not take"],
        ("--totaltime=" + "9" * 3000, "--totaltime=0"),
    ],
)
def test_an_option_with_a_value_it_does_not_take(option: str, forms: str) -> None:
    reason, culprit = refused(option)
    assert isinstance(reason, BadOptionValue)
    assert (list(reason.forms), culprit) == (forms.split(), option)


@tabled("line", "takes")
def test_a_wrong_value_is_explained_by_what_the_option_takes(line: str, takes: str) -> None:
    _, refusal = parse_line(line)
    assert isinstance(refusal, Unreadable)
    assert isinstance(refusal.reason, BadOptionValue)
    assert refusal.reason.takes == takes


def test_a_game_on_hexagons_alone_says_how_hex_is_written_though_its_help_shows_size() -> None:
    line, refusal = parse_line("churn challenge alice bob -hex=99")
    assert isinstance(refusal, Unreadable)
    assert isinstance(refusal.reason, BadOptionValue)
    assert refusal.reason.forms == ("-hex", "-hex=3", "-hex=3,4", "-hex=3,3,5")
    assert line.form
    assert not any("-hex" in usage for usage in line.form.usages(line.kind))


@tabled("option", "grid")
def test_a_grid_is_read_however_people_write_it(option: str, grid: str) -> None:
    assert challenge(option)["grid"] == parse_grid(grid)


@tabled("option", "offered")
def test_what_is_offered_has_the_numbers_that_were_written(option: str, offered: str) -> None:
    _, refusal = parse_line(f"oust challenge alice bob {option}")
    assert isinstance(refusal, Unreadable)
    assert refusal.reason.right == offered
