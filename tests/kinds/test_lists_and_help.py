"""Boards of a kind in lists and standings, and its pages of the help, in every language."""

from pathlib import Path

from pbm_oust.commands.challenge import Challenge
from pbm_oust.languages import ENGLISH, Language
from pbm_oust.letters.help import help_subjects
from pbm_oust.letters.translator import Translator
from pbm_oust.letters.words import Words, words_in
from pbm_oust.refusal import Unreadable
from pbm_oust.rules import Kind, Shape
from pbm_oust.service.table import KIND_FORMS, parse_line
from tests.kinds.conftest import ByMail
from tests.support.home_by_mail import ADDRESS, ALICE, BOB
from tests.support.kinds import short_games
from tests.support.letters import sentences
from tests.support.match import begin
from tests.support.outbox import Letter

WIDEST = 75


def words(language: Language) -> Words:
    return words_in(language, ADDRESS)


def page_of(subject: str, language: Language) -> str:
    page = words(language).help_page(subject)
    assert page is not None
    return page


def listed(path: Path, kind: Kind, language: Language, line: str) -> Letter:
    """Return the answer to a line, in a home with a finished board of each result."""
    talk = begin(path, language, *((each, len(each.turns)) for each in short_games(kind).values()))
    talk.send(ALICE, line)
    letter = talk.letter_to(ALICE)
    assert max(map(len, letter.text.splitlines())) <= WIDEST
    return letter


def test_the_list_of_past_boards_has_a_word_for_each_ending(
    kind: Kind, language: Language, tmp_path: Path
) -> None:
    letter = listed(tmp_path, kind, language, f"{kind.name} history")
    rows = {
        number: next(row for row in letter.text.splitlines() if f" {kind.name} {number} " in row)
        for number, _ in enumerate(short_games(kind), 1)
    }
    translator = Translator(language)
    words_for = {each.value: translator.gettext(each.value) for each in kind.endings}
    for number, result in enumerate(short_games(kind), 1):
        winner, how = rows[number].partition("(o) ")[2].split(maxsplit=1)
        assert result.winner is None or f"{winner} ({result.winner.value})" in rows[number]
        assert how == words_for[str(result.how.value)]
    assert len({*words_for.values()}) == len(words_for)


def test_boards_are_listed_with_their_grids(kind: Kind, language: Language, tmp_path: Path) -> None:
    letter = listed(tmp_path, kind, language, f"{kind.name} games all")
    for number, chance in enumerate(short_games(kind).values(), 1):
        name = f"{kind.name} {number} "
        (row,) = (row for row in letter.text.splitlines() if row.startswith(name))
        assert str(chance.grid).partition(" ")[2] in row


def test_standings_rank_the_players(kind: Kind, language: Language, tmp_path: Path) -> None:
    letter = listed(tmp_path, kind, language, f"{kind.name} standings")
    assert kind.title in letter.text
    assert {"alice", "bob"} <= {*letter.text.split()}


def test_a_finished_game_by_mail_changes_the_ratings(
    kind: Kind, language: Language, by_mail: ByMail
) -> None:
    for chance in short_games(kind).values():
        end = by_mail(chance, language)[-1]
        assert "1600" in end.letters[BOB].text


def test_the_rules_name_the_inventor_and_the_year(kind: Kind, language: Language) -> None:
    page = " ".join(page_of(kind.name, language).split())
    assert f"{kind.author} ({kind.year})" in page


def test_the_rules_are_said_in_every_language_in_lines_that_fit(
    kind: Kind, language: Language
) -> None:
    page = page_of(kind.name, language)
    assert max(map(len, page.splitlines())) <= WIDEST
    if language is not ENGLISH:
        usual = sentences(page_of(kind.name, ENGLISH))
        assert usual
        assert not usual & sentences(page)


def test_the_overview_names_the_game_and_its_inventor(kind: Kind, language: Language) -> None:
    overview = " ".join(page_of("overview", language).split())
    assert kind.name in help_subjects()
    for word in (kind.name, kind.title, kind.author):
        assert word in overview


def test_every_option_that_the_help_shows_is_read(kind: Kind) -> None:
    for name in ("challenge", "seek"):
        page = page_of(name, ENGLISH)
        for option in KIND_FORMS[name].options:
            shown = option.shown(kind)
            assert shown in page
    for option in KIND_FORMS["challenge"].options:
        for form in option.forms(kind):
            _, command = parse_line(f"{kind.name} challenge alice bob {form}")
            assert isinstance(command, Challenge)
            assert kind.plays_on(command.grid)


def test_a_shape_that_the_game_is_not_played_on_is_no_option(kind: Kind) -> None:
    for option in ("-hex", "-hex=3") if Shape.HEX not in kind.defaults else ():
        for line in ("challenge alice bob", "seek alice wonderland"):
            _, refusal = parse_line(f"{kind.name} {line} {option}")
            assert isinstance(refusal, Unreadable)
            assert (str(refusal), refusal.culprit) == ("unknown_option", option)


def test_a_challenge_without_options_is_on_the_default_grid(kind: Kind) -> None:
    _, command = parse_line(f"{kind.name} challenge alice bob")
    assert isinstance(command, Challenge)
    assert command.grid == kind.default_grid
