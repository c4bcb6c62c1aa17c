"""The help as pages: it says what the help by mail says."""

import re
from html import unescape

import pytest

from pbm_oust.languages import LANGUAGES
from pbm_oust.letters.help import help_subjects
from pbm_oust.letters.words import words_in
from pbm_oust.rules import KINDS
from pbm_oust.web.helping import EXAMPLES, Example
from tests.support.website import Website


def words_on(text: str) -> list[str]:
    """Return the words of what a page says below its heading."""
    _, _, below = text.partition("</h1>")
    return unescape(re.sub(r"<[^>]*>", "", below.partition("</main>")[0])).split()


@pytest.mark.parametrize("code", ["en", "fr"])
def test_every_subject_says_what_mail_says(code: str, empty: Website) -> None:
    words = words_in(LANGUAGES[code], "pbmserv@localhost")
    for subject in help_subjects():
        said = (words.help_page(subject) or "").split()
        shown = words_on(empty.get(f"/help/{subject}", accept_language=code).text)
        assert shown[: len(said)] == said, subject


def test_the_overview_leads_to_every_subject(empty: Website) -> None:
    text = empty.get("/help").text
    for subject in help_subjects():
        assert f'href="/{"rules" if subject in KINDS else "help"}/{subject}"' in text


def test_a_subject_is_found_by_its_french_word(empty: Website) -> None:
    assert empty.get("/help/coup").text == empty.get("/help/move").text


# The rules of each game as pages, with their examples


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
