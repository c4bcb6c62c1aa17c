"""The options of a challenge: what they say, where they may stand, and what is wrong with them."""

import pytest

from pbm_oust.board.header import Terms
from pbm_oust.commands.challenge import Challenge
from pbm_oust.grammar.parts import BadOptionValue, OptionTwice, UnknownOption
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import parse_grid
from pbm_oust.service.table import parse_line
from tests.support import tables

tabled = tables.tabled(__file__)

CHALLENGE = "oust challenge alice bob"


def challenge(options: str) -> Challenge:
    _, read = parse_line(f"{CHALLENGE} {options}")
    assert isinstance(read, Challenge), read
    return read


def refused(options: str) -> tuple[UnreadableReason, str]:
    _, read = parse_line(f"{CHALLENGE} {options}")
    assert isinstance(read, Unreadable)
    return read.reason, read.culprit


@tabled("option", "grid")
def test_a_challenge_names_its_grid(option: str, grid: str) -> None:
    assert challenge(option).grid == parse_grid(grid)


@pytest.mark.parametrize(
    ("option", "terms"),
    [
        ("-noswap", Terms(swap=False)),
        ("--noswap", Terms(swap=False)),
        ("-unrated", Terms(rated=False)),
        ("--nagtime=3", Terms(nagtime=3)),
        ("-nagtime=3", Terms(nagtime=3)),
        ("--forfeittime=14", Terms(forfeittime=14)),
        ("--totaltime=100", Terms(totaltime=100)),
        ("--totaltime=0", Terms()),
        ("--maxtime=14", Terms(maxtime=14)),
        ("-noswap --unrated -nagtime=1", Terms(swap=False, rated=False, nagtime=1)),
    ],
)
def test_a_challenge_names_its_terms(option: str, terms: Terms) -> None:
    assert challenge(option).terms == terms


@pytest.mark.parametrize("option", ["-nos", "--unr", "-unra"])
def test_options_may_be_shortened(option: str) -> None:
    assert challenge(option).terms != Terms()


@pytest.mark.parametrize(
    "words",
    ["-size=9 -noswap alice bob", "alice -size=9 bob --noswap", "alice bob -noswap -size=9"],
)
def test_options_may_stand_before_between_and_behind_the_userids(words: str) -> None:
    _, read = parse_line(f"oust challenge {words}")
    assert read == challenge("-size=9 -noswap")


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


@pytest.mark.parametrize(
    ("options", "culprit"),
    [
        ("-noswap --noswap", "--noswap"),
        ("-size=9 -siz=9", "-siz=9"),
        ("-unr -unrated", "-unrated"),
        ("-size=9 -hex", "-hex"),
        ("-hex=5 -hex=5", "-hex=5"),
    ],
)
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
    assert (reason.right, list(reason.forms), culprit) == (forms.split()[0], forms.split(), option)


@pytest.mark.parametrize(
    ("line", "takes"),
    [
        ("oust challenge alice bob -size=99", "square"),
        ("churn challenge alice bob -size=99", "hex"),
        ("oust challenge alice bob -hex=99", "hex"),
        ("oust challenge alice bob -noswap=1", "nothing"),
        ("oust challenge alice bob --nagtime=0", "days"),
    ],
)
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
