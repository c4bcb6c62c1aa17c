"""Languages, as players meet them: each reads his own, whatever the other one reads."""

from pathlib import Path

import pytest

from pbm_oust.accounts.settings import settings_of
from pbm_oust.languages import LANGUAGES
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


@pytest.mark.parametrize("word", ["fr", "francais", "fran\u00e7ais", "FRAN\u00c7AIS", "fren"])
def test_french_is_settled_by_any_of_its_names(word: str, tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE)
    talk.send(ALICE, f"settings alice wonderland language {word}")
    assert settings_of(account_of(talk.home, "alice")).language.code == "fr"
    assert languages(talk) == {ALICE: "fr"}


def test_each_player_of_a_board_is_told_in_his_own_language(tmp_path: Path) -> None:
    talk = talk_in(tmp_path, "bob")
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    assert languages(talk) == {ALICE: "en", BOB: "fr"}
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    assert "You played C3." in talk.text_to(ALICE)
    assert "alice a jou\u00e9 C3." in talk.text_to(BOB)


def test_a_refusal_is_in_the_language_of_the_account_at_the_address(tmp_path: Path) -> None:
    talk = talk_in(tmp_path, "bob")
    talk.send(BOB, "oust show 99")
    assert languages(talk) == {BOB: "fr"}
    talk.send(ALICE, "oust show 99")
    assert languages(talk) == {ALICE: "en"}


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


def test_a_command_in_french_does_not_change_the_language_of_an_account(tmp_path: Path) -> None:
    talk = talk_in(tmp_path)
    talk.send(ALICE, "liste")
    assert languages(talk) == {ALICE: "en"}
    talk.send(ALICE, "aide")
    assert languages(talk) == {ALICE: "fr"}  # the help that was asked for
    talk.send(ALICE, "help")
    assert languages(talk) == {ALICE: "en"}


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
    assert settings_of(account_of(talk.home, "manon")).language.code == language


def test_the_language_waits_with_the_code(tmp_path: Path) -> None:
    talk = talk_in(tmp_path)
    talk.send(MANON, "inscription manon printemps")
    (letter,) = talk.letters
    assert letter["Content-Language"] == "fr"
    (code,) = talk.home.ask(all_codes)
    pending = talk.home.ask(find_verification, code, talk.now)
    assert pending
    assert pending.language.code == "fr"


def test_the_code_for_a_further_address_is_in_the_language_of_the_account(tmp_path: Path) -> None:
    talk = talk_in(tmp_path, "alice")
    talk.send(ALICE, f"add alice wonderland {MANON}")
    assert languages(talk) == {ALICE: "fr", MANON: "fr"}


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


def test_a_change_of_the_language_is_answered_in_the_new_one(tmp_path: Path) -> None:
    talk = talk_in(tmp_path, "alice")
    talk.send(ALICE, "reglages alice wonderland language anglais")
    assert languages(talk) == {ALICE: "en"}


def test_a_language_that_there_is_not_is_refused_with_those_there_are(tmp_path: Path) -> None:
    talk = talk_in(tmp_path)
    talk.send(ALICE, "settings alice wonderland language klingon")
    assert ", ".join(LANGUAGES) in talk.text_to(ALICE)
    assert "settings alice PASSWORD language en" in talk.text_to(ALICE)
