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


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_that_looks_right_is_played_by_a_command(cell: str, talk: Talk) -> None:
    talk.send(ALICE, f"oust move 1 alice wonderland {cell}")
    assert moves_of(talk.home, 1) == [f"x {CELLS[cell]}"]


@pytest.mark.parametrize(
    ("cell", "meant"), [(f"{SMALL_BE}2", "B2"), (f"{DE}4", "D4"), (f"{NU}4", ""), (f"4{DE}", "D4")]
)
def test_a_cell_that_may_mean_another_is_offered(cell: str, meant: str, talk: Talk) -> None:
    talk.send(ALICE, f"oust move 1 alice wonderland {cell}")
    assert moves_of(talk.home, 1) == []
    assert not meant or f"oust move 1 alice PASSWORD {meant}" in talk.text_to(ALICE)
