"""Signing in by a link that comes by mail: once, for a while, and for nobody else."""

import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pbm_oust.accounts.tags import SignIn, format_session
from tests.support.accounts import account_of
from tests.support.browsing import Browser
from tests.support.home_by_mail import ALICE, BOB
from tests.support.outbox import letters
from tests.support.server import PROGRAM
from tests.support.website import website
from tests.web.signed_in import Place, place


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path / "home") as found:
        yield found


def _ask(here: Place, address: str) -> Browser:
    browser = Browser(here.site)
    browser.open("/sign-in")
    browser.send(browser.form("Send me a link"), address=address)
    return browser


def test_a_link_by_mail_signs_in_once(here: Place) -> None:
    browser = _ask(here, ALICE)
    assert "If a player has this address, a link is on its way there." in browser.text
    letter = here.mail_to(ALICE)
    assert letter.subject == "sign in as alice"
    link = here.link_in(letter)
    assert "within 15 minutes" in letter.words
    for _ in range(2):
        assert browser.open(link).status == 200
        assert not browser.cookies
    browser.send(browser.form("Sign in as alice"))
    assert (browser.path, browser.got.status) == ("/me", 200)
    assert "<h1>alice</h1>" in browser.text
    other = Browser(here.site)
    assert other.open(link).status == 410
    assert here.site.post(link, "").status == 410


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
            sources = [f"192.0.2.{100 * nth + host}" for host in range(4) for _ in range(7)]
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


def test_what_is_no_address_is_said_to_be_none(here: Place) -> None:
    assert "That is no mail address." in _ask(here, "alice").text


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


def test_a_new_password_ends_every_session(here: Place) -> None:
    one, other = here.signed_in(ALICE), here.signed_in(ALICE)
    here.talk.send(ALICE, "change password alice wonderland jabberwocky")
    assert here.talk.outcome == "done: change password"
    for browser in (one, other):
        browser.open("/me")
        assert browser.path == "/sign-in"


def test_a_disabled_player_is_signed_out(here: Place) -> None:
    browser = here.signed_in(ALICE)
    home = str(here.talk.home.path)
    subprocess.run([PROGRAM, "--home", home, "players", "disable", "alice"], check=True)
    browser.open("/me")
    assert browser.path == "/sign-in"


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
    pages = [_ask(here, ALICE).text for _ in range(30)]
    mailed = len(letters(here.talk.home)) - before
    assert 1 < mailed < 15
    assert ["a link is on its way" in page for page in pages] == [n < mailed for n in range(30)]
    assert all("Too many links have been asked for." in page for page in pages[mailed:])


def test_forms_of_other_sites_sign_nobody_in_whatever_the_browser_says_of_them(
    here: Place,
) -> None:
    _ask(here, ALICE)
    link = here.link_in(here.mail_to(ALICE))
    mine = f"127.0.0.1:{here.site.port}"
    foreign = [
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1"},
        {"origin": f"http://{mine}.evil.example"},
        {"origin": "http://evil.games.example.org"},
        {"origin": "http://[games.example.org"},
        {"origin": "file://"},
        {"origin": "null", "referer": "https://evil.example/page"},
        {"sec_fetch_site": "cross-site", "origin": f"http://{mine}"},
        {"sec_fetch_site": "same-site"},
    ]
    for said in foreign:
        for path, form in (
            (link, ""),
            ("/sign-in", "address=alice%40example.org"),
            ("/sign-up", ""),
        ):
            got = here.site.post(path, form, **said)
            assert (got.status, got.headers.get("set-cookie")) == (403, None), said


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"origin": "null"},
        {"origin": "http://games.example.org"},
        {"origin": "http://GAMES.example.org", "host": "127.0.0.1:8080"},
        {"origin": "http://other.example.org", "host": "other.example.org:80"},
        {"sec_fetch_site": "same-origin", "origin": "null"},
    ],
    ids=["nothing", "our own pages", "its name", "behind a proxy", "another name", "new browsers"],
)
def test_forms_of_our_pages_count_in_every_browser(said: dict[str, str], here: Place) -> None:
    _ask(here, ALICE)
    got = here.site.post(here.link_in(here.mail_to(ALICE)), "", **said)
    assert (got.status, got.headers["location"]) == (303, "/me")
