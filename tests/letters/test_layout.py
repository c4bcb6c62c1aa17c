"""The blocks of letters: sentences are whole, what players wrote and boards are known as such."""

import string
import textwrap

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbm_oust.letters.layout import BOARD as MARK
from pbm_oust.letters.layout import (
    WIDTH,
    Appearance,
    Block,
    PageLink,
    Paragraph,
    Written,
    blocks,
    broken,
    leading_to,
    quoted,
)
from pbm_oust.play.notices import ShownBoard
from pbm_oust.render.visible import visible_letter
from tests.support.games import new_game, play

words = st.text(string.ascii_letters + string.punctuation, min_size=1, max_size=90)
sentences = st.lists(words, min_size=1, max_size=40).map(" ".join)
BOARD = ShownBoard(play(new_game("square 3x3"), "x B2"))
DRAWN = "  A B C\n3 . . . 3\n2 . X . 2\n1 . . . 1\n  A B C"


def text_of(*some: Block) -> str:
    return Written("", some).text


@given(st.lists(sentences, max_size=5))
def test_sentences_are_whole_and_broken_only_in_the_text(some: list[str]) -> None:
    found = tuple(blocks("\n\n".join(some)))
    assert found == tuple(Paragraph(Appearance.PROSE, (each,)) for each in some)
    lines = text_of(*found).splitlines()
    assert all(len(line) <= WIDTH or " " not in line for line in lines)


@given(st.text("ab-  ", max_size=90), st.integers(3, 30))
@example("abcdef abcdef", 3)
def test_lines_are_broken_as_textwrap_breaks_them(line: str, width: int) -> None:
    usual = textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
    assert broken(line, width) == (usual or [""])


def test_short_lines_stay_lines() -> None:
    text = "alice played D4.\nbob played E5.\nThe server passed for alice."
    assert list(blocks(text)) == [Paragraph(Appearance.PROSE, tuple(text.split("\n")))]


@given(st.text())
def test_no_word_is_lost_or_added(text: str) -> None:
    found = " ".join(line for each in blocks(text) for line in _lines(each))
    assert found.split() == visible_letter(text).split()


def _lines(block: Block) -> tuple[str, ...]:
    assert isinstance(block, Paragraph)
    return block.lines


def test_indented_lines_stay_as_they_are() -> None:
    text = "You sent:\n\n  oust mvoe 17\n       ^^^^\n\n\n\nSend instead:\n\n  oust move 17\n"
    found = list(blocks(text))
    assert found == [
        Paragraph(Appearance.PROSE, ("You sent:",)),
        Paragraph(Appearance.LINES, ("  oust mvoe 17", "       ^^^^")),
        Paragraph(Appearance.PROSE, ("Send instead:",)),
        Paragraph(Appearance.LINES, ("  oust move 17",)),
    ]
    assert text_of(*found) == text.replace("\n\n\n\n", "\n\n")


def test_what_a_player_wrote_is_known_as_that_and_indented_in_the_text() -> None:
    said = quoted("Well played!\n\n\n  I give\nup.")
    found = list(blocks(f"bob writes:\n\n{said}\n\nOr send:\n\n  oust show 1"))
    looks = [each.look for each in found if isinstance(each, Paragraph)]
    assert looks == [
        Appearance.PROSE,
        Appearance.SAID,
        Appearance.SAID,
        Appearance.PROSE,
        Appearance.LINES,
    ]
    assert found[2] == Paragraph(Appearance.SAID, ("  I give", "up."))
    assert text_of(*found[:3]) == "bob writes:\n\n  Well played!\n\n    I give\n  up.\n"


def test_a_long_line_of_a_player_is_broken_between_words_and_only_in_the_text() -> None:
    address = "https://example.org/" + "x" * 90
    line = "This is where I found it, so have a look before you make your next move: " + address
    (found,) = blocks(quoted(line))
    assert found == Paragraph(Appearance.SAID, (line,))
    assert text_of(found).splitlines()[-1] == f"  {address}"


def test_a_board_stands_where_its_mark_is() -> None:
    found = list(blocks(f"This is it.\n\n{MARK}\n\nPlay.", [BOARD]))
    assert found[1] is BOARD
    players = "x: rrognlie 1/1   o: marksteere 0/0"
    assert text_of(*found) == f"This is it.\n\n{players}\n\n{DRAWN}\n\nPlay.\n"


def test_what_leads_to_a_page_is_a_sentence_with_the_address_below_it() -> None:
    (found,) = blocks(leading_to("Or play here:", "https://example.com/play", "Play"))
    assert found == PageLink("Or play here:", "https://example.com/play", "Play")
    assert text_of(found) == "Or play here:\n\n  https://example.com/play\n"


@pytest.mark.parametrize("shown", [0, 2])
def test_a_letter_shows_just_the_boards_that_its_notice_names(shown: int) -> None:
    with pytest.raises(ValueError, match="boards are shown"):
        list(blocks(f"x\n\n{MARK}", [BOARD] * shown))


@given(st.text(st.sampled_from("\ufdd0\ufdd1\ufdd2 a\n"), max_size=20))
def test_nobody_writes_marks(text: str) -> None:
    found = list(blocks(f"{quoted(text)}\n\n{text}\n\nx\n\n{MARK}", [BOARD]))
    assert found.count(BOARD) == 1
    assert not {"\ufdd0", "\ufdd1", "\ufdd2"} & set(text_of(*found))
