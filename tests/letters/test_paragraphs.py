"""Texts taken apart into paragraphs: sentences are whole again, indented lines stay as they are."""

import string

from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.letters.layout import Look, Paragraph, paragraphs
from pbm_oust.letters.words import wrapped

words = st.text(string.ascii_letters + string.punctuation, min_size=1, max_size=90)
sentences = st.lists(words, min_size=1, max_size=40).map(" ".join)


@given(st.lists(sentences, max_size=5))
def test_sentences_that_were_wrapped_are_whole_again(blocks: list[str]) -> None:
    text = wrapped("\n\n".join(blocks))
    assert list(paragraphs(text)) == [Paragraph(Look.PROSE, (block,)) for block in blocks]


def test_short_lines_stay_lines() -> None:
    text = "alice played D4.\nbob played E5.\nThe server passed for alice."
    assert list(paragraphs(text)) == [Paragraph(Look.PROSE, tuple(text.split("\n")))]


@given(st.text())
def test_no_word_is_lost_or_added(text: str) -> None:
    found = " ".join(line for each in paragraphs(text) for line in each.lines)
    assert found.split() == text.split()


def test_indented_lines_stay_as_they_are_but_for_the_margin_that_they_share() -> None:
    text = "You sent:\n\n  oust mvoe 17\n       ^^^^\n\nSend instead:\n\n  oust move 17\n"
    assert list(paragraphs(text)) == [
        Paragraph(Look.PROSE, ("You sent:",)),
        Paragraph(Look.LINES, ("oust mvoe 17", "     ^^^^")),
        Paragraph(Look.PROSE, ("Send instead:",)),
        Paragraph(Look.LINES, ("oust move 17",)),
    ]


def test_what_a_player_wrote_is_told_from_lines_of_ours() -> None:
    chat = "Well played!\n\nI give\nup."
    text = "bob writes:\n\n  Well played!\n\n  I give\n  up.\n\nOr send:\n\n  oust show 1"
    looks = [each.look for each in paragraphs(text, [chat])]
    assert looks == [Look.PROSE, Look.SAID, Look.SAID, Look.PROSE, Look.LINES]
