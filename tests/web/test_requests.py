"""Requests as bytes: one that is not right is refused, its connection closed, and the log short.

Source: RFC 9112, sections 6 and 7.1.
"""

import socket

import pytest

from tests.support import tables
from tests.support.waiting import PATIENCE
from tests.support.website import Website

tabled = tables.tabled(__file__)

NEXT = b"GET /boards HTTP/1.1\r\nHost: localhost\r\n\r\n"
HOST = b"Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
CHUNKED = HOST + b"Transfer-Encoding: chunked\r\n"
NO_CHUNK = b"0\r\n\r\n"


def statuses(pages: Website, first: bytes, then: bytes = b"") -> list[bytes]:
    """Return how a request is answered until the connection is closed.

    What is sent then follows once there has been an answer to what came before.
    """
    with socket.create_connection(("127.0.0.1", pages.port), timeout=PATIENCE) as client:
        client.sendall(first)
        answered = client.recv(65536) if then else b""
        client.sendall(then)
        try:
            while got := client.recv(65536):
                answered += got
        except ConnectionResetError:  # it was closed before all of this was read
            pass
    return [part[:3] for part in answered.split(b"HTTP/1.1 ")[1:]]


@pytest.mark.parametrize("path", [b"GET /", b"POST /sign-in", b"POST /nowhere"])
@tabled("head", head=str.encode)
def test_a_request_whose_end_is_in_doubt_is_refused_and_nothing_after_it_is_one(
    path: bytes, head: bytes, empty: Website
) -> None:
    assert statuses(empty, path + head + NO_CHUNK + NEXT) == [b"400"]


@tabled("first", "then", "answered", first=str.encode, then=str.encode, answered=str.encode)
def test_a_broken_chunk_ends_the_connection_with_one_line_in_the_log(
    first: bytes, then: bytes, answered: bytes, empty: Website
) -> None:
    before = len(empty.log)
    assert statuses(empty, first, then + NEXT if then else b"") == answered.split()
    assert empty.get("/boards").status == 200
    new = empty.log[before:]
    assert "Traceback" not in new
    assert new.count("WARNING") <= 1
