"""The log of requests: a line for each, without any secret."""

import re
import socket
from pathlib import Path

import pytest

from pbm_oust.accounts.tags import tag_of
from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.waiting import PATIENCE, wait_until
from tests.support.website import Website, website

LINE = re.compile(r"INFO (method=\S+ path=\S+ status=\d+ bytes=\d+) ms=\d+$", re.MULTILINE)


def lines_of(pages: Website, count: int) -> list[str]:
    """Return the lines about requests, without times, when there are so many."""
    return wait_until(lambda: _if_so_many(LINE.findall(pages.log), count), f"{count} lines")


def _if_so_many(lines: list[str], count: int) -> list[str]:
    assert len(lines) <= count
    return lines if len(lines) == count else []


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    return talk


def test_each_request_is_a_line(talk: Talk) -> None:
    with website(talk.home.path) as pages:
        board, picture = pages.get("/oust/1"), pages.get("/oust/1/0.svg")
        missing = pages.get("/nowhere?at=all")
        pages.get("/boards?player=alice", "HEAD")
        pages.get("/", "SECRET")
        lines = lines_of(pages, 5)
    assert lines[:4] == [
        f"method=GET path=/oust/1 status=200 bytes={len(board.content)}",
        f"method=GET path=/oust/1/0.svg status=200 bytes={len(picture.content)}",
        f"method=GET path=- status=404 bytes={len(missing.content)}",
        "method=HEAD path=/boards status=200 bytes=0",
    ]
    assert lines[4].startswith("method=- path=/ status=405 ")


def test_no_line_tells_a_secret(talk: Talk) -> None:
    tag = tag_of(str(talk.letter_to(ALICE)["Reply-To"]))
    with website(talk.home.path) as pages:
        paths = [
            f"/play/{tag}",
            f"/play/{tag}?turn=C3",
            f"/play/{tag}x",
            f"/play/{tag}/x",
            f"/{tag}",
        ]
        paths += [f"/players/{tag}", f"/help/{tag}", f"/static/{tag}", f"/boards?player={tag}"]
        paths += [f"/oust/{tag}", f"/oust/1/{tag}", f"//play/{tag}", f"/PLAY/{tag}", "/play/%00"]
        statuses = [pages.get(path).status for path in paths]
        statuses.append(pages.post(f"/play/{tag}", "deed=turn&turn=C3").status)
        lines, log = lines_of(pages, len(statuses)), pages.log
    assert {200, 303, 404, 410} <= set(statuses)
    assert "path=/play/{tag} " in lines[0]
    for secret in (tag, tag.rpartition(".")[2], "C3"):
        assert secret not in log
    naming = [line for line in log.splitlines() if "127.0.0.1" in line]
    assert all(line.endswith("WARNING wrong link from 127.0.0.1") for line in naming)


def test_a_form_that_breaks_off_is_a_line_and_no_fault(talk: Talk) -> None:
    path = f"/play/{tag_of(str(talk.letter_to(ALICE)['Reply-To']))}"
    kind = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 99"
    with website(talk.home.path) as pages:
        with socket.create_connection(("127.0.0.1", pages.port)) as client:
            client.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\n{kind}\r\n\r\ndeed=".encode())
        assert lines_of(pages, 1) == ["method=POST path=/play/{tag} status=400 bytes=0"]
        assert "Traceback" not in pages.log


@pytest.mark.parametrize("wanted", ["websocket", "h2c"])
def test_a_wish_for_another_protocol_is_answered_as_if_it_were_none(
    wanted: str, talk: Talk
) -> None:
    with website(talk.home.path) as pages:
        assert pages.get("/oust/1", connection="Upgrade", upgrade=wanted).status == 200
        assert len(lines_of(pages, 1)) == 1
        assert "WARNING" not in pages.log


def test_what_is_no_http_is_no_warning(talk: Talk) -> None:
    with website(talk.home.path) as pages:
        with socket.create_connection(("127.0.0.1", pages.port), PATIENCE) as client:
            client.sendall(b"\x16\x03\x01 no HTTP\r\n\r\n")
            assert b" 400 " in client.recv(100)
        assert "WARNING" not in pages.log
