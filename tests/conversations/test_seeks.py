"""Open challenges: how they are numbered, and that each is taken once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from pbm_oust.accounts.items import MOST_SEEKS
from pbm_oust.rules import KINDS, Side
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game
from tests.support.accounts import account_of, make_account, remove_account
from tests.support.histories import board_numbers
from tests.support.home_by_mail import ALICE, BOB, CAROL, NOON, Talk, copy_of, home_of, mailed
from tests.support.pages import Page
from tests.support.processes import run_at_once


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = home_of(tmp_path_factory.mktemp("begun"))
    for userid in ("alice", "bob", "carol"):
        make_account(home, userid, "wonderland", f"{userid}@example.org")
    return home


@pytest.fixture
def home(begun: Home, tmp_path: Path) -> Home:
    return copy_of(begun, tmp_path / "home")


def send(home: Home, userid: str, line: str, at: datetime = NOON, number: int = 0) -> str:
    """Send a mail and return the Subject and the text of the answer."""
    answer = mailed(Home(home.path), f"{userid}@example.org", line, at=at, number=number)[0]
    return f"{answer.subject}\n{answer.text}"


def test_of_those_who_seek_at_once_each_gets_a_number(home: Home) -> None:
    userids = ("alice", "bob", "carol")
    with ThreadPoolExecutor(len(userids)) as pool:
        list(pool.map(lambda each: send(home, each, f"oust seek {each} wonderland"), userids))
    accounts = (account_of(home, each) for each in userids)
    assert sorted(each.seeks[0].number for each in accounts) == [1, 2, 3]


def test_one_player_has_only_so_many_open_challenges(home: Home) -> None:
    for _ in range(MOST_SEEKS):
        assert send(home, "alice", "oust seek alice wonderland").startswith("open challenge")
    assert send(home, "alice", "churn seek alice wonderland").startswith("not done")
    send(home, "alice", "oust unseek 3 alice wonderland")
    assert send(home, "alice", "churn seek alice wonderland").startswith("open challenge")


def test_a_side_that_is_wanted_is_given_and_otherwise_lots_are_drawn(home: Home) -> None:
    sides = set()
    for number in range(12):
        wanted = ("-x", "-o")[number] if number < 2 else ""
        send(home, "alice", f"oust seek alice wonderland {wanted}")
        send(home, "bob", f"oust join {number + 1} bob wonderland")
        game = read_game(home, KINDS["oust"], number + 1)
        if number < 2:
            assert game.side_of("alice") is list(Side)[number]
        else:
            sides.add(game.side_of("alice"))
    assert sides == set(Side)


def test_a_number_stays_given_when_its_account_is_removed(home: Home) -> None:
    send(home, "alice", "oust seek alice wonderland")
    send(home, "bob", "oust join 1 bob wonderland")
    remove_account(home, "alice")
    assert "oust join 2" in send(home, "carol", "oust seek carol wonderland")
    assert send(home, "bob", "oust join 2 bob wonderland").startswith("oust 2 #1")


JOINING = """
from datetime import UTC, datetime
from pbm_oust.mail.inbound import Envelope
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.play.request import outcome_text

sender = "USERID@example.org"
mail = f"From: {sender}\\nSubject: oust join 1 USERID wonderland\\nMessage-ID: <1@x.org>\\n\\n"
clock = lambda: datetime(2026, 11, 20, 12, tzinfo=UTC)
inbound = open_inbound(home, "pbmserv@example.com", clock)
print(outcome_text(inbound.take(mail.encode(), Envelope(sender))))
"""


@pytest.mark.slow
def test_of_two_who_join_at_once_one_gets_the_board(home: Home) -> None:
    send(home, "alice", "oust seek alice wonderland")
    scripts = [JOINING.replace("USERID", userid) for userid in ("bob", "carol")]
    outcomes = sorted(each.strip() for each in run_at_once(home, *scripts))
    assert outcomes == ["done", "refused: no_such_seek"]
    assert board_numbers(home) == [1]


def test_the_link_of_a_list_joins_its_challenge_as_its_player_and_nothing_else(
    tmp_path: Path,
) -> None:
    talk = Talk.begin(tmp_path, ALICE, BOB, CAROL)
    talk.send(ALICE, "oust seek alice wonderland -size=5")
    talk.send(BOB, "churn seek bob lookingglass -size=3")
    talk.send(CAROL, "list")
    oust, churn = Page(talk.page_to(CAROL)).taps()
    for old, new in ((".1.", ".2."), (".oust.", ".churn."), (".carol.", ".bob."), ("carol", "zoe")):
        assert old in oust.address
        talk.send(CAROL, oust.subject, to=oust.address.replace(old, new))
        assert not talk.outcome.startswith("done")
    for subject in (churn.subject, "oust join 2", "Re: list: 0 boards", "oust unseek 1"):
        talk.send(CAROL, subject, to=oust.address)
        assert not talk.outcome.startswith("done")
    assert board_numbers(talk.home, "oust") == board_numbers(talk.home, "churn") == []
    talk.send(CAROL, churn.subject, to=churn.address)
    assert board_numbers(talk.home, "churn") == [1]
    talk.send(CAROL, oust.subject, to=oust.address)
    assert talk.outcome == "done: join"
