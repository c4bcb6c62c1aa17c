"""News of a board, for whoever looks at it."""

import http.client
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from pbm_oust.accounts.tags import tag_of
from pbm_oust.store.home import Home
from pbm_oust.web.live import MOST_WATCHING, MOST_WATCHING_OF_ONE
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed
from tests.support.ports import free_port
from tests.support.processes import processes_of
from tests.support.server import PROGRAM
from tests.support.waiting import PATIENCE, wait_until
from tests.support.website import Website, front_page, is_there, website
from tests.web.signed_in import place

EVENTS = "/oust/1/events"
STARTED = (
    (ALICE, "oust challenge alice bob wonderland -size=5"),
    (ALICE, "oust move 1 alice wonderland C3"),
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return a home with a board with one record."""
    return home_of(tmp_path / "home", ALICE, BOB, mails=STARTED)


@contextmanager
def watching(
    pages: Website, source: str = "", path: str = EVENTS, cookie: str = ""
) -> Iterator[http.client.HTTPResponse]:
    """Listen to the events of a board, as a client of a proxy."""
    connection = http.client.HTTPConnection("127.0.0.1", pages.port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers={"X-Forwarded-For": source, "Cookie": cookie})
        yield connection.getresponse()
    finally:
        connection.close()


def next_event(events: http.client.HTTPResponse) -> bytes:
    """Return the next event, without the empty line behind it."""
    line = events.readline()
    assert events.readline() == b"\n"
    return line.strip()


@pytest.mark.slow
def test_whoever_looks_at_a_board_hears_of_each_record(home: Home) -> None:
    with website(home.path) as pages, watching(pages) as events, watching(pages) as others:
        assert events.headers["Content-Type"].startswith("text/event-stream")
        assert events.headers["X-Accel-Buffering"] == "no"
        assert events.headers["Cache-Control"] == "no-cache"
        assert (next_event(events), next_event(others)) == (b"data: 1", b"data: 1")
        mailed(home, BOB, "oust move 1 bob lookingglass A1")
        assert (next_event(events), next_event(others)) == (b"data: 2", b"data: 2")


@pytest.mark.slow
def test_what_listens_does_not_keep_the_pages_from_stopping(home: Home) -> None:
    with website(home.path) as pages, watching(pages) as events:
        assert next_event(events) == b"data: 1"
        pages.process.terminate()
        assert events.read() == b""
        assert pages.stop() == 0


@pytest.mark.slow
def test_only_so_many_listen_at_once(home: Home) -> None:
    home.configuration.write_text('web_proxies = "127.0.0.1"\n')
    with website(home.path) as pages, ExitStack() as all_listening:
        for number in range(MOST_WATCHING):
            source = f"192.0.2.{number // MOST_WATCHING_OF_ONE}"
            events = all_listening.enter_context(watching(pages, source=source))
            assert next_event(events) == b"data: 1"
        assert_full(pages, "192.0.2.0")
        assert pages.get("/oust/1").status == 200
        first = all_listening.enter_context(watching(pages, source="192.0.2.100"))
        assert next_event(first) == b"data: 1"
        assert_full(pages, "192.0.2.1")
        all_listening.close()
        wait_until(lambda: _is_taken(pages, "192.0.2.1"), "room for one more")


@pytest.mark.slow
def test_whoever_only_watches_keeps_no_player_from_their_boards(tmp_path: Path) -> None:
    with place(tmp_path / "home") as here, ExitStack() as all_listening:
        for sender, line in STARTED:
            here.talk.send(sender, line)
        alice = here.signed_in(ALICE)
        own = f"session={alice.cookies['session']}"
        for _ in range(MOST_WATCHING_OF_ONE):
            assert next_event(all_listening.enter_context(watching(here.site))) == b"data: 1"
        assert_full(here.site, "")
        link = f"/play/{tag_of(str(here.talk.letter_to(BOB)['Reply-To']))}/events"
        for path, cookie in (("/me/oust/1/events", own), ("/me/events", own), (link, "")):
            heard = all_listening.enter_context(watching(here.site, path=path, cookie=cookie))
            assert next_event(heard).startswith(b"data: 1")
        assert here.site.get("/me/oust/1/events").headers["location"] == "/sign-in"
        assert here.site.get(f"{link[:-9]}x/events").status == 410


@pytest.mark.slow
def test_one_host_leaves_room_for_others(home: Home) -> None:
    with website(home.path) as pages, ExitStack() as all_listening:
        for _ in range(MOST_WATCHING_OF_ONE):
            assert next_event(all_listening.enter_context(watching(pages))) == b"data: 1"
        assert_full(pages, "")
        all_listening.close()
        wait_until(lambda: _is_taken(pages, ""), "room for one more")


def assert_full(pages: Website, source: str) -> None:
    """Assert that a source is told to listen later."""
    refused = pages.get(EVENTS, x_forwarded_for=source)
    assert (refused.status, refused.headers["retry-after"]) == (503, "60")


def _is_taken(pages: Website, source: str) -> bool:
    with watching(pages, source=source) as events:
        return events.status == 200


# The process that serves pages beside the one that takes mail: it is kept, and ends with it


def pages_of(server: int) -> int:
    """Return the process that serves pages for a server."""
    found, *_ = wait_until(lambda: processes_of(server, "--keeper"), "somebody to serve pages")
    return found


@pytest.mark.slow
def test_the_pages_are_started_again_and_end_with_the_server(tmp_path: Path) -> None:
    port = free_port()
    words = ["--home", str(tmp_path / "home"), "serve", "--smtp", "127.0.0.1:0"]
    words += ["--address", "games@example.org"]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(
            [PROGRAM, *words, "--web", f"127.0.0.1:{port}"], stdout=log, stderr=log
        )
        try:
            wait_until(lambda: is_there(port), "the pages to be there")
            assert "Play by mail: games@example.org" in front_page(port)
            os.kill(pages_of(server.pid), signal.SIGKILL)
            wait_until(lambda: is_there(port), "the pages to be there again")
        finally:
            server.kill()
            server.wait()
        wait_until(lambda: not is_there(port), "the pages to end")
