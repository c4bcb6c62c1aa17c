"""Vacations by mail, and moves that end them."""

import shutil
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pbm_oust.play.request import Ending
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.accounts import account_of
from tests.support.disturbed import FAULTS, disturbed
from tests.support.home_by_mail import outcome_of
from tests.support.rings import first_is_fast
from tests.support.sweeping import PASSWORD, World, new_world
from tests.support.trouble import Fault

tabled = tables.tabled(__file__)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return new_world(tmp_path / "home", ("alice", "bob", "carol"))


def away(world: World, userid: str) -> list[tuple[float, float]]:
    """Return the vacations of a player, in days."""
    account = account_of(world.home, userid)
    one = timedelta(days=1)
    first = world.game(1).header.started
    return [((each.start - first) / one, (each.end - first) / one) for each in account.vacations]


MOVE = f"oust move 1 alice {PASSWORD} C3"


def test_a_part_of_a_turn_is_told_with_the_time_that_goes_on_again(world: World) -> None:
    world.add_board("alice", "bob")
    for at, command in enumerate(("x C3", "o C2", "x E5", "o A1")):
        world.play(1, at / 10, command)
    world.away("alice", (1, 9))
    world.today = 3
    world.take("alice", f"oust move 1 alice {PASSWORD} B3")
    assert "alice has until 21 December 2026, 15:36 UTC." in world.text_to("bob")


@pytest.mark.parametrize("fault", first_is_fast(FAULTS))
def test_whatever_the_disk_does_the_vacation_ends_with_the_move(
    fault: Fault, world: World, tmp_path: Path
) -> None:
    world.add_board("alice", "bob")
    world.away("alice", (1, 9))
    world.today = 3

    def move(home: Home) -> None:
        World(home.path, 3, home).take("alice", MOVE)

    for at, path in disturbed(world.path, tmp_path, fault, move):
        tried = World(path, today=4)
        tried.take("alice", MOVE)
        assert tried.history(1) == ["1 x C3"], at
        moved = (tried.game(1).latest - tried.game(1).header.started) / timedelta(days=1)
        assert away(tried, "alice") == [(1, moved)], at
    assert at > 15


ANNOUNCED = f"vacation alice {PASSWORD} 2026-11-22 9"
CANCELLED = f"vacation alice {PASSWORD} cancel"


@pytest.mark.parametrize("fault", first_is_fast(FAULTS))
@pytest.mark.parametrize("lines", [[ANNOUNCED], [ANNOUNCED, CANCELLED]])
def test_whatever_the_disk_does_a_vacation_is_changed_once_and_told(
    lines: list[str], fault: Fault, world: World, tmp_path: Path
) -> None:
    world.add_board("alice", "bob")
    world.today = 2
    for line in lines[:-1]:
        world.take("alice", line)
    wanted = World(shutil.copytree(world.path, tmp_path / "undisturbed"), today=2)
    wanted.take("alice", lines[-1])

    def announce(home: Home) -> None:
        World(home.path, 2, home).take("alice", lines[-1])

    for at, path in disturbed(world.path, tmp_path, fault, announce):
        tried = World(path, today=2)
        if at % 2:
            tried.home.recover()
        again = tried.take("alice", lines[-1])
        assert again.ending in (Ending.DONE, Ending.DONE_BEFORE), at
        tried.home.recover()
        assert away(tried, "alice") == away(wanted, "alice"), at
        told = set(tried.letters()) - {("alice", "already done")}
        assert told == set(wanted.letters()), at
        assert tried.letters().count(wanted.letters()[-1]) == 1, at
    assert at > 15


@tabled("words", "reason")
def test_a_vacation_that_cannot_be_announced(words: str, reason: str, world: World) -> None:
    world.add_board("alice", "bob")
    world.take("alice", f"vacation alice {PASSWORD} 2026-12-01 9")
    before = away(world, "alice")
    handled = world.take("alice", f"vacation alice {PASSWORD} {words}")
    assert outcome_of(handled) == f"refused: {reason}"
    assert away(world, "alice") == before


@tabled("zone", "line", "start", "end")
def test_a_vacation_ends_at_midnight_after_its_days_though_clocks_change(
    zone: str, line: str, start: str, end: str, world: World
) -> None:
    world.today = -1000  # in early 2024: no government changes the past
    world.take("bob", f"settings bob {PASSWORD} zone {zone}")
    assert world.take("bob", f"vacation bob {PASSWORD} {line}").ending is Ending.DONE
    (absence,) = account_of(world.home, "bob").vacations
    assert (absence.start, absence.end) == tuple(map(datetime.fromisoformat, (start, end)))
    first, days = line.split()
    assert absence.days(ZoneInfo(zone)) == int(days)
    following = date.fromisoformat(first) + timedelta(days=int(days))
    again = world.take("bob", f"vacation bob {PASSWORD} {following} 3")
    assert again.ending is Ending.DONE


def test_a_vacation_without_an_end_that_was_imported_once_stops_no_game(world: World) -> None:
    world.add_board("alice", "bob")
    world.away("bob", (-1, 2_900_000))
    assert world.take("alice", MOVE).ending is Ending.DONE
    assert world.done(100) == []
    assert world.done(160) == ["oust 1: remind o"]
