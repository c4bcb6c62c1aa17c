"""Making an account on the pages, and bringing back the codes that come by mail."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbm_oust.store.limits import Counted, number_counted
from tests.support.browsing import Browser
from tests.support.home_by_mail import ALICE, CAROL, Talk
from tests.support.outbox import letters
from tests.support.waiting import wait_until
from tests.support.website import website
from tests.web.signed_in import WEB, Place, place


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path / "home") as found:
        yield found


def _signed_up(here: Place, userid: str, address: str, language: str = "en") -> Browser:
    browser = Browser(here.site, language)
    browser.open("/sign-up")
    browser.send(browser.form(), userid=userid, password="rabbithole", rest=address)
    return browser


def test_an_account_is_made_once_its_address_is_proved(here: Place) -> None:
    browser = _signed_up(here, "carol", CAROL)
    assert "has to be answered" in browser.text
    assert here.talk.home.account("carol") is None
    browser.open(here.link_in(here.mail_to(CAROL)))
    assert "<h1>Make the account carol</h1>" in browser.text
    assert here.talk.home.account("carol") is None
    browser.send(browser.form("Make the account carol"))
    assert browser.path == "/me"
    assert here.talk.home.account("carol")
    assert here.mail_to(CAROL).subject.startswith("welcome")
    here.talk.send(CAROL, "settings carol rabbithole")
    assert here.talk.outcome == "answered"


def test_a_userid_that_is_taken_is_said_only_to_who_has_the_address(here: Place) -> None:
    free, taken = _signed_up(here, "carol", CAROL), _signed_up(here, "alice", CAROL)
    assert free.got.text.replace("carol", "") == taken.got.text.replace("carol", "")
    taken.open(here.link_in(here.mail_to(CAROL)))
    taken.send(taken.form())
    assert "That was not done" in taken.text
    assert "alice2" in taken.text


def test_what_is_wrong_with_a_form_is_said(here: Place) -> None:
    before = len(letters(here.talk.home))
    for userid, address in (("caro l", CAROL), ("carol!", CAROL), ("carol", "carol")):
        browser = _signed_up(here, userid, address)
        assert "That was not done" in browser.text
    assert len(letters(here.talk.home)) == before


def test_a_french_browser_makes_a_french_account(here: Place) -> None:
    browser = _signed_up(here, "carol", CAROL, "fr")
    browser.open(here.link_in(here.mail_to(CAROL)))
    assert '<html lang="fr">' in browser.text
    browser.send(browser.form())
    assert '<html lang="fr">' in browser.text


def test_a_forgotten_password_is_replaced_on_a_page(here: Place) -> None:
    here.talk.send(ALICE, "forgot alice")
    browser = Browser(here.site)
    code = here.mail_to(ALICE)["Reply-To"]
    assert code
    path = f"/code/{str(code).partition('verify.')[2].partition('@')[0]}"
    browser.open(path)
    form = browser.form("Set a new password for alice")
    browser.send(form, new="x")
    assert "That was not done" in browser.text
    browser.send(form, new="jabberwocky")
    assert browser.path == "/me"
    here.talk.send(ALICE, "settings alice jabberwocky")
    assert here.talk.outcome == "answered"


def test_a_challenge_without_a_password_is_confirmed_on_a_page(here: Place) -> None:
    here.talk.send(ALICE, "oust challenge alice bob -size=5")
    browser = Browser(here.site)
    reply = str(here.mail_to(ALICE)["Reply-To"])
    browser.open(f"/code/{reply.partition('verify.')[2].partition('@')[0]}")
    assert "oust challenge alice bob -size=5" in browser.text
    browser.send(browser.form("Start the board"))
    assert (here.talk.home.path / "oust" / "1.txt").exists()
    assert "That is done" in browser.text


def test_what_is_no_code_opens_nothing(here: Place) -> None:
    for word in ("abcdefghijklmnop", "x", "a" * 500):
        assert here.site.get(f"/code/{word}").status == 410
        assert here.site.post(f"/code/{word}", "").status == 410


def test_forms_beyond_a_limit_are_counted_as_mails_are(tmp_path: Path) -> None:
    limit = "signups_from_a_source_a_day"
    talk = Talk.begin(tmp_path / "home", ALICE)
    talk.home.configuration.write_text(f'web_address = "{WEB}"\n[limits]\n{limit} = 1\n')

    def silences() -> int:
        return talk.home.ask(number_counted, Counted.SILENCES, limit, datetime.now(UTC))

    with website(tmp_path / "home") as site:
        for userid in ("carol", "dora", "erna"):
            browser = Browser(site)
            browser.open("/sign-up")
            browser.send(browser.form(), userid=userid, password="rabbithole", rest=CAROL)
        wait_until(lambda: silences() == 1, "the form to be counted")
