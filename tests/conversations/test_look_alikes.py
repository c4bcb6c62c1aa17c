"""Letters of other scripts that look like Latin ones, typed by mistake."""

from pathlib import Path

import pytest

from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, BOB, Talk

CYRILLIC_C, CYRILLIC_SMALL_C, GREEK_A, GREEK_O = "\u0421", "\u0441", "\u0391", "\u03bf"
SMALL_BE, DE, NU, ARABIC_3 = "\u0432", "\u0414", "\u03bd", "\u0663"


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path, ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    return talk


def answer(talk: Talk, text: str) -> None:
    talk.send(
        ALICE, "Re: oust 1 #1: your turn, alice", text, to=str(talk.letter_to(ALICE)["Reply-To"])
    )


CELLS = {
    f"{CYRILLIC_C}2": "C2",
    f"{CYRILLIC_SMALL_C}2": "C2",
    f"{GREEK_A}3": "A3",
    "\uff23\uff12": "C2",
    f"C{ARABIC_3}": "C3",
    "\u0412\uff14": "B4",
}


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_that_looks_right_is_played(cell: str, talk: Talk) -> None:
    answer(talk, f"{cell}\n")
    assert moves_of(talk.home, 1) == [f"x {CELLS[cell]}"]


def test_a_letter_that_stands_apart_from_its_figure_is_played(talk: Talk) -> None:
    answer(talk, f"{CYRILLIC_SMALL_C} 2\n")
    assert moves_of(talk.home, 1) == ["x C2"]


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_that_looks_right_is_played_by_a_command(cell: str, talk: Talk) -> None:
    talk.send(ALICE, f"oust move 1 alice wonderland {cell}")
    assert moves_of(talk.home, 1) == [f"x {CELLS[cell]}"]


@pytest.mark.parametrize(
    "line",
    [
        f"{GREEK_O}ust m{GREEK_O}ve 1 alice wonderland C2",
        "oust m\u043ev\u0435 1 \u0430li\u0441\u0435 wonderland C2#1",
        "\uff4fust move \uff11 alice wonderland C2",
    ],
)
def test_words_that_look_right_are_read(line: str, talk: Talk) -> None:
    talk.send(ALICE, line)
    assert moves_of(talk.home, 1) == ["x C2"]


@pytest.mark.parametrize(
    ("cell", "meant"), [(f"{SMALL_BE}2", "B2"), (f"{DE}4", "D4"), (f"{NU}4", ""), (f"4{DE}", "D4")]
)
def test_a_cell_that_may_mean_another_is_offered(cell: str, meant: str, talk: Talk) -> None:
    talk.send(ALICE, f"oust move 1 alice wonderland {cell}")
    assert moves_of(talk.home, 1) == []
    assert not meant or f"oust move 1 alice PASSWORD {meant}" in talk.text_to(ALICE)


def test_an_answer_whose_cell_may_mean_another_is_offered_that(talk: Talk) -> None:
    answer(talk, f"{SMALL_BE}2\n")
    assert moves_of(talk.home, 1) == []
    assert "\n  B2\n" in talk.text_to(ALICE)


@pytest.mark.parametrize(
    "text", ["\u0441 5 \u043a\u0430\u043c\u043d\u044f\u043c\u0438", "\u0422\u0430\u043a, 5"]
)
def test_words_of_another_language_are_no_cells(text: str, talk: Talk) -> None:
    answer(talk, f"{text}\n")
    assert moves_of(talk.home, 1) == []


def test_a_password_is_never_read_as_another(talk: Talk) -> None:
    talk.send(ALICE, "oust move 1 alice w\u043enderland C2")
    assert moves_of(talk.home, 1) == []
