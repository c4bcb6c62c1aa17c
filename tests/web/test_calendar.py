"""Calendars with deadlines, read by two libraries, of which one is not ours."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import icalendar
import pytest
import vobject

from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.tags import format_calendar
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.rules import KINDS
from pbm_oust.store.accounts import whole_account
from pbm_oust.store.home import Home
from pbm_oust.web.addresses import of_calendar
from pbm_oust.web.feeds import calendar_address
from pbm_oust.web.ground import Ground
from tests.support import tables
from tests.support.command_line import run
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, Talk
from tests.support.website import Got, Website, website

tabled = tables.tabled(__file__)

BASE = "https://games.example.org"
LONGEST_LINE = 75
"""RFC 5545, section 3.1: in octets."""
LINES = tables.of(__file__)["mails"]
"""Alice is to move on oust 1 and churn 1, and bob on oust 2; oust 3 is over."""


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    """A talk with a home with boards of alice and bob, which have just begun."""
    begun = Talk.begin(tmp_path / "home", ALICE, BOB)
    begun.now = datetime.now(UTC).replace(microsecond=0)
    for sender, line in LINES:
        begun.send(sender, line)
    return begun


@pytest.fixture
def pages(talk: Talk) -> Iterator[Website]:
    """The pages of the home."""
    (talk.home.path / "pbm_oust.toml").write_text(f'web_address = "{BASE}"\n')
    with website(talk.home.path) as found:
        yield found


def path_for(home: Home, userid: str = "alice") -> str:
    """Return the path of the calendar of a player."""
    account = home.ask(whole_account, userid)
    assert account
    return of_calendar(format_calendar(home.key(), account))


def clock_of(home: Home, board: int = 1, kind: str = "oust") -> Clock:
    """Return the clock of a board as it is now."""
    work = open_inbound(home, ADDRESS, lambda: datetime.now(UTC)).work
    return work.look(lambda on: on.clock_of(on.game(KINDS[kind], board)))


def said(event: icalendar.Event, name: str) -> str:
    """Return the value of a property as it is written."""
    (value,) = re.findall(rf"^{name}:(\S+)\r$", event.to_ical().decode(), re.MULTILINE)
    return str(value)


def events_in(got: Got) -> dict[str, icalendar.Event]:
    """Return the events of a calendar by their titles."""
    assert got.status == 200
    assert got.headers["content-type"] == "text/calendar; charset=utf-8"
    return {str(each["summary"]): each for each in icalendar.Calendar.from_ical(got.text).events}


def test_each_board_that_waits_for_the_player_has_an_event(talk: Talk, pages: Website) -> None:
    events = events_in(pages.get(path_for(talk.home)))
    assert [*events] == ["oust 1: your turn against bob", "churn 1: your turn against bob"]
    assert [*events_in(pages.get(path_for(talk.home, "bob")))] == [
        "oust 2: your turn against alice"
    ]


def test_an_event_ends_at_the_deadline_and_leads_to_the_board(talk: Talk, pages: Website) -> None:
    event = events_in(pages.get(path_for(talk.home)))["oust 1: your turn against bob"]
    assert event.end == clock_of(talk.home).deadline
    assert event.duration == timedelta(hours=1)
    assert b"DTEND:" in event.to_ical()  # in UTC
    assert event["url"] == f"{BASE}/oust/1"
    assert event["uid"] == "oust.1.3@games.example.org"
    assert "Play by" in str(event["description"])
    assert event["transp"] == "TRANSPARENT"


def test_a_vacation_moves_the_event(talk: Talk, pages: Website) -> None:
    title = "oust 1: your turn against bob"
    before = events_in(pages.get(path_for(talk.home)))[title]
    talk.now = datetime.now(UTC) + timedelta(seconds=1)
    talk.send(ALICE, f"vacation alice wonderland {(talk.now + timedelta(days=1)).date()} 10")
    after = events_in(pages.get(path_for(talk.home)))[title]
    assert after["uid"] == before["uid"]
    assert after.end == clock_of(talk.home).deadline > before.end
    assert int(said(after, "SEQUENCE")) > int(said(before, "SEQUENCE"))
    assert said(after, "DTSTAMP") == said(after, "LAST-MODIFIED") >= said(before, "DTSTAMP")


def test_the_end_of_a_vacation_is_news_of_the_event(talk: Talk, pages: Website) -> None:
    title = "oust 1: your turn against bob"
    talk.now += timedelta(hours=1)
    talk.send(ALICE, f"vacation alice wonderland {(talk.now + timedelta(days=1)).date()} 10")
    before = events_in(pages.get(path_for(talk.home)))[title]
    talk.now += timedelta(hours=1)
    talk.send(ALICE, "vacation alice wonderland cancel")
    after = events_in(pages.get(path_for(talk.home)))[title]
    assert after.end < before.end
    assert int(said(after, "SEQUENCE")) > int(said(before, "SEQUENCE"))
    assert said(after, "LAST-MODIFIED") == f"{talk.now:%Y%m%dT%H%M%SZ}" > said(before, "DTSTAMP")


@tabled("words", "moves", moves=json.loads)
def test_what_the_operator_changes_is_news_of_the_same_event(
    words: str, moves: bool, talk: Talk, pages: Website
) -> None:
    before = events_in(pages.get(path_for(talk.home)))["oust 1: your turn against bob"]
    done = run(talk.home, *words.split())
    assert done.exit_code == 0
    (after,) = (
        event
        for title, event in events_in(pages.get(path_for(talk.home))).items()
        if title.startswith("oust 1")
    )
    assert after["uid"] == before["uid"]
    assert int(said(after, "SEQUENCE")) > int(said(before, "SEQUENCE"))
    assert (after.end > before.end) is moves
    assert (after["summary"] == before["summary"]) is moves


def test_a_calendar_without_events_is_one(talk: Talk, pages: Website) -> None:
    talk.send(BOB, "oust resign 2 bob lookingglass")
    got = pages.get(path_for(talk.home, "bob"))
    assert got.status == 200
    assert events_in(got) == {}
    read = vobject.readOne(got.text)
    assert [each.name for each in read.components()] == ["VTIMEZONE"]
    assert read.validate(raiseException=True)


def test_another_turn_is_another_event(talk: Talk, pages: Website) -> None:
    talk.send(ALICE, "oust move 1 alice wonderland E5")
    assert len(events_in(pages.get(path_for(talk.home)))) == 1
    talk.send(BOB, "oust move 1 bob lookingglass A5")
    event = events_in(pages.get(path_for(talk.home)))["oust 1: your turn against bob"]
    assert event["uid"] == "oust.1.5@games.example.org"


def test_a_calendar_speaks_the_language_of_the_player(talk: Talk, pages: Website) -> None:
    talk.send(ALICE, "settings alice wonderland language fr")
    got = pages.get(path_for(talk.home))
    assert "oust 1\u00a0: à vous de jouer contre bob" in events_in(got)
    assert icalendar.Calendar.from_ical(got.text)["x-wr-calname"] == "Échéances\u00a0: alice"


def test_a_calendar_is_written_as_the_standard_asks(talk: Talk, pages: Website) -> None:
    talk.send(ALICE, "settings alice wonderland language fr")
    got = pages.get(path_for(talk.home))
    lines = got.content.split(b"\r\n")
    assert lines[-1] == b""
    assert not [line for line in lines if b"\n" in line or len(line) > LONGEST_LINE]
    assert [line for line in lines if line.startswith(b" ")]
    assert b"METHOD:PUBLISH" in lines
    assert b"REFRESH-INTERVAL;VALUE=DURATION:PT1H" in lines
    read = vobject.readOne(got.text)
    assert read.validate(raiseException=True)
    told = {each.summary.value: each for each in read.vevent_list}
    event = told["oust 1\u00a0: à vous de jouer contre bob"]
    assert event.dtend.value == clock_of(talk.home).deadline
    assert event.dtstamp.value == talk.now
    assert not hasattr(event, "valarm")


def test_asking_again_costs_little(talk: Talk, pages: Website) -> None:
    first = pages.get(path_for(talk.home))
    again = pages.get(path_for(talk.home), if_none_match=first.headers["etag"])
    assert (again.status, again.content) == (304, b"")
    talk.send(ALICE, "oust move 1 alice wonderland E5")
    changed = pages.get(path_for(talk.home), if_none_match=first.headers["etag"])
    assert changed.status == 200


def test_a_calendar_is_for_nobody_else(talk: Talk, pages: Website) -> None:
    path = path_for(talk.home)
    got = pages.get(path)
    assert got.headers["cache-control"] == "private, no-cache"
    assert got.headers["x-robots-tag"] == "noindex, nofollow"
    for wrong in (path.replace("alice", "bob"), path.replace("alice", "nobody"), "/calendar/x.ics"):
        assert pages.get(wrong).status == 410


def test_a_new_password_ends_the_link(talk: Talk, pages: Website) -> None:
    before = path_for(talk.home)
    talk.send(ALICE, "change password alice wonderland rabbithole")
    assert pages.get(before).status == 410
    assert pages.get(path_for(talk.home)).status == 200


def test_without_an_address_of_the_pages_there_is_no_calendar(talk: Talk) -> None:
    account = talk.home.ask(whole_account, "alice")
    assert account
    ground = Ground(talk.home, ADDRESS, lambda: NOON)
    assert calendar_address(account, ground) == ""
    ground = Ground(talk.home, ADDRESS, lambda: NOON, BASE)
    assert calendar_address(account, ground) == f"{BASE}{path_for(talk.home)}"
    with website(talk.home.path) as pages:
        assert pages.get(path_for(talk.home)).status == 404
