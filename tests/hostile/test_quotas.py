"""What mails may cause is bounded; a right password, answer or code never goes unanswered."""

import smtplib
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from pbm_oust.doctor import Examiner
from pbm_oust.doctor.home import check_limits
from pbm_oust.mail.clients import Patience
from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.store.home import Home
from pbm_oust.store.limits import USUAL_LIMITS, Counted, Limits
from tests.support.accounts import codes
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, CAROL, NOON, Talk, new_id
from tests.support.listening import ADDRESS as LISTENER
from tests.support.listening import listening
from tests.support.mails import mail
from tests.support.outbox import letters
from tests.support.rings import first_is_fast
from tests.support.server import ADDRESS as SERVER
from tests.support.server import running
from tests.support.waiting import PATIENCE, has_news, wait_until

MALLORY = "mallory@example.com"
RIGHT = "oust showas alice wonderland all"


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.begin(tmp_path / "home", ALICE, BOB, CAROL)


@contextmanager
def nothing_written(talk: Talk) -> Iterator[None]:
    """Check that nothing is written while the body runs."""
    log = talk.home.database_path.with_name("pbm_oust.db-wal")
    talk.home.database.empty_log()
    before = log.stat().st_size
    yield
    assert log.stat().st_size == before


def test_many_signups_write_to_few_addresses(talk: Talk) -> None:
    for nth in range(10):
        others = " ".join(f"friend{nth}.{each}@example.net" for each in range(5))
        talk.send(MALLORY, f"signup zoe{nth} rabbithole {others}")
    assert len(list(codes(talk.home))) <= USUAL_LIMITS.most(Counted.CODES_OF_ASKER)


@pytest.mark.slow
def test_so_do_those_of_many_forged_senders_from_one_host(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home")
    with listening(talk.home) as port, smtplib.SMTP("127.0.0.1", port) as client:
        for nth in range(20):
            sender = f"mallory{nth}@example.com"
            line = f"Subject: signup zoe{nth} rabbithole friend{nth}@example.net"
            client.sendmail(sender, [LISTENER], mail(f"From: {sender}", line, new_id()))
    most = USUAL_LIMITS.most(Counted.SIGNUPS_OF_SOURCE)
    written_to = {letter.to for letter in letters(talk.home)}
    assert len(list(codes(talk.home))) == most
    # One refusal says until when, and then all is silent.
    assert len([address for address in written_to if address.startswith("mallory")]) == most + 1


def test_answers_to_a_stranger_end_with_one_that_says_until_when(talk: Talk) -> None:
    for nth in range(USUAL_LIMITS.most(Counted.ANSWERS)):
        assert talk.send(MALLORY, f"oust show {'alice' if nth % 2 else 'bob'}")
    assert talk.send(MALLORY, "oust show carol") == [f"{MALLORY}: not done"]
    assert "At most 10 answers an hour go to mails like this one" in talk.text_to(MALLORY)
    assert "Send this again after 20 November 2026, 13:00 UTC" in talk.text_to(MALLORY)
    for line in ("list", "oust show alice", "nonsense", "signup zoe rabbithole"):
        with nothing_written(talk):
            assert talk.send(MALLORY, line) == []
        assert talk.outcome == "silent: the limit answers_an_hour"
    talk.now = NOON + timedelta(hours=1)
    assert talk.send(MALLORY, "list")


def test_nothing_that_strangers_cause_keeps_a_player_from_a_code(talk: Talk) -> None:
    most = 30
    inbound = open_inbound(talk.home, ADDRESS, lambda: NOON, Limits({Counted.ALL_CODES: most}))
    few = {Counted.ANSWERS_TO_PLAYERS: 3, Counted.ALL_ANSWERS: 10, Counted.ALL_CODES: most}
    talk.limits = Limits(few)
    for nth in range(12):
        friends = " ".join(f"friend{nth}.{each}@example.net" for each in range(5))
        data = mail(f"From: m{nth}@x.example", f"Subject: signup zoe{nth} rabbit {friends}")
        inbound.take(data, Envelope(f"m{nth}@x.example", (ADDRESS,), f"192.0.2.{nth // 3}"))
    assert len(list(codes(talk.home))) == most
    for nth in range(12):
        talk.send(ALICE, f"help {nth}")
        talk.send(f"mallory{nth}@example.com", "help")
    assert talk.send("zoe@example.net", "signup zoe rabbithole") == []
    assert talk.send(ALICE, "forgot alice") == [f"{ALICE}: please confirm a new password for alice"]
    talk.send(
        ALICE, "Re: code", "password lookingglass", to=talk.letter_to(ALICE)["Reply-To"] or ""
    )
    assert talk.outcome == "done: verify"


def test_many_strangers_keep_a_player_from_a_further_code_for_an_hour(talk: Talk) -> None:
    asked = [talk.send(f"mallory{nth}@example.com", "forgot alice") for nth in range(30)]
    to_alice = [each for sent in asked for each in sent if each.startswith(ALICE)]
    assert len(to_alice) == USUAL_LIMITS.most(Counted.OWNER_CODES)
    assert talk.send(ALICE, "forgot alice") == []
    assert talk.outcome == "silent: too many codes to an address"
    talk.now = NOON + timedelta(hours=1)
    assert talk.send(ALICE, "forgot alice")


@pytest.mark.slow
def test_mails_in_flight_draw_no_more_equal_refusals_than_one_after_the_other(
    tmp_path: Path,
) -> None:
    talk = Talk.begin(tmp_path / "home")
    with listening(talk.home) as port, ThreadPoolExecutor(24) as clients:

        def send(nth: int) -> None:
            data = mail(f"From: {MALLORY}", "Subject: oust frobnicate", new_id(), text=str(nth))
            with smtplib.SMTP("127.0.0.1", port, "x", 60, (f"127.0.1.{nth}", 0)) as client:
                client.sendmail(MALLORY, [LISTENER], data)

        list(clients.map(send, range(1, 25)))
    refusals = [each for each in letters(talk.home) if each.subject == "not understood"]
    assert len(refusals) == USUAL_LIMITS.most(Counted.EQUAL_REFUSALS)


def test_a_player_gets_more_answers_but_not_without_end(talk: Talk) -> None:
    for nth in range(USUAL_LIMITS.most(Counted.ANSWERS_TO_PLAYERS)):
        assert talk.send(ALICE, f"oust show {'bob' if nth % 2 else 'carol'}")
    assert talk.send(ALICE, "oust show eve") == [f"{ALICE}: not done"]
    assert talk.send(ALICE, "oust show eve") == []


def test_what_proves_something_is_never_left_unanswered(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob wonderland")
    board = talk.letter_to(ALICE)["Reply-To"] or ""
    talk.send(MALLORY, "forgot alice")
    code = talk.letter_to(ALICE)["Reply-To"] or ""
    limits = Limits(dict.fromkeys((Counted.ANSWERS, Counted.ANSWERS_TO_PLAYERS, Counted.HELP), 0))
    talk.limits = limits
    for sender in (MALLORY, ALICE):
        talk.send(sender, "help")
        assert talk.send(sender, "help") == []
    assert talk.send(MALLORY, RIGHT)
    assert talk.send(MALLORY, "multiple", RIGHT)
    assert talk.send(ALICE, "Re: board", "D4", to=board)
    assert talk.outcome == "done: move"
    assert talk.send(ALICE, "Re: code", "password lookingglass", to=code)
    assert talk.outcome == "done: verify"


def test_a_multiple_of_strangers_lines_ends_at_the_limit(talk: Talk) -> None:
    lines = "\n".join(["oust show alice"] * 20)
    talk.send(MALLORY, "multiple", lines)
    assert "At most 10 answers an hour" in talk.text_to(MALLORY)
    assert talk.send(MALLORY, "multiple", lines) == []


def test_a_player_starts_so_many_boards_a_day(talk: Talk) -> None:
    talk.limits = Limits({Counted.CHALLENGES: 2})
    for nth in range(2):
        assert len(talk.send(ALICE, "oust challenge alice bob wonderland", number=nth + 1)) == 2
    refused = talk.send(ALICE, "oust challenge alice carol wonderland", number=3)
    assert refused == [f"{ALICE}: not done"]
    assert "A player can start at most 2 boards a day." in talk.text_to(ALICE)
    assert talk.send(ALICE, "churn challenge alice carol wonderland", number=4) == []
    # The same mail once more is answered with its board.
    assert talk.send(ALICE, "oust challenge alice bob wonderland", number=1)
    assert talk.outcome == "done before"
    talk.now = NOON + timedelta(days=1)
    assert len(talk.send(ALICE, "oust challenge alice carol wonderland")) == 2


def test_a_player_sends_so_many_messages_a_day_and_fewer_to_one(talk: Talk) -> None:
    for nth in range(10):
        assert len(talk.send(ALICE, "message alice wonderland bob", f"Hello {nth}")) == 2
    assert talk.send(ALICE, "message alice wonderland bob", "Once more") == [f"{ALICE}: not done"]
    assert "10 messages a day are passed on from one player to another" in talk.text_to(ALICE)
    assert talk.send(ALICE, "message alice wonderland bob", "And again") == []
    assert len(talk.send(ALICE, "message alice wonderland carol", "Hello")) == 2
    talk.limits = Limits({Counted.MESSAGES: 12})
    assert len(talk.send(ALICE, "message alice wonderland carol", "Hello 2")) == 2
    assert talk.send(ALICE, "message alice wonderland carol", "Hello 3") == [f"{ALICE}: not done"]
    assert "12 messages a day are passed on from one player to others" in talk.text_to(ALICE)


def test_chat_counts_like_messages(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob wonderland")
    talk.limits = Limits({Counted.MESSAGES_TO_ONE: 2})
    for nth in range(2):
        assert len(talk.send(ALICE, "oust chat 1 alice wonderland", f"Hello {nth}")) == 2
    assert [
        each.partition(":")[0] for each in talk.send(ALICE, "oust chat 1 alice wonderland", "x")
    ] == [ALICE]
    assert talk.outcome == "refused: too_much"


def test_nobody_is_written_to_by_those_whom_they_reject(talk: Talk) -> None:
    talk.send(BOB, "reject bob lookingglass alice")
    assert talk.send(ALICE, "message alice wonderland bob", "Hello") == [f"{ALICE}: not done"]
    assert "bob accepts no messages from alice at present." in talk.text_to(ALICE)
    assert all(BOB not in each for each in talk.send(ALICE, "broadcast alice wonderland", "Hello"))


def test_a_player_sends_so_many_commands_an_hour(talk: Talk) -> None:
    talk.limits = Limits({Counted.MOVES: 3})
    for _ in range(3):
        assert talk.send(ALICE, RIGHT)
    assert talk.send(ALICE, RIGHT) == [f"{ALICE}: not done"]
    assert talk.send(ALICE, RIGHT) == []
    assert talk.send(BOB, "oust showas bob lookingglass all")


@pytest.mark.slow
def test_the_right_password_is_not_told_after_many_wrong_ones(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob wonderland")
    board = talk.letter_to(ALICE)["Reply-To"] or ""
    for nth in range(40):
        talk.send(f"mallory{nth}@example.com", f"oust showas alice rabbithole{nth} all")
    for line, text in (
        (RIGHT, ""),
        ("multiple", RIGHT),
        ("oust challenge alice bob wonderland", ""),
    ):
        talk.send(MALLORY, line, text)
        assert "none is taken for it until" in " ".join(talk.text_to(MALLORY).split())
    assert talk.send(BOB, "churn challenge alice bob lookingglass")
    talk.send(ALICE, "Re: board", "D4", to=board)
    assert talk.outcome == "done: move"
    talk.send(ALICE, "forgot alice")
    code = talk.letter_to(ALICE)["Reply-To"] or ""
    talk.send(ALICE, "Re: code", "password jabberwocky", to=code)
    assert talk.send(ALICE, "oust showas alice jabberwocky all")
    assert talk.outcome == "answered"


def test_passwords_are_taken_again_after_an_hour(talk: Talk) -> None:
    talk.limits = Limits({Counted.WRONG_PASSWORDS_OF_ACCOUNT: 3})
    for nth in range(3):
        talk.send(MALLORY, f"oust showas alice rabbithole{nth} all")
    talk.home.write_tally(NOON)
    assert talk.send(ALICE, RIGHT) == [f"{ALICE}: not done"]
    assert "until 20 November 2026, 13:00 UTC" in " ".join(talk.text_to(ALICE).split())
    talk.now = NOON + timedelta(hours=1)
    talk.send(ALICE, RIGHT)
    assert talk.outcome == "answered"


def test_the_owner_is_warned_once_a_day_of_wrong_passwords(talk: Talk) -> None:
    warned = []
    for nth in range(40):
        sent = talk.send(f"mallory{nth}@example.com", "oust showas alice rabbithole all")
        warned += [(nth, each) for each in sent if each.startswith(ALICE)]
    assert warned == [(9, f"{ALICE}: wrong passwords came for your account")]
    talk.now = NOON + timedelta(days=1)
    talk.home.write_tally(NOON)
    for nth in range(10):
        talk.send(f"mallory{nth}@example.com", "oust showas alice rabbithole all")
    assert [letter.to for letter in talk.letters] == [ALICE, "mallory9@example.com"]


def test_what_is_refused_without_an_answer_is_counted_for_the_operator(talk: Talk) -> None:
    talk.limits = Limits({Counted.ANSWERS: 0})
    for _ in range(5):
        talk.send(MALLORY, "list")
    assert talk.home.tally.number(Counted.SILENCES, "answers_an_hour") == 4


def test_limits_for_all_count_whoever_asks(talk: Talk) -> None:
    talk.limits = Limits({Counted.ALL_ANSWERS: 5})
    for nth in range(8):
        talk.send(f"mallory{nth}@example.com", "help")
    assert talk.outcome == "silent: the limit all_answers_an_hour"
    assert len(letters(talk.home)) == 6
    assert talk.send(ALICE, RIGHT)


def test_a_source_gets_so_many_answers_whatever_addresses_it_forges(talk: Talk) -> None:
    inbound = open_inbound(talk.home, ADDRESS, lambda: NOON, Limits({Counted.ANSWERS_TO_SOURCE: 5}))
    for source, expected in (("192.0.2.1", 6), ("192.0.2.2", 6), ("", 8)):
        before = len(letters(talk.home))
        for nth in range(8):
            sender = f"mallory{nth}@{source or 'none'}.example"
            data = mail(f"From: {sender}", "Subject: help", new_id())
            inbound.take(data, Envelope(sender, (ADDRESS,), source))
        assert len(letters(talk.home)) - before == expected


@pytest.mark.parametrize(("mail_servers", "waits"), [("", True), ("127.0.0.1", False)])
@pytest.mark.parametrize("line", first_is_fast(["oust showas alice rabbithole all", "multiple"]))
def test_a_stranger_waits_for_the_reply_to_a_wrong_password(
    talk: Talk, mail_servers: str, waits: bool, line: str
) -> None:
    patience = Patience(wrong_password=60)
    text = "oust show bob\r\noust showas alice rabbithole all"
    data = mail(f"From: {MALLORY}", f"Subject: {line}", new_id(), text=text)
    with (
        listening(talk.home, patience=patience, mail_servers=mail_servers) as port,
        smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as client,
    ):
        client.ehlo()
        client.mail(MALLORY)
        client.rcpt(LISTENER)
        assert client.docmd("DATA")[0] == 354
        client.send(data.replace(b"\r\n.", b"\r\n..") + b"\r\n.\r\n")
        wait_until(lambda: letters(talk.home), "the letter")
        assert isinstance(client.sock, socket.socket)
        if waits:
            assert not has_news(client.sock.fileno(), 0.2)
        else:
            assert client.getreply()[0] == 250
        client.close()


@pytest.mark.slow
def test_the_server_tells_the_operator_how_many_mails_got_no_answer(tmp_path: Path) -> None:
    with running(tmp_path) as server, smtplib.SMTP("127.0.0.1", server.port) as client:
        for nth in range(USUAL_LIMITS.most(Counted.HELP) + 3):
            data = mail(f"From: {MALLORY}", f"Subject: help {nth}", new_id())
            client.sendmail(MALLORY, [SERVER], data)
        home = Home(tmp_path)
        on = Examiner(home, "limits", home.configured, home.now())
        told = wait_until(lambda: list(check_limits(on)), "a note")
    assert [finding.text for finding in told] == [
        "2 mails within a day got no answer: help_answers_an_hour"
    ]


def test_whether_a_mail_proves_something_is_known_of_several_commands_too(talk: Talk) -> None:
    inbound = open_inbound(talk.home, ADDRESS, lambda: NOON)

    def is_proved(line: str, text: str = "") -> bool:
        data = mail(f"From: {MALLORY}", f"Subject: {line}", new_id(), text=text)
        return inbound.take(data, Envelope(MALLORY, (ADDRESS,))).is_proved

    assert is_proved(RIGHT)
    assert is_proved("multiple", f"help\r\n{RIGHT}")
    assert not is_proved("multiple", "help\r\noust show alice")
    assert not is_proved("help")
    assert not is_proved("oust showas alice rabbithole all")


def test_a_message_goes_to_few_players_at_a_time(talk: Talk) -> None:
    to = " ".join(f"player{nth}" for nth in range(11))
    assert talk.send(ALICE, f"message alice wonderland {to}", "Hello") == [f"{ALICE}: not done"]
    assert "A message goes to at most 10 players at a time." in talk.text_to(ALICE)
