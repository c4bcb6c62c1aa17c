import json
import re
import signal
import smtplib
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from pbm_oust.mail import flush, server
from tests.support.command_line import run
from tests.support.player import Player
from tests.support.ports import free_port
from tests.support.rings import first_is_fast
from tests.support.server import ADDRESS, PROGRAM, letters_in, running, started
from tests.support.sink import Sink, listening_sink
from tests.support.waiting import PATIENCE, wait_until


@pytest.fixture
def sink() -> Iterator[tuple[Sink, str]]:
    with listening_sink() as (handler, endpoint):
        yield handler, f"smtp://{endpoint}"


def test_with_a_relay_letters_leave_the_outbox(sink: tuple[Sink, str], tmp_path: Path) -> None:
    relay, url = sink
    with running(tmp_path, "--relay", url) as server:
        Player("alice", "wonderland", server).send("signup alice wonderland")
        (envelope,) = relay.wait_for(1)
        assert re.fullmatch(
            r"pbmserv\+bounces\.[a-z2-7]{16}@example\.com", envelope.mail_from or ""
        )
        assert envelope.rcpt_tos == ["alice@example.org"]
        assert b"Subject: please confirm " in (envelope.original_content or b"")
        assert server.stop() == 0
    assert letters_in(tmp_path) == {}


def test_a_server_that_is_told_to_stop_waits_for_nothing_longer_than_ten_seconds() -> None:
    assert server.STOP_SECONDS + server.SWEEPER_STOP_SECONDS + flush.STOP_SECONDS < 10


def test_lmtp_on_a_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "lmtp"
    with running(tmp_path / "home", "--lmtp", f"unix:{path}"), smtplib.LMTP(str(path)) as lmtp:
        lmtp.sendmail(
            "alice@example.org", [ADDRESS], "From: alice@example.org\r\nSubject: help\r\n\r\n"
        )
    assert [str(mail["Subject"]) for mail in letters_in(tmp_path / "home").values()] == ["the help"]


@pytest.mark.slow
def test_sighup_reads_the_configuration_again(sink: tuple[Sink, str], tmp_path: Path) -> None:
    relay, url = sink
    with running(tmp_path) as server:
        Player("alice", "wonderland", server).sign_up()
        assert relay.taken == []
        configuration = tmp_path / "pbm_oust.toml"
        configuration.write_text('relay = "nonsense"\n')
        server.process.send_signal(signal.SIGHUP)
        configuration.write_text(f'relay = "{url}"\n')
        server.process.send_signal(signal.SIGHUP)
        relay.wait_for(2)
        Player("bob", "lookingglass", server).send("signup bob lookingglass")
        relay.wait_for(3)
        assert server.stop() == 0


@pytest.mark.slow
def test_without_its_relay_the_server_puts_letters_into_the_maildir(
    sink: tuple[Sink, str], tmp_path: Path
) -> None:
    relay, url = sink
    configuration = tmp_path / "pbm_oust.toml"
    configuration.write_text(f'relay = "{url}"\n')
    with running(tmp_path) as server:
        player = Player("slow", "wonderland", server)
        player.send("signup slow wonderland")
        wait_until(lambda: relay.put_off, "a letter at the relay")
        configuration.write_text("")
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: letters_in(tmp_path), "a letter in the Maildir")
        assert server.stop() == 0


@pytest.mark.slow
def test_a_configuration_that_cannot_be_used_leaves_no_port_in_use(tmp_path: Path) -> None:
    configuration = tmp_path / "pbm_oust.toml"
    configuration.write_text('smtp = "127.0.0.1:0"\n')
    port = free_port()
    command = [PROGRAM, "--home", str(tmp_path), "serve"]
    with socket.socket() as other, started(command, tmp_path) as server:
        assert server.process.stderr
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        configuration.write_text(f'smtp = "127.0.0.1:{port}"\nlmtp = "127.0.0.1:{taken}"\n')
        server.process.send_signal(signal.SIGHUP)
        while "the configuration stays as it was" not in server.process.stderr.readline():
            pass
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))


@pytest.mark.slow
def test_a_relay_that_hangs_does_not_keep_the_server_from_stopping(tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"smtp://127.0.0.1:{silent.getsockname()[1]}"
        with running(tmp_path, "--relay", url) as server:
            Player("alice", "wonderland", server).send("signup alice wonderland")
            connection, _ = silent.accept()
            with connection:
                assert server.stop() == 0
    assert len(json.loads(run(tmp_path, "outbox", "list", "--json").stdout)) == 1


@pytest.mark.parametrize("key", first_is_fast(["smtp", "metrics"]))
def test_a_used_port_is_reported(key: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        places = {"smtp": "127.0.0.1:0", key: place}
        settings = "".join(f'{name} = "{value}"\n' for name, value in places.items())
        (tmp_path / "pbm_oust.toml").write_text(f'address = "{ADDRESS}"\n{settings}')
        command = [PROGRAM, "--home", str(tmp_path), "serve"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2
    assert done.stderr.endswith(f"Error: cannot listen at {place}: Address already in use\n")


@pytest.mark.slow
def test_the_mail_command_prints_the_answer(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        to = ("--smtp", f"127.0.0.1:{server.port}")
        (tmp_path / "pbm_oust.toml").write_text(f'address = "{ADDRESS}"\n')
        made = run(tmp_path, "mail", *to, "--from", "a@example.org", "signup alice wonderland")
        assert made.exit_code == 0
        assert made.stdout.startswith("Subject: please confirm ")
        (line,) = re.findall("^  (verify .+)$", made.stdout, re.MULTILINE)
        welcome = run(tmp_path, "mail", *to, "--from", "a@example.org", line)
        assert welcome.stdout.startswith("Subject: welcome, alice\n\nYour account is ready")
        refused = run(tmp_path, "mail", *to, "--from", "a@example.org", "oust move 1 alice bad A1")
        assert refused.exit_code == 1
        assert "You sent:\n\n  oust move 1 alice ******** A1\n" in refused.stdout


@pytest.mark.slow
def test_the_mail_command_says_when_there_is_no_answer(tmp_path: Path) -> None:
    with running(tmp_path / "home") as server:
        (tmp_path / "pbm_oust.toml").write_text(f'address = "{ADDRESS}"\n')
        to = ("--smtp", f"127.0.0.1:{server.port}")
        refused = run(tmp_path, "mail", *to, "--from", "a@example.org", "help")
    assert refused.exit_code == 1
    assert "there is no answer in" in refused.stderr


def test_the_mail_command_says_why_a_mail_was_not_taken(
    sink: tuple[Sink, str], tmp_path: Path
) -> None:
    relay, url = sink
    relay.refuses_senders, relay.refusal = True, "451 4.3.0 try again later"
    for place, reason in (
        (url.removeprefix("smtp://"), ": 451 4.3.0 try again later"),
        (f"127.0.0.1:{free_port()}", ""),
    ):
        refused = run(tmp_path, "mail", "--smtp", place, "--from", "a@b.org", "help")
        assert refused.exit_code == 1
        assert f"the server at {place} did not take the mail{reason}" in refused.stderr
    assert run(tmp_path, "mail", "--from", "a@example.org", "help\nx").exit_code == 2


def test_deliver_asks_for_another_try_when_the_home_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way")
    message = "From: a@example.org\nSubject: help\n\n"
    tried = run(tmp_path / "home", "deliver", stdin=message)
    assert tried.exit_code == 75


@pytest.mark.slow
def test_deliver_and_the_server_share_a_home(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        players = [Player(f"player{n}", "wonderland", server) for n in range(4)]
        for player in players:
            player.sign_up()
        threads = [
            threading.Thread(target=_challenge_both_ways, args=(tmp_path, player, players))
            for player in players
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    boards = sorted(int(path.stem) for path in (tmp_path / "oust").glob("*.txt"))
    assert boards == list(range(1, 4 * 3 * 2 + 1))
    assert run(tmp_path, "games", "verify").exit_code == 0


def _challenge_both_ways(home: Path, player: Player, players: list[Player]) -> None:
    for other in players:
        if other is not player:
            signed = f"{player.userid} {other.userid} {player.password}"
            command = f"oust challenge {signed} -size=5"
            player.send(command)
            mail = f"From: {player.address}\nSubject: {command}\n\n"
            subprocess.run([PROGRAM, "--home", str(home), "deliver"], input=mail, text=True)


@contextmanager
def told() -> Iterator[socket.socket]:
    """Listen as a service manager does, for the body of the `with`; servers in it know where."""
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
        pytest.MonkeyPatch.context() as patch,
    ):
        manager.bind("")  # at an address without a file, which the kernel chooses
        manager.settimeout(PATIENCE)
        patch.setenv("NOTIFY_SOCKET", "@" + manager.getsockname()[1:].decode())
        patch.setenv("WATCHDOG_USEC", "400000")
        yield manager


def test_a_service_manager_is_told_how_the_server_is(tmp_path: Path) -> None:
    with told() as manager, running(tmp_path) as server:
        assert [manager.recv(99) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]
        assert server.stop() == 0
        while (state := manager.recv(99)) == b"WATCHDOG=1":
            pass
        assert state == b"STOPPING=1"


@pytest.mark.slow
def test_a_watchdog_is_told_nothing_while_the_store_does_not_answer(tmp_path: Path) -> None:
    with told() as manager, running(tmp_path):
        assert manager.recv(99) == b"READY=1"
        with closing(apsw.Connection(str(tmp_path / "pbm_oust.db"))) as other:
            other.set_busy_timeout(PATIENCE * 1000)
            other.execute("BEGIN IMMEDIATE")
            manager.settimeout(1)
            with pytest.raises(TimeoutError):  # after what it was told before
                _ = [manager.recv(99) for _ in range(PATIENCE)]
        manager.settimeout(PATIENCE)
        assert manager.recv(99) == b"WATCHDOG=1"
