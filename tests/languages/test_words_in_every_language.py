"""Help and refusals in every language: all of it is said, in that language, in lines that fit."""

import re
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.settings import Settings
from pbm_oust.commands.general import HelpNotice
from pbm_oust.grammar.form import Command
from pbm_oust.languages import ENGLISH, LANGUAGES, Language
from pbm_oust.letters.help import help_subjects
from pbm_oust.letters.words import Words
from pbm_oust.play.notices import Reader, RefusalNotice
from pbm_oust.refusal import Refusal
from pbm_oust.service.table import parse_line
from tests.support.home_by_mail import Talk
from tests.support.letters import sentences
from tests.support.refusals import REFUSALS, all_reasons

WIDEST = 75
ALICE = "alice@example.org"
OTHERS = [language for language in LANGUAGES.values() if language is not ENGLISH]
SUBJECTS = ["overview", "commands", *help_subjects()]


@cache
def words(language: Language) -> Words:
    return Words("pbmserv@example.org", language)


def page_of(subject: str, language: Language) -> str:
    page = words(language).help_page(subject)
    assert page is not None
    return page


def mail_of(refusal: Refusal, language: Language, culprit: str | None = None) -> str:
    settings = replace(Settings(), language=language)
    reader = Reader(("alice@example.org",), "alice", "alice@example.org", settings=settings)
    sent = f"oust move 17 {refusal.culprit}".strip()
    shown = refusal.culprit if culprit is None else culprit
    notice = RefusalNotice(reader, refusal, sent, shown, 13, None)
    return words(language).of(notice).text


def test_help_about_a_deed_is_that_about_moves() -> None:
    assert page_of("swap", ENGLISH) == page_of("move", ENGLISH)


def test_there_is_a_refusal_for_every_reason() -> None:
    assert {type(refusal.reason) for refusal in REFUSALS} == {*all_reasons()}


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=str)
def test_every_refusal_is_said_in_lines_that_fit(language: Language) -> None:
    for refusal in REFUSALS:
        mail = mail_of(refusal, language)
        assert max(map(len, mail.splitlines())) <= WIDEST, refusal
        usual = sentences(mail_of(refusal, ENGLISH))
        assert usual, refusal
        assert language is ENGLISH or not usual & sentences(mail), refusal


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=str)
def test_a_refusal_has_no_hole_where_a_word_is_not_shown_again(language: Language) -> None:
    hole = re.compile(r"[a-z]{2}  [a-z]+ (?![A-Z]{4})|[a-z]{2} [.,;]|\n [a-z]|None")
    for refusal in REFUSALS:
        assert not hole.search(mail_of(refusal, language, culprit="")), refusal


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=str)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_page_of_the_help_is_said_in_lines_that_fit(subject: str, language: Language) -> None:
    page = page_of(subject, language)
    assert max(map(len, page.splitlines())) <= WIDEST
    usual = sentences(page_of(subject, ENGLISH))
    assert usual
    assert language is ENGLISH or not usual & sentences(page)


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=str)
def test_every_line_of_the_tutorial_can_be_sent_as_it_stands(language: Language) -> None:
    lines = re.findall(r"^  (\S.*)$", page_of("tutorial", language), re.MULTILINE)
    assert lines
    for line in lines:
        assert isinstance(parse_line(line)[1], Command)


def test_the_passwords_of_the_tutorial_are_french_in_french() -> None:
    page = page_of("tutorial", LANGUAGES["fr"])
    assert "oust defi ann bob motdepasse-ann\n" in page
    assert "password" not in page


@pytest.mark.parametrize("language", OTHERS, ids=str)
def test_help_is_found_by_the_words_of_a_language(language: Language) -> None:
    for subject in help_subjects():
        mail = words(language).of(HelpNotice(Reader(("alice@example.org",)), (subject,))).text
        assert page_of(subject, language) in mail


def test_a_subject_without_help_is_answered_with_subjects_in_the_words_of_the_language() -> None:
    mail = words(LANGUAGES["fr"]).of(HelpNotice(Reader(("alice@example.org",)), ("chess",))).text
    assert "defi, cherche, rejoins" in " ".join(mail.split())


@pytest.mark.parametrize("subject", ["Re: {}", ""])
def test_a_password_that_is_forgotten_is_answered_in_any_language(
    subject: str, tmp_path: Path
) -> None:
    talk = Talk.begin(tmp_path, ALICE)
    talk.send(ALICE, "oublie alice")
    code = talk.letters[0]
    asked = subject.format(code.subject)
    talk.send(ALICE, asked, "motdepasse jabberwocky\n", to=str(code["Reply-To"]))
    assert talk.outcome == "done: verify"
