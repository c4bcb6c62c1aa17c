"""The home's own socket: only its owner can open it, and the mails through it are believed."""

import os
import smtplib
import socket
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pbm_oust.doctor.home import check_host
from pbm_oust.mail import own_socket
from pbm_oust.mail.own_socket import FOR_OWNER, Occupied, OwnSocket
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.home import Home
from tests.support.home_by_mail import ALICE, BOB, home_of
from tests.support.mails import mail
from tests.support.server import ADDRESS, PROGRAM, Server, letters_in, running
from tests.support.waiting import PATIENCE

CHALLENGE = "oust challenge alice bob -size=5"
DATA = mail(f"From: {ALICE}", f"Subject: {CHALLENGE}")
ASKED = "please confirm a challenge to bob"
BEGUN = "oust 1 #1: your turn, alice"


def run(home: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [PROGRAM, "--home", str(home), *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=PATIENCE)


def mail_command(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run(home, "mail", "--from", ALICE, *options, CHALLENGE)


def configured(path: Path) -> Path:
    """Return the path of a new home with two players, whose programs know its address."""
    home = home_of(path, ALICE, BOB)
    home.configuration.write_text(f'address = "{ADDRESS}"\n')
    home.database.close()
    return path


def by_own_socket(server: Server) -> None:
    connection = own_socket.connect(server.home, FOR_OWNER)
    assert connection
    with smtplib.LMTP(local_hostname="localhost") as client:
        client.sock = connection
        assert client.getreply()[0] == 220
        client.sendmail(ALICE, ADDRESS, DATA)


def by_command(server: Server) -> None:
    assert mail_command(server.home).returncode == 0


def by_port(server: Server) -> None:
    with smtplib.SMTP("127.0.0.1", server.port, "localhost") as client:
        client.sendmail(ALICE, ADDRESS, DATA)


def by_command_and_port(server: Server) -> None:
    assert mail_command(server.home, "--smtp", f"127.0.0.1:{server.port}").returncode == 0


def by_lmtp(server: Server) -> None:
    with smtplib.LMTP(str(server.home / "lmtp")) as client:
        client.sendmail(ALICE, ADDRESS, DATA)


def by_deliver(server: Server) -> None:
    options = ("--sender", ALICE, "--recipient", ADDRESS)
    assert run(server.home, "deliver", *options, stdin=DATA.decode()).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("send", "answer"),
    [
        (by_own_socket, BEGUN),
        (by_command, BEGUN),
        (by_port, ASKED),
        (by_command_and_port, ASKED),
        (by_lmtp, ASKED),
        (by_deliver, ASKED),
    ],
)
def test_only_a_mail_through_the_own_socket_is_believed(
    send: Callable[[Server], None], answer: str, tmp_path: Path
) -> None:
    home = configured(tmp_path / "home")
    with running(home, "--lmtp", f"unix:{home / 'lmtp'}") as server:
        send(server)
    subjects = {str(letter["Subject"]) for letter in letters_in(home).values()}
    assert answer in subjects
    assert len(subjects) == (2 if answer == BEGUN else 1)


@pytest.mark.slow
def test_the_server_makes_its_socket_and_removes_it(tmp_path: Path) -> None:
    home = configured(tmp_path / "home")
    path = home / FOR_OWNER
    os.umask(os.umask(0))
    with running(home) as server:
        status = path.lstat()
        assert stat.S_ISSOCK(status.st_mode)
        assert stat.S_IMODE(status.st_mode) == 0o600
        examined = run(home, "doctor")
        assert FOR_OWNER not in examined.stdout
        run(home, "backup", str(tmp_path / "copy"))
        assert not (tmp_path / "copy" / FOR_OWNER).exists()
        assert (tmp_path / "copy" / "pbm_oust.db").exists()
        server.stop()
    assert not os.path.lexists(path)
    refused = mail_command(home)
    assert refused.returncode == 1
    assert f"no server is running for the home {home}" in refused.stderr
    assert f"pbm-oust --home {home} serve" in refused.stderr


@pytest.mark.slow
def test_a_server_that_was_killed_leaves_no_hindrance(tmp_path: Path) -> None:
    home = configured(tmp_path / "home")
    with running(home) as server:
        server.process.kill()
        server.process.communicate()
        assert (home / FOR_OWNER).exists()
        assert "no server is running" in mail_command(home).stderr
        with running(home):
            assert mail_command(home).returncode == 0


@pytest.mark.slow
def test_a_second_server_leaves_the_socket_to_the_first(tmp_path: Path) -> None:
    home = configured(tmp_path / "home")
    with running(home):
        with running(home) as second:
            second.stop()
        assert f"serving without {home / FOR_OWNER}: another server listens at it" in second.log
        assert mail_command(home).returncode == 0


@pytest.mark.slow
def test_a_file_in_its_place_does_not_keep_mail_from_coming_in(tmp_path: Path) -> None:
    home = configured(tmp_path / "home")
    (home / FOR_OWNER).write_text("mine")
    with running(home) as server:
        by_port(server)
        assert "it is no socket" in mail_command(home).stderr
    assert "it is no socket; move it away" in server.log
    assert (home / FOR_OWNER).read_text() == "mine"


def test_a_home_may_have_a_long_path(tmp_path: Path) -> None:
    home = tmp_path / ("x" * 200)
    home.mkdir()
    own = OwnSocket(home, FOR_OWNER)
    connection = own_socket.connect(home, FOR_OWNER)
    assert connection
    connection.close()
    own.close()
    assert list(home.iterdir()) == []


def test_the_socket_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    own = OwnSocket(tmp_path, FOR_OWNER)
    os.umask(before)
    assert stat.S_IMODE((tmp_path / FOR_OWNER).lstat().st_mode) == 0o600
    own.close()


def test_the_doctor_says_when_others_can_open_it(home: Home) -> None:
    def findings() -> list[str]:
        found = check_host(home, Configuration())
        return [finding.text for finding in found if FOR_OWNER in finding.text]

    own = OwnSocket(home.path, FOR_OWNER)
    before = findings()
    (home.path / FOR_OWNER).chmod(0o666)
    after = findings()
    own.close()
    assert before == []
    assert after == [f"socket is open to others (666). Do:  chmod 600 {home.path}/socket"]


def test_a_live_socket_is_not_taken(tmp_path: Path) -> None:
    own = OwnSocket(tmp_path, FOR_OWNER)
    with pytest.raises(Occupied):
        OwnSocket(tmp_path, FOR_OWNER)
    own.close()
    OwnSocket(tmp_path, FOR_OWNER).close()


def test_who_closes_late_leaves_the_socket_of_another(tmp_path: Path) -> None:
    own = OwnSocket(tmp_path, FOR_OWNER)
    (tmp_path / FOR_OWNER).unlink()
    other = OwnSocket(tmp_path, FOR_OWNER)
    own.close()
    connection = own_socket.connect(tmp_path, FOR_OWNER)
    assert connection
    connection.close()
    other.close()


@pytest.mark.parametrize("kind", ["link", "link to nothing", "file"])
def test_nothing_else_is_used_in_its_place(kind: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    elsewhere = tmp_path / "elsewhere"
    with socket.socket(socket.AF_UNIX) as other:
        if kind == "link":
            other.bind(str(elsewhere))
            other.listen()
        if kind == "file":
            (home / FOR_OWNER).write_text("")
        else:
            (home / FOR_OWNER).symlink_to(elsewhere)
        for use in (OwnSocket, own_socket.connect):
            with pytest.raises(OSError, match="it is no socket"):
                use(home, FOR_OWNER)
        assert os.path.lexists(home / FOR_OWNER)
