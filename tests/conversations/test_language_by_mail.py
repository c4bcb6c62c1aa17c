"""Languages, as players meet them: each reads his own, whatever the other one reads."""

from pathlib import Path

import pytest

from pbm_oust.store.verifications import find_verification
from tests.support.accounts import account_of, all_codes, codes
from tests.support.home_by_mail import ALICE, BOB, Talk, new_id
from tests.support.outbox import Letter

MANON = "manon@example.fr"


def talk_in(path: Path, *french: str) -> Talk:
    """Return a talk with alice and bob, of whom these have settled to be written to in French."""
    talk = Talk.begin(path, ALICE, BOB)
    passwords = {"alice": "wonderland", "bob": "lookingglass"}
    for userid in french:
        address = ALICE if userid == "alice" else BOB
        talk.send(address, f"settings {userid} {passwords[userid]} language fr")
    return talk


def languages(talk: Talk) -> dict[str, str | None]:
    return {letter.to: letter["Content-Language"] for letter in talk.letters}


def send_with(talk: Talk, sender: str, line: str, *headers: str) -> Letter:
    """Send a mail with further headers, and return the letter that it leads to."""
    talk.send(sender, line, headers=[new_id(), *headers])
    (letter,) = talk.letters
    return letter


def sign_up(talk: Talk, line: str, *headers: str) -> str:
    """Sign manon up, and return the language of her welcome."""
    assert send_with(talk, MANON, line, *headers)
    code = dict(codes(talk.home))[MANON]
    talk.send(MANON, f"verify {code}")
    (welcome,) = talk.letters
    return str(welcome["Content-Language"])


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("inscrption manon capucine", "fr"),
        ("Insription manon capucine", "fr"),
        ("oust d\u00e9fii manon alice", "fr"),
        ("singup manon capucine", "en"),
        ("oust challange manon alice", "en"),
        ("hello", "en"),
    ],
)
def test_a_mistyped_command_is_answered_in_its_language(
    line: str, language: str, tmp_path: Path
) -> None:
    talk = Talk.begin(tmp_path, ALICE)
    talk.send(MANON, line)
    assert languages(talk) == {MANON: language}


@pytest.mark.parametrize(
    ("line", "headers", "language"),
    [
        ("inscription manon printemps", (), "fr"),
        ("signup manon printemps", (), "en"),
        ("signup manon printemps", ("Accept-Language: fr-CA, en;q=0.5",), "fr"),
        ("signup manon printemps", ("Content-Language: fr",), "fr"),
        ("inscription manon printemps", ("Accept-Language: en",), "fr"),
    ],
)
def test_an_account_has_the_language_that_its_signup_asked_for(
    line: str, headers: tuple[str, ...], language: str, tmp_path: Path
) -> None:
    talk = talk_in(tmp_path)
    assert sign_up(talk, line, *headers) == language
    assert account_of(talk.home, "manon").all_settings.language.code == language


def test_the_language_waits_with_the_code(tmp_path: Path) -> None:
    talk = talk_in(tmp_path)
    talk.send(MANON, "inscription manon printemps")
    (letter,) = talk.letters
    assert letter["Content-Language"] == "fr"
    (code,) = talk.home.ask(all_codes)
    pending = talk.home.ask(find_verification, code, talk.now)
    assert pending
    assert pending.language.code == "fr"


@pytest.mark.parametrize(
    ("line", "header", "language"),
    [
        ("help", "Accept-Language: fr", "fr"),
        ("help", "X-Other: fr", "en"),
        ("aide", "X-Other: fr", "fr"),
        ("aide", "Accept-Language: en", "fr"),
        ("oust coup 1 manon printemps D4", "X-Other: fr", "fr"),
        ("nonsense", "Content-Language: fr", "fr"),
    ],
)
def test_a_stranger_is_answered_in_the_language_of_his_mail(
    line: str, header: str, language: str, tmp_path: Path
) -> None:
    letter = send_with(talk_in(tmp_path), MANON, line, header)
    assert letter["Content-Language"] == language
