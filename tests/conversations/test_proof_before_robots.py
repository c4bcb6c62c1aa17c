"""Mail with headers that lists and offices share with robots: commands count, robots do not."""

from itertools import product
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk, copy_of, home_of
from tests.support.mails import mail, parts

ANSWERED = tables.of(__file__)["commands that are answered"]

SHARED = [
    "X-Auto-Response-Suppress: DR, OOF, AutoReply",
    "X-Auto-Response-Suppress: All",
    "Precedence: bulk",
    "Precedence: list",
    "Precedence: junk",
    "List-Id: <games.lists.example.org>",
    "List-Unsubscribe: <mailto:leave@example.org>",
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
    "Mailing-List: list games@example.org",
    "X-Mailing-List: games",
    "X-Loop: forwarder@example.org",
    "Feedback-ID: 1:2:3:crm",
]
AUTOMATIC = [
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: auto-generated\r\nX-Auto-Response-Suppress: All",
    "Precedence: auto_reply",
    "X-Autoreply: yes",
    "X-Failed-Recipients: bob@example.net",
]
REACTION = "Content-Type: text/vnd.google.email-reaction+json\r\n\r\n{}"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Home:
    start = (ALICE, "oust challenge alice bob wonderland -size=5")
    return home_of(tmp_path_factory.mktemp("begun"), ALICE, BOB, mails=[start])


@pytest.fixture
def talk(begun: Home, tmp_path: Path) -> Talk:
    return Talk(copy_of(begun, tmp_path / "home"))


def tag_for_alice(talk: Talk) -> str:
    """Let Alice move and Bob answer; return the address at which she answers."""
    talk.send(ALICE, "oust move 1 alice wonderland A1")
    talk.send(BOB, "oust move 1 bob lookingglass E5")
    return (talk.letter_to(ALICE)["Reply-To"] or "").rpartition("<")[2].strip("> ")


@pytest.mark.parametrize("header", SHARED)
def test_what_proves_its_player_is_done_whatever_an_office_adds(header: str, talk: Talk) -> None:
    talk.send(ALICE, "oust move 1 alice wonderland Z9", headers=[header])
    assert [letter.to for letter in talk.letters] == [ALICE]
    talk.send(ALICE, "oust move 1 alice wonderland A1", headers=[header])
    assert [letter.to for letter in talk.letters] == [ALICE, BOB]
    assert all(letter["Auto-Submitted"] for letter in talk.letters)
    marks = {letter["X-Auto-Response-Suppress"] for letter in talk.letters}
    assert marks == {"DR, RN, NRN, OOF, AutoReply"}
    talk.send(BOB, "oust move 1 bob lookingglass E5")
    tag = talk.letter_to(ALICE)["Reply-To"] or ""
    talk.send(ALICE, "Re: oust 1 #3: your turn, alice", "C3", to=tag, headers=[header])
    assert talk.outcome == "done: move"


def test_several_commands_with_passwords_are_done_whatever_an_office_adds(talk: Talk) -> None:
    text = "oust show 1\noust move 1 alice wonderland A1"
    talk.send(ALICE, "multiple", text, headers=[SHARED[0]])
    assert talk.outcome == "done: multiple"


@pytest.mark.parametrize("header", SHARED)
def test_a_command_is_answered_whatever_an_office_adds(header: str, talk: Talk) -> None:
    for line, letter in ANSWERED:
        assert talk.send(CAROL, line, headers=[header]) == [f"{CAROL}: {letter}"]
    told = talk.send(ALICE, "oust challenge alice bob", headers=[header])
    assert told == [f"{ALICE}: please confirm a challenge to bob"]
    told = talk.send(ALICE, "", "oust show 1\n", headers=[header])
    assert told == [f"{ALICE}: oust 1 #1: your turn, alice"]


@pytest.mark.parametrize("header", SHARED[:-1])
def test_what_is_no_command_gets_no_answer_then(header: str, talk: Talk) -> None:
    lines = ("no command", "This week at our club", "oust", "Re: oust 1 #3: your turn, alice")
    for line, text in product(lines, ("", "help")):
        assert talk.send(ALICE, line, text, headers=[header]) == []
        assert talk.outcome == f"silent: {header.partition(':')[0]}"


@pytest.mark.parametrize("sender", ["noreply@example.net", "postmaster@example.net"])
def test_an_address_where_nobody_reads_gets_no_answer(sender: str, talk: Talk) -> None:
    assert talk.send(sender, "help") == []
    assert talk.outcome == f"silent: sender {sender.partition('@')[0]}"


@pytest.mark.parametrize("header", AUTOMATIC)
def test_what_is_automatic_plays_nothing_even_with_a_proof(header: str, talk: Talk) -> None:
    tag = tag_for_alice(talk)
    assert talk.send(ALICE, "Re: oust 1 #3", "C3", to=tag, headers=[header]) == []
    assert talk.send(ALICE, "oust move 1 alice wonderland C3", headers=[header]) == []
    assert talk.outcome.startswith("silent: ")


@pytest.mark.parametrize("kind", ["alternative", "mixed"])
def test_an_emoji_of_gmail_plays_nothing_and_gets_no_answer(kind: str, talk: Talk) -> None:
    tag = tag_for_alice(talk)
    text = (
        "Content-Type: text/plain; charset=utf-8\r\n\r\n\U0001f44d\r\n\r\nAlice reacted via Gmail"
    )
    header, body = parts(text, REACTION, kind=kind)
    data = mail(f"From: {ALICE}", f"To: {tag}", "Subject: Re: oust 1 #3", header, text=body)
    assert talk.hand_in(data, ALICE, tag) == []
    assert talk.outcome == "silent: reaction"


@pytest.mark.parametrize(
    "subject", ["Automatic reply: oust 1 #3: your turn, alice", "Abwesenheitsnotiz: oust 1 #3"]
)
def test_a_holiday_program_of_an_office_plays_nothing(subject: str, talk: Talk) -> None:
    tag = tag_for_alice(talk)
    assert talk.send(ALICE, subject, "C3", to=tag, headers=[SHARED[0]]) == []


def test_a_mail_server_is_not_answered_whatever_its_from_says(talk: Talk) -> None:
    data = mail(f"From: {ALICE}", "Subject: help")
    for sender in ("MAILER-DAEMON@example.net", "MAILER-DAEMON", talk.own):
        assert talk.hand_in(data, sender, talk.own) == []
