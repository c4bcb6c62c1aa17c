"""Lines of people who know other servers, or none, and what becomes of them."""

from pathlib import Path

import pytest

from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path, ALICE, BOB, CAROL)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    return talk


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("oust help", "answered"),
        ("oust help move", "answered"),
        ("oust list", "answered"),
        ("oust aide", "answered"),
        ("standings oust", "answered"),
        ("games oust alice", "answered"),
        ("show oust 1", "answered"),
        ("chall oust alice carol wonderland", "done: challenge"),
        ("challenge oust alice carol wonderland -size=7", "done: challenge"),
        ("oust propose 1 alice wonderland", "done: move"),
        ("oust move 1 alice wonderland#1 C3", "done: move"),
        ("oust move 1 alice wonderland C3 #1", "done: move"),
        ("oust move 1#1 alice wonderland C3", "done: move"),
        ("oust resign 1 alice wonderland #1", "done: move"),
        ("oust decline 1 alice wonderland#1", "done: move"),
    ],
)
def test_a_line_in_another_order_is_understood(line: str, outcome: str, talk: Talk) -> None:
    talk.send(ALICE, line)
    assert talk.outcome.startswith(outcome)


@pytest.mark.parametrize(
    ("line", "grid"),
    [
        ("oust seek alice wonderland hex 4", "hex 4"),
        ("oust seek alice wonderland hexagonal 4", "hex 4"),
        ("oust seek alice wonderland 7x7 unrated", "square 7x7"),
        ("oust seek alice wonderland square 7x9", "square 7x9"),
        ("oust seek alice wonderland size 5", "square 5x5"),
        ("oust seek alice wonderland -size 5", "square 5x5"),
        ("oust seek alice wonderland 9", "square 9x9"),
        ("churn seek alice wonderland hex 4", "hex 4"),
        ("churn seek alice wonderland 4", "hex 4"),
        ("churn seek alice wonderland 3,3,5", "hex 3,3,5"),
        ("churn seek alice wonderland hexagon 4, 4, 6", "hex 4,4,6"),
        ("oust seek alice wonderland 3,3,5", "hex 3,3,5"),
        ("oust seek alice wonderland -hex 3,3,5,3,3,5", "hex 3,3,5"),
        ("oust challenge alice bob wonderland -size=3,3,5", "hex 3,3,5"),
        ("oust challenge alice bob wonderland 7x7", "square 7x7"),
    ],
)
def test_a_grid_may_be_written_as_lists_show_it(line: str, grid: str, talk: Talk) -> None:
    talk.send(ALICE, line.replace(" unrated", " -unrated"))
    assert not talk.outcome.startswith("refused"), talk.text_to(ALICE)
    talk.send(ALICE, "list")
    assert grid in talk.text_to(ALICE) or grid in talk.outcome


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("I forgot my password", "forgot alice"),
        ("Lost password!", "forgot alice"),
        ("J'ai oublié mon mot de passe", "forgot alice"),
        ("stop", "signoff alice PASSWORD"),
        ("Unsubscribe", "signoff alice PASSWORD"),
        ("standings", "  oust standings\n  churn standings\n"),
        ("list bob", "  oust games bob\n  churn games bob\n"),
        ("ratings", "oust ratings"),
        ("oust 1 C3", "oust move 1 alice PASSWORD C3"),
        ("oust 1 alice wonderland C3", "oust move 1 alice PASSWORD C3"),
    ],
)
def test_what_cannot_be_done_as_it_is_written_is_answered_with_the_line(
    line: str, right: str, talk: Talk
) -> None:
    talk.send(ALICE, line)
    assert talk.outcome.startswith("refused")
    assert right in talk.text_to(ALICE)
