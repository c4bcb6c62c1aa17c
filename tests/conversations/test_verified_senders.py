"""Players who have settled that a verified sender is enough write - in place of the password."""

from pathlib import Path

import pytest

from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.play.request import outcome_text
from pbm_oust.store.home import Home
from pbm_oust.store.limits import Counted, Limits
from tests.support.account_store import read_account
from tests.support.histories import board_numbers
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, copy_of, home_of, new_id
from tests.support.mails import mail
from tests.support.outbox import letters

OURS = "mx.example.org"
BEGIN = "oust challenge alice bob wonderland -size=5"
SETTLE = "settings alice wonderland auth sender"
MOVE = "oust move 1 alice - C3"
REFUSED = "refused: sender_not_enough"
TAGGED = ALICE.replace("@", "+x@")


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Home:
    mails = [(ALICE, BEGIN), (ALICE, SETTLE)]
    return home_of(tmp_path_factory.mktemp("settled"), ALICE, BOB, mails=mails)


@pytest.fixture
def home(settled: Home, tmp_path: Path) -> Home:
    return copy_of(settled, tmp_path / "home")


def send(
    home: Home, line: str, sender: str = ALICE, *, verified: bool = True, text: str = ""
) -> str:
    """Send a line, from a sender that our mail server has verified or not; return the outcome."""
    domain = sender.rpartition("@")[2] if verified else "example.com"
    results = f"Authentication-Results: {OURS}; dmarc=pass header.from={domain}"
    data = mail(results, f"From: {sender}", f"Subject: {line}", new_id(), text=text)
    inbound = open_inbound(home, ADDRESS, lambda: NOON, authserv_id=OURS)
    return outcome_text(inbound.take(data, Envelope(sender, (ADDRESS,), is_of_mail_server=True)))


def test_a_verified_player_who_wants_that_plays_without_the_password(home: Home) -> None:
    assert send(home, MOVE, text="Yours - Alice - hello") == "done"
    assert "Yours - Alice - hello" in letters(home)[-1].text


def test_several_commands_of_a_verified_player_are_carried_out(home: Home) -> None:
    assert send(home, "multiple", text=f"{MOVE}\nsettings alice - mail mine") == "done"


@pytest.mark.parametrize(
    ("line", "sender", "verified"),
    [
        pytest.param(MOVE, ALICE, False, id="not verified"),
        pytest.param(MOVE, BOB, True, id="somebody else"),
        pytest.param(MOVE, TAGGED, True, id="another address there"),
        pytest.param("oust move 1 bob - C3", BOB, True, id="who has not settled it"),
        pytest.param("settings bob - auth sender", BOB, True, id="who settles it so"),
        pytest.param("settings nobody - auth sender", ALICE, True, id="nobody"),
    ],
)
def test_the_hyphen_proves_nothing_else(line: str, sender: str, verified: bool, home: Home) -> None:
    assert send(home, line, sender, verified=verified) == REFUSED


@pytest.mark.parametrize(
    "line",
    [
        "change password alice - tr0ub4dor-and-3",
        "add alice - eve@example.net",
        "change address alice - eve@example.net",
        "delete alice -",
        "forget alice - really",
    ],
)
def test_what_proves_a_player_is_changed_with_the_password_only(line: str, home: Home) -> None:
    before = home.ask(read_account, "alice")
    assert send(home, line) == REFUSED
    assert home.ask(read_account, "alice") == before


def test_a_player_can_go_back_to_the_password(home: Home) -> None:
    assert send(home, "settings alice - auth password") == "done"
    assert send(home, MOVE) == REFUSED
    assert send(home, "settings alice - auth sender") == REFUSED
    assert send(home, MOVE.replace("-", "wonderland")) == "done"


def test_wrong_hyphens_are_counted_as_mails_that_prove_nothing(home: Home) -> None:
    inbound = open_inbound(home, ADDRESS, lambda: NOON, Limits({Counted.ANSWERS_TO_PLAYERS: 2}))
    before = len(letters(home))
    for number in range(5):
        data = mail(f"From: {ALICE}", f"Subject: {MOVE}{number}", new_id())
        inbound.take(data, Envelope(ALICE, (ADDRESS,)))
    assert len(letters(home)) - before == 2 + 1


@pytest.mark.parametrize(("verified", "boards"), [(True, [1, 2]), (False, [1])])
def test_a_challenge_with_a_hyphen_is_one_without_a_password(
    verified: bool, boards: list[int], home: Home
) -> None:
    line = "oust challenge bob alice - -size=5"
    assert send(home, line, BOB, verified=verified) == "done"
    assert board_numbers(home) == boards


def test_a_verified_challenge_counts_as_one_of_its_player(home: Home) -> None:
    inbound = open_inbound(
        home, ADDRESS, lambda: NOON, Limits({Counted.CHALLENGES: 2}), authserv_id=OURS
    )
    results = f"Authentication-Results: {OURS}; dmarc=pass header.from=example.org"
    for _ in range(4):
        data = mail(results, f"From: {ALICE}", "Subject: oust challenge alice bob", new_id())
        inbound.take(data, Envelope(ALICE, (ADDRESS,), is_of_mail_server=True))
    assert board_numbers(home) == [1, 2]
