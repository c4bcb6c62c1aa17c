"""The words of refusals and of the help: none is wanting, none is without use, all lines fit."""

import re
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import cast

import pytest
from jinja2 import Environment, nodes
from msgspec import structs

from pbm_oust.commands.general import HelpNotice
from pbm_oust.grammar.form import to_player
from pbm_oust.letters.help import help_subjects, wrapped_usage
from pbm_oust.letters.words import Words, place_of
from pbm_oust.play.notices import Reader, RefusalNotice
from pbm_oust.play.starting import LimitReached
from pbm_oust.refusal import NotAllowed, Unreadable
from pbm_oust.rules import KINDS, Kind
from pbm_oust.service.table import FORMS, KIND_FORMS, VOCABULARY, AnyForm, parse_line
from tests.support import tables
from tests.support.refusals import REFUSALS, all_reasons

tabled = tables.tabled(__file__)

WIDEST = 76
PLACES = sorted({place_of(reason) for reason in all_reasons()})
WORDS = Words("pbmserv@example.org")
READER = Reader(("alice@example.org",), wrote_from="alice@example.org")


def parsed(place: str) -> nodes.Template:
    source = (files("pbm_oust.templates") / "refusals" / f"{place}.txt").read_text("utf-8")
    return Environment(autoescape=True, extensions=["jinja2.ext.i18n"]).parse(source)


@pytest.mark.parametrize("place", PLACES)
def test_the_template_of_a_room_has_one_macro_for_each_reason_and_those_that_help(
    place: str,
) -> None:
    macros = Counter(macro.name for macro in parsed(place).find_all(nodes.Macro))
    reasons = {reason.word(): 1 for reason in all_reasons() if place_of(reason) == place}
    calls = (call.node for call in parsed(place).find_all(nodes.Call))
    called = {node.name for node in calls if isinstance(node, nodes.Name)}
    assert {word: macros[word] for word in reasons} == reasons
    assert set(macros) - set(reasons) <= called


def test_every_template_of_refusals_is_that_of_a_room_or_command_with_reasons() -> None:
    folder = Path(str(files("pbm_oust.templates"))) / "refusals"
    found = (path.relative_to(folder) for path in folder.rglob("*.txt"))
    assert sorted(path.with_suffix("").as_posix() for path in found) == PLACES


def test_every_reason_is_a_value_of_its_own_kind() -> None:
    assert all(structs.replace(refusal.reason) == refusal.reason for refusal in REFUSALS)
    assert len({reason.word() for reason in all_reasons()}) == len(all_reasons())


@tabled("text")
def test_every_unreadable_line_is_refused_in_sentences_that_fit(text: str) -> None:
    line, refusal = parse_line(text)
    assert isinstance(refusal, Unreadable)
    sent = line.shown(to_player(VOCABULARY, lambda word: word in {"alice", "bob"}))
    culprit = refusal.culprit if refusal.culprit in sent else ""
    mail = WORDS.of(RefusalNotice(READER, refusal, sent, culprit, 0, None)).text
    assert "wonderland" not in mail
    assert "secret" not in mail
    assert max(map(len, mail.splitlines())) <= WIDEST


@pytest.mark.parametrize(
    ("active", "over"), [(2, "one of them is over"), (4, "3 of them are over")]
)
def test_who_is_on_more_boards_than_he_wants_has_room_when_enough_of_them_are_over(
    active: int, over: str
) -> None:
    refusal = NotAllowed(LimitReached("carol", 2, active), "carol")
    mail = WORDS.of(RefusalNotice(READER, refusal, "", "", 0, None)).text
    assert f"When {over}, there is room again." in " ".join(mail.split())


def page_of(subject: str) -> str:
    page = WORDS.help_page(subject)
    assert page is not None
    return page


def usages(form: AnyForm) -> list[str]:
    if not form.is_of_kind:
        return form.usages(None)
    return [usage for kind in KINDS.values() for usage in form.usages(kind)]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: cast(AnyForm, form).name)
def test_every_form_has_a_help_page_that_begins_with_its_usages(form: AnyForm) -> None:
    forms = [each for each in FORMS if each.topic == form.topic]
    shown = [usage for each in forms for usage in usages(each)]
    heading = "".join(f"  {wrapped_usage(usage)}\n" for usage in shown)
    assert page_of(form.topic).startswith(f"{heading}\n")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: cast(AnyForm, form).name)
def test_the_help_about_commands_shows_once_how_every_form_is_written(form: AnyForm) -> None:
    lines = page_of("commands").replace("\n      ", " ").splitlines()
    kinds = list(KINDS.values()) if form.is_of_kind else [None]
    without_options = [replace(form, options=()).usages(kind) for kind in kinds]
    for usage in without_options[0]:
        once = f"  GAME {usage.partition(' ')[2]}" if form.is_of_kind else f"  {usage}"
        of_games = {form.options_of(kind) for kind in KINDS.values()}
        options = ("[OPTION..]",) if len(of_games) > 1 else of_games.pop()
        assert lines.count(" ".join((once, *options))) == 1


def test_commands_of_one_page_of_the_help_stand_together_in_the_index() -> None:
    topics = [form.topic for form in FORMS]
    together = [topic for nth, topic in enumerate(topics) if topics[nth - 1 : nth] != [topic]]
    assert len(together) == len(set(topics))


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_every_option_of_a_challenge_is_described(kind: Kind) -> None:
    page = page_of("challenge")
    for option in KIND_FORMS["challenge"].options:
        shown = option.shown(kind)
        if shown:
            description = re.search(rf"^  {re.escape(shown)}\n(  \[.*\n)*      (.*)$", page, re.M)
            assert description
            assert len(description[2].split()) > 2


@pytest.mark.parametrize("subject", help_subjects())
def test_the_index_names_every_subject(subject: str) -> None:
    index = page_of("index")
    is_command = any(line.startswith(f"  {subject} ") for line in index.splitlines())
    assert is_command or f"help {subject}" in " ".join(index.split())


def test_a_subject_without_help_is_answered_with_the_subjects_there_are() -> None:
    mail = WORDS.of(HelpNotice(READER, ("chess",))).text
    assert mail.startswith("There is no help about chess. There is help about:")


def test_a_subject_that_might_be_a_password_is_not_repeated() -> None:
    written = WORDS.of(HelpNotice(READER, ("wonderland",)))
    assert "wonderland" not in written.subject + written.text


def test_help_about_several_subjects_holds_all_of_their_pages() -> None:
    mail = WORDS.of(HelpNotice(READER, ("move", "oust"))).text
    assert page_of("move") in mail
    assert page_of("oust") in mail
