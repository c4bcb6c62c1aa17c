"""How large letters with boards are when they are sent: Gmail cuts off what exceeds 102 KB."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from itertools import product

import pytest

from pbm_oust.board import Game
from pbm_oust.board.notation import LONGEST_USERID
from pbm_oust.grammar.wish import example
from pbm_oust.letters.body import LARGEST, beginning, body, part
from pbm_oust.letters.words import Words
from pbm_oust.mail.reading.mail import LONGEST_CHAT
from pbm_oust.play.notices import BoardNotice, News, Reader, turn_on
from tests.support.games import new_game, play
from tests.support.letters import text_of
from tests.support.pages import Page

WORDS = Words("pbmserv@example.com")
LOCAL = f"pbmserv+oust.9999.999.{'u' * LONGEST_USERID}.abcdefghijklmnop"[-64:].rjust(64, "p")
"""As long as the local part of an address may be (RFC 5321, section 4.5.3.1.1)."""
USUAL = "mail.games.example.org"
LONG = f"{'h' * 63}.{'h' * 20}.{USUAL}"
LONGEST_HOST = ".".join(("h" * 47,) * 4)[: 254 - 64 - 1]


def empty_board(size: int) -> Game:
    """Return a board with two stones on which x, who has the longest userid, can go anywhere."""
    return play(new_game(f"square {size}x{size}"), "x A1", f"o C{size}")


def letter_for(game: Game, host: str, chat: str = "") -> EmailMessage:
    """Return a letter as it comes out of a mail server."""
    userid = "u" * LONGEST_USERID
    reader = Reader(("x@example.org",), game.player_to_move)
    notice = BoardNotice(reader, News.PLAYED, game, chat=chat, chat_from=userid)
    written = WORDS.of(notice, turn_on(game, game.player_to_move))
    text = part(written.text, "plain")
    reply_to = f"{LOCAL}@{host}"
    page = WORDS.pages.of(written, reader, lambda game: reply_to, LARGEST - text.size)
    data = body((text, page) if page else (text,), "en", "=_boundary")
    whole = f"Subject: {written.subject}\n{data}".replace("\n", "\r\n")
    letter = message_from_bytes(whole.encode(), policy=SMTP)
    assert isinstance(letter, EmailMessage)
    return letter


def page_of(letter: EmailMessage) -> Page:
    body = letter.get_body(("html",))
    assert body
    return Page(body.get_content())


@pytest.mark.parametrize(
    ("size", "host"),
    [*product((13, 19), ("example.com", USUAL, f"{'h' * 63}.example.org")), (25, "example.com")],
)
def test_both_parts_of_a_board_with_a_link_on_every_point_stay_under_90_kb(
    size: int, host: str
) -> None:
    game = empty_board(size)
    letter = letter_for(game, host)
    assert len(letter.as_bytes()) < 90 * 1024
    assert len(page_of(letter).taps()) == game.position.placements().bit_count() > size * size - 25


@pytest.mark.parametrize("size", [19, 25])
def test_links_that_would_make_a_letter_too_large_are_left_out(size: int) -> None:
    game = empty_board(size)
    letter = letter_for(game, LONGEST_HOST)
    assert len(letter.as_bytes()) < 90 * 1024
    page = page_of(letter)
    assert not page.taps()
    move = example(game.position)
    assert f"Answer it with the point where you play, for example {move}." in page.text


def test_links_get_less_room_before_they_are_left_out() -> None:
    game = empty_board(19)
    wide, slim = (page_of(letter_for(game, host)) for host in (USUAL, LONG))
    assert len(wide.taps()) == len(slim.taps())
    assert ("aria-label", "D4") in wide.attributes
    assert ("aria-label", "D4") not in slim.attributes


def test_a_letter_that_is_too_large_without_links_is_text_alone() -> None:
    letter = letter_for(empty_board(7), "example.com", chat="\n".join(["word " * 14] * 700))
    assert letter.get_content_type() == "text/plain"


@pytest.mark.parametrize("chat", ["", "Schöne Grüße", "x" * 5_000, "\N{SNOWMAN}" * 400])
def test_no_line_is_longer_than_mail_allows_and_nothing_is_lost(chat: str) -> None:
    letter = letter_for(empty_board(19), USUAL, chat)
    data = letter.as_bytes()
    assert max(map(len, data.split(b"\r\n"))) <= 998
    assert data.isascii()
    assert chat in page_of(letter).text


def test_all_parts_together_have_the_room_that_gmail_shows() -> None:
    assert LARGEST < 90 * 1024


@pytest.mark.parametrize("sign", ["x", "\N{CJK UNIFIED IDEOGRAPH-4E2D}", "\N{GRINNING FACE}"])
def test_the_longest_text_that_a_player_can_write_arrives_whole(sign: str) -> None:
    chat = sign * LONGEST_CHAT
    letter = letter_for(empty_board(13), USUAL, chat)
    assert len(letter.as_bytes()) < 90 * 1024
    assert chat in text_of(letter)


def test_what_has_no_room_in_a_letter_is_counted_at_its_end() -> None:
    lines = [f"line {number} " + "\N{SNOWMAN}" * 200 for number in range(500)]
    shown = beginning("\n".join(lines) + "\n", LARGEST, WORDS.left_out)
    assert LARGEST - 1_000 < shown.size <= LARGEST
    *kept, blank, last = shown.content.removesuffix("\n").split("\n")
    assert kept == lines[: len(kept)]
    assert not blank
    assert last == (
        f"{len(lines) - len(kept)} more lines are left out here, because the mail would be too"
        " large."
    )
