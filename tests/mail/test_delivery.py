"""`deliver` hands a mail to the server of its home, and what it leads to is the same either way."""

import logging
import os
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from pbm_oust.mail import LARGEST_MAIL
from pbm_oust.mail.clients import MOST_CONNECTIONS, ConnectionLimits, Patience
from pbm_oust.mail.delivery import SmtpReply, hand_over, handed
from pbm_oust.mail.own_socket import FOR_DELIVER, OwnSocket, connect
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.sqlite import SqliteDatabase
from tests.support.command_line import run
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of
from tests.support.listening import listening_at_home_of
from tests.support.outbox import letters
from tests.support.rings import slow
from tests.support.server import PROGRAM
from tests.support.sink import listening_sink
from tests.support.waiting import PATIENCE

FROM = f"From: {ALICE}\n".encode()
HELP = FROM + b"Subject: help\n\n"
BEGIN = FROM + b"Subject: oust challenge alice bob wonderland -size=5\n\n"
TO = ("--sender", ALICE, "--recipient", ADDRESS)


class Mail:
    """A mail, and how `deliver` is called for it."""

    def __init__(self, data: bytes, *options: str) -> None:
        self.data, self.options = data, options or TO


MAILS = {
    "a command": Mail(BEGIN),
    "the same again": Mail(BEGIN),
    "without a password": Mail(FROM + b"Subject: oust challenge alice bob -size=5\n\n"),
    "a wrong password": Mail(FROM + b"Subject: oust move 1 alice wrong A1\n\n"),
    "line ends of a network": Mail(HELP.replace(b"\n", b"\r\n")),
    "line ends of old": Mail(HELP.replace(b"\n", b"\r")),
    "without a last line end": Mail(HELP + b"hello"),
    "lines with dots": Mail(FROM + b"Subject: oust chat 1 alice wonderland\n\n.\n..\n.one\n.\nx\n"),
    "NULs": Mail(FROM + b"Subject: he\0lp\n\n\0\n"),
    "lines without end": Mail(HELP + b"x" * 9_000),
    "headers without end": Mail(FROM + b"Subject: " + b"x" * 9_000 + b"\n\n"),
    "the largest": Mail(HELP + b"x\n" * 9_000 + b"y" * (LARGEST_MAIL - len(HELP) - 27_005)),
    "too large": Mail(HELP + b"y" * LARGEST_MAIL),
    "nothing": Mail(b""),
    "bytes": Mail(bytes(range(256))),
    "the null sender": Mail(HELP, "--sender", "<>", "--recipient", ADDRESS),
    "an empty sender": Mail(HELP, "--sender", ""),
    "no sender": Mail(HELP, "--recipient", ADDRESS),
    "no envelope": Mail(HELP.replace(b"alice", b"bob"), *[]),
    "another sender": Mail(HELP, "--sender", "carol@example.com"),
    "a sender that is no address": Mail(HELP, "--sender", "carol x\udcff> (", *TO[2:]),
    "a tag": Mail(HELP, *TO[:3], ADDRESS.replace("@", "+verify.abc@")),
    "a tag that bounces": Mail(HELP, *TO[:3], ADDRESS.replace("@", "+bounces.abc@")),
    "somebody else": Mail(HELP, *TO[:3], "somebody+verify.abcdefghabcdefgh@example.com"),
    "in capitals": Mail(HELP, *TO[:3], ADDRESS.upper()),
    "forged results": Mail(b"Authentication-Results: here; spf=pass\n" + HELP),
}
FEW = ("no sender", "the null sender", "NULs", "lines with dots", "too large", "somebody else")


def all_of(
    path: Path, log: pytest.LogCaptureFixture, names: Iterable[str], *, is_served: bool
) -> dict[str, tuple[object, ...]]:
    """Return what became of each mail in a home: exit status, log, letters."""
    home = home_of(path, ALICE, BOB)
    home.configuration.write_text(f'address = "{ADDRESS}"\nauthserv_id = "here"\n')
    served = listening_at_home_of(home, ADDRESS)
    serving: AbstractContextManager[None] = served if is_served else nullcontext()
    found = dict[str, tuple[object, ...]]()
    with serving:
        for name in names:
            mail = MAILS[name]
            log.clear()
            before = {letter.name for letter in letters(home)}
            result = run(path, "deliver", *mail.options, stdin=mail.data)
            outcomes = re.findall(r"outcome=(\S+|\".*?\") .*bytes=(\d+)", log.text)
            sent = [each for each in letters(home) if each.name not in before]
            told = [(each.to, each.subject, masked(each.text)) for each in sent]
            is_read = result.exit_code == os.EX_OK  # a server refuses some as they arrive
            found[name] = result.exit_code, outcomes if is_read else [], told
    return found


def masked(text: str) -> str:
    """Return the text of a letter without what is different in each home."""
    return re.sub(r"[a-z2-7]{16}|\d{4}-\d\d-\d\dT[\d:]+Z|\d\d:\d\d", "..", text)


@pytest.mark.parametrize("names", [FEW, slow(tuple(MAILS))])
def test_what_a_mail_leads_to_is_the_same_with_a_server_and_without(
    names: tuple[str, ...], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    alone = all_of(tmp_path / "alone", caplog, names, is_served=False)
    served = all_of(tmp_path / "served", caplog, names, is_served=True)
    for name in names:
        assert (name, served[name]) == (name, alone[name])
    assert alone["no sender"][0] == os.EX_OK
    assert alone["too large"][0] == os.EX_DATAERR
    assert alone["somebody else"][0] == os.EX_NOUSER


def test_a_mail_for_somebody_else_may_come_again_while_no_address_is_set(tmp_path: Path) -> None:
    home = home_of(tmp_path, ALICE)
    home.configuration.write_text("")
    assert run(tmp_path, "deliver", *TO, stdin=HELP).exit_code == os.EX_TEMPFAIL
    home.configuration.write_text(f'address = "{ADDRESS}"\n')
    assert run(tmp_path, "deliver", *TO, stdin=HELP).exit_code == os.EX_OK


@pytest.mark.parametrize(
    ("name", "status", "is_served"),
    [
        ("somebody else", os.EX_NOUSER, False),
        slow("line ends of a network", os.EX_OK, False),
        slow("too large", os.EX_DATAERR, False),
        ("line ends of a network", os.EX_OK, True),
        slow("somebody else", os.EX_NOUSER, True),
        slow("too large", os.EX_DATAERR, True),
    ],
)
def test_the_exit_status_is_right_where_nothing_can_be_printed(
    name: str, status: int, tmp_path: Path, *, is_served: bool
) -> None:
    home, mail = home_of(tmp_path, ALICE), MAILS[name]
    home.configuration.write_text(f'address = "{ADDRESS}"\n')
    serving = listening_at_home_of(home, ADDRESS) if is_served else nullcontext()
    with serving, Path("/dev/full").open("wb") as full:
        command = [PROGRAM, "--home", str(tmp_path), "deliver", *mail.options]
        done = subprocess.run(command, input=mail.data, stderr=full)
    assert done.returncode == status


def answered(home: Path, take: Callable[[socket.socket], None]) -> SmtpReply | None:
    """Return what `deliver` hears from a server that does this with a connection."""
    own = OwnSocket(home, FOR_DELIVER)

    def serve() -> None:
        connection, _ = own.socket.accept()
        with connection:
            take(connection)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        return hand_over(home, handed(HELP, None, None))
    finally:
        thread.join()
        own.close()


def test_a_server_that_goes_away_in_the_middle_may_have_taken_the_mail(tmp_path: Path) -> None:
    def leave(_: socket.socket) -> None:
        """Say nothing."""

    def stammer(connection: socket.socket) -> None:
        connection.sendall(b"220 here\r\n")
        connection.recv(4096)
        connection.sendall(b"250-here\r\n")

    def leave_at_the_end(connection: socket.socket) -> None:
        connection.sendall(b"220 here\r\n")
        for reply in (b"250 here", b"250 OK", b"250 OK", b"354 go on"):
            connection.recv(4096)
            connection.sendall(reply + b"\r\n")
        connection.recv(1)

    for take in (leave, stammer, leave_at_the_end):
        reply = answered(tmp_path, take)
        assert reply
        assert reply.code == 451
        assert reply.text.startswith("4.3.0 the server has gone away")


def test_deliver_asks_for_another_try_then(tmp_path: Path) -> None:
    own = OwnSocket(tmp_path, FOR_DELIVER)
    thread = threading.Thread(target=lambda: own.socket.accept()[0].close())
    thread.start()
    assert run(tmp_path, "deliver", *TO, stdin=HELP).exit_code == os.EX_TEMPFAIL
    thread.join()
    own.close()
    assert list(tmp_path.iterdir()) == []


def test_a_full_server_asks_for_another_try(tmp_path: Path) -> None:
    home, limits = home_of(tmp_path), ConnectionLimits()
    for _ in range(MOST_CONNECTIONS):
        limits.admit(None)
    with listening_at_home_of(home, ADDRESS, limits):
        reply = hand_over(tmp_path, handed(HELP, None, None))
    assert reply
    assert reply.code == 421


def test_nothing_is_handed_over_where_nobody_listens(tmp_path: Path) -> None:
    mail = handed(HELP, None, None)
    assert hand_over(tmp_path / "nowhere", mail) is None
    assert hand_over(tmp_path, mail) is None
    left = OwnSocket(tmp_path, FOR_DELIVER)
    left.socket.close()  # as if the process had died
    assert hand_over(tmp_path, mail) is None


def test_who_says_nothing_is_not_waited_for(tmp_path: Path) -> None:
    with listening_at_home_of(home_of(tmp_path), ADDRESS, patience=Patience(idle=0.05)):
        connection = connect(tmp_path, FOR_DELIVER)
        assert connection
        with connection:
            connection.settimeout(PATIENCE)
            said = b""
            while more := connection.recv(100):
                said += more
    assert said.splitlines()[1:] == [b"421 4.4.2 nothing has come for too long"]


@pytest.mark.parametrize(
    ("sender", "known"),
    [(None, None), ("", ""), ("<>", ""), (ALICE, ALICE), ("j\u00fcrgen@b.c", "j\u00fcrgen@b.c")]
    + [(each, None) for each in ("alice", "a b@c.d", "a@b\nc", "a@\udcff")],
)
def test_a_sender_that_is_no_address_is_not_known(sender: str | None, known: str | None) -> None:
    assert handed(b"x\r\ny\n", sender, ADDRESS) == (b"x\r\ny\r\n", known, (ADDRESS,))


def test_an_outage_is_one_for_all_mails_and_told_as_by_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def warned(seconds: int, relay: Endpoint) -> list[str]:
        """Bring a mail from somebody else some seconds after noon, and return the warnings."""
        (tmp_path / "pbm_oust.toml").write_text(f'relay = "smtp://{relay}"\n')
        monkeypatch.setattr(SqliteDatabase, "time", lambda _: NOON.timestamp() + seconds)
        caplog.clear()
        mail = HELP.replace(b"alice", f"alice{seconds}".encode())
        assert run(tmp_path, "deliver", stdin=mail).exit_code == os.EX_OK
        return [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]

    with listening_sink() as (sink, relay):
        assert warned(0, relay) == []
        sink.refuses_senders, sink.refusal = True, "452 4.3.1 no room"
        assert warned(10, relay) == ["letters stay in the outbox, 1 of them: 452 4.3.1 no room"]
        assert warned(20, relay) == []
    assert warned(3600, relay) == []
    (again,) = warned(3611, relay)
    assert again.startswith("letters stay in the outbox since 2026-11-20T12:00:10Z, 4 of them: ")
    with listening_sink() as (sink, relay):
        ended = ["letters leave again; 4 have waited since 2026-11-20T12:00:10Z"]
        assert warned(7200, relay) == ended
        assert len(sink.taken) == 5
        assert warned(7300, relay) == []
