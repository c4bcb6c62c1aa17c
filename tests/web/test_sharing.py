"""What costs much is done for one host after the other, and nobody else waits for it."""

import os
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbm_oust.board import Game
from tests.support.games import act, history_of, new_game
from tests.support.histories import lay_histories
from tests.support.home_by_mail import home_of
from tests.support.waiting import PATIENCE, wait_until
from tests.support.website import Website, website

MANY = 12
RECORDS = 2000
PATH = re.compile(r" path=(\S+) status=200 ")


def long_game() -> Game:
    """Return a game of Churn in which the last free point of those left is taken, again and again.

    It is the longest that a page is likely to meet.
    """
    game = new_game("hex 12", kind="churn")
    while len(game.records) < RECORDS:
        free = game.position.placements()
        cell = free & -free if len(game.records) % 2 else 1 << (free.bit_length() - 1)
        game = act(game, f"{game.to_move.value} {game.header.grid.format_cell(cell)}")
    return game


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    """Pages with a long game, behind a proxy that names its clients."""
    path: Path = tmp_path_factory.mktemp("sharing") / "home"
    home = home_of(path)
    lay_histories(home, {17: history_of(long_game()).decode()}, "churn")
    home.close()
    (path / "pbm_oust.toml").write_text('web_proxies = "127.0.0.1"\n')
    with website(path) as found:
        yield found


def ask(pages: Website, path: str, source: str) -> socket.socket:
    """Ask for a path without waiting for the answer."""
    client = socket.create_connection(("127.0.0.1", pages.port), timeout=PATIENCE)
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {source}\r\n"
    client.sendall(f"{head}Connection: close\r\n\r\n".encode())
    return client


def status_of(client: socket.socket) -> int:
    """Return the status of the answer that comes."""
    with client, client.makefile("rb") as answer:
        return int(answer.readline().split()[1])


@pytest.mark.parametrize("ending", [".png", ""], ids=["pictures", "pages"])
def test_a_host_that_asks_for_many_positions_keeps_others_from_none(
    ending: str, pages: Website
) -> None:
    asked = [ask(pages, f"/churn/17/{2 * n + 1}{ending}", "192.0.2.1") for n in range(MANY)]
    others = [ask(pages, f"/churn/17/{2 * n + 2}{ending}", f"192.0.2.{n}") for n in range(2, 8)]
    assert [status_of(each) for each in others] == [200] * len(others)
    assert {status_of(each) for each in asked} <= {200, 503}


@contextmanager
def stopped(pages: Website) -> Iterator[None]:
    """Stop the process of the pages for a while: what is asked then reaches it all at once."""
    assert pages.process.pid
    os.kill(pages.process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pages.process.pid, signal.SIGCONT)


def answered(pages: Website, paths: list[str]) -> list[str]:
    """Return the order in which these paths were answered, once all of them are."""

    def found() -> list[str]:
        lines = [path for path in PATH.findall(pages.log) if path in paths]
        return lines if len(lines) == len(paths) else []

    return wait_until(found, "all answers in the log")


@pytest.mark.slow
def test_other_pages_come_before_past_positions_of_a_long_game(pages: Website) -> None:
    slow = [f"/churn/17/{RECORDS - n}" for n in range(1, 25)]
    with stopped(pages):
        asked = [ask(pages, path, f"192.0.2.{nth}") for nth, path in enumerate(slow, 1)]
        asked.append(ask(pages, "/boards", "192.0.2.99"))
    assert [status_of(client) for client in asked] == [200] * len(asked)
    assert answered(pages, [*slow, "/boards"]).index("/boards") < len(slow) // 2
