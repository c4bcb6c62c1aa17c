"""Players who are forgotten, renamed or joined, on a disk that fails or in a process that dies.

Whatever happens at whichever step, saying it again leads to what an undisturbed command leads to.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pbm_oust.store.recovery import recover

from pbm_oust.board.history import read_history
from pbm_oust.board.rename import userids_in
from pbm_oust.mail.inbound import KeptBySender
from pbm_oust.play.renaming import merge_players, rename_player
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.store.disk import Disk
from pbm_oust.store.home import Home
from tests.store.test_disk_faults import LETTERS, NOW, Death, Fault, FaultyDisk, outcome, take
from tests.support.accounts import codes, make_account
from tests.support.home_by_mail import PASSWORDS
from tests.support.rings import first_is_fast

ALICE, BOB, CAROL = "alice@example.org", "bob@example.org", "carol@example.org"
BEGINNING = [
    ("oust challenge alice bob -size=5", ALICE),
    ("oust challenge bob alice -size=5", ALICE),
    ("oust move 1 alice wonderland C3", ALICE),
    ("reject bob lookingglass alice", BOB),
    ("oust watch 1 carol rabbithole", CAROL),
]
FAULTS = first_is_fast([Fault.ONCE, Fault.HALF, Fault.DIES])
FORGET = ("forget alice wonderland really", ALICE)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home with three players and two boards."""
    path: Path = tmp_path_factory.mktemp("begun")
    home = Home(path)
    home.prepare()
    for userid, address in (("alice", ALICE), ("bob", BOB), ("carol", CAROL)):
        make_account(home, userid, PASSWORDS[userid], address)
    for line, sender in BEGINNING:
        take(path, line, sender)
    return path


def accounts(path: Path) -> list[str]:
    home = Home(path)
    return [home.read_player(userid) for userid in home.userids()]


def everything(path: Path) -> tuple[object, ...]:
    """Return what commands about whole players change, apart from letters."""
    found = outcome(path)
    return found.userids, found.histories, accounts(path)


def send(path: Path, disk: Disk | None = None) -> None:
    take(path, *FORGET, disk)


def rename(path: Path, disk: Disk | None = None) -> None:
    rename_player("alice", "alicia", UnitOfWork(Home(path, disk), LETTERS.write, lambda: NOW))


def merge(path: Path, disk: Disk | None = None) -> None:
    merge_players("alice", "carol", UnitOfWork(Home(path, disk), LETTERS.write, lambda: NOW))


COMMANDS: dict[str, Callable[..., None]] = {"forget": send, "rename": rename, "merge": merge}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", COMMANDS)
def test_whatever_the_disk_does_saying_it_again_finishes_it(
    name: str, fault: Fault, begun: Path, tmp_path: Path
) -> None:
    do = COMMANDS[name]
    undisturbed = shutil.copytree(begun, tmp_path / "undisturbed")
    do(undisturbed)
    wanted, letters = everything(undisturbed), outcome(undisturbed).letters
    assert "alice" not in outcome(undisturbed).userids
    at, is_disturbed = 0, True
    while is_disturbed:
        at += 1
        path = shutil.copytree(begun, tmp_path / f"{at}")
        disk = FaultyDisk(at, fault)
        try:
            do(path, disk)
            is_disturbed = disk.steps >= at
        except (KeptBySender, Death, OSError):
            pass
        for history in outcome(path).histories:
            read_history(history)
        if "alice" in Home(path).userids():
            do(path)
        recover(Home(path))
        assert everything(path) == wanted, at
        assert {to for to, _ in letters - outcome(path).letters} == set(), at
        assert list((path / "outbox" / "tmp").iterdir()) == [], at
        shutil.rmtree(path)
    assert at > 20


def test_nothing_names_a_player_any_more_who_was_forgotten(begun: Path, tmp_path: Path) -> None:
    path = shutil.copytree(begun, tmp_path / "home")
    send(path)
    home = Home(path)
    assert [userids_in(each) for each in outcome(path).histories] == [{"gone-1", "bob"}] * 2
    assert not home.account("alice")
    for folder in ("players", "journal", "oust", "bounced"):
        for file in (path / folder).rglob("*"):
            assert "alice" not in file.read_text(), file


def test_letters_that_waited_for_a_player_who_was_forgotten_go(begun: Path, tmp_path: Path) -> None:
    path = shutil.copytree(begun, tmp_path / "home")
    before = [to for to, _ in outcome(path).letters].count(ALICE)
    send(path)
    assert before > 1
    assert [to for to, _ in outcome(path).letters].count(ALICE) == 1


def test_a_second_player_who_is_forgotten_gets_another_word(begun: Path, tmp_path: Path) -> None:
    path = shutil.copytree(begun, tmp_path / "home")
    send(path)
    take(path, "forget bob lookingglass really", BOB)
    assert {userids_in(each) for each in outcome(path).histories} == {
        frozenset({"gone-1", "gone-2"})
    }


@pytest.mark.parametrize("name", ["rename", "merge"])
def test_a_code_for_the_former_userid_makes_no_account_of_it(
    name: str, begun: Path, tmp_path: Path
) -> None:
    path = shutil.copytree(begun, tmp_path / "home")
    dave, elsewhere = "dave@example.org", "dave@home.example"
    take(path, f"signup dave hatterhatter {dave} {elsewhere}", dave)
    sent = dict(codes(Home(path)))
    take(path, f"verify {sent[dave]}", dave)
    work = UnitOfWork(Home(path), LETTERS.write, lambda: NOW)
    if name == "rename":
        rename_player("dave", "david", work)
    else:
        merge_players("dave", "carol", work)
    take(path, f"verify {sent[elsewhere]}", elsewhere)
    assert not Home(path).has_player("dave")
