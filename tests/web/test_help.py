"""The help as pages: it says what the help by mail says."""

import re
from collections.abc import Iterator
from html import unescape

import pytest

from pbm_oust.languages import LANGUAGES
from pbm_oust.letters.help import help_subjects
from pbm_oust.letters.words import words_in
from pbm_oust.rules.kinds import KINDS
from tests.support.home_by_mail import home_of
from tests.support.website import Website, website


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    """Pages of an empty home."""
    path = tmp_path_factory.mktemp("web") / "home"
    home_of(path).database.close()
    with website(path) as found:
        yield found


def words_on(text: str) -> list[str]:
    """Return the words of what a page says below its heading."""
    _, _, below = text.partition("</h1>")
    return unescape(re.sub(r"<[^>]*>", "", below.partition("</main>")[0])).split()


@pytest.mark.parametrize("code", ["en", "fr"])
def test_every_subject_says_what_mail_says(code: str, pages: Website) -> None:
    words = words_in(LANGUAGES[code], "pbmserv@localhost")
    for subject in help_subjects():
        said = (words.help_page(subject) or "").split()
        shown = words_on(pages.get(f"/help/{subject}", accept_language=code).text)
        assert shown[: len(said)] == said, subject


def test_a_subject_leads_to_others(pages: Website) -> None:
    assert '<a href="/help/figures">help figures</a>' in pages.get("/help/oust").text
    french = pages.get("/help/oust", accept_language="fr").text
    assert '<a href="/help/figures">aide images</a>' in french


def test_the_overview_leads_to_every_subject(pages: Website) -> None:
    text = pages.get("/help").text
    for subject in help_subjects():
        assert f'href="/{"rules" if subject in KINDS else "help"}/{subject}"' in text


def test_a_subject_is_found_by_its_french_word(pages: Website) -> None:
    assert pages.get("/help/coup").text == pages.get("/help/move").text


@pytest.mark.parametrize("subject", ["nothing", "overview", "all.txt", "..", "%3Cb%3E"])
def test_there_is_no_page_about_what_is_no_subject(subject: str, pages: Website) -> None:
    got = pages.get(f"/help/{subject}")
    assert got.status == 404
    assert "<b>" not in got.text
