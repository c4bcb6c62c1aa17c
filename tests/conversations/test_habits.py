"""Lines of people who know other servers, or none, and what becomes of them."""

from pathlib import Path

import pytest

from tests.support import tables
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk

tabled = tables.tabled(__file__)


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path, ALICE, BOB, CAROL)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    return talk


@tabled("line", "outcome")
def test_a_line_in_another_order_is_understood(line: str, outcome: str, talk: Talk) -> None:
    talk.send(ALICE, line)
    assert talk.outcome.startswith(outcome)


@tabled("line", "grid")
def test_a_grid_may_be_written_as_lists_show_it(line: str, grid: str, talk: Talk) -> None:
    talk.send(ALICE, line.replace(" unrated", " -unrated"))
    assert not talk.outcome.startswith("refused"), talk.text_to(ALICE)
    talk.send(ALICE, "list")
    assert grid in talk.text_to(ALICE) or grid in talk.outcome


@tabled("line", "right")
def test_what_cannot_be_done_as_it_is_written_is_answered_with_the_line(
    line: str, right: str, talk: Talk
) -> None:
    talk.send(ALICE, line)
    assert talk.outcome.startswith("refused")
    assert right in talk.text_to(ALICE)
