"""Who asks for the code of an account does not learn whether there is one."""

from pathlib import Path

import pytest

from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.store.home import Home
from tests.support.home_by_mail import ADDRESS, ALICE, NOON, home_of, mailed, new_id
from tests.support.mails import mail
from tests.support.steps import work_of

MALLORY = "mallory@example.com"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return home_of(tmp_path / "home", ALICE, mails=[(MALLORY, "forgot alice")])


def steps(home: Home, userid: str) -> int:
    """Return how many steps it takes to answer somebody who asks for a code of a userid."""
    data = mail(f"From: {MALLORY}", f"Subject: forgot {userid}", new_id())
    inbound = open_inbound(home, ADDRESS, lambda: NOON)
    return work_of(lambda: inbound.take(data, Envelope(MALLORY, (ADDRESS,)))).steps


def test_asking_for_a_code_is_as_much_work_with_an_account_as_without(home: Home) -> None:
    without, with_one = steps(home, "nobod"), steps(home, "alice")
    assert 0.8 < without / with_one < 1.2


def test_and_the_answer_is_the_same(home: Home) -> None:
    said = {
        userid: next(
            letter.text.replace(userid, "USERID")
            for letter in mailed(home, MALLORY, f"forgot {userid}")
            if letter.to == MALLORY
        )
        for userid in ("alice", "nobod")
    }
    assert said["alice"] == said["nobod"]


def test_and_so_are_the_limits(home: Home) -> None:
    said = {
        userid: [
            [
                (each.to, each.subject)
                for each in mailed(home, f"x@{userid}.net", f"forgot {userid}")
            ]
            for _ in range(15)
        ]
        for userid in ("alice", "nobod")
    }
    to_asker = {
        userid: [[subject for to, subject in sent if to != ALICE] for sent in each]
        for userid, each in said.items()
    }
    assert to_asker["alice"] == to_asker["nobod"]
    assert not to_asker["alice"][-1]
