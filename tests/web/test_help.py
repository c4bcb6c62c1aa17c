"""The help as pages: it says what the help by mail says."""

import re
from html import unescape

import pytest

from pbm_oust.languages import LANGUAGES
from pbm_oust.letters.help import help_subjects
from pbm_oust.letters.words import words_in
from pbm_oust.rules import KINDS
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
