"""What somebody reads first who knows nothing: the first letter, and the help on one screen."""

import re

import pytest

from pbm_oust.commands.begin import StartNotice, example_game, first_game
from pbm_oust.languages import LANGUAGES, Language
from pbm_oust.letters.letters import Letters
from pbm_oust.letters.words import words_in
from pbm_oust.play.notices import Reader
from pbm_oust.play.request import Request
from pbm_oust.refusal import Unreadable
from pbm_oust.rules import KINDS
from pbm_oust.service.table import parse_line
from tests.support.emails import read
from tests.support.home_by_mail import ADDRESS, ALICE, NOON
from tests.support.letters import text_of
from tests.support.pages import Page

SCREEN = 40
"""The lines that a mail program shows at once."""
languages = pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))


def first_letter(
    has_house: bool = True, userid: str | None = None, site: str = "https://oust.example.com"
) -> tuple[str, Page]:
    """Return the text and the page of a first letter."""
    letters = Letters(ADDRESS, lambda: NOON, lambda: b"secret", site)
    is_offered = has_house and userid is None
    game = first_game("oust", NOON) if is_offered else example_game()
    notice = StartNotice(Reader((ALICE,), userid), has_house, game, is_offered)
    (draft,) = letters.write(notice, Request("", "", "", "any"))
    letter = read(draft.content)
    body = letter.get_body(("html",))
    assert body
    return text_of(letter), Page(body.get_content())


def lines_to_send(text: str) -> list[str]:
    return re.findall(r"^  ([a-z]\S.*)$", text, re.MULTILINE)


def test_the_first_letter_shows_a_board_and_says_how_to_begin_on_it() -> None:
    text, page = first_letter()
    assert "x: x 0/0   o: house1 0/0" in text
    assert "Answer this mail with a point, for example:  C3" in text
    assert lines_to_send(text)[1:] == [
        *("rules", "who plays here", "play USERID", "no"),
        *("signup USERID PASSWORD", "francais"),
    ]
    assert text.count("\n") < SCREEN
    assert len([each for each in page.hrefs if each.startswith("mailto:")]) == 49


def test_who_has_an_account_is_not_told_to_make_one() -> None:
    text, _ = first_letter(userid="alice")
    assert lines_to_send(text)[0] == "oust challenge alice house1 PASSWORD -size=7"


def test_without_the_house_the_first_letter_leads_to_other_players() -> None:
    text, page = first_letter(has_house=False)
    assert lines_to_send(text)[:2] == ["signup USERID PASSWORD", "oust seek USERID PASSWORD"]
    assert "house1" not in text
    assert "/try" not in text
    assert not page.hrefs


def test_it_can_be_tried_in_a_browser_if_pages_have_an_address() -> None:
    text, page = first_letter()
    assert "  https://oust.example.com/try\n" in text
    assert "https://oust.example.com/try" in page.hrefs
    assert "Try it in a browser\n" in page.text
    assert "/try" not in first_letter(site="")[0]


@languages
def test_every_line_of_the_first_letter_can_be_sent(language: Language) -> None:
    reader = Reader((ALICE,))
    words = words_in(language, ADDRESS)
    text = words.of(StartNotice(reader, False, example_game())).text
    assert len(lines_to_send(text)) == 6
    for line in lines_to_send(text):
        shown, error = parse_line(line)
        assert shown.form, (line, error)


@languages
def test_help_is_one_screen_and_its_lines_are_commands(language: Language) -> None:
    page = words_in(language, ADDRESS).help_page("overview")
    assert page
    assert 24 <= page.count("\n") + 1 <= 26 + 2 * len(KINDS)
    lines = [re.split(r" {2,}", line)[0] for line in lines_to_send(page)]
    assert len(lines) > 15
    for line in lines:
        shown, command = parse_line(line)
        assert shown.form, line
        if line.split()[0] in ("help", "aide"):
            assert not isinstance(command, Unreadable)
