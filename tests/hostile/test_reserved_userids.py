"""New accounts do not take userids that pass for whoever runs the server."""

import json
from pathlib import Path

import pytest

from pbm_oust.accounts.account import reserved_userids
from pbm_oust.store.accounts import all_userids
from pbm_oust.store.home import Home
from tests.support.accounts import all_codes, make_account
from tests.support.command_line import run
from tests.support.home_by_mail import ALICE, mailed
from tests.support.tables import pairs

USERIDS = pairs(Path(__file__).with_name("userids.txt"))
SOME, LIKE_THEM, OTHERS = (
    [userid for userid, what in USERIDS if what == wanted]
    for wanted in ("reserved", "like one", "anybody's")
)


@pytest.mark.parametrize("userid", [*SOME, *LIKE_THEM])
def test_a_signup_with_a_reserved_userid_is_refused_and_says_so(home: Home, userid: str) -> None:
    (letter,) = mailed(home, ALICE, f"signup {userid} wonderland")
    assert b"is kept for those who run servers" in b" ".join(letter.data.split())
    assert home.ask(all_codes) == []


@pytest.mark.parametrize("userid", OTHERS)
def test_a_userid_that_only_resembles_one_is_anybodys(home: Home, userid: str) -> None:
    added = run(home, "players", "add", userid, ALICE, "--password", "wonderland")
    assert (added.exit_code, home.ask(all_userids)) == (0, [userid])


def test_the_refusal_is_the_same_whether_there_is_such_an_account_or_not(home: Home) -> None:
    (before,) = mailed(home, ALICE, "signup root wonderland", number=1)
    make_account(home, "root", "lookingglass", "root@example.com")
    (after,) = mailed(home, ALICE, "signup root wonderland", number=1)
    assert before.data == after.data


@pytest.mark.parametrize("userid", SOME)
def test_the_operator_is_told_that_a_userid_is_reserved(home: Home, userid: str) -> None:
    added = run(home, "players", "add", userid, ALICE, "--password", "wonderland")
    assert (added.exit_code, "is reserved for those who run servers" in added.output) == (2, True)
    make_account(home, "alice", "wonderland", ALICE)
    renamed = run(home, "players", "rename", "alice", userid)
    assert (renamed.exit_code, "is reserved for" in renamed.output) == (2, True)
    assert home.ask(all_userids) == ["alice"]


def test_no_account_with_a_reserved_userid_is_imported(home: Home, tmp_path: Path) -> None:
    other = Home(tmp_path / "other")
    other.prepare()
    for userid in ("alice", "root"):
        make_account(other, userid, "wonderland", f"{userid}@example.org")
    exported = run(other, "players", "export").output
    imported = run(home, "players", "import", stdin=exported)
    assert imported.exit_code == 1
    assert "line 2: the userid root is reserved" in imported.output
    assert home.ask(all_userids) == []


def test_an_account_that_has_a_reserved_userid_keeps_it(home: Home) -> None:
    make_account(home, "root", "wonderland", "root@example.org")
    (settings,) = mailed(home, "root@example.org", "settings root wonderland")
    assert b"X-Pbm-Oust: refusal" not in settings.data
    assert [each["userid"] for each in json.loads(run(home, "players", "list", "--json").output)]
    assert run(home, "players", "passwd", "root", "--password", "lookingglass").exit_code == 0


def test_every_reserved_userid_is_written_as_userids_are() -> None:
    assert all(userid == userid.lower() for userid in reserved_userids())
