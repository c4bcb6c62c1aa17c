"""The home's own socket: only its owner can open it, and the mails through it are believed."""

import os
import smtplib
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from pbm_oust.doctor import Examiner
from pbm_oust.doctor.home import check_permissions
from pbm_oust.mail import own_socket
from pbm_oust.mail.own_socket import FOR_OWNER, OwnSocket, SocketTaken
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.home import Home
from tests.support.command_line import run
from tests.support.home_by_mail import ALICE, BOB, home_of, new_id
from tests.support.mails import mail
from tests.support.server import ADDRESS, letters_in, running

CHALLENGE = "oust challenge alice bob -size=5"
BEGUN = {"oust 1 #1: your turn, alice", "alice challenges you: oust 1"}
ASKED = {"did you write this?"}


def mail_command(home: Path, *options: str, line: str = CHALLENGE) -> Result:
    return run(home, "mail", "--from", ALICE, *options, line)


def configured(path: Path) -> Path:
    """Return the path of a new home with two players, whose programs know its address."""
    home = home_of(path, ALICE, BOB)
    home.configuration.write_text(f'address = "{ADDRESS}"\n')
    home.database.close()
    return path


def owners_client(home: Path) -> smtplib.LMTP:
    """Return a client at the own socket."""
    client = smtplib.LMTP(local_hostname="localhost")
    client.sock = own_socket.connect(home, FOR_OWNER)
    assert client.getreply()[0] == 220
    return client


@pytest.mark.slow
def test_only_a_mail_through_the_own_socket_is_believed(tmp_path: Path) -> None:
    home = configured(tmp_path / "home")
    with running(home, "--lmtp", f"unix:{home / 'lmtp'}") as server:
        port = f"127.0.0.1:{server.port}"

        def hand_over(client: smtplib.SMTP, data: bytes) -> None:
            with client:
                client.sendmail(ALICE, ADDRESS, data)

        def deliver(data: bytes) -> None:
            options = ("--sender", ALICE, "--recipient", ADDRESS)
            assert run(home, "deliver", *options, stdin=data).exit_code == 0

        ways: list[tuple[Callable[[bytes], object], bool]] = [
            (lambda data: hand_over(owners_client(home), data), True),
            (lambda data: hand_over(smtplib.LMTP(str(home / "lmtp")), data), False),
            (deliver, False),
        ]
        for number, (way, is_believed) in enumerate(ways):
            known = set(letters_in(home))
            line = f"oust challenge alice bob -size={number + 5}"
            way(mail(f"From: {ALICE}", f"Subject: {line}", new_id()))
            new = [each for key, each in letters_in(home).items() if key not in known]
            assert {str(each["Subject"]) for each in new} == (BEGUN if is_believed else ASKED)
        believed = mail_command(home, line="churn challenge alice bob")
        asked = mail_command(home, "--smtp", port, line="churn challenge bob alice")
        assert believed.stdout.startswith("Subject: churn 1 #1: your turn, alice\n")
        assert asked.stdout.startswith("Subject: did you write this?\n")


@pytest.mark.slow
def test_the_server_makes_its_socket_and_removes_it(tmp_path: Path) -> None:
    home = configured(tmp_path / "home")
    path = home / FOR_OWNER
    os.umask(os.umask(0))
    with running(home) as server:
        status = path.lstat()
        assert stat.S_ISSOCK(status.st_mode)
        assert stat.S_IMODE(status.st_mode) == 0o600
        assert FOR_OWNER not in run(home, "doctor").stdout
        run(home, "backup", str(tmp_path / "copy"))
        assert not (tmp_path / "copy" / FOR_OWNER).exists()
        assert (tmp_path / "copy" / "pbm_oust.db").exists()
        server.stop()
    assert not os.path.lexists(path)
    refused = mail_command(home)
    assert refused.exit_code == 1
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
            assert mail_command(home).exit_code == 0


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
        found = check_permissions(Examiner(home, "permissions", Configuration(), home.now()))
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
    with pytest.raises(SocketTaken):
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


@pytest.mark.slow
def test_a_file_in_its_place_does_not_keep_mail_from_coming_in(tmp_path: Path) -> None:
    home = configured(tmp_path / "home")
    (home / FOR_OWNER).write_text("mine")
    with running(home) as server:
        with smtplib.SMTP("127.0.0.1", server.port, "localhost") as client:
            client.sendmail(ALICE, ADDRESS, mail(f"From: {ALICE}", f"Subject: {CHALLENGE}"))
        assert "it is no socket" in mail_command(home).stderr
    assert "it is no socket; move it away" in server.log
    assert (home / FOR_OWNER).read_text() == "mine"


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
