"""What a process that died has left behind is finished by the next one, or taken away."""

import os
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from pathlib import Path

import pytest
from pbm_oust.store.recovery import recover

from pbm_oust.mail.inbound import Envelope, open_intake
from pbm_oust.store.home import Home
from pbm_oust.store.verifications import all_codes
from pbm_oust.store.waiting import BoardName
from tests.support.accounts import make_account
from tests.support.processes import files
from tests.support.server import PROGRAM, running

NOW = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)
ADDRESS = "pbmserv@example.com"
ALICE, BOB, CAROL = "alice@example.org", "bob@example.net", "carol@example.com"
CAUSE = "0123456789abcdef"


@dataclass(frozen=True)
class Command:
    """A line, the method of the disk by which it is done, and who gets letters about it."""

    sender: str
    line: str
    record: str
    readers: tuple[str, ...]


COMMANDS = {
    "move": Command(ALICE, "oust move 1 alice wonderland C3", "append", (ALICE, BOB)),
    "challenge": Command(BOB, "oust challenge alice bob -size=5", "create", (ALICE, BOB)),
    "signup": Command(CAROL, "signup carol rabbithole", "replace", (CAROL,)),
    "refusal": Command(BOB, "oust move 1 bob lookingglass C3", "create", (BOB,)),
}
HELP = Command(ALICE, "help", "move", (ALICE,))
"""About an answer nothing is written down, so it is done when it has its place."""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home with two players and a board, and no letters."""
    path: Path = tmp_path_factory.mktemp("begun")
    home = Home(path)
    home.prepare()
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", BOB)
    take(home, ALICE, "oust challenge alice bob -size=5")
    for name in home.outbox.letters():
        home.outbox.remove(name)
    return path


@pytest.fixture
def home(begun: Path, tmp_path: Path) -> Home:
    return Home(shutil.copytree(begun, tmp_path / "home"))


def mail(sender: str, line: str) -> bytes:
    number = zlib.crc32(f"{sender} {line}".encode())
    return f"From: {sender}\nSubject: {line}\nMessage-ID: <{number}@example.org>\n\n".encode()


def take(home: Home, sender: str, line: str) -> None:
    open_intake(home, ADDRESS, lambda: NOW).take(mail(sender, line), Envelope(sender))


def take_and_die(home: Home, command: Command, method: str, *, is_done: bool) -> None:
    """Take a mail in a process that dies, for real, when the disk is to use a method, or has."""
    script = f"""
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from pbm_oust.store.disk import Disk
from pbm_oust.store.home import Home
from pbm_oust.mail.inbound import Envelope
from pbm_oust.mail.inbound import open_intake

class Dying(Disk):
    def {method}(self, *words, **options):
        if {is_done}:
            super().{method}(*words, **options)
        os._exit(9)

now = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)
intake = open_intake(Home(Path(sys.argv[1]), Dying()), {ADDRESS!r}, lambda: now)
intake.take({mail(command.sender, command.line)!r}, Envelope({command.sender!r}))
"""
    assert subprocess.run([sys.executable, "-c", script, str(home.path)]).returncode == 9


@contextmanager
def at_work(home: Home, script: str) -> Iterator[Future[int]]:
    """Recover while a process waits in the midst of its work; it goes on after the body."""
    opening = """
import sys
from pathlib import Path
from pbm_oust.store.home import Home
home = Home(Path(sys.argv[1]))
def wait():
    print("ready", flush=True)
    sys.stdin.readline()
"""
    with (
        ThreadPoolExecutor() as pool,
        subprocess.Popen(
            [sys.executable, "-c", opening + script, str(home.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        done = pool.submit(recover, home)
        time.sleep(0.1)  # so that one that does not wait would be done
        yield done
        process.communicate("\n", timeout=20)
        assert process.returncode == 0


def staged(home: Home) -> list[str]:
    return files(home.outbox.path / "tmp")


def readers(home: Home) -> tuple[str, ...]:
    letters = [message_from_bytes(home.outbox.read(name)) for name in home.outbox.letters()]
    return tuple(sorted(str(letter["To"]) for letter in letters))


def state(home: Home) -> tuple[list[str], list[bytes], int]:
    """Return what commands change: accounts made or asked for, histories, the journal's length."""
    histories = [home.history(BoardName("oust", board)) for board in home.boards("oust")]
    return [*home.userids(), *home.ask(all_codes)], histories, len(home.journal.entries())


# Letters


@pytest.mark.parametrize("command", [*COMMANDS.values(), HELP])
def test_letters_of_a_command_that_was_not_done_are_dropped(command: Command, home: Home) -> None:
    before = state(home)
    take_and_die(home, command, command.record, is_done=False)
    assert len(staged(home)) == len(command.readers)
    assert recover(home) == len(command.readers)
    assert (staged(home), readers(home), state(home)) == ([], (), before)


@pytest.mark.parametrize("command", COMMANDS.values())
def test_letters_of_a_command_that_was_done_are_published(command: Command, home: Home) -> None:
    before = state(home)
    take_and_die(home, command, command.record, is_done=True)
    assert len(staged(home)) == len(command.readers)
    assert readers(home) == ()
    assert recover(home) == len(command.readers)
    assert (staged(home), readers(home)) == ([], command.readers)
    assert state(home) != before


@pytest.mark.parametrize("name", ["move", "challenge"])
def test_letters_that_a_crash_parted_come_together(name: str, home: Home) -> None:
    take_and_die(home, COMMANDS[name], "move", is_done=True)
    assert (len(staged(home)), len(readers(home))) == (1, 1)
    assert recover(home) == 1
    assert (staged(home), readers(home)) == ([], COMMANDS[name].readers)


@pytest.mark.parametrize("is_done", [False, True])
@pytest.mark.parametrize("name", ["move", "challenge", "signup"])
def test_a_mail_that_comes_again_is_done_once(name: str, is_done: bool, home: Home) -> None:
    command, undisturbed = COMMANDS[name], Home(home.path.with_name("undisturbed"))
    shutil.copytree(home.path, undisturbed.path)
    take(undisturbed, command.sender, command.line)
    take_and_die(home, command, command.record, is_done=is_done)
    recover(home)
    take(home, command.sender, command.line)
    assert state(home)[:2] == state(undisturbed)[:2]
    assert set(readers(home)) == set(command.readers)
    assert staged(home) == []


def test_letters_of_a_first_try_do_not_come_after_those_of_the_second(home: Home) -> None:
    take_and_die(home, COMMANDS["move"], "append", is_done=False)
    take(home, ALICE, "oust move 1 alice wonderland A1")
    take(home, BOB, "oust move 1 bob lookingglass E5")
    take(home, ALICE, COMMANDS["move"].line)
    before = home.outbox.letters()
    recover(home)
    assert (staged(home), home.outbox.letters()) == ([], before)


@pytest.mark.parametrize("name", ["move", "refusal"])
def test_a_letter_that_was_not_written_to_its_end_is_never_published(name: str, home: Home) -> None:
    command = COMMANDS[name]
    take_and_die(home, command, "step_write", is_done=False)
    assert [(home.outbox.path / "tmp" / each).stat().st_size for each in staged(home)] == [0]
    take(home, command.sender, command.line)
    before = home.outbox.letters()
    recover(home)
    assert (staged(home), home.outbox.letters()) == ([], before)


def test_a_letter_is_dropped_where_the_place_it_names_is_another_commands(home: Home) -> None:
    take_and_die(home, COMMANDS["challenge"], "create", is_done=False)
    take(home, ALICE, "oust challenge bob alice -size=5")
    assert len(staged(home)) == 2
    before = home.outbox.letters()
    recover(home)
    assert (staged(home), home.outbox.letters()) == ([], before)
    assert home.boards("oust") == [1, 2]


@pytest.mark.parametrize(
    "place", ["oust.99", "oust.x", "players.nobody", "pending.0", "journal", "go.1"]
)
def test_a_letter_that_names_what_is_not_there_is_dropped(place: str, home: Home) -> None:
    (home.outbox.path / "tmp" / f"1700000000.M000001Q000000P1_{CAUSE}.{place}").touch()
    assert recover(home) == 1
    assert (staged(home), readers(home)) == ([], ())


@pytest.mark.parametrize("path", ["players/alice.txt", "journal/2026-11-20.txt"])
def test_a_letter_that_names_a_damaged_file_holds_up_no_other(path: str, home: Home) -> None:
    for name in ("refusal", "signup", "move"):
        take_and_die(home, COMMANDS[name], COMMANDS[name].record, is_done=True)
    (home.outbox.path / "tmp" / f"1700000000.M000001Q000000P1_{CAUSE}.players.alice").touch()
    damaged = (home.path / path).read_text().replace("refused", "").replace("Userid", "")
    (home.path / path).write_text(damaged)
    recover(home)
    assert {ALICE, BOB} <= set(readers(home))


def test_a_home_in_order_and_foreign_files_beside_the_letters_stay_as_they_are(home: Home) -> None:
    take(home, ALICE, COMMANDS["move"].line)
    for name in ["1700000000.R123.mutt", ".hidden", f"M1_{CAUSE}.oust.1", "notes.txt"]:
        (home.outbox.path / "tmp" / name).touch()
    before = [(name, (home.path / name).read_bytes()) for name in files(home.path)]
    assert recover(home) == 0
    assert [(name, (home.path / name).read_bytes()) for name in files(home.path)] == before


# Processes that live


def test_a_process_that_is_posting_is_waited_for(home: Home) -> None:
    script = f"""
with home.outbox.posting([b"To: {ALICE}\\n\\n"], {CAUSE!r}, "nowhere"):
    wait()
"""
    with at_work(home, script) as recovered:
        assert not recovered.done()
        assert (len(staged(home)), readers(home)) == (1, ())
    assert recovered.result() == 0
    assert (staged(home), readers(home)) == ([], (ALICE,))


def test_a_process_that_is_writing_an_account_is_waited_for(home: Home) -> None:
    script = """
from pbm_oust.store.disk import Disk
class Slow(Disk):
    def step_rename(self, path, target):
        wait()
        super().step_rename(path, target)
home = Home(home.path, Slow())
with home.locked_players():
    home.write_player("carol", "Carol")
"""
    with at_work(home, script) as recovered:
        assert not recovered.done()
    assert recovered.result() == 0
    assert home.read_player("carol") == "Carol"


# Drafts


@pytest.mark.parametrize(("name", "step"), [("challenge", "step_link"), ("signup", "step_rename")])
def test_what_a_process_was_about_to_write_goes(name: str, step: str, home: Home) -> None:
    before = files(home.path)
    take_and_die(home, COMMANDS[name], step, is_done=False)
    assert len([name for name in files(home.path) if "/." in name]) == 1
    recover(home)
    assert files(home.path) == before


@pytest.mark.parametrize(
    "folder", ["oust", "churn", "players", "journal", "bounced", "pending", "limits", "."]
)
def test_drafts_go_from_every_folder_and_other_hidden_files_stay(folder: str, home: Home) -> None:
    kept = [".hidden", ".17.txt.swp", ".17.txt.1", ".gitignore", ".1.2", ".17.txt.4711.0"]
    for name in [*kept, ".17.txt.4711.0.draft", ".key.4711.12.draft"]:
        (home.path / folder / name).touch()
    recover(home)
    hidden = sorted(path.name for path in (home.path / folder).glob(".*"))
    assert hidden == sorted(kept)


def test_a_hidden_folder_is_no_draft(home: Home) -> None:
    (home.path / ".snapshot.2026.11").mkdir()
    assert recover(home) == 0
    assert (home.path / ".snapshot.2026.11").is_dir()


# Who recovers


def test_the_server_recovers_when_it_starts(home: Home) -> None:
    take_and_die(home, COMMANDS["move"], "append", is_done=True)
    with running(home.path):
        deadline = time.monotonic() + 20
        while staged(home) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert (staged(home), readers(home)) == ([], (ALICE, BOB))


def test_a_delivery_recovers_what_the_one_before_left(home: Home) -> None:
    take_and_die(home, COMMANDS["move"], "append", is_done=True)
    delivered = subprocess.run(
        [PROGRAM, "--home", str(home.path), "deliver", "--sender", CAROL],
        input=mail(CAROL, "help"),
        stderr=subprocess.DEVNULL,
    )
    assert delivered.returncode == os.EX_OK
    assert (staged(home), readers(home)) == ([], (ALICE, BOB, CAROL))
