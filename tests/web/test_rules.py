"""The rules of each game as pages, with their examples."""

import re

import pytest

from pbm_oust.rules.kinds import KINDS
from pbm_oust.web.helping import EXAMPLES, Example
from tests.support.website import Website


def stones_on(text: str) -> list[int]:
    """Return how many stones of x and of o each board of a page has."""
    boards = re.findall(r"<svg .*?</svg>", text, re.S)
    groups = (
        re.search(rf'<g class="stones {side}".*?</g>', board) for board in boards for side in "xo"
    )
    return [found[0].count("<circle") if found else 0 for found in groups]


@pytest.mark.parametrize("kind", KINDS)
def test_the_rules_have_their_examples(kind: str, empty: Website) -> None:
    text = empty.get(f"/rules/{kind}").text
    for example in EXAMPLES:
        assert (f'id="{example.name}"' in text) is (example.kind == kind)


def test_boards_of_examples_show_how_they_end(empty: Website) -> None:
    assert stones_on(empty.get("/rules/churn").text) == [2, 6]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_can_be_stepped_through_to_its_end(example: Example, empty: Website) -> None:
    path, seen = f"/rules/{example.kind}/{example.name}/0", 0
    while True:
        got = empty.get(path)
        assert got.status == 200
        following = re.search(r'rel="next" href="([^"]*)"', got.text)
        if not following:
            break
        path, seen = following[1], seen + 1
    assert seen == len(example.turns)
    assert empty.get(f"/rules/{example.kind}/{example.name}/{seen + 1}").status == 404


def test_a_capture_takes_stones_off_the_board(empty: Website) -> None:
    before, after = (empty.get(f"/rules/churn/first-pair/{number}").text for number in (12, 13))
    assert (stones_on(before), stones_on(after)) == ([6, 6], [2, 6])


@pytest.mark.parametrize(
    "path",
    [
        "/rules/chess",
        "/rules/oust/first-pair/0",
        "/rules/churn/first-pair/14",
        "/rules/churn/first-pair/-1",
        "/rules/churn/first-pair/01",
        "/rules/churn/first-pair/%C2%B2",
    ],
)
def test_there_is_no_page_of_what_is_no_example(path: str, empty: Website) -> None:
    assert empty.get(path).status == 404


def test_rules_speak_french(empty: Website) -> None:
    text = empty.get("/rules/oust", accept_language="fr").text
    assert "Une capture" in text
    assert "A capture" not in text
