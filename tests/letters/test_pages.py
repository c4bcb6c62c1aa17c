"""Letters as HTML: what they say, what can be tapped, and what they must never hold."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from pbm_oust.board import Game
from pbm_oust.board.header import Terms
from pbm_oust.commands.show import BoardsNotice
from pbm_oust.letters.body import LARGEST
from pbm_oust.letters.words import Words
from pbm_oust.play.notices import BoardNotice, News, Notice, Reader
from pbm_oust.render.text import board_text
from pbm_oust.rules import KINDS
from pbm_oust.rules.grid import square
from pbm_oust.rules.oust import Oust
from tests.support.boards import board
from tests.support.games import new_game, play, standing_at
from tests.support.pages import Page, Tap

REPLY = "pbmserv+oust.17.12.alice.abcdefghijklmnop@example.com"
WORDS = Words("pbmserv@example.com")
GAME = play(new_game("square 7x7", Terms(swap=False)), "x C3", "o D5", "x E2", "o D3")
CHAIN = play(new_game("square 7x7"), "x C3", "o D3", "x F6", "o B4", "x C2")
"""The turn of x goes on: it has taken D3, and can take B4."""


def notice_of(game: Game, userid: str = "", news: News = News.PLAYED) -> BoardNotice:
    """Return a notice of a board to a player, to the one whose turn it is if none is named."""
    return BoardNotice(Reader(("x@example.org",), userid or game.player_to_move), news, game)


def text_of(notice: Notice) -> str:
    return WORDS.of(notice).text


def html_of(notice: Notice, address: str | None = REPLY) -> str:
    """Return a letter as HTML, empty where it is text alone."""
    page = WORDS.pages.of(WORDS.of(notice), notice.reader, lambda game: address, LARGEST)
    return page.content if page else ""


def page_of(notice: Notice, address: str | None = REPLY) -> Page:
    return Page(html_of(notice, address))


def dashed_in(html: str) -> set[str]:
    """Return the points that can be tapped and are marked as those of stones that were taken."""
    return set(re.findall(r'subject=(\w+)"[^>]*dashed', html))


def subjects(page: Page) -> list[str]:
    assert {tap.address for tap in page.taps()} <= {REPLY}
    return [tap.subject for tap in page.taps()]


def test_every_placement_of_the_player_whose_turn_it_is_can_be_tapped() -> None:
    placements = GAME.header.grid.names(GAME.position.placements())
    assert "E1" not in placements
    page = page_of(notice_of(GAME))
    assert sorted(subjects(page)) == sorted(placements)
    assert "Tap a point and send the mail to play there." in page.text


def test_in_the_middle_of_a_turn_the_placements_that_continue_it_can_be_tapped() -> None:
    assert CHAIN.position.is_mid_turn
    placements = CHAIN.header.grid.names(CHAIN.position.placements())
    assert "B3" in placements
    assert sorted(subjects(page_of(notice_of(CHAIN)))) == sorted(placements)


@pytest.mark.parametrize(
    "notice",
    [
        notice_of(GAME, "marksteere"),
        notice_of(GAME, "carol"),
        notice_of(GAME, news=News.PREVIEW),
        structs.replace(notice_of(GAME), is_past=True),
        notice_of(play(GAME, "x resign")),
    ],
    ids=["not his turn", "watches", "preview", "past", "over"],
)
def test_nothing_can_be_tapped_where_the_reader_cannot_play(notice: BoardNotice) -> None:
    page = page_of(notice)
    assert not page.taps()
    assert "Tap" not in page.text
    assert "x, rrognlie: C3 E2" in page.text


def test_without_an_address_that_takes_answers_nothing_can_be_tapped() -> None:
    page = page_of(notice_of(GAME), None)
    assert page.board
    assert not page.taps()
    assert "Answer it" not in page.text


def test_who_may_swap_can_tap_that() -> None:
    page = page_of(notice_of(play(new_game("square 7x7"), "x C3")))
    assert Tap("swap", REPLY, "swap") in page.taps()
    assert "To swap, tap swap and send the mail." in page.text
    assert "swap" not in subjects(page_of(notice_of(GAME)))


def test_who_must_pass_can_tap_that_and_nothing_else() -> None:
    grid = square(2)
    corners = grid.parse_cell("A1") | grid.parse_cell("B2")
    game = standing_at(new_game("square 2x2"), Oust(grid, x=corners))
    assert game.must_pass
    page = page_of(notice_of(game))
    assert page.taps() == [Tap("pass", REPLY, "pass")]
    assert "You have no placement. Tap pass and send the mail." in page.text


def long_chain() -> Game:
    position = board(
        """
        . . . . . . o
        . . . . . . .
        . . . . . . .
        . . . . . . .
        o . o . o . o
        . . . . . . .
        x x x x x x x
        """
    )
    return play(standing_at(new_game("square 7x7"), position), "x A2 C2 E2 G2")


def flowing(text: str) -> str:
    return " ".join(text.split())


def test_a_page_begins_with_what_happened_and_whose_turn_it_is_then_the_board() -> None:
    page = page_of(notice_of(GAME)).text
    told = (
        "marksteere played D3. Your turn.",
        "o marksteere: 2 stones",
        "ABCDEFG",
        "x rrognlie: 2",
    )
    places = [page.index(each) for each in (*told, "Tap a point", "It is your turn, rrognlie")]
    assert places == sorted(places)
    assert "marksteere played D3. Your turn." not in text_of(notice_of(GAME))
    assert page.count("marksteere played D3.") == 1


@pytest.mark.parametrize(
    ("game", "userid", "headline"),
    [
        (CHAIN, "rrognlie", "You played C2. Your turn goes on."),
        (CHAIN, "marksteere", "rrognlie played C2. The turn goes on."),
        (long_chain(), "rrognlie", "You placed 4 stones. Your turn goes on."),
        (long_chain(), "marksteere", "rrognlie placed 4 stones. The turn goes on."),
        (play(GAME, "x propose"), "marksteere", "rrognlie proposed a draw. rrognlie is next."),
        (play(GAME, "x resign"), "marksteere", "The game is over: you win as o."),
        (play(GAME, "x resign"), "rrognlie", "The game is over: marksteere wins as o."),
        (new_game(), "marksteere", "rrognlie is next."),
    ],
)
def test_the_headline_is_one_line(game: Game, userid: str, headline: str) -> None:
    assert f"{headline}\n" in page_of(notice_of(game, userid)).text
    assert len(headline) < 45


def test_the_last_letter_begins_with_who_has_won() -> None:
    notice = structs.replace(
        notice_of(play(GAME, "x resign"), "marksteere"), chat="Well done", chat_from="rrognlie"
    )
    assert text_of(notice).startswith(
        "The game is over: you win as o. rrognlie resigned.\n\nrrognlie writes:"
    )


def test_below_the_board_the_page_says_what_the_text_says_in_the_same_order() -> None:
    notice = structs.replace(
        notice_of(CHAIN), chat="Good luck\n\nHave fun", chat_from="marksteere", note="corners"
    )
    before, after = text_of(notice).split(board_text(CHAIN.position, CHAIN.latest_stones()))
    before, _, figures = before.removesuffix("\n\n").rpartition("\n\n")
    assert figures == "x: rrognlie 2/3   o: marksteere 1/1"
    shown = flowing(page_of(notice).text)
    assert flowing(before) in shown
    assert flowing(f"{before}{after}") in shown


def test_the_page_of_a_board_is_a_button_in_place_of_its_address() -> None:
    notice, address = notice_of(GAME), "https://oust.example.com/play/oust.17.5"
    written = WORDS.of(notice, link=address)
    page = WORDS.pages.of(written, notice.reader, lambda game: REPLY, LARGEST)
    assert page
    assert f"  {address}\n" in written.text
    assert address not in Page(page.content).text
    assert Page(page.content).hrefs[-1] == address
    assert "Play on the page\n" in Page(page.content).text
    assert "Play on the page" not in page_of(notice).text


def test_below_the_board_stand_the_stones_of_each_side_and_the_latest() -> None:
    text = page_of(notice_of(GAME)).text
    assert "x, rrognlie: C3 E2\n" in text
    assert "o, marksteere: D3 D5\n" in text
    assert "Latest, ringed: D3\n" in text
    assert "Off the board" not in text


def test_the_stones_that_a_turn_takes_are_named_over_all_its_mails() -> None:
    assert "Off the board in this turn, dashed: D3\n" in page_of(notice_of(CHAIN)).text
    longer = play(CHAIN, "x B3")
    assert "Off the board in this turn, dashed: B4 D3\n" in page_of(notice_of(longer)).text
    names = CHAIN.header.grid.names
    assert names(play(GAME, "x C2 B5").taken_in_turn()) == ["D3"]
    assert not play(GAME, "x C2 B5", "o A7").taken_in_turn()
    assert not new_game().taken_in_turn()
    assert not play(new_game(), "x A1", "o swap").taken_in_turn()


def test_points_where_stones_were_taken_are_marked_and_can_be_tapped_if_they_are_legal() -> None:
    html = html_of(notice_of(CHAIN))
    assert dashed_in(html) == {"D3"} & set(subjects(Page(html)))
    assert "dashed" in html_of(notice_of(CHAIN, "marksteere"))
    assert "dashed;" not in html_of(notice_of(GAME))


def test_points_that_capture_differ_from_others_and_the_page_says_how() -> None:
    page = page_of(notice_of(CHAIN))
    capturing = CHAIN.header.grid.names(CHAIN.position.capturing())
    assert sorted(tap.subject for tap in page.taps() if tap.shown == "*") == sorted(capturing)
    assert "A circle with * marks a point where you capture." in page.text
    early = page_of(notice_of(play(new_game(), "x A1")))
    assert "*" not in early.text


FRAME = {"html", "head", "meta", "title", "style", "body", "h1", "p", "br", "div"}
ALLOWED = {*FRAME, "table", "tr", "th", "td", "a", "strong"}


@pytest.mark.parametrize(
    "notice",
    [
        notice_of(GAME),
        notice_of(play(GAME, "x resign")),
        BoardsNotice(Reader(("x@example.org",), "rrognlie"), KINDS["oust"], ((GAME, False),)),
    ],
)
def test_a_page_is_plain_and_needs_nothing_from_elsewhere(notice: Notice) -> None:
    page = page_of(notice)
    assert set(page.tags) <= ALLOWED
    assert page.tags.count("table") == 1
    assert all(href.startswith("mailto:") for href in page.hrefs)
    assert "url(" not in html_of(notice)
    assert "@import" not in html_of(notice)


def test_a_page_is_ascii_whatever_was_written() -> None:
    notice = structs.replace(
        notice_of(GAME), chat="Schöne Grüße \N{SNOWMAN} \U0001f600", chat_from="bob"
    )
    assert html_of(notice).isascii()
    assert "Schöne Grüße \N{SNOWMAN} \U0001f600" in page_of(notice).text


def test_what_turns_or_hides_writing_is_shown_as_what_it_is() -> None:
    notice = structs.replace(
        notice_of(GAME), chat="a\u202eb\x1b[31m", note="\u200bc", chat_from="bob"
    )
    shown = page_of(notice).text
    assert r"a\u202eb\x1b[31m" in shown
    assert r"\u200bc" in shown


MARKUP = st.text(st.sampled_from("<>&\"'/=! abp\n-;:#{}%"), max_size=60) | st.text(max_size=60)
PLAIN = page_of(structs.replace(notice_of(GAME), chat="x", note="x", chat_from="marksteere"))


@given(MARKUP, MARKUP)
def test_nothing_that_players_write_becomes_markup(chat: str, note: str) -> None:
    notice = structs.replace(
        notice_of(GAME), chat=f"x{chat}", note=f"x{note}", chat_from="marksteere"
    )
    page = page_of(notice)
    for tag in ALLOWED - {"p", "br"}:
        assert page.tags.count(tag) == PLAIN.tags.count(tag)
    assert set(page.tags) <= ALLOWED
    assert page.hrefs == PLAIN.hrefs
    assert {value for name, value in page.attributes if name != "style"} == {
        value for name, value in PLAIN.attributes if name != "style"
    }


def test_several_boards_have_each_its_links_and_its_stones() -> None:
    other = play(new_game("hex 3", kind="churn"), "x A1")
    reader = Reader(("x@example.org",), "rrognlie")
    shown = (GAME, False), (play(new_game(), "x B2", "o D4", "x F6"), False)
    notice = BoardsNotice(reader, KINDS["oust"], (*shown, (other, True)), notes={"oust 17": "A<b"})
    page = page_of(notice)
    assert len(page.taps()) == GAME.position.placements().bit_count()
    assert page.text.count("o, marksteere:") == 3
    assert "A<b" in page.text


def test_a_board_that_a_player_quotes_is_not_taken_for_the_board() -> None:
    drawn = board_text(GAME.position, GAME.latest_stones())
    page = page_of(structs.replace(notice_of(GAME), chat=drawn, chat_from="marksteere"))
    assert len(page.taps()) == GAME.position.placements().bit_count()
    assert len(page.boards) == 1


def test_a_board_has_the_same_letters_in_both_parts_so_that_it_can_be_copied() -> None:
    drawn = [sign for row in page_of(notice_of(CHAIN)).board.values() for sign in row]
    for letter in "xXoO":
        plain = board_text(CHAIN.position, CHAIN.latest_stones())
        assert drawn.count(letter) == plain.count(letter)
