"""The help as pages: it says what the help by mail says."""

import re
from html import unescape
from urllib.parse import quote

import pytest

from pbm_oust.board.puzzle import steps_of
from pbm_oust.experiments.advice import TRIED
from pbm_oust.languages import ENGLISH, LANGUAGES
from pbm_oust.letters.help import help_subjects
from pbm_oust.letters.words import Medium, words_in
from pbm_oust.rules import KINDS
from pbm_oust.web.helping import linked
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
        shown = words_on(empty.get(f"/help/{quote(subject)}", accept_language=code).text)
        assert shown[: len(said)] == said, subject


def test_the_overview_leads_to_every_subject(empty: Website) -> None:
    text = empty.get("/help").text
    for subject in help_subjects():
        kind, _, more = subject.partition(" ")
        path = (
            f"/rules/{'/'.join(filter(None, [kind, more]))}" if kind in KINDS else f"/help/{kind}"
        )
        assert f'href="{path}"' in text


def test_learning_opens_the_steps_of_each_game_and_then_the_commands(empty: Website) -> None:
    page = empty.get("/help").text
    assert re.search('href="/help" aria-current="true">Learn<', page)
    leads = [f"/rules/{name}#{step.name}" for name in KINDS for step in steps_of(KINDS[name])]
    leads += ["/help/move"]
    places = [page.index(f'href="{path}"') for path in leads]
    assert places == sorted(places)
    assert places[-2] < page.index('<h2 id="mail">By mail</h2>') < places[-1]
    for name in KINDS:
        assert {f"/puzzles/{name}", f"/rules/{name}/play"} <= {*re.findall('href="([^"]*)"', page)}


@pytest.mark.parametrize("name", TRIED)
@pytest.mark.parametrize("code", ["en", "fr"])
def test_how_to_play_well_is_said_beside_boards(name: str, code: str, empty: Website) -> None:
    page = empty.get(f"/rules/{name}/play", accept_language=code).text
    advice = vars(words_in(LANGUAGES[code], "", Medium.PAGE).words_of_kind(KINDS[name]))["advice"]
    assert list(advice) == list(TRIED[name])
    shown = " ".join(words_on(page))
    for title, text in advice.values():
        assert " ".join(f"{title} {text}".split()) in shown
    assert page.count('class="board"') == page.count('class="taken"') == len(advice)
    ids = re.findall(r'id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert f'href="/rules/{name}/play"' in empty.get(f"/rules/{name}").text


def test_a_line_that_asks_for_a_page_of_two_words_leads_there() -> None:
    text = linked("help oust play, help move, help oust, help nothing", ENGLISH)
    assert text == (
        '<a href="/rules/oust/play">help oust play</a>, <a href="/help/move">help move</a>, '
        '<a href="/rules/oust">help oust</a>, help nothing'
    )


def test_a_subject_is_found_by_its_french_word(empty: Website) -> None:
    assert empty.get("/help/coup").text == empty.get("/help/move").text
