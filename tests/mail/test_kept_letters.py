"""Letters that the outbox keeps as data: they are written by whoever sends them."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path

import pytest

from pbm_oust.mail.flush import Flushed, Relaying
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head, Letter, hold_letters
from pbm_oust.store.upkeep import release_letters, turn_letters_into_files
from tests.support.command_line import run
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of, mailed
from tests.support.outbox import letters, post
from tests.support.player import read_maildir
from tests.support.processes import processes_of
from tests.support.server import PROGRAM, letters_in, running
from tests.support.sink import Sink, listening_sink
from tests.support.waiting import PATIENCE, wait_until

CHALLENGE = "oust challenge alice bob wonderland -size=5"
MOVE = "oust move 1 alice wonderland C3"
NOWHERE = "127.0.0.1:1"
"""A relay that nobody is at."""
ANSWER = "oust move 1 bob lookingglass D4"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a relay, and two players."""
    home = home_of(tmp_path / "home", ALICE, BOB)
    home.has_relay = True
    return home


@pytest.fixture
def sink() -> Iterator[tuple[Sink, Endpoint]]:
    with listening_sink() as relay:
        yield relay


def relaying(home: Home, relay: Endpoint) -> Relaying:
    return Relaying(home, relay, ADDRESS, lambda: time.time())


def kept(home: Home) -> list[Letter]:
    """Return the letters of an outbox that are not written."""
    return [each for each in home.outbox.listed() if not each.is_written]


def damage(home: Home, number: int) -> None:
    """Let a letter not be written from what is kept of it."""
    change = "UPDATE letters SET content = ? WHERE id = ?"
    home.database.write(lambda transaction: transaction.run(change, b"{", number))


def mend(home: Home, number: int, content: bytes) -> None:
    change = "UPDATE letters SET content = ?, next_try = 0 WHERE id = ?"
    home.database.write(lambda transaction: transaction.run(change, content, number))


def content_of(home: Home, number: int) -> bytes:
    (row,) = home.ask(lambda each: each.rows("SELECT content FROM letters WHERE id = ?", number))
    return bytes(row[0])


def subjects(sink: Sink) -> list[str]:
    """Return what a relay has taken, to whom and with which Subject, in its order."""
    found = [message_from_bytes(bytes(sent.original_content or b"")) for sent in sink.taken]
    return [f"{each['To']}: {each['Subject']}" for each in found]


def ids(sink: Sink) -> list[str]:
    found = [message_from_bytes(bytes(sent.original_content or b"")) for sent in sink.taken]
    return [str(each["Message-ID"]) for each in found]


def test_the_letters_of_a_move_are_kept_as_data_until_they_leave(
    home: Home, sink: tuple[Sink, Endpoint]
) -> None:
    mailed(home, ALICE, CHALLENGE)
    mailed(home, ALICE, MOVE)
    assert len(kept(home)) == 4
    assert all(len(content_of(home, each.id)) < 400 for each in kept(home))
    shown = {each.name: each.data for each in letters(home)}
    assert relaying(home, sink[1]).flush() == Flushed(sent=4)
    taken = [bytes(each.original_content or b"") for each in sink[0].taken]
    assert sorted(taken) == sorted(data.replace(b"\n", b"\r\n") for data in shown.values())
    assert [each for each in subjects(sink[0]) if each.startswith("bob")] == [
        "bob@example.net: alice challenges you: oust 1",
        "bob@example.net: oust 1 #2: your turn, bob",
    ]


def test_one_that_is_put_off_is_kept_as_it_was_written(tmp_path: Path) -> None:
    slow = home_of(tmp_path / "home", "alice@example.org")
    slow.has_relay = True
    with listening_sink() as (relay, endpoint):
        relay.refuses_senders, relay.refusal = True, "451 4.3.0 later"
        mailed(slow, ALICE, "oust challenge alice house1 wonderland -size=5")
        relaying(slow, endpoint).flush()
        relay.refuses_senders = False
        (letter,) = slow.outbox.listed()
        assert letter.is_written
        assert (letter.failures, letter.reason) == (1, "451 4.3.0 later")
        assert not letter.is_leaving
        assert slow.outbox.read(next(iter(slow.outbox.letters()))).startswith(b"From: ")
        assert relaying(slow, endpoint).flush(all_letters=True) == Flushed(sent=1)
        assert ids(relay) == [letter.head.message_id]


def test_one_that_cannot_be_written_waits_by_itself_and_is_told_when_it_can(
    home: Home, sink: tuple[Sink, Endpoint], caplog: pytest.LogCaptureFixture
) -> None:
    mailed(home, ALICE, CHALLENGE)
    (challenge,) = [each for each in kept(home) if each.head.recipient == BOB]
    content = content_of(home, challenge.id)
    damage(home, challenge.id)
    assert relaying(home, sink[1]).flush() == Flushed(sent=1, kept=1)
    mailed(home, ALICE, MOVE)
    assert relaying(home, sink[1]).flush() == Flushed(sent=2)
    (letter,) = home.outbox.listed()
    assert letter.is_put_aside
    assert not letter.is_leaving
    assert letter.next_try > home.now() + timedelta(minutes=55)
    name = home.outbox.letters()[0]
    assert f"letter {name} cannot be written" in caplog.text
    found = run(home.path, "doctor").output
    assert "1 letter cannot be written, and will be tried again" in found
    assert name in found
    assert "cannot be written" in run(home.path, "outbox", "show", name).stderr
    assert json.loads(run(home.path, "outbox", "list", "--json").output)[0]["name"] == name
    mend(home, letter.id, content)
    assert relaying(home, sink[1]).flush() == Flushed(sent=1)
    assert subjects(sink[0])[-1] == "bob@example.net: alice challenges you: oust 1"


def test_nor_do_files_wait_for_it(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", ALICE, BOB)
    home.has_sender = True
    mailed(home, ALICE, CHALLENGE)
    first, second = kept(home)
    damage(home, first.id)
    home.has_sender = False
    home.recover()
    assert len(read_maildir(home.path / "outbox")) == 1
    assert [each.id for each in kept(home)] == [first.id]
    assert not second.is_put_aside
    name = home.outbox.letters()[0]
    assert run(home.path, "outbox", "remove", name).output == f"removed {name}\n"


def test_what_keeps_all_letters_from_being_written_leaves_them_as_they_were(
    home: Home, sink: tuple[Sink, Endpoint]
) -> None:
    mailed(home, ALICE, CHALLENGE)
    away = home.key_path.rename(home.path / "elsewhere")
    begun = Home(home.path)
    open_inbound(begun, ADDRESS, begun.now)
    with pytest.raises(OSError, match=home.key_path.name):
        relaying(begun, sink[1]).flush()
    assert [(each.is_leaving, each.reason) for each in kept(home)] == [(False, "")] * 2
    away.rename(home.key_path)
    assert relaying(home, sink[1]).flush() == Flushed(sent=2)


def test_letters_of_the_version_before_leave_in_their_place(
    home: Home, sink: tuple[Sink, Endpoint]
) -> None:
    mailed(home, ALICE, CHALLENGE)
    content = f"From: {ADDRESS}\nTo: {BOB}\nSubject: old\nMessage-ID: <1@x>\n\nhello\n".encode()
    post(home, Draft(Head(BOB, "<1@x>", "old"), content, NOON))
    mailed(home, ALICE, MOVE)
    assert relaying(home, sink[1]).flush() == Flushed(sent=5)
    assert [each.partition(": ")[2] for each in subjects(sink[0]) if each.startswith("bob")] == [
        "alice challenges you: oust 1",
        "old",
        "oust 1 #2: your turn, bob",
    ]


@pytest.mark.parametrize("is_relayed", [True, False])
def test_they_outlive_a_hold_and_a_change_of_the_relay(
    home: Home, sink: tuple[Sink, Endpoint], is_relayed: bool
) -> None:
    mailed(home, ALICE, CHALLENGE)
    home.do(hold_letters)
    assert relaying(home, sink[1]).flush() == Flushed()
    assert len(kept(home)) == 2
    assert release_letters(home, home.now()) == 2
    if is_relayed:
        assert relaying(home, sink[1]).flush() == Flushed(sent=2)
        return
    home.has_relay = False
    turn_letters_into_files(home)
    assert len(read_maildir(home.path / "outbox")) == 2
    assert kept(home) == []


def test_a_move_whose_letter_has_not_left_is_taken_back_with_it(home: Home) -> None:
    mailed(home, ALICE, CHALLENGE)
    mailed(home, ALICE, MOVE)
    mailed(home, ALICE, "oust undo 1 alice wonderland")
    (to_bob,) = [each for each in home.outbox.listed() if each.head.recipient == BOB]
    assert to_bob.head.about
    assert to_bob.head.about.record == 0


def test_nobody_takes_a_letter_back_whose_sender_has_died(
    home: Home, sink: tuple[Sink, Endpoint]
) -> None:
    mailed(home, ALICE, CHALLENGE)
    leaving = "UPDATE letters SET is_leaving = 1"
    home.database.write(lambda transaction: transaction.run(leaving))
    assert relaying(home, sink[1]).flush() == Flushed(sent=2)


def test_a_letter_that_waits_when_the_server_starts_may_have_left_before_a_power_cut(
    home: Home,
) -> None:
    mailed(home, ALICE, CHALLENGE)
    mailed(home, ALICE, MOVE)
    with running(configured(home, NOWHERE).path):
        pass
    mailed(home, ALICE, "oust undo 1 alice wonderland")
    asked = [each.head.about for each in home.outbox.listed() if each.head.recipient == BOB]
    assert [about and about.record for about in asked] == [0, 1, 2]  # the last one asks him


# The process beside a server


def sender_of(server: subprocess.Popen[str]) -> int:
    (sender,) = wait_until(lambda: processes_of(server.pid, "send"), "a sender")
    return sender


def moves(home: Path, most: int) -> Iterator[tuple[str, str]]:
    """Yield moves of alice and bob in turn, with who sends them."""
    cells = [f"{column}{row}" for row in range(1, 26, 2) for column in "ABCDEFGH"]
    for number, cell in zip(range(most), cells, strict=False):
        userid, password = (("alice", "wonderland"), ("bob", "lookingglass"))[number % 2]
        yield (ALICE, BOB)[number % 2], f"oust move 1 {userid} {password} {cell}"


def play(home: Home, most: int, kill: Callable[[], None], every: int) -> None:
    for number, (sender, line) in enumerate(moves(home.path, most)):
        send(home, sender, line)
        if number % every == every - 1:
            kill()


def send(home: Home, sender: str, line: str) -> None:
    data = f"From: {sender}\nSubject: {line}\n\n"
    given = run(home.path, "deliver", "--sender", sender, stdin=data)
    assert given.exit_code == 0, given.stderr


def configured(home: Home, relay: str = "") -> Home:
    lines = f'address = "{ADDRESS}"\n' + (f'relay = "smtp://{relay}"\n' if relay else "")
    home.configuration.write_text(lines)
    home.close()
    return home


BIG = "oust challenge alice bob wonderland -size=25 -noswap"


@pytest.mark.slow
@pytest.mark.parametrize("dies", ["sender", "server"])
def test_each_letter_becomes_a_file_once_whoever_is_killed(tmp_path: Path, dies: str) -> None:
    home = configured(home_of(tmp_path / "home", ALICE, BOB, mails=[(ALICE, BIG)]))
    with running(home.path) as server:

        def kill() -> None:
            os.kill(sender_of(server.process), signal.SIGKILL)

        if dies == "sender":
            play(home, 24, kill, every=4)
        else:
            for sender, line in moves(home.path, 6):
                send(home, sender, line)
            server.process.kill()
            server.process.communicate(timeout=PATIENCE)
    if dies == "server":
        with running(home.path):
            wait_until(lambda: len(letters_in(home.path)) == 2 + 2 * 6, "all letters")
    count = 24 if dies == "sender" else 6
    there = letters_in(home.path).values()
    found = [(str(each["To"]), str(each["Subject"])) for each in there]
    for address in (ALICE, BOB):
        told = [subject for to, subject in found if to == address and "#" in subject]
        assert _numbers(told) == sorted(_numbers(told))
        assert set(_numbers(told)) >= set(range(2, count + 2))
    assert len(found) == len(set(found)) == 2 + 2 * count


@pytest.mark.slow
def test_each_letter_reaches_the_relay_in_order_though_its_sender_is_killed(
    tmp_path: Path, sink: tuple[Sink, Endpoint]
) -> None:
    relay, endpoint = sink
    home = configured(home_of(tmp_path / "home", ALICE, BOB, mails=[(ALICE, BIG)]), str(endpoint))
    with running(home.path, "--relay", f"smtp://{endpoint}") as server:
        play(home, 24, lambda: os.kill(sender_of(server.process), signal.SIGKILL), every=4)
        wait_until(lambda: not home.outbox.listed(), "all letters at the relay")
    # One that was on its way is handed over again, and is the same letter.
    latest = dict.fromkeys(ids(relay))
    assert len(latest) == 2 + 2 * 24
    for address in (ALICE, BOB):
        told = [each for each in subjects(relay) if each.startswith(address) and "#" in each]
        assert _numbers(told) == sorted(_numbers(told))


def _numbers(subjects: list[str]) -> list[int]:
    return [int(each.split("#")[1].split(":")[0]) for each in subjects]


@pytest.mark.slow
def test_letters_leave_by_another_relay_after_sighup(
    tmp_path: Path, sink: tuple[Sink, Endpoint]
) -> None:
    home = configured(home_of(tmp_path / "home", ALICE, BOB), "127.0.0.1:1")
    command = [PROGRAM, "--home", str(home.path)]
    with running(home.path) as server:
        send(home, ALICE, CHALLENGE)
        first = sender_of(server.process)
        configured(home, str(sink[1]))
        server.process.send_signal(signal.SIGHUP)
        sink[0].wait_for(2)
        wait_until(lambda: not home.outbox.listed(), "both letters noted")
        assert sender_of(server.process) != first
        os.kill(sender_of(server.process), signal.SIGSTOP)
        send(home, ALICE, MOVE)
        listed = subprocess.run([*command, "outbox", "list"], capture_output=True, text=True)
        assert "oust 1 #2: your turn, bob" in listed.stdout
        os.kill(sender_of(server.process), signal.SIGCONT)
        sink[0].wait_for(4)
    assert home.outbox.listed() == []
