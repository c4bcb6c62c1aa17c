"""The daily mail of players who want no mail for each turn."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.account import Account, Digested
from pbm_oust.accounts.settings import USUAL, DigestAt, MailWhen, Settings
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.disturbed import FAULTS, disturbed
from tests.support.rings import first_is_fast
from tests.support.sweeping import HASH, World, day, new_world
from tests.support.trouble import Fault

tabled = tables.tabled(__file__)

WANTED = Settings(mail=MailWhen.DIGEST)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = new_world(tmp_path / "home")
    world.add_player("dora", WANTED)
    return world


def digests(world: World, at: float) -> list[str]:
    return [deed.about for deed in world.sweep(at).done if deed.what == "digest"]


def test_players_get_their_digest_whatever_they_are_called(world: World) -> None:
    for userid in ("codes", "expired", "digest"):
        world.add_player(userid, WANTED)
        world.add_board(userid, "bob")
    assert sorted(digests(world, 1)) == ["codes", "digest", "expired"]


def in_zone(name: str) -> Settings:
    return Settings(zone=ZoneInfo(name))


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
