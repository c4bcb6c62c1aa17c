"""The outbox on the command line, and what is left in a home of a player who was forgotten."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbm_oust.accounts.bounces import Bounce
from pbm_oust.mail.flush import Relaying
from pbm_oust.store.home import Home
from pbm_oust.store.letters import LetterState
from pbm_oust.store.outbox import Outbox
from pbm_oust.store.upkeep import forget_expired
from pbm_oust.store.verifications import bounces_of, note_bounce
from tests.support.command_line import done, run
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of
from tests.support.outbox import letters
from tests.support.sink import listening_sink


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def _ask_for_help(home: Path, *senders: str) -> list[str]:
    """Have the help sent to some addresses; return the names of the letters."""
    for number, sender in enumerate(senders):
        mail = f"From: {sender}\nSubject: help oust\n\n{number}\n"
        assert run(home, "deliver", stdin=mail).exit_code == 0
    return [letter["name"] for letter in json.loads(run(home, "outbox", "list", "--json").output)]


def _flush(home: Path, endpoint: object) -> str:
    return run(home, "outbox", "flush", "--relay", f"smtp://{endpoint}").output


def test_letters_are_listed_and_shown(home: Path) -> None:
    mail = "From: dora@example.org\nSubject: help oust\n\n{number}\n"
    assert run(home, "deliver", stdin=mail).exit_code == 0
    (letter,) = json.loads(run(home, "outbox", "list", "--json").output)
    assert (letter["to"], letter["subject"]) == ("dora@example.org", "help: oust")
    shown = run(home, "outbox", "show", letter["name"][:20]).output
    assert shown.startswith("From: pbm_oust <pbmserv@localhost>\nTo: dora@example.org\n")
    assert "Oust is by Mark Steere (2007)." in shown
    assert "\nMIME-Version: 1.0\n" in run(home, "outbox", "show", "--raw", letter["name"]).output
    assert letter["name"] in run(home, "outbox", "list").output


def test_flush_without_a_relay_is_wrong_usage(home: Path) -> None:
    assert run(home, "outbox", "flush").exit_code == 2


def test_a_failed_letter_is_listed_sent_again_or_removed(home: Path) -> None:
    first, second = _ask_for_help(home, "unknown1@example.org", "unknown2@example.org")
    with listening_sink() as (sink, endpoint):
        assert _flush(home, endpoint) == "0 sent, 0 kept, 2 failed\n"
        heading, *listed = run(home, "outbox", "list").output.splitlines()
        assert heading.split() == ["LETTER", "STATE", "TO", "SUBJECT"]
        assert [line.split()[1] for line in listed] == ["failed", "failed"]
        sink.knows_everybody = True
        assert run(home, "outbox", "retry", first).output == f"{first} waits for the relay\n"
        assert _flush(home, endpoint) == "1 sent, 0 kept, 0 failed\n"
    assert run(home, "outbox", "remove", second).output == f"removed {second}\n"
    assert run(home, "outbox", "list").output == ""


@pytest.mark.parametrize(
    ("command", "what"), [("retry", "failed letters"), ("remove", "failed or held letters")]
)
def test_only_letters_that_failed_are_retried_or_removed(
    command: str, what: str, home: Path
) -> None:
    (name,) = _ask_for_help(home, "alice@example.org")
    refused = run(home, "outbox", command, name)
    assert refused.exit_code == 1
    assert refused.output == f"Error: 0 {what} have names that begin with {name}\n"


def test_a_letter_that_is_named_twice_is_retried_or_removed_once(home: Path) -> None:
    first, second = _ask_for_help(home, "unknown1@example.org", "unknown2@example.org")
    with listening_sink() as (_, endpoint):
        _flush(home, endpoint)
    retried = run(home, "outbox", "retry", first, first)
    assert (retried.exit_code, retried.output) == (0, f"{first} waits for the relay\n")
    removed = run(home, "outbox", "remove", second, second[:-1])
    assert (removed.exit_code, removed.output) == (0, f"removed {second}\n")


@pytest.mark.parametrize("command", ["retry", "remove"])
def test_a_letter_that_somebody_else_takes_meanwhile_is_refused(
    command: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (name,) = _ask_for_help(home, "unknown@example.org")
    with listening_sink() as (_, endpoint):
        _flush(home, endpoint)
    meant = getattr(Outbox, command)

    def twice(outbox: Outbox, *arguments: object) -> None:
        meant(outbox, *arguments)
        meant(outbox, *arguments)

    monkeypatch.setattr(Outbox, command, twice)
    refused = run(home, "outbox", command, name)
    assert (refused.exit_code, refused.output) == (
        1,
        f"Error: the letter {name} is no longer there\n",
    )


def test_all_letters_that_failed_are_removed_at_once(home: Path) -> None:
    for name in ("unknown1", "unknown2"):
        _ask_for_help(home, f"{name}@example.org")
    with listening_sink() as (_, endpoint):
        _flush(home, endpoint)
    waiting, *_ = _ask_for_help(home, "carol@example.com")
    assert done(home, "outbox", "remove", "--failed") == "removed 2 letters\n"
    assert Home(home).outbox.letters(*LetterState) == [waiting]
    for words in ((), (waiting, "--failed")):
        refused = run(home, "outbox", "remove", *words)
        assert refused.exit_code == 2
        assert "name letters, or remove all that failed with --failed" in refused.output


def test_an_operator_has_an_address_written_to_again(home: Path) -> None:
    for day in (1, 2, 3):
        lost = Bounce(datetime(2026, 11, day, tzinfo=UTC), "5.1.1", f"<{day}@example.com>", "-")
        Home(home).do(note_bounce, "unknown@example.org", lost)
    assert Home(home).ask(bounces_of, "unknown@example.org").is_suspended
    resumed = run(home, "outbox", "resume", "unknown@example.org")
    assert resumed.output == "unknown@example.org gets letters again\n"
    assert Home(home).ask(bounces_of, "unknown@example.org").bounces == ()
    assert run(home, "outbox", "resume", "unknown@example.org").exit_code == 1


# What is left in the files of a home of a player who was forgotten


FORGET = (BOB, "forget bob lookingglass really")


@pytest.fixture
def forgotten(tmp_path: Path) -> Home:
    """A home in which Bob has played, kept notes, and asked for a code."""
    mails = [
        (ALICE, "oust challenge alice bob wonderland -size=5"),
        (ALICE, "oust move 1 alice wonderland C3"),
        (BOB, 'oust note 1 bob lookingglass "Bob writes this"'),
        (BOB, "oust seek bob lookingglass"),
        (BOB, "add address bob lookingglass bob@example.com"),
        FORGET,
    ]
    forgotten = home_of(tmp_path / "home", ALICE, BOB, mails=mails)
    forgotten.recover()
    return forgotten


def files_that_name_bob(forgotten: Home) -> list[str]:
    found = [path for path in forgotten.path.rglob("*") if path.is_file()]
    return [str(path) for path in found if b"bob" in path.read_bytes().lower()]


@contextmanager
def relayed(forgotten: Home) -> Iterator[None]:
    """Have all letters of a home sent."""
    with listening_sink() as (_, endpoint):
        forgotten.has_relay = True
        Relaying(forgotten, endpoint, ADDRESS, NOON.timestamp).flush(all_letters=True)
        yield


def test_nothing_of_a_forgotten_player_stays_when_the_letters_have_left(forgotten: Home) -> None:
    with relayed(forgotten):
        forget_expired(forgotten, NOON)
        assert files_that_name_bob(forgotten) == []


def test_nothing_stays_when_a_mail_program_has_taken_the_letters(forgotten: Home) -> None:
    for letter in letters(forgotten):
        (forgotten.outbox.path / "new" / letter.name).unlink()
    forget_expired(forgotten, NOON)
    assert files_that_name_bob(forgotten) == []
