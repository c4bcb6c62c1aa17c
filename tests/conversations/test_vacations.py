"""Vacations by mail, and moves that end them."""

import shutil
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pbm_oust.accounts.settings import Settings
from pbm_oust.play.request import Outcome
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


def test_a_move_ends_the_vacation_of_its_player(world: World) -> None:
    world.add_board("alice", "bob")
    world.away("alice", (1, 9))
    world.away("bob", (1, 9))
    world.today = 3
    world.take("alice", MOVE)
    assert (away(world, "alice"), away(world, "bob")) == ([(1, 3)], [(1, 9)])
    assert "This ends your vacation." in world.text_to("alice")
    assert "alice is back from vacation." in world.text_to("bob")


def test_a_part_of_a_turn_is_told_with_the_time_that_goes_on_again(world: World) -> None:
    world.add_board("alice", "bob")
    for at, command in enumerate(("x C3", "o C2", "x E5", "o A1")):
        world.play(1, at / 10, command)
    world.away("alice", (1, 9))
    world.today = 3
    world.take("alice", f"oust move 1 alice {PASSWORD} B3")
    assert "alice has until 21 December 2026, 15:36 UTC." in world.text_to("bob")


@pytest.mark.parametrize("line", ["propose", "resign"])
def test_words_and_the_end_of_a_game_end_no_vacation(line: str, world: World) -> None:
    world.add_board("alice", "bob")
    world.away("alice", (1, 9))
    world.today = 3
    world.take("alice", f"oust move 1 alice {PASSWORD} {line}")
    assert away(world, "alice") == [(1, 9)]


def test_a_vacation_that_has_not_begun_is_not_ended_by_a_move(world: World) -> None:
    world.add_board("alice", "bob")
    world.away("alice", (1, 2), (5, 9))
    world.today = 3
    world.take("alice", MOVE)
    assert away(world, "alice") == [(1, 2), (5, 9)]


def test_the_mail_of_a_move_that_comes_late_again_ends_no_later_vacation(world: World) -> None:
    world.add_board("alice", "bob")
    world.today = 3
    world.take("alice", MOVE)
    world.away("alice", (4, 9))
    world.today = 5
    assert world.take("alice", MOVE).outcome is Outcome.DONE_BEFORE
    assert away(world, "alice") == [(4, 9)]


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
        assert again.outcome in (Outcome.DONE, Outcome.DONE_BEFORE), at
        tried.home.recover()
        assert away(tried, "alice") == away(wanted, "alice"), at
        assert set(tried.letters()) == set(wanted.letters()), at
        assert tried.letters().count(wanted.letters()[-1]) == 1, at
    assert at > 15


def test_opponents_on_boards_that_go_on_are_told(world: World) -> None:
    for x, o in (("alice", "bob"), ("bob", "alice"), ("carol", "alice"), ("bob", "carol")):
        world.add_board(x, o)
    world.play(3, 1, "x resign")
    world.take("alice", f"vacation alice {PASSWORD} 2026-11-25 14")
    assert world.letters() == [
        ("alice", "vacation: you will be away"),
        ("bob", "alice will be away from 25 November 2026"),
    ]
    assert "on these boards: oust 1 square 5x5" in world.text_to("bob")
    assert "oust 3" not in world.text_to("bob")


@pytest.mark.parametrize(
    ("zone", "start"), [("UTC", 8.4 / 24), ("Asia/Tokyo", -0.6 / 24), ("America/Lima", 13.4 / 24)]
)
def test_a_vacation_begins_at_midnight_in_the_players_time_zone(
    zone: str, start: float, world: World
) -> None:
    world.change_player("alice", lambda each: each.with_settings(Settings(zone=ZoneInfo(zone))))
    world.add_board("alice", "bob")
    world.today = -1
    world.take("alice", f"vacation alice {PASSWORD} 2026-11-21 3")
    ((begins, ends),) = away(world, "alice")
    assert (begins, ends) == pytest.approx((start, start + 3))


def test_a_vacation_for_today_begins_at_once(world: World) -> None:
    world.add_board("alice", "bob")
    world.take("alice", f"vacation alice {PASSWORD} 2026-11-20 3")
    assert away(world, "alice") == [(0, 3)]


@tabled("words", "reason")
def test_a_vacation_that_cannot_be_announced(words: str, reason: str, world: World) -> None:
    world.add_board("alice", "bob")
    world.take("alice", f"vacation alice {PASSWORD} 2026-12-01 9")
    before = away(world, "alice")
    handled = world.take("alice", f"vacation alice {PASSWORD} {words}")
    assert outcome_of(handled) == f"refused: {reason}"
    assert away(world, "alice") == before


@pytest.mark.parametrize("word", ["cancel", "0", "2026-12-01 0", "CANCEL"])
def test_a_vacation_is_ended(word: str, world: World) -> None:
    world.add_board("alice", "bob")
    world.take("alice", f"vacation alice {PASSWORD} 2026-11-20 9")
    world.today = 2.5
    world.take("alice", f"vacation alice {PASSWORD} {word}")
    assert away(world, "alice") == [(0, 2.5)]
    assert "Days of vacation left: 27 for 2026, 30 for 2027." in world.text_to("alice")
    assert world.letters()[-1] == ("bob", "alice is back from vacation")
    again = world.take("alice", f"vacation  alice {PASSWORD} {word}")
    assert outcome_of(again) == "refused: no_vacation"


def test_a_vacation_that_has_not_begun_is_dropped(world: World) -> None:
    world.add_board("alice", "bob")
    world.take("alice", f"vacation alice {PASSWORD} 2026-12-01 9")
    world.take("alice", f"vacation alice {PASSWORD} cancel")
    assert away(world, "alice") == []
    assert "What you had announced is dropped." in world.text_to("alice")
    assert world.letters()[-1] == ("bob", "alice will not be away after all")
    assert "alice will not be away after all." in world.text_to("bob")


@tabled("zone", "line", "start", "end")
def test_a_vacation_ends_at_midnight_after_its_days_though_clocks_change(
    zone: str, line: str, start: str, end: str, world: World
) -> None:
    world.take("bob", f"settings bob {PASSWORD} zone {zone}")
    assert world.take("bob", f"vacation bob {PASSWORD} {line}").outcome is Outcome.DONE
    (absence,) = account_of(world.home, "bob").vacations
    assert (absence.start, absence.end) == tuple(map(datetime.fromisoformat, (start, end)))
    first, days = line.split()
    assert absence.days(ZoneInfo(zone)) == int(days)
    following = date.fromisoformat(first) + timedelta(days=int(days))
    again = world.take("bob", f"vacation bob {PASSWORD} {following} 3")
    assert again.outcome is Outcome.DONE


def test_a_vacation_counts_for_the_year_of_its_first_day_where_its_player_lives(
    world: World,
) -> None:
    world.take("bob", f"settings bob {PASSWORD} zone Pacific/Auckland")
    world.take("bob", f"vacation bob {PASSWORD} 2027-01-01 30")
    assert world.take("bob", f"vacation bob {PASSWORD} 2026-12-01 30").outcome is Outcome.DONE
    assert world.take("bob", f"vacation bob {PASSWORD} 2027-06-01 1").outcome is Outcome.REFUSED


def test_a_vacation_without_an_end_that_was_imported_once_stops_no_game(world: World) -> None:
    world.add_board("alice", "bob")
    world.away("bob", (-1, 2_900_000))
    assert world.take("alice", MOVE).outcome is Outcome.DONE
    assert world.done(100) == []
    assert world.done(160) == ["oust 1: remind o"]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("19.11.2026 3", "2026-11-20 3"),
        ("from 1 november 2026 to 24 november 2026", "2026-11-20 5"),
        ("2026-11-01 until 2026-11-10", "2026-11-20 7"),
        ("20-12-2026 5", "2026-12-20 5"),
    ],
)
def test_a_vacation_that_is_offered_begins_today_or_later(
    words: str, offered: str, world: World
) -> None:
    world.take("alice", f"vacation alice {PASSWORD} {words}")
    assert f" vacation alice PASSWORD {offered} To see" in world.text_to("alice")
    assert world.take("alice", f"vacation alice {PASSWORD} {offered}").outcome is Outcome.DONE
