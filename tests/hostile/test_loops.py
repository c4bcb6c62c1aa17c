"""Robots that answer our letters without a mark of robots: no such conversation lasts."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm_oust.mail.inbound import Envelope
from pbm_oust.store.accounts import accounts_at
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.home_by_mail import ALICE, BOB, NOON, home_of, mailed, new_id, taken
from tests.support.mails import mail
from tests.support.outbox import Letter
from tests.support.rings import first_is_fast

tabled = tables.tabled(__file__)

MARKS = re.compile(
    rb"^(?:Auto-Submitted|X-[A-Za-z-]+|Precedence|References|In-Reply-To): .*\n", re.M
)
A, B = "pbmserv@a.example", "pbmserv@b.example"
AWAY = "Automatic reply"
STEPS = 300
"""More letters than any of these conversations may come to."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return home_of(tmp_path / "home", ALICE, BOB)


def answers(
    home: Home,
    first: list[Letter],
    text: str,
    *,
    quotes: bool = False,
    robot: str = ALICE,
    answers_with: str = "Re",
) -> Iterator[Letter]:
    """Answer all letters to a robot with a text, as a holiday program does, and yield these."""
    waiting = [letter for letter in first if letter.to == robot]
    for _ in range(STEPS):
        if not waiting:
            return
        letter = waiting.pop(0)
        yield letter
        to = letter["Reply-To"] or letter["From"] or ""
        data = mail(
            f"From: {robot}",
            f"To: {to}",
            f"Subject: {answers_with}: {letter.subject}",
            new_id(),
            text=f"{text}\r\n\r\n{letter.text}" if quotes else text,
        )
        tag = to.rpartition("<")[2].strip("> ")
        _, new = taken(home, data, Envelope(robot, (tag,)))
        waiting += [each for each in new if each.to == robot]


@tabled("line")
@pytest.mark.parametrize(
    "text", first_is_fast(["I am away until Monday.", "", "help", "yes, I am away"])
)
def test_a_holiday_program_without_marks_gets_few_letters(line: str, text: str, home: Home) -> None:
    got = list(answers(home, mailed(home, ALICE, line), text))
    assert len(got) <= 20


@pytest.mark.parametrize(
    "line", first_is_fast(["forgot alice", "help", "oust challenge alice bob"])
)
def test_neither_does_one_that_sends_our_text_back_unquoted(line: str, home: Home) -> None:
    got = list(
        answers(home, mailed(home, ALICE, line), "I am away.", quotes=True, answers_with=AWAY)
    )
    assert len(got) <= 20


@pytest.mark.parametrize("quotes", [False, True])
@pytest.mark.parametrize(
    "text", first_is_fast(["Thank you for your mail.", "I am away until Monday.", ""])
)
def test_one_that_answers_the_first_letter_begins_nothing(
    text: str, quotes: bool, home: Home
) -> None:
    stranger = "stranger@example.org"
    first = mailed(home, stranger, "hi")
    assert len(list(answers(home, first, text, quotes=quotes, robot=stranger))) <= 4
    assert home.ask(accounts_at, stranger) == []


@pytest.mark.parametrize(
    "line", first_is_fast(["hi", "help", "oust standings", "signup carol rabbithole", "nonsense"])
)
def test_two_servers_behind_a_forwarder_that_drops_our_marks_stop(
    line: str, tmp_path: Path
) -> None:
    homes = {A: home_of(tmp_path / "a"), B: home_of(tmp_path / "b")}
    first = mail(f"From: {B}", f"To: {A}", f"Subject: {line}", new_id())
    passed, at_work = 0, [(A, B, first)]
    while at_work and passed < STEPS:
        to, sender, data = at_work.pop(0)
        passed += 1
        _, new = taken(homes[to], data, Envelope(sender, (to,)), NOON, own=to)
        for letter in new:
            bare = MARKS.sub(b"", letter.data).replace(b"Message-ID: <", b"Message-ID: <fwd.", 1)
            at_work.append((sender, to, bare))
    assert passed <= 20


def invited(path: Path, friend: str) -> tuple[Home, Letter]:
    """Return a home where Alice has invited somebody, and that letter; she plays with Bob."""
    home = home_of(path, ALICE, BOB)
    for line in (
        "oust challenge alice bob wonderland",
        "oust move 1 alice wonderland D4",
        f"invite alice wonderland {friend}",
    ):
        data = mail(f"From: {ALICE}", f"Subject: {line}", new_id())
        _, new = taken(home, data, Envelope(ALICE, (A,), is_of_owner=True), NOON, own=A)
    (letter,) = (each for each in new if each.to == friend)
    return home, letter


def test_another_server_does_not_answer_an_invitation(tmp_path: Path) -> None:
    _, letter = invited(tmp_path / "a", B)
    outcome, new = taken(home_of(tmp_path / "b"), letter.data, Envelope(A, (B,)), NOON, own=B)
    assert outcome == "silent: Auto-Submitted"
    assert not new


def test_an_invitation_through_a_forwarder_that_drops_our_marks_ends_soon(tmp_path: Path) -> None:
    home, letter = invited(tmp_path / "a", B)
    homes = {A: home, B: home_of(tmp_path / "b")}
    passed, at_work = 0, [(B, A, letter)]
    while at_work and passed < STEPS:
        to, sender, letter = at_work.pop(0)
        passed += 1
        bare = MARKS.sub(b"", letter.data).replace(b"Message-ID: <", b"Message-ID: <fwd.", 1)
        _, new = taken(homes[to], bare, Envelope(sender, (to,)), NOON, own=to)
        at_work += [(sender, to, each) for each in new if each.to == sender]
    assert passed <= 20
