"""Ending letters by the link in their head."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pbm_oust.accounts import asks
from pbm_oust.accounts.settings import Switch
from pbm_oust.accounts.tags import tag_of
from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.store.accounts import with_puzzle_due
from pbm_oust.store.limits import Counted, number_counted
from tests.support import tables
from tests.support.accounts import account_of
from tests.support.home_by_mail import ALICE, BOB, new_id
from tests.support.mails import mail
from tests.support.outbox import Letter
from tests.web.signed_in import WEB, Place, place

tabled = tables.tabled(__file__)

FRIEND = "friend@example.com"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path / "home") as found:
        talk = found.talk
        data = mail(f"From: {ALICE}", "Subject: broadcast alice wonderland", text="Hello")
        inbound = open_inbound(talk.home, talk.own, lambda: talk.now, web_address=WEB)
        inbound.take(data, Envelope(ALICE, (talk.own,)))
        yield found


def way_out(letter: Letter) -> str:
    """Return the path of the page that ends letters like this one."""
    ways = str(letter["List-Unsubscribe"])
    match = re.fullmatch(rf"<{WEB}(/off/\S+)>, <mailto:\S+\?subject=unsubscribe>", ways)
    assert match
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    return match[1]


def wants_broadcasts(here: Place) -> bool:
    return account_of(here.talk.home, "bob").all_settings.broadcasts is Switch.ON


def test_looking_ends_nothing_and_has_a_button(here: Place) -> None:
    path = way_out(here.mail_to(BOB))
    got = here.site.get(path)
    assert got.status == 200
    assert "bob gets the mails that go to everybody here." in got.text
    assert "No more of these mails</button>" in got.text
    assert wants_broadcasts(here)


@tabled("form", "kind")
def test_one_click_ends_them_without_signing_in(form: str, kind: str, here: Place) -> None:
    path = way_out(here.mail_to(BOB))
    for _ in range(2):
        got = here.site.post(path, form, content_type=kind)
        assert got.status == 200
        assert "Changed: broadcasts." in got.text
    assert not wants_broadcasts(here)


def test_a_guessed_link_ends_nothing(here: Place) -> None:
    path = way_out(here.mail_to(BOB)).replace("bob", "alice")
    assert here.site.get(path).status == 410
    assert here.site.post(path, "List-Unsubscribe=One-Click").status == 410


def invited(here: Place) -> str:
    """Let Alice invite somebody, and return the path of the page that ends such letters."""
    talk = here.talk
    inbound = open_inbound(talk.home, talk.own, lambda: talk.now, web_address=WEB)
    for line in (
        "oust challenge alice bob wonderland",
        "oust move 1 alice wonderland D4",
        f"invite alice wonderland {FRIEND}",
    ):
        data = mail(f"From: {ALICE}", f"Subject: {line}", new_id())
        inbound.take(data, Envelope(ALICE, (talk.own,), is_of_owner=True))
    return way_out(here.mail_to(FRIEND))


def wants_invitations(here: Place) -> bool:
    home, name = here.talk.home, asks.invited(here.talk.home.key(), FRIEND)
    return not home.ask(number_counted, Counted.UNINVITED, name, here.talk.now)


def test_a_page_tells_what_invitations_are_and_has_a_button_against_them(here: Place) -> None:
    got = here.site.get(invited(here))
    assert got.status == 200
    assert "No more of these come to your address" in got.text
    assert "No more invitations</button>" in got.text
    assert wants_invitations(here)


@tabled("form", "kind")
def test_one_click_keeps_invitations_away(form: str, kind: str, here: Place) -> None:
    path = invited(here)
    for _ in range(2):
        got = here.site.post(path, form, content_type=kind)
        assert got.status == 200
        assert "No invitation goes to your address any more." in got.text
    assert not wants_invitations(here)


def test_a_guessed_link_keeps_none_away(here: Place) -> None:
    path = invited(here)
    guessed = path.replace("/off/off.", "/off/off.a", 1)
    assert guessed != path
    assert here.site.post(guessed, "List-Unsubscribe=One-Click").status == 410
    assert wants_invitations(here)


def test_one_click_ends_the_puzzle_of_the_day(here: Place) -> None:
    here.talk.send(BOB, "settings bob lookingglass puzzles on")
    bob = account_of(here.talk.home, "bob")
    asked = asks.Ask(asks.Topic.OFF, (asks.PUZZLES,), "bob")
    token = asks.token_for(here.talk.home.key(), bob, asked)
    path = f"/off/{tag_of(asks.reply_address(here.talk.own, asked, token))}"
    assert "bob is mailed a puzzle each morning." in here.site.get(path).text
    assert here.site.post(path, "List-Unsubscribe=One-Click").status == 200
    assert account_of(here.talk.home, "bob").all_settings.puzzles is Switch.OFF
    assert here.talk.home.ask(with_puzzle_due, here.talk.now + timedelta(days=9)) == []
