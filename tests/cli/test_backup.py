"""The operator copies a home while its server runs, and makes a home of the copy."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from pbm_oust.rules import KINDS
from pbm_oust.store.backup import dated, newest_kept
from pbm_oust.store.home import Home
from pbm_oust.store.index import names_of
from pbm_oust.store.letters import LetterState, all_letters
from pbm_oust.store.open_boards import read_game
from tests.support.command_line import done
from tests.support.document import block
from tests.support.player import Player, latest_mail, play_to_the_end
from tests.support.server import PROGRAM, Server, running
from tests.support.sink import listening_sink
from tests.support.waiting import wait_until

ADDRESSES = ("alice@example.org", "bob@example.org")
COLUMNS = "ACEGJLNPRTVXZ"
CELLS = [
    (f"{column}{row}", f"{column}{row + 14}")
    for row, column in product((1, 3, 5, 7, 9, 11), COLUMNS)
]
"""Cells for x and for o on a board of 25x25, none of which touch each other."""


@dataclass
class Correspondence:
    """What two players send while backups are made, and how much of it was acknowledged."""

    players: tuple[Player, Player]
    challenges: int = 0
    moves: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)

    def challenge(self) -> None:
        """Begin one board after the other."""
        while not self.stopping.is_set():
            self.players[0].send("oust challenge alice bob wonderland -size=3")
            self.challenges += 1

    def play(self) -> None:
        """Move on board 1 in turn."""
        for cells in CELLS:
            for player, cell in zip(self.players, cells, strict=True):
                if self.stopping.is_set():
                    return
                player.send(f"oust move 1 {player.userid} {player.password} {cell}")
                self.moves += 1

    def wait_for_moves(self, number: int) -> None:
        """Wait until so many moves were acknowledged."""
        wait_until(lambda: self.moves >= number, f"{number} moves")

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Send mails from two threads for the body of the `with`."""
        threads = [threading.Thread(target=each) for each in (self.challenge, self.play)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stopping.set()
            for thread in threads:
                thread.join()


def document_block(name: str, home: Path, folder: Path) -> str:
    """Carry out a block of the documents with other places; return what it prints."""
    day = {"backup": "$(date +%F)", "restore": "2026-11-20"}[name]
    places = {
        "/opt/pbm_oust/bin/pbm-oust": PROGRAM,
        "/var/lib/pbm_oust": str(home),
        f"/var/backups/pbm_oust-{day}": str(folder),
    }
    script = block(name, places)
    ran = subprocess.run(["bash", "-ec", script], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def signed_up(server: Server) -> tuple[Player, Player]:
    players = Player("alice", "wonderland", server), Player("bob", "lookingglass", server)
    for player in players:
        player.sign_up()
    return players


def check(home: Home, boards: int, records: int) -> None:
    """Check that a restored home is sound and holds, with all letters, at least so much."""
    assert ", BAD" not in done(home.path, "games", "verify")
    assert "BAD" not in done(home.path, "doctor")
    numbers = [name.board for name in home.ask(names_of, "oust")]
    game = read_game(home, KINDS["oust"], 1)
    assert len(numbers) >= boards
    assert len(game.records) >= records
    told = {
        (letter.head.recipient, letter.head.about.board, letter.head.about.record)
        for letter in home.ask(all_letters, LetterState.HELD)
        if letter.head.about
    }
    happened = [*((number, 0) for number in numbers), *((1, each.number) for each in game.records)]
    assert told == {(address, *each) for address in ADDRESSES for each in happened}


@pytest.mark.slow
def test_backups_made_while_mails_come_in_hold_each_acknowledged_mail_wholly(
    tmp_path: Path,
) -> None:
    acknowledged = []
    (tmp_path / "home").mkdir(mode=0o700)
    limits = "challenges_a_day = 10000\nchallenges_to_one_player_a_day = 10000\n"
    (tmp_path / "home" / "pbm_oust.toml").write_text(f"[limits]\n{limits}")
    with running(tmp_path / "home") as server:
        correspondence = Correspondence(signed_up(server))
        correspondence.players[0].send("oust challenge alice bob wonderland -size=25 -noswap")
        with correspondence.going_on():
            for number in range(2):
                correspondence.wait_for_moves(8 * number)
                acknowledged.append((correspondence.challenges + 1, correspondence.moves))
                document_block("backup", tmp_path / "home", tmp_path / f"copy{number}")
    for number, (boards, records) in enumerate(acknowledged):
        document_block("restore", tmp_path / f"home{number}", tmp_path / f"copy{number}")
        check(Home(tmp_path / f"home{number}"), boards, records)


@pytest.mark.slow
def test_a_game_goes_on_in_the_restored_home(tmp_path: Path) -> None:
    with running(tmp_path / "home") as server:
        players = signed_up(server)
        players[0].send("oust challenge alice bob wonderland -size=5")
        latest = latest_mail(players)
        done(tmp_path / "home", "backup", str(tmp_path / "copy"))
    done(tmp_path / "again", "restore", str(tmp_path / "copy"))
    with running(tmp_path / "again") as server:
        for player in players:
            player.post = server
        play_to_the_end(players, latest)
    assert done(tmp_path / "again", "games", "verify").startswith("oust 1: ok, ")


def test_each_night_has_a_backup_of_its_own_and_old_ones_go(tmp_path: Path) -> None:
    home, copies = tmp_path / "home", tmp_path / "copies"
    done(home, "deliver", stdin="From: dora@example.org\nSubject: help\n\n")
    places = {
        "/opt/pbm_oust/bin/pbm-oust": PROGRAM,
        "/var/lib/pbm_oust": str(home),
        "/var/backups/pbm_oust": str(copies),
    }
    script = tmp_path / "pbm_oust"
    script.write_text(block("nightly/cron.daily/pbm_oust", places))
    nights = [datetime(2026, 1, 1, 3, 30) + timedelta(days=day) for day in range(40)]
    for night in nights:
        folder = dated(copies, night)
        folder.mkdir(parents=True)
        (folder / "pbm_oust.db").touch()
    (copies / "another").mkdir()
    ran = subprocess.run(["sh", script], capture_output=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    *old, new, other = sorted(folder.name for folder in copies.iterdir())
    assert old == [dated(copies, nights[day]).name for day in (31, 34, 35, 36, 37, 38, 39)]
    assert (copies / new / "pbm_oust.db").stat().st_size
    assert other == "another"


def test_of_dated_backups_the_newest_of_each_day_and_week_stay(tmp_path: Path) -> None:
    home, copies = tmp_path / "home", tmp_path / "copies"
    done(home, "deliver", stdin="From: dora@example.org\nSubject: help\n\n")
    copies.mkdir()
    for name in ("2026-02-01", "2026-02-02", "2026-02-08", "2026-02-09", "2026-02-10"):
        for time in ("T033000Z", "T120000Z"):
            (copies / f"{name}{time}").mkdir()
            (copies / f"{name}{time}" / "pbm_oust.db").touch()
    (copies / "2026-02-10T235900Z").mkdir()  # it was cut off
    (copies / "2026-02-01").mkdir()
    told = done(home, "backup", "--days", "2", "--weeks", "4", str(copies))
    assert told.endswith(f"removed from {copies}: 8 backups\n")
    (*old, _) = sorted(path.name for path in copies.iterdir())
    assert old == ["2026-02-01", "2026-02-01T120000Z", "2026-02-08T120000Z", "2026-02-10T120000Z"]


def test_a_month_of_backups_becomes_those_of_a_week_and_the_ends_of_four() -> None:
    nights = [datetime(2026, 11, day, 3, 30) for day in range(1, 29)]
    kept = newest_kept(nights, days=7, weeks=4)
    assert sorted(each.day for each in kept) == [8, 15, 22, 23, 24, 25, 26, 27, 28]
    assert newest_kept(nights[-1:], days=7, weeks=4) == {nights[-1]}


def test_restored_letters_leave_when_the_operator_says_so(tmp_path: Path) -> None:
    home, again = tmp_path / "home", tmp_path / "again"
    home.mkdir()
    mail = "From: dora@example.org\nSubject: help\n\n"
    with listening_sink() as (relay, endpoint):
        configuration = f'relay = "smtp://{endpoint}"\n'
        (home / "pbm_oust.toml").write_text('relay = "smtp://127.0.0.1:1"\n')
        done(home, "deliver", stdin=mail)
        done(home, "backup", str(tmp_path / "copy"))
        restored = done(again, "restore", str(tmp_path / "copy"))
        assert restored.splitlines() == [
            f"{again} holds 0 boards, 0 accounts and 1 letter",
            "letters that waited are held back; to send them:  "
            f"pbm-oust --home {again} outbox resume",
        ]
        (again / "pbm_oust.toml").write_text(configuration)
        assert done(again, "outbox", "flush") == "0 sent, 0 kept, 0 failed\n"
        done(again, "deliver", stdin=mail.replace("dora", "emil"))
        (emil,) = relay.wait_for(1)
        assert emil.rcpt_tos == ["emil@example.org"]
        (_, line) = done(again, "outbox", "list").splitlines()
        assert line.split()[1:3] == ["held", "dora@example.org"]
        assert "To: dora@example.org" in done(again, "outbox", "show", line.split()[0])
        assert done(again, "outbox", "resume") == "1 letter released\n"
        assert done(again, "outbox", "flush") == "1 sent, 0 kept, 0 failed\n"
    assert done(again, "outbox", "resume") == "0 letters released\n"


def test_restored_letters_come_into_the_maildir_when_the_operator_says_so(tmp_path: Path) -> None:
    home, again = tmp_path / "home", tmp_path / "again"
    home.mkdir()
    done(home, "deliver", stdin="From: dora@example.org\nSubject: help\n\n")
    done(home, "backup", str(tmp_path / "copy"))
    done(again, "restore", str(tmp_path / "copy"))
    new = again / "outbox" / "new"
    assert list(new.iterdir()) == []
    done(again, "outbox", "resume")
    (file,) = new.iterdir()
    assert file.read_bytes() == next((home / "outbox" / "new").iterdir()).read_bytes()


def test_a_letter_that_is_held_back_can_be_removed(tmp_path: Path) -> None:
    home, again = tmp_path / "home", tmp_path / "again"
    home.mkdir()
    done(home, "deliver", stdin="From: dora@example.org\nSubject: help\n\n")
    done(home, "backup", str(tmp_path / "copy"))
    done(again, "restore", str(tmp_path / "copy"))
    (_, name) = [line.split()[0] for line in done(again, "outbox", "list").splitlines()]
    assert done(again, "outbox", "remove", name) == f"removed {name}\n"
    assert done(again, "outbox", "list") == ""
