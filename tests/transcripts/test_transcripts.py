import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from msgspec import structs
from msgspec.structs import replace

from pbm_oust.accounts import password
from pbm_oust.grammar.form import Command
from pbm_oust.languages import ENGLISH, LANGUAGES, Language
from pbm_oust.letters.letters import Letters
from pbm_oust.letters.words import Words
from pbm_oust.play.notices import Notice
from pbm_oust.play.request import Request
from pbm_oust.refusal import Unreadable
from pbm_oust.service.table import parse_line
from tests.support import tables
from tests.support.emails import joined, written_again
from tests.support.home_by_mail import NOON
from tests.support.plans import served_by_indexes
from tests.support.rings import first_is_fast
from tests.transcripts.transcript import ADDRESS, WORK, names, recorded, replay

OTHERS = [language for language in LANGUAGES.values() if language is not ENGLISH]
WIDEST = 75
BOARD_LINE = re.compile(
    r" *\d* +(?:[.,xoXO] )*[.,xoXO](?: \d+| [A-Z])? *|[A-Z ]+|x: \S+ .*o: \S+ .*"
)
"""What a line of a drawn board looks like, with the letters of its columns and its heading."""
PLACES = tables.named(__file__, "places")
"""What a player puts into the places of a line that he is to send."""


@pytest.fixture(scope="module", params=names())
def name(request: pytest.FixtureRequest) -> str:
    """The name of a transcript: its tests come together, as it is replayed once."""
    return str(request.param)


@pytest.fixture(scope="module", autouse=True)
def _hashed_as_recorded() -> Iterator[None]:
    """Hash passwords with the work of the transcripts: the tokens of players come from that."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(password, "_SCRYPT", WORK)
        yield


@cache
def conversation(name: str) -> tuple[dict[str, str], list[str], list[tuple[Notice, Request]]]:
    """Return what a conversation leads to, the texts of all files, and what is told in it.

    Each notice comes with the request that it answers or follows from.
    """
    notices: list[tuple[Notice, Request]] = []
    with TemporaryDirectory() as folder, served_by_indexes():
        outcome = replay(name, Path(folder), notices)
        files = [
            path.read_bytes().decode("latin-1")
            for path in Path(folder).rglob("*")
            if path.is_file()
        ]
    return outcome, files, notices


@cache
def words(language: Language) -> Words:
    return Words(ADDRESS, language)


@cache
def letters_in(language: Language, name: str) -> list[tuple[str, str]]:
    """Return the Subjects and texts of all that a conversation tells, in one language."""
    written = [words(language).of(notice) for notice, _ in told_in(language, name)]
    return [(each.subject, each.text) for each in written]


def told_in(language: Language, name: str) -> Iterator[tuple[Notice, Request]]:
    """Yield all that a conversation tells, to readers of one language."""
    for notice, request in conversation(name)[2]:
        settings = structs.replace(notice.reader.settings, language=language)
        yield structs.replace(notice, reader=replace(notice.reader, settings=settings)), request


TABLE = re.compile(r"  \S+ {2,}\S| {12}")
"""A row of a table that says what each command does."""


def commands_in(text: str, language: Language) -> list[Command]:
    """Return the commands that a text names to be sent: on lines of their own, or behind `:  `."""
    filled = text
    for each in LANGUAGES.values():
        filled = filled.replace(each.pointer, "")
    for place, word in PLACES.items():
        filled = re.sub(rf"\b{language.placeholders.get(place, place)}\b", word, filled)
    paragraphs = [
        part if part.startswith(" ") else _unwrapped(part) for part in filled.split("\n\n")
    ]
    lines = [line for part in paragraphs for line in part.split("\n") if "[" not in line]
    own = [line.strip() for line in lines if line.startswith("  ") and not TABLE.match(line)]
    sent = [re.split(" {3,}", line)[0] for line in own]  # what they do may stand beside them
    sent += [
        line.split(":  ", 1)[1].replace(", ", " ")
        for line in lines
        if ":  " in line and not line.startswith(" ")
    ]
    read = [parse_line(line)[1] for line in sent]
    return [command for command in read if not isinstance(command, Unreadable)]


def masked(commands: Iterable[Command]) -> list[str]:
    """Return the lines of commands without passwords: those of the help are of a language."""
    return [command.line() for command in commands]


def _unwrapped(paragraph: str) -> str:
    return re.sub(r"(?<!:)\n", " ", paragraph).replace("\n", "  ")


def test_the_server_says_what_the_transcript_says(name: str) -> None:
    assert conversation(name)[0] == recorded(name)


def test_no_password_is_in_any_letter_or_file(name: str) -> None:
    outcome, files, _ = conversation(name)
    for text in (*outcome.values(), *files):
        for secret in ("wonderland", "lookingglass", "Wonderland", "printemps"):
            assert secret not in text


def test_every_letter_has_a_plain_subject_that_is_no_command(name: str) -> None:
    for language in LANGUAGES.values():
        for subject, _ in letters_in(language, name):
            assert re.fullmatch("[ -~]+", subject)
            for prefix in ("", "Re: ", "AW: "):
                assert isinstance(parse_line(prefix + subject)[1], Unreadable), subject


@pytest.mark.parametrize("language", first_is_fast(LANGUAGES.values()), ids=str)
def test_letters_are_what_the_email_package_makes_of_them(name: str, language: Language) -> None:
    letters = Letters(ADDRESS, lambda: NOON, lambda: b"secret")
    one_of_each = {type(notice): (notice, request) for notice, request in told_in(language, name)}
    for notice, request in one_of_each.values():
        for draft in letters.write(notice, request):
            assert joined(written_again(draft.content)) == joined(draft.content)


@pytest.mark.parametrize("language", OTHERS, ids=str)
def test_every_letter_names_the_same_commands_in_every_language(
    name: str, language: Language
) -> None:
    for (_, usual), (_, said) in zip(
        letters_in(ENGLISH, name), letters_in(language, name), strict=True
    ):
        assert masked(commands_in(said, language)) == masked(commands_in(usual, ENGLISH))


@pytest.mark.parametrize("language", OTHERS, ids=str)
def test_every_letter_draws_the_same_boards_in_every_language(
    name: str, language: Language
) -> None:
    for (_, usual), (_, said) in zip(
        letters_in(ENGLISH, name), letters_in(language, name), strict=True
    ):
        drawn = [
            [line for line in text.splitlines() if BOARD_LINE.fullmatch(line)]
            for text in (usual, said)
        ]
        assert drawn[0] == drawn[1]


@pytest.mark.parametrize("language", OTHERS, ids=str)
def test_every_letter_has_lines_that_fit_in_every_language(name: str, language: Language) -> None:
    for (_, usual), (_, said) in zip(
        letters_in(ENGLISH, name), letters_in(language, name), strict=True
    ):
        widest = max(WIDEST, *map(len, usual.splitlines()))
        assert max(map(len, said.splitlines())) <= widest
