"""Letters that show boards as players get them: text first, then the same as HTML."""

import json
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest

from pbm_oust.letters.body import moves_of
from pbm_oust.render.html import draw_html
from pbm_oust.render.text import draw_text
from tests.support import tables
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk
from tests.support.pages import Page

tabled = tables.tabled(__file__)


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path, ALICE, BOB, CAROL)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    return talk


def types(data: bytes) -> list[str]:
    return [part.get_content_type() for part in message_from_bytes(data).walk()]


def test_a_board_comes_as_text_and_after_that_as_html(talk: Talk) -> None:
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    assert [types(each.data) for each in talk.letters] == [
        ["multipart/alternative", "text/plain", "text/html"]
    ] * 2
    assert "alice played C3." in talk.text_to(BOB)
    assert "alice played C3." in talk.page_to(BOB)


def test_the_text_is_the_same_with_html_and_without(talk: Talk) -> None:
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    talk.send(BOB, "oust showas bob lookingglass 1")
    with_html = talk.text_to(BOB)
    talk.send(BOB, "settings bob lookingglass board text")
    talk.send(BOB, "oust showas bob lookingglass 1")
    assert talk.text_to(BOB) == with_html


@tabled("sender", "line")
def test_all_letters_that_show_boards_do_so_as_html(talk: Talk, sender: str, line: str) -> None:
    talk.send(sender, line)
    shows = "   A B C D E\n" in talk.text_to(sender) or "  A B C D E\n" in talk.text_to(sender)
    assert bool(talk.page_to(sender)) is shows
    assert bool(Page(talk.page_to(sender)).boards) is shows


@pytest.mark.parametrize("line", ["help", "oust games", "settings alice wonderland", "list"])
def test_letters_without_boards_are_text_alone(talk: Talk, line: str) -> None:
    talk.send(ALICE, line)
    assert types(talk.letters[0].data) == ["text/plain"]


def test_the_same_letter_is_the_same_to_the_byte_when_it_is_written_again(talk: Talk) -> None:
    talk.send(ALICE, "oust show 1", number=1)
    first = [each.data for each in talk.letters]
    talk.send(ALICE, "oust show 1", number=1)
    assert [each.data for each in talk.letters] == first
    assert b"multipart/alternative" in first[0]


def test_chat_that_looks_like_the_end_of_a_part_ends_none(talk: Talk) -> None:
    talk.send(ALICE, "oust move 1 alice wonderland C3", "see you")
    boundary = message_from_bytes(talk.letters[1].data).get_boundary()
    assert boundary
    text = f"--{boundary}--\n--{boundary}\nContent-Type: text/html\n\n<b>D4</b>\n"
    talk.send(BOB, "oust move 1 bob lookingglass A1", text)
    for letter in talk.letters:
        message = message_from_bytes(letter.data, policy=default)
        assert isinstance(message, EmailMessage)
        assert [part.get_content_type() for part in message.iter_parts()] == [
            "text/plain",
            "text/html",
        ]
    assert "<b>D4</b>" in Page(talk.page_to(ALICE)).text


def drawings() -> list[int]:
    """Return how often a board was drawn as text and as HTML, and a whole game written."""
    return [each.cache_info().misses for each in (draw_text, draw_html, moves_of)]


@tabled("line", "drawn", drawn=json.loads)
def test_a_board_is_drawn_once_as_text_and_once_as_html_for_all_letters_of_a_command(
    talk: Talk, line: str, drawn: list[int]
) -> None:
    talk.send(CAROL, "oust watch 1 carol rabbithole")
    for each in (draw_text, draw_html, moves_of):
        each.cache_clear()
    talk.send(ALICE, line, "Good luck")
    assert talk.letters
    assert drawings() == drawn
