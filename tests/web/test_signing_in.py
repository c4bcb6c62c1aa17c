"""Signing in by a link that comes by mail: once, for a while, and for nobody else."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pbm_oust.accounts.tags import SignIn, format_session
from pbm_oust.mail.clients import Patience
from pbm_oust.store.limits import Counted, number_counted
from tests.support import tables
from tests.support.accounts import account_of
from tests.support.browsing import Browser
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk
from tests.support.outbox import letters
from tests.support.waiting import wait_until
from tests.support.website import Got, website
from tests.web.signed_in import WEB, Place

tabled = tables.tabled(__file__)


def _ask(here: Place, address: str) -> Browser:
    browser = Browser(here.site)
    browser.open("/sign-in")
    browser.send(browser.form("Send me a link"), address=address)
    return browser


@pytest.mark.parametrize(("days", "status"), [(0, 200), (3650, 303), (-29, 303)])
def test_a_session_lasts_four_weeks_though_the_clock_was_wrong_when_it_began(
    days: int, status: int, here: Place
) -> None:
    home = here.talk.home
    session = SignIn.begin("alice", here.talk.now + timedelta(days=days), "a" * 16)
    cookie = format_session(session, home.key(), account_of(home, "alice"))
    assert here.site.get("/me", cookie=f"session={cookie}").status == status


def test_the_answer_does_not_say_whether_a_player_has_an_address(here: Place) -> None:
    before = len(letters(here.talk.home))
    pages = {_ask(here, address).text for address in (ALICE, "nobody@example.org")}
    assert len(pages) == 1
    assert [each.to for each in letters(here.talk.home)][before:] == [ALICE]


def test_nor_do_the_limits_whoever_asks(here: Place) -> None:
    with here.talk.home.configuration.open("a") as configuration:
        configuration.write('web_proxies = "127.0.0.1"\n')
    asked: dict[str, list[int]] = {}
    with website(here.talk.home.path) as site:
        for nth, address in enumerate((ALICE, "nobody@example.org")):
            form = urlencode({"address": address})
            sources = [f"192.0.2.{100 * nth + host}" for host in range(2) for _ in range(7)]
            asked[address] = [
                site.post("/sign-in", form, x_forwarded_for=source).status for source in sources
            ]
    assert asked[ALICE] == asked["nobody@example.org"]
    assert set(asked[ALICE]) == {200, 429}


def test_what_strangers_ask_for_keeps_no_player_from_signing_in(here: Place) -> None:
    for _ in range(10):
        _ask(here, ALICE)
    with here.talk.home.configuration.open("a") as configuration:
        configuration.write('web_proxies = "127.0.0.1"\n')
    with website(here.talk.home.path) as site:
        before, form = len(letters(here.talk.home)), urlencode({"address": ALICE})
        got = site.post("/sign-in", form, x_forwarded_for="192.0.2.1")
        assert (got.status, len(letters(here.talk.home))) == (200, before + 1)


def test_whoever_asks_for_names_that_are_taken_is_answered_a_few_times(here: Place) -> None:
    browser, seen = Browser(here.site), list[bool]()
    for _ in range(12):
        browser.open("/sign-up")
        form = browser.form("Make the account")
        browser.send(form, userid="alice", password="rabbithole", rest="carol@example.net")
        seen.append("belongs to somebody already" in browser.text)
    assert seen == [*[True] * 10, False, False]


def test_a_link_is_no_code_for_mail(here: Place) -> None:
    _ask(here, ALICE)
    letter = here.mail_to(ALICE)
    code = here.link_in(letter).rpartition("/")[2]
    assert "verify" not in str(letter["Reply-To"])
    here.talk.send(ALICE, f"verify {code}")
    assert here.talk.outcome == "refused: no_such_code"


def test_nobody_else_is_signed_in_and_forms_need_the_session_s_token(here: Place) -> None:
    assert here.site.get("/me").headers["location"] == "/sign-in"
    assert here.site.get("/me", cookie="session=alice.9999999999.0123456789abcdef.x").status == 303
    alice, bob = here.signed_in(ALICE), here.signed_in(BOB)
    form = alice.form("Sign out")
    stolen = bob.form("Sign out").fields["check"]
    for fields in ({}, {"check": ""}, {"check": stolen}):
        form.fields = fields
        assert alice.send(form).status == 403
    assert alice.open("/me").status == 200
    wrong = alice.cookies["session"].replace("alice", "bob")
    assert here.site.get("/me", cookie=f"session={wrong}").status == 303


def test_signing_out_ends_the_session_itself(here: Place) -> None:
    browser = here.signed_in(ALICE)
    cookie = browser.cookies["session"]
    browser.send(browser.form("Sign out"))
    assert (browser.path, browser.cookies) == ("/", {})
    assert here.site.get("/me", cookie=f"session={cookie}").status == 303


def test_the_cookie_is_kept_from_scripts_and_other_sites(here: Place) -> None:
    browser = _ask(here, ALICE)
    link = here.link_in(here.mail_to(ALICE))
    got = here.site.post(link, "", sec_fetch_site="same-origin")
    cookie = got.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "path=/" in cookie
    assert "secure" not in cookie
    assert got.headers["cache-control"] == "no-store"
    assert not browser.cookies


def test_links_are_mailed_a_few_times_a_day_only(here: Place) -> None:
    before = len(letters(here.talk.home))
    pages = [_ask(here, ALICE).text for _ in range(16)]
    mailed = len(letters(here.talk.home)) - before
    assert 1 < mailed < 15
    assert ["a link is on its way" in page for page in pages] == [n < mailed for n in range(16)]
    assert all("Too many links have been asked for." in page for page in pages[mailed:])


def headers_of(said: str) -> dict[str, str]:
    """Return what a browser says of a form, as in the tables of this module."""
    return dict(each.split(": ") for each in said.split(" | ")) if said else {}


@tabled("said")
def test_forms_of_other_sites_sign_nobody_in_whatever_the_browser_says_of_them(
    said: str, here: Place
) -> None:
    _ask(here, ALICE)
    link = here.link_in(here.mail_to(ALICE))
    mine = f"127.0.0.1:{here.site.port}"
    for path, form in (
        (link, ""),
        ("/sign-in", "address=alice%40example.org"),
        ("/sign-up", ""),
    ):
        got = here.site.post(path, form, **headers_of(said.replace("MINE", mine)))
        assert (got.status, got.headers.get("set-cookie")) == (403, None)


@tabled("said")
def test_forms_of_our_pages_count_in_every_browser(said: str, here: Place) -> None:
    _ask(here, ALICE)
    got = here.site.post(here.link_in(here.mail_to(ALICE)), "", **headers_of(said))
    assert (got.status, got.headers["location"]) == (303, "/me")


# Making an account on the pages, and bringing back the codes that come by mail


def _signed_up(here: Place, userid: str, address: str, language: str = "en") -> Browser:
    browser = Browser(here.site, language)
    browser.open("/sign-up")
    browser.send(browser.form(), userid=userid, password="rabbithole", rest=address)
    return browser


def test_a_userid_that_somebody_was_quicker_to_have_is_told_with_the_link(here: Place) -> None:
    first, second = _signed_up(here, "erna", CAROL), _signed_up(here, "erna", "dora@example.com")
    assert first.got.text == second.got.text
    for browser, address in ((first, CAROL), (second, "dora@example.com")):
        browser.open(here.link_in(here.mail_to(address)))
        browser.send(browser.form())
    assert first.path == "/me"
    assert "That was not done" in second.text
    assert "erna2" in second.text


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
            is_first = userid == "carol"
            assert browser.got.status == (200 if is_first else 429)
            assert ("From here, 1 account a day can be made." in browser.text) is not is_first
            assert (f'value="{userid}"' in browser.text) is not is_first
        wait_until(lambda: silences() == 1, "the form to be counted")


# Passwords on pages: they cost as little at once as by mail, and wrong ones wait as long


MEGABYTE = 1024
"""In the kilobytes that Linux counts in."""


def _sent(here: Place, number: int) -> list[Got]:
    """Send so many forms at once, each with another wrong password; return the answers.

    All have been opened before, so that each is one connection of those that a host may have.
    """
    alice = here.signed_in(ALICE)
    browsers = [Browser(here.site, cookies=dict(alice.cookies)) for _ in range(number)]
    for each in browsers:
        each.open("/me/settings")
    forms = [each.form("The only address") for each in browsers]

    def send(nth: int) -> Got:
        return browsers[nth].send(forms[nth], rest="new@example.org", password=f"guess{nth}")

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(send, range(number)))


def _peak(here: Place) -> int:
    """Return the most memory that the pages have had, in kilobytes (proc(5), VmHWM)."""
    status = Path(f"/proc/{here.site.process.pid}/status").read_text()
    (found,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return int(found)


def test_wrong_passwords_of_one_host_wait_one_after_the_other(here: Place) -> None:
    begun = time.monotonic()
    answers = _sent(here, 3)
    assert time.monotonic() - begun >= 3 * Patience().wrong_password
    assert all("That was not done" in each.text for each in answers)


@pytest.mark.slow
def test_many_passwords_at_once_need_the_memory_of_one(here: Place) -> None:
    _sent(here, 1)
    before = _peak(here)
    answers = _sent(here, 24)
    assert _peak(here) - before < 48 * MEGABYTE
    turned_away = [each for each in answers if each.status == 503]
    assert turned_away
    assert any("Too much at once" in each.text for each in turned_away)
    assert here.site.get("/").status == 200
