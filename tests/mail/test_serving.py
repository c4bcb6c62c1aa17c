import json
import re
import signal
import smtplib
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm_oust.mail import relay, server
from tests.support.player import Player
from tests.support.ports import free_port
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
    assert server.STOP_SECONDS + server.SWEEPER_STOP_SECONDS + relay.STOP_SECONDS < 10


@pytest.mark.slow
def test_letters_wait_for_a_relay_that_is_down(sink: tuple[Sink, str], tmp_path: Path) -> None:
    relay, url = sink
    with running(tmp_path, "--relay", f"smtp://127.0.0.1:{free_port()}") as server:
        Player("alice", "wonderland", server).send("signup alice wonderland")
    assert len(json.loads(_run(tmp_path, "outbox", "list", "--json").stdout)) == 1
    flushed = _run(tmp_path, "outbox", "flush", "--relay", url)
    assert (flushed.returncode, flushed.stdout) == (0, "1 sent, 0 kept, 0 failed\n")
    assert len(relay.taken) == 1
    assert letters_in(tmp_path) == {}


@pytest.mark.slow
def test_a_letter_that_the_relay_refuses_does_not_hold_up_the_others(
    sink: tuple[Sink, str], tmp_path: Path
) -> None:
    relay, url = sink
    with running(tmp_path) as server:
        Player("unknown", "wonderland", server).sign_up()
        Player("alice", "wonderland", server).sign_up()
    flushed = _run(tmp_path, "outbox", "flush", "--relay", url)
    assert (flushed.returncode, flushed.stdout) == (1, "2 sent, 0 kept, 2 failed\n")
    assert [envelope.rcpt_tos for envelope in relay.taken] == [["alice@example.org"]] * 2


@pytest.mark.slow
def test_a_player_with_two_addresses_gets_a_letter_at_each(
    sink: tuple[Sink, str], tmp_path: Path
) -> None:
    relay, url = sink
    with running(tmp_path) as server:
        Player("alice", "wonderland", server).send(
            "signup alice wonderland alice@example.org unknown@example.org"
        )
    assert _run(tmp_path, "outbox", "flush", "--relay", url).stdout == "1 sent, 0 kept, 1 failed\n"
    assert [envelope.rcpt_tos for envelope in relay.taken] == [["alice@example.org"]]
    assert letters_in(tmp_path) == {}
    (listed,) = json.loads(_run(tmp_path, "outbox", "list", "--json").stdout)
    assert (listed["to"], listed["state"]) == ("unknown@example.org", "failed")


@pytest.mark.slow
def test_a_folder_in_the_place_of_a_history_disturbs_nobody(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        alice = Player("alice", "wonderland", server)
        alice.sign_up()
        (tmp_path / "oust" / "1.txt").mkdir()
        Player("bob", "lookingglass", server).sign_up()
        alice.send("oust challenge alice bob wonderland -size=5")
        alice.send("oust games")
        subjects = [str(mail["Subject"]) for mail in alice.new_mail()]
    assert subjects == ["oust 1 #1: your turn, alice", "oust games: 1 board"]
    verified = _run(tmp_path, "games", "verify")
    assert verified.returncode == 0
    assert "oust 1: ok" in verified.stdout
    (aside,) = (tmp_path / "oust").glob("1.txt.edited-*")
    assert aside.is_dir()


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
    assert len(json.loads(_run(tmp_path, "outbox", "list", "--json").stdout)) == 1


def test_a_used_port_is_reported(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        second = _run(tmp_path, "serve", "--smtp", f"127.0.0.1:{server.port}")
        assert second.returncode == 2
        assert f"cannot listen at 127.0.0.1:{server.port}: " in second.stderr


@pytest.mark.slow
def test_the_mail_command_prints_the_answer(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        to = ("--smtp", f"127.0.0.1:{server.port}")
        (tmp_path / "pbm_oust.toml").write_text(f'address = "{ADDRESS}"\n')
        made = _run(tmp_path, "mail", *to, "--from", "a@example.org", "signup alice wonderland")
        assert made.returncode == 0
        assert made.stdout.startswith("Subject: please confirm ")
        (line,) = re.findall("^  (verify .+)$", made.stdout, re.MULTILINE)
        welcome = _run(tmp_path, "mail", *to, "--from", "a@example.org", line)
        assert welcome.stdout.startswith("Subject: welcome, alice\n\nYour account is ready")
        refused = _run(tmp_path, "mail", *to, "--from", "a@example.org", "oust move 1 alice bad A1")
        assert refused.returncode == 1
        assert "You sent:\n\n  oust move 1 alice ******** A1\n" in refused.stdout


@pytest.mark.slow
def test_the_mail_command_says_when_there_is_no_answer(tmp_path: Path) -> None:
    with running(tmp_path / "home") as server:
        (tmp_path / "pbm_oust.toml").write_text(f'address = "{ADDRESS}"\n')
        to = ("--smtp", f"127.0.0.1:{server.port}")
        refused = _run(tmp_path, "mail", *to, "--from", "a@example.org", "help")
    assert refused.returncode == 1
    assert "there is no answer in" in refused.stderr


def test_a_subject_of_two_lines_is_wrong_usage(tmp_path: Path) -> None:
    assert _run(tmp_path, "mail", "--from", "a@example.org", "help\nx").returncode == 2


def test_the_mail_command_says_when_no_server_answers(tmp_path: Path) -> None:
    port = free_port()
    refused = _run(tmp_path, "mail", "--smtp", f"127.0.0.1:{port}", "--from", "a@b.org", "help")
    assert refused.returncode == 1
    assert f"the server at 127.0.0.1:{port} did not take the mail" in refused.stderr


def test_the_mail_command_says_why_the_server_did_not_take_the_mail(
    sink: tuple[Sink, str], tmp_path: Path
) -> None:
    relay, url = sink
    relay.refuses_senders, relay.refusal = True, "451 4.3.0 try again later"
    server = url.removeprefix("smtp://")
    refused = _run(tmp_path, "mail", "--smtp", server, "--from", "a@b.org", "help")
    assert refused.returncode == 1
    said = f"the server at {server} did not take the mail: 451 4.3.0 try again later"
    assert said in refused.stderr


def test_deliver_takes_a_message_on_standard_input(tmp_path: Path) -> None:
    message = "From: alice@example.org\nSubject: signup alice wonderland\n\n"
    assert _run(tmp_path, "deliver", stdin=message).returncode == 0
    (code,) = letters_in(tmp_path).values()
    to = ("--recipient", str(code["Reply-To"]))
    message = "From: alice@example.org\nSubject: I am alice\n\nYes.\n"
    assert _run(tmp_path, "deliver", *to, stdin=message).returncode == 0
    subjects = [str(letter["Subject"]) for letter in letters_in(tmp_path).values()]
    assert subjects == [code["Subject"], "welcome, alice"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (["--recipient", "other@games.example.org"], "Subject: help\n\n", 67),
        (["--sender", "<>"], "From: a@example.org\nSubject: help\n\n", 0),
        ([], "From: a@example.org\nSubject: " + "x" * 40_000 + "\n\n", 65),
        ([], "From: a@example.org\n\n" + "x\n" * 200_000, 65),
    ],
)
def test_deliver_ends_as_sysexits_says(
    arguments: list[str], message: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "pbm_oust.toml").write_text('address = "pbmserv@games.example.org"\n')
    assert _run(tmp_path, "deliver", *arguments, stdin=message).returncode == status
    outbox = tmp_path / "outbox"
    assert [path for path in outbox.rglob("*") if path.is_file()] == []


def test_deliver_asks_for_another_try_when_the_home_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way")
    message = "From: a@example.org\nSubject: help\n\n"
    tried = _run(tmp_path / "home", "deliver", stdin=message)
    assert tried.returncode == 75


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
    assert _run(tmp_path, "games", "verify").returncode == 0


def _challenge_both_ways(home: Path, player: Player, players: list[Player]) -> None:
    for other in players:
        if other is not player:
            signed = f"{player.userid} {other.userid} {player.password}"
            command = f"oust challenge {signed} -size=5"
            player.send(command)
            _run(home, "deliver", stdin=f"From: {player.address}\nSubject: {command}\n\n")


def _run(home: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, "--home", str(home), *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
