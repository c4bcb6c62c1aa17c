"""The last letter of a long game: it attaches the records where it has no room for them."""

import gzip
import re
from datetime import timedelta
from email.message import EmailMessage
from functools import cache

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.settings import USUAL, BoardForm, Settings
from pbm_oust.board import Deed, Game
from pbm_oust.board.formats import parse_any
from pbm_oust.board.history import read_history
from pbm_oust.board.notation import format_action
from pbm_oust.board.sheet import format_moves
from pbm_oust.languages import LANGUAGES, Language
from pbm_oust.letters.body import names_of_files
from pbm_oust.letters.letters import Letters
from pbm_oust.play.notices import BoardNotice, News, Reader
from pbm_oust.play.request import Request
from pbm_oust.store.letters import on_the_wire, parse_content
from tests.speed.long import LENGTH, long_history
from tests.support.emails import read
from tests.support.home_by_mail import ADDRESS, ALICE, NOON
from tests.support.letters import attached, text_of

LETTERS = Letters(ADDRESS, lambda: NOON, lambda: b"secret")
ACCOUNT = Account("alice", "any", (ALICE,), NOON)
REQUEST = Request("", "", "bob@example.net", "any")
CHAT = "Good game. Shall we play another one?"
KB = 1024


@cache
def ended(records: int) -> Game:
    """Return a long game that alice has lost by giving up as record `records`."""
    game = read_history(long_history(records - 1).encode()).game
    return game.act(game.to_move, Deed.RESIGN, game.latest + timedelta(days=1), "f" * 16)


def letter_about(
    game: Game,
    chat: str = CHAT,
    settings: Settings = USUAL,
    account: Account | None = ACCOUNT,
) -> EmailMessage:
    """Return the letter to alice about the end of a game, as a relay gets it."""
    userid = account.userid if account else None
    reader = Reader((ALICE,), userid, settings=settings, account=account)
    notice = BoardNotice(reader, News.PLAYED, game, chat=chat, chat_from="bob")
    (draft,) = LETTERS.write(notice, REQUEST)
    sent = on_the_wire(draft.content, is_international=False)
    assert len(sent) <= 90 * KB
    return parse_content(sent)


def files_in(letter: EmailMessage) -> dict[str, str]:
    """Return the files that are attached, by their names."""
    files = {}
    for part in letter.iter_attachments():
        assert part.get_content_type() == "application/gzip"
        assert part.get_content_disposition() == "attachment"
        name, data = part.get_filename(), part.get_content()
        assert name == part.get_param("name")
        assert isinstance(data, bytes)
        files[str(name)] = gzip.decompress(data).decode()
    return files


def types(letter: EmailMessage) -> list[str]:
    return [part.get_content_type() for part in letter.walk()]


def moves_in(sgf: str) -> list[str]:
    """Return the colours of the moves in SGF and their points."""
    return re.findall(r";([BW]\[[a-z]{2}\])", sgf)


def text_in(letter: EmailMessage) -> str:
    """Return its text, with lines that end in LF."""
    return "\n".join(text_of(letter).splitlines())


def sgf_in(letter: EmailMessage) -> Game:
    """Return the game in the file that is attached as it is."""
    ((name, data),) = attached(letter.as_bytes()).items()
    assert name == "churn-1.sgf"
    return parse_any(data.decode()).check().game


BOTH_PARTS = ["multipart/mixed", "multipart/alternative", "text/plain", "text/html"]


def test_the_moves_stand_in_the_letter_as_long_as_there_is_room_in_both_its_parts() -> None:
    letter = letter_about(ended(200))
    assert types(letter)[:4] == BOTH_PARTS
    assert format_moves(ended(200)) in text_in(letter)
    assert sgf_in(letter) == ended(200)


def test_records_for_which_there_is_no_room_are_attached_and_can_be_imported() -> None:
    game = ended(900)
    letter = letter_about(game)
    assert types(letter) == [*BOTH_PARTS, "application/gzip", "application/gzip"]
    files = files_in(letter)
    assert tuple(files) == names_of_files(game) == ("churn-1.txt.gz", "churn-1.sgf.gz")
    moves, sgf = files.values()
    assert parse_any(sgf).check().game == game
    assert moves.endswith(f"{format_moves(game)}\n")


def test_who_gets_text_alone_has_room_for_more_lines() -> None:
    letter = letter_about(ended(900), settings=Settings(board=BoardForm.TEXT))
    assert types(letter)[:2] == ["multipart/mixed", "text/plain"]
    assert format_moves(ended(900)) in text_in(letter)
    assert sgf_in(letter) == ended(900)


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.code)
def test_the_letter_says_which_files_it_brings(language: Language) -> None:
    settings = replace(USUAL, language=language)
    letter = letter_about(ended(900), settings=settings)
    text = " ".join(text_of(letter).split())
    assert all(name in text for name in files_in(letter))
    assert "gzip" in text
    assert "899" not in text
    assert "900" in text


def test_all_that_is_attached_is_as_the_standards_want_it() -> None:
    """RFC 2045, section 6.8; RFC 2046, section 5.1.1; RFC 2183, section 2.3; RFC 6713."""
    (draft,) = LETTERS.write(
        BoardNotice(Reader((ALICE,), "alice", account=ACCOUNT), News.PLAYED, ended(900)), REQUEST
    )
    assert draft.content.isascii()
    letter = read(draft.content)
    assert not any(part.defects for part in letter.walk())
    boundaries = [part.get_boundary("") for part in letter.walk() if part.is_multipart()]
    assert all(f"\n--{each}--\n".encode() in draft.content for each in boundaries)
    assert not any(
        one.startswith(other) for one in boundaries for other in boundaries if one != other
    )
    for part in letter.iter_attachments():
        lines = str(part.get_payload()).split("\n")
        assert all(len(line) == 76 for line in lines[:-2])
        assert re.fullmatch(r"[A-Za-z0-9+/]{1,76}={0,2}", lines[-2])
        filename = part.get_filename()
        assert filename
        assert re.fullmatch(r"[a-z0-9.-]+", filename)


@pytest.mark.slow
@pytest.mark.parametrize("records", [2_500, 8_000, LENGTH])
def test_of_a_very_long_game_all_moves_are_attached_without_their_times(records: int) -> None:
    game = ended(records)
    letter = letter_about(game)
    lines, sgf = files_in(letter).values()
    done = re.sub(r"^ *\d+ \d{4}-\d\d-\d\d ", "", lines.partition("\n\n")[2], flags=re.MULTILINE)
    wanted = " ".join(f"{record.by} {format_action(record.action)}" for record in game.records)
    assert (
        " ".join(done.split()) == f"{wanted} = {'x' if game.to_move.value == 'o' else 'o'} resign"
    )
    assert len(moves_in(sgf)) == records - 1
    text = " ".join(text_of(letter).split())
    assert CHAT in text
    assert "no room for all their times" in text
    assert "export alice PASSWORD" in text


@pytest.mark.slow
def test_who_does_not_play_is_not_told_of_an_export() -> None:
    text = text_of(letter_about(ended(8_000), chat="", account=None))
    assert "no room for all their times" in " ".join(text.split())
    assert "export" not in text


@pytest.mark.slow
def test_records_that_fit_in_no_letter_are_told_of() -> None:
    game = ended(8_000)
    long = "\N{GRINNING FACE}" * 10_000
    text = " ".join(text_of(letter_about(game, chat=long)).split())
    assert long in text
    assert "The game has 8000 records, for which this mail has no room." in text
    assert "send: churn show 1" in text
