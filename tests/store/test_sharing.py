"""Several processes on one home at once: two servers, runs of `deliver`, and the command line."""

import random
import re
import smtplib
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from pbm_oust.accounts.tags import code_for
from pbm_oust.board.history import read_history
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from pbm_oust.store.verifications import find_verification
from tests.support.accounts import all_codes
from tests.support.server import ADDRESS, PROGRAM, letters_in, running
from tests.support.sink import listening_sink
from tests.support.waiting import PATIENCE

PASSWORD = "wonderland"
PAIRS = [("alice", "bob"), ("carol", "dave"), ("erin", "frank")]
MOVES = 5

Way = Callable[[bytes, str], None]


def mail(sender: str, subject: str, number: str) -> bytes:
    message = EmailMessage()
    message["From"] = f"{sender}@example.org"
    message["To"] = ADDRESS
    message["Subject"] = subject
    message["Message-ID"] = f"<{number}@example.org>"
    return message.as_bytes(policy=SMTP)


def by_smtp(port: int) -> Way:
    def send(data: bytes, sender: str) -> None:
        with smtplib.SMTP("127.0.0.1", port, local_hostname="localhost") as smtp:
            smtp.sendmail(f"{sender}@example.org", [ADDRESS], data)

    return send


def by_deliver(home: Path) -> Way:
    def send(data: bytes, sender: str) -> None:
        command = [PROGRAM, "--home", str(home), "deliver"]
        subprocess.run(command, input=data, check=True, capture_output=True, timeout=PATIENCE)

    return send


def run(home: Path, *arguments: str, status: int = 0) -> str:
    environment = {"PBM_OUST_PASSWORD": PASSWORD, "PATH": "/usr/bin:/bin"}
    command = [PROGRAM, "--home", str(home), *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == status, (arguments, done.stdout, done.stderr)
    return done.stdout


def code_of(home: Home, userid: str) -> str:
    """Return the code that a signup waits for; the letter with it may be at the relay already."""
    waiting = (home.ask(find_verification, name, datetime.now(UTC)) for name in home.ask(all_codes))
    return next(code_for(home.key(), each) for each in waiting if each and each.userid == userid)


def play(path: Path, pair: tuple[str, str], ways: list[Way], chance: random.Random) -> int:
    """Play the beginning of a board, every mail coming twice at once; return its number."""
    home = Home(path)
    with ThreadPoolExecutor(2) as pool:

        def send_twice(sender: str, subject: str, number: str) -> None:
            data = mail(sender, subject, number)
            for sent in [pool.submit(way, data, sender) for way in chance.sample(ways, 2)]:
                sent.result()

        for userid in pair:
            send_twice(userid, f"signup {userid} {PASSWORD}", f"{userid}.signup")
            code = code_of(home, userid)
            send_twice(userid, f"verify {code}", f"{userid}.verify")
        challenge = f"oust challenge {pair[0]} {pair[1]} {PASSWORD} -noswap"
        send_twice(pair[0], challenge, f"{pair[0]}.challenge")
        board = next(
            name.board
            for name in home.board_names("oust")
            if f"X: {pair[0]}\n".encode() in home.history(name)
        )
        for nth in range(MOVES):
            game = read_history(home.history(BoardName("oust", board))).game
            mover, waiting = game.player_to_move, game.owner(game.to_move.other)
            quiet = game.position.placements() & ~game.position.capturing()
            cell = chance.choice(game.header.grid.names(quiet))
            send_twice(waiting, f"oust move {board} {waiting} {PASSWORD} {cell}", f"early.{nth}")
            send_twice(waiting, f"oust move {board} {waiting} wrong-word {cell}", f"wrong.{nth}")
            send_twice(mover, f"oust move {board} {mover} {PASSWORD} {cell}", f"right.{nth}")
    return board


def look_after(home: Path, url: str, stop: threading.Event) -> int:
    """Do what an operator does, again and again; return how often."""
    rounds = 0
    while not stop.is_set() or rounds == 0:
        run(home, "players", "add", f"guest{rounds}", f"guest{rounds}@example.org")
        run(home, "players", "passwd", f"guest{rounds}")
        run(home, "outbox", "flush", "--relay", url)
        run(home, "games", "verify")
        run(home, "doctor")
        rounds += 1
    return rounds


@pytest.mark.slow
def test_nothing_is_lost_doubled_or_stuck(tmp_path: Path) -> None:
    chance = random.Random(1)
    home = tmp_path / "home"
    with listening_sink() as (sink, endpoint):
        url = f"smtp://{endpoint}"
        with running(home, "--relay", url) as one, running(home, "--relay", url) as other:
            stop = threading.Event()
            with ThreadPoolExecutor(len(PAIRS) + 1) as pool:
                operator = pool.submit(look_after, home, url, stop)
                ways = [by_smtp(one.port), by_smtp(other.port), by_deliver(home)]
                games = [
                    pool.submit(play, home, pair, ways, random.Random(chance.random()))
                    for pair in PAIRS
                ]
                try:
                    boards = [game.result(timeout=PATIENCE) for game in games]
                finally:
                    stop.set()
                rounds = operator.result(timeout=PATIENCE)
            assert one.stop() == 0
            assert other.stop() == 0
        run(home, "outbox", "flush", "--relay", url)
        taken = [envelope.original_content or b"" for envelope in sink.taken]

    assert sorted(boards) == [1, 2, 3]
    assert len(Home(home).userids()) == 2 * len(PAIRS) + rounds
    assert run(home, "games", "verify").count(f": ok, {MOVES} records") == len(PAIRS)
    assert letters_in(home) == {}
    owed = {
        (board, number, to)
        for board, pair in zip(boards, PAIRS, strict=True)
        for number in range(MOVES + 1)
        for to in pair
    }
    found = {
        (int(match[2]), int(match[3]), match[1].decode())
        for data in taken
        if b"X-Pbm-Oust: board" in data
        and b"already done" not in data
        and (
            match := re.search(
                rb"To: (\w+)@.*^Message-ID: <oust\.(\d+)\.(\d+)\.", data, re.DOTALL | re.MULTILINE
            )
        )
    }
    assert found == owed
