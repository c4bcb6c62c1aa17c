"""The pages behind nginx and Caddy: TLS, who asks, events at once, and play by a link."""

import http.client
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pbm_oust.accounts.tags import tag_of
from pbm_oust.store.configuration import parse_configuration
from tests.peers.web_servers.servers import HOST, caddy, nginx
from tests.support.certificates import trusting
from tests.support.document import block
from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, BOB, Talk, mailed
from tests.support.server import listening_port, stopped
from tests.support.waiting import PATIENCE
from tests.support.website import Website, website

Server = Callable[[int], AbstractContextManager[int]]
ELSEWHERE = "127.0.0.2"
"""Another address of this machine."""
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(params=[nginx, caddy])
def server(request: pytest.FixtureRequest) -> Server:
    found: Server = request.param
    return found


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    talk.home.configuration.write_text(block("web/pbm_oust.toml", {}))
    return talk


@pytest.fixture
def pages(talk: Talk) -> Iterator[Website]:
    with website(talk.home.path) as found:
        yield found


@contextmanager
def asking(
    port: int, path: str, form: str | None = None, **headers: str
) -> Iterator[http.client.HTTPResponse]:
    """Ask for a path by HTTPS, from another address."""
    connection = http.client.HTTPSConnection(
        HOST, port, timeout=PATIENCE, context=trusting(), source_address=(ELSEWHERE, 0)
    )
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request("GET" if form is None else "POST", path, form, {**FORM, **named})
        yield connection.getresponse()
    finally:
        connection.close()


@contextmanager
def mirror() -> Iterator[int]:
    """Serve a page that tells where a request comes from and how, with the proxies of the docs."""
    proxies = parse_configuration(block("web/pbm_oust.toml", {})).web_proxies
    assert ip_network("127.0.0.1") in proxies
    command = [sys.executable, "-m", "tests.support.impatient", "60", *map(str, proxies)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield listening_port(process)
    finally:
        stopped(process)


def test_the_pages_learn_who_asks_and_that_it_is_by_https(server: Server) -> None:
    with mirror() as behind, server(behind) as port:
        forged = {"x_forwarded_for": "192.0.2.7", "x_forwarded_proto": "http"}
        for headers in ({}, forged):
            with asking(port, "/", **headers) as got:
                assert got.read().decode() == f"{ELSEWHERE} https"


def test_browsers_are_told_to_ask_by_https_alone(server: Server, pages: Website) -> None:
    with server(pages.port) as port:
        for path in ("/", "/nosuch"):
            with asking(port, path) as got:
                assert got.headers.get_all("Strict-Transport-Security") == ["max-age=31536000"]


def test_events_arrive_at_once(server: Server, talk: Talk, pages: Website) -> None:
    with server(pages.port) as port, asking(port, "/oust/1/events") as events:
        assert events.status == 200
        assert events.readline() == b"data: 0\n"
        mailed(talk.home, ALICE, "oust move 1 alice wonderland C3")
        news = (line for line in events if line.startswith(b"data: "))
        assert next(news) == b"data: 1\n"


def test_players_play_by_the_link_of_a_letter(server: Server, talk: Talk, pages: Website) -> None:
    link = f"/play/{tag_of(str(talk.letter_to(ALICE)['Reply-To']))}"
    with server(pages.port) as port:
        with asking(port, link) as got:
            assert got.status == 200
            assert b'href="?turn=C3#board"' in got.read()
        turn = urlencode({"deed": "turn", "turn": "C3"})
        with asking(port, link, turn, sec_fetch_site="same-origin") as got:
            assert (got.status, got.headers["Location"]) == (303, f"{link}?done=1")
        assert moves_of(talk.home) == ["x C3"]
        with asking(port, link, f"text={'x' * 70_000}") as got:
            assert got.status == 413


def test_wrong_links_are_counted_for_who_follows_them(
    server: Server, talk: Talk, pages: Website
) -> None:
    with talk.home.configuration.open("a") as configuration:
        configuration.write("[limits]\nwrong_links_an_hour = 1\n")
    with website(talk.home.path) as pages, server(pages.port) as port:
        statuses = []
        for forged in ("192.0.2.1", "192.0.2.2"):
            with asking(port, "/play/wrong", x_forwarded_for=forged) as got:
                statuses.append(got.status)
        assert statuses == [410, 429]
