"""The daily mail of players who want no mail for each turn."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.account import Account, Digested
from pbm_oust.accounts.settings import USUAL, DigestAt, MailWhen, Settings
from pbm_oust.play.request import Outcome
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.disturbed import FAULTS, disturbed
from tests.support.rings import first_is_fast
from tests.support.sweeping import HASH, World, day, new_world
from tests.support.trouble import Fault

tabled = tables.tabled(__file__)

WANTED = Settings(mail=MailWhen.DIGEST)
SEVEN = (7 - 15.6) / 24
TWELVE = (12 - 15.6) / 24
"""Seven o'clock, in the days of the world, on the day of its beginning."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = new_world(tmp_path / "home")
    world.add_player("dora", WANTED)
    return world


def digests(world: World, at: float) -> list[str]:
    return [deed.about for deed in world.sweep(at).done if deed.what == "digest"]


def test_a_digest_comes_once_a_day_at_its_hour(world: World) -> None:
    world.add_board("dora", "bob")
    times = [0.1, 1 + SEVEN - 0.01, 1 + SEVEN, 1 + SEVEN + 0.01, 1.5, 2 + SEVEN - 0.01, 2 + SEVEN]
    assert [bool(digests(world, at)) for at in times] == [
        False, False, True, False, False, False, True,
    ]  # fmt: skip
    assert world.letters() == [("dora", "digest: 1 board waits for you")] * 2


def test_who_chooses_another_hour_gets_the_next_digest_at_it(world: World) -> None:
    """Also if that hour has passed on this day, and today's digest has come."""
    world.add_board("dora", "bob")
    assert digests(world, 1 + SEVEN) == ["dora"]
    world.today = 1 + TWELVE + 0.04
    handled = world.take("dora", "settings dora wonderland digest noon")
    assert handled.outcome is Outcome.DONE
    assert [digests(world, at) for at in (world.today, 2 + TWELVE)] == [[], ["dora"]]


def test_the_same_hour_once_more_takes_no_digest_away(world: World) -> None:
    world.add_board("dora", "bob")
    assert digests(world, 1 + SEVEN) == ["dora"]
    world.today = 2 + SEVEN + 0.01
    world.take("dora", "settings dora wonderland digest morning")
    assert digests(world, world.today) == ["dora"]


def test_a_digest_has_the_boards_that_wait_and_what_happened_on_others(world: World) -> None:
    for x, o in (("dora", "bob"), ("alice", "dora"), ("alice", "dora"), ("alice", "bob")):
        world.add_board(x, o)
    world.play(1, 0.2, "x C3")
    world.play(1, 0.3, "o A1")
    world.play(2, 0.4, "x E5")
    world.play(2, 0.5, "o A1")
    world.play(3, 0.6, "x propose")
    assert digests(world, 1) == ["dora"]
    text = world.text_to("dora")
    assert "Subject: digest: 1 board waits for you" in text
    assert "oust 1, square 5x5 bob played A1. x: dora 1/1 o: bob 1/1" in text
    assert "oust move 1 dora PASSWORD" in text
    assert "Play by 18 December 2026, 22:48 UTC, or you lose the game." in text
    assert "since the last digest: oust 3: alice proposed a draw. alice proposes" in text
    assert "oust move 3 dora PASSWORD accept" in text
    assert "oust 4" not in text


def test_nothing_is_mailed_when_nothing_waits(world: World) -> None:
    world.add_board("alice", "dora")
    assert digests(world, 1) == []
    world.play(1, 1.1, "x C3")
    assert digests(world, 1.2) == []
    assert digests(world, 2) == ["dora"]


def test_what_happened_while_nothing_waited_is_in_the_next_digest(world: World) -> None:
    world.add_board("alice", "dora")
    world.play(1, 0.2, "x propose")
    assert digests(world, 1) == []
    world.add_board("dora", "bob", at=1.2)
    assert digests(world, 2) == ["dora"]
    assert "oust 1: alice proposed a draw." in world.text_to("dora")
    assert digests(world, 3) == ["dora"]
    assert "oust 1" not in world.text_to("dora")


def test_players_get_their_digest_whatever_they_are_called(world: World) -> None:
    for userid in ("codes", "expired", "digest"):
        world.add_player(userid, WANTED)
        world.add_board(userid, "bob")
    assert sorted(digests(world, 1)) == ["codes", "digest", "expired"]


def in_zone(name: str) -> Settings:
    return Settings(zone=ZoneInfo(name))


def test_who_wants_each_mail_gets_no_digest(world: World) -> None:
    world.add_board("alice", "bob")
    assert digests(world, 1) == []


@tabled("now", "zone", "slot")
def test_the_hour_is_that_of_the_players_time_zone(now: str, zone: str, slot: str) -> None:
    at = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert f"{in_zone(zone).latest_slot(at):%Y-%m-%d %H:%M}" == slot


@pytest.mark.parametrize(("digest", "hour"), [*zip(DigestAt, (6, 11, 18), strict=True)])
def test_players_choose_the_hour_of_their_digest(world: World, digest: DigestAt, hour: int) -> None:
    chosen = Settings(mail=MailWhen.DIGEST, zone=ZoneInfo("Europe/Paris"), digest=digest)
    world.add_player("erin", chosen)
    world.add_board("erin", "bob")
    hours = [each for each in range(24) if digests(world, 1 + (each - 15.6) / 24)]
    assert {*hours} - {0} == {hour}


MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)).map(
    lambda at: at.replace(microsecond=0)
)
DORA = Account("dora", HASH, ("dora@example.org",), day(0)).with_settings(WANTED)


@given(MOMENTS, MOMENTS, st.sampled_from(["UTC", "Europe/Paris", "America/Sao_Paulo"]))
def test_a_digest_is_due_when_its_next_hour_has_come(
    looked: datetime, now: datetime, zone: str
) -> None:
    is_due = in_zone(zone).latest_slot(now) > looked
    assert is_due is (in_zone(zone).next_slot(looked) <= now)
    player = DORA.with_digested(Digested(looked, looked))
    assert player.next_digest() == USUAL.next_slot(looked)


def test_the_first_digest_is_due_at_the_first_hour_after_the_player_joined() -> None:
    assert DORA.next_digest() == USUAL.next_slot(DORA.joined)


def test_who_wants_no_digest_has_none_that_is_due() -> None:
    assert DORA.with_settings(USUAL).next_digest() is None


@pytest.mark.parametrize("fault", first_is_fast(FAULTS))
def test_whatever_the_disk_does_a_digest_is_sent_once(
    fault: Fault, world: World, tmp_path: Path
) -> None:
    world.add_board("dora", "bob")

    def sweep(home: Home) -> None:
        World(home.path, 1, home).sweep()

    for at, path in disturbed(world.path, tmp_path, fault, sweep):
        tried = World(path, today=1)
        if at % 2:
            tried.home.recover()
        tried.sweep()
        tried.home.recover()
        assert tried.letters() == [("dora", "digest: 1 board waits for you")], at
        assert list((tried.path / "outbox" / "tmp").iterdir()) == [], at
        assert tried.done() == [], at
    assert at > 10
