"""What is said to the relay, letter by letter, and what its replies mean."""

import smtplib
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

import pytest

from pbm_oust.mail import conversation as module
from pbm_oust.mail.conversation import Conversation, Refused, Stalled, connected
from pbm_oust.store.configuration import Endpoint
from tests.support.waiting import PATIENCE

SENDER, RECIPIENT = "pbmserv+bounces.x@example.com", "alice@example.org"
MAIL = b"MAIL FROM:<pbmserv+bounces.x@example.com>\r\n"
RCPT = b"RCPT TO:<alice@example.org>\r\n"
DATA = b"DATA\r\n"
PLAIN, PIPELINING = "250 relay", "250-relay\r\n250 PIPELINING"
Turn = tuple[bytes, str]


@contextmanager
def talking(
    offer: str, *turns: Turn, pause: float = 0.0, at_last: Callable[[], None] = lambda: None
) -> Iterator[Conversation]:
    """Begin a conversation with a relay that hears and says exactly this, with pauses.

    `at_last` is called before the relay says the last of it.
    """
    failed = list[str]()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            client, _ = server.accept()
            with client:
                client.sendall(b"220 relay\r\n")
                _heard(client, b"ehlo example.com\r\n")
                client.sendall(f"{offer}\r\n".encode())
                for number, (expected, reply) in enumerate(turns, 1):
                    time.sleep(pause)
                    if (heard := _heard(client, expected)) != expected:
                        failed.append(f"{heard!r} instead of {expected!r}")
                        return
                    if number == len(turns):
                        at_last()
                    client.sendall(reply.encode())
                _hear_out(client)

        thread = threading.Thread(target=serve)
        thread.start()
        with connected(Endpoint("127.0.0.1", server.getsockname()[1]), "x@example.com") as smtp:
            yield Conversation(smtp)
        thread.join()
    assert failed == []


def _hear_out(client: socket.socket) -> None:
    """Read what else is said, and say nothing to it but goodbye."""
    with suppress(OSError):
        while said := client.recv(100):
            if said.lower().startswith(b"quit"):
                client.sendall(b"221 bye\r\n")


def _heard(client: socket.socket, expected: bytes) -> bytes:
    client.settimeout(PATIENCE)
    heard = b""
    while len(heard) < len(expected) and (
        more := client.recv(min(len(expected) - len(heard), 1 << 20))
    ):
        heard += more
    return heard


def hand_over(
    conversation: Conversation,
    letter: bytes = b"Subject: x\r\n\r\n.\r\n..y\r\n",
    options: Sequence[str] = (),
    is_waited_for: Callable[[], bool] = lambda: False,
) -> Refused | None:
    return conversation.hand_over(SENDER, RECIPIENT, letter, list(options), is_waited_for)


SENT = b"Subject: x\r\n\r\n..\r\n...y\r\n.\r\n"


def test_a_letter_is_handed_over_command_by_command() -> None:
    turns = [(MAIL, "250 OK\r\n"), (RCPT, "250 OK\r\n"), (DATA, "354 go\r\n"), (SENT, "250 OK\r\n")]
    with talking(PLAIN, *turns, *turns) as conversation:
        assert hand_over(conversation) is None
        assert hand_over(conversation) is None


def test_a_relay_that_takes_pipelines_gets_all_commands_at_once() -> None:
    turns = [(MAIL + RCPT + DATA, "250 OK\r\n250 OK\r\n354 go\r\n"), (SENT, "250-O\r\n250 K\r\n")]
    with talking(PIPELINING, *turns, *turns) as conversation:
        assert hand_over(conversation) is None
        assert hand_over(conversation) is None


def test_a_relay_that_takes_a_letter_slowly_gets_it_whole() -> None:
    letter = b"x" * 8_000_000 + b"\r\n"
    begun = [(MAIL + RCPT + DATA, "250 OK\r\n"), (b"", "250 OK\r\n354 go\r\n")]
    with talking(PIPELINING, *begun, (letter + b".\r\n", "250 OK\r\n"), pause=0.1) as conversation:
        assert hand_over(conversation, letter) is None


def test_options_follow_the_sender() -> None:
    begun = MAIL.replace(b"\r\n", b" SMTPUTF8 BODY=8BITMIME SIZE=3\r\n")
    turns = [(begun, "250 OK\r\n"), (RCPT, "251 OK\r\n"), (DATA, "354 go\r\n")]
    with talking("250-relay\r\n250 SIZE 1000", *turns, (b"a\r\n.\r\n", "250 OK\r\n")) as client:
        assert hand_over(client, b"a\r\n", ["SMTPUTF8", "BODY=8BITMIME"]) is None


def test_a_letter_without_a_last_line_end_gets_one() -> None:
    turns = [(MAIL, "250 OK\r\n"), (RCPT, "250 OK\r\n"), (DATA, "354 go\r\n")]
    with talking(PLAIN, *turns, (b"..a\r\n.\r\n", "250 OK\r\n")) as conversation:
        assert hand_over(conversation, b".a") is None


@pytest.mark.parametrize("offer", [PLAIN, PIPELINING])
@pytest.mark.parametrize(
    ("replies", "refused"),
    [
        (["550 5.7.1 no"], Refused("550 5.7.1 no", False, "5.7.1", is_about_us=True)),
        (["250 OK", "550 5.1.1 no"], Refused("550 5.1.1 no", True, "5.1.1")),
        (["250 OK", "450 later"], Refused("450 later", False, "4.0.0")),
        (["250 OK", "250 OK", "554 no"], Refused("554 no", True, "5.0.0")),
        (["250 OK", "250 OK", "354 go", "554 no"], Refused("554 no", True, "5.0.0")),
    ],
)
def test_after_a_refusal_the_relay_forgets_the_letter(
    offer: str, replies: list[str], refused: Refused
) -> None:
    said = [MAIL, RCPT, DATA, SENT]
    if offer == PIPELINING:
        answered = (replies + ["503 no"] * 3)[:3]
        turns = [(MAIL + RCPT + DATA, "".join(f"{each}\r\n" for each in answered))]
        turns += [(SENT, f"{each}\r\n") for each in replies[3:]]
    else:
        turns = [(each, f"{reply}\r\n") for each, reply in zip(said, replies, strict=False)]
    with talking(offer, *turns, (b"RSET\r\n", "250 OK\r\n")) as conversation:
        assert hand_over(conversation) == refused
        assert conversation.is_open


def test_a_relay_that_awaits_a_letter_without_a_recipient_gets_an_empty_one() -> None:
    begun = (MAIL + RCPT + DATA, "250 OK\r\n550 no\r\n354 go\r\n")
    turns = [begun, (b".\r\n", "554 no recipients\r\n"), (b"RSET\r\n", "250 OK\r\n")]
    with talking(PIPELINING, *turns) as conversation:
        assert hand_over(conversation) == Refused("550 no", True, "5.0.0")


def test_a_relay_that_says_goodbye_has_gone() -> None:
    with talking(PLAIN, (MAIL, "421 4.3.2 bye\r\n")) as conversation:
        refused = hand_over(conversation)
        assert refused == Refused("421 4.3.2 bye", False, "4.3.2", is_about_us=True)
        assert not conversation.is_open


@pytest.mark.parametrize("reply", ["hello\r\n", "250 OK", "x" * 70_000])
def test_a_relay_that_speaks_otherwise_has_gone(
    reply: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with talking(PLAIN, (MAIL, reply)) as conversation:
        monkeypatch.setattr(module, "PATIENCE", 0.2)
        with pytest.raises((smtplib.SMTPServerDisconnected, TimeoutError)):
            hand_over(conversation)
        assert not conversation.is_open


def test_who_is_long_over_a_recipient_is_left_only_while_others_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "HOLD_UP", 0.5)
    for others, error, patience in (([1], Stalled, PATIENCE), ([], TimeoutError, 3.0)):
        with talking(PLAIN, (MAIL, "250 OK\r\n")) as conversation:
            monkeypatch.setattr(module, "PATIENCE", patience)
            with pytest.raises(error):
                hand_over(conversation, is_waited_for=partial(bool, others))
            assert not conversation.is_open


def test_who_is_long_over_the_sender_or_the_letter_is_not_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hurry() -> None:
        monkeypatch.setattr(module, "HOLD_UP", 0.0)
        monkeypatch.setattr(module, "PATIENCE", 0.2)

    begun = [(MAIL, "250 OK\r\n"), (RCPT, "250 OK\r\n"), (DATA, "354 go\r\n")]
    with talking(PLAIN, *begun, at_last=hurry) as conversation, pytest.raises(TimeoutError):
        hand_over(conversation, is_waited_for=lambda: True)
    monkeypatch.undo()
    with talking(PLAIN) as conversation:
        hurry()
        with pytest.raises(TimeoutError):
            hand_over(conversation, is_waited_for=lambda: True)
