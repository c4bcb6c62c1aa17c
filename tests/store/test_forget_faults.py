"""Players who are forgotten, renamed or joined, and what is left of them: nothing.

Whatever fails at whichever operation, all of it is done or nothing, and doing it again leads to
what it leads to undisturbed.
"""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from pbm_oust.board.history import userids_in
from pbm_oust.play.context import Context
from pbm_oust.play.renaming import Moved, merge_players, rename_player
from pbm_oust.store.accounts import whole_account
from pbm_oust.store.home import Home
from pbm_oust.store.index import names_of
from pbm_oust.store.letters import LetterState, all_letters
from tests.store.disturbed import (
    ALICE,
    BOB,
    CAROL,
    Begun,
    Deed,
    Lines,
    Where,
    assert_kept_until_it_is_done,
    disturbed,
    done,
    everything,
    sent,
    work_at,
)
from tests.support.accounts import codes
from tests.support.home_by_mail import copy_of
from tests.support.outbox import letters
from tests.support.rings import slow
from tests.support.trouble import Fault

BEGINNING: Lines = (
    ("oust challenge alice bob wonderland -size=5", ALICE),
    ("oust challenge bob alice wonderland -size=5", ALICE),
    ("oust move 1 alice wonderland C3", ALICE),
    ("reject bob lookingglass alice", BOB),
    ("oust watch 1 carol rabbithole", CAROL),
)
forget = sent("forget alice wonderland really", ALICE)


def rename(home: Home) -> None:
    work_at(home).carry_out(lambda on: rename_player(on, "alice", "alicia"))


def merge(home: Home) -> None:
    work_at(home).carry_out(lambda on: merge_players(on, "alice", "carol"))


COMMANDS: dict[str, Deed] = {"forget": forget, "rename": rename, "merge": merge}
FAULTS = [
    (Where.FILES, Fault.HALF, errno.EIO),
    (Where.FILES, Fault.STAYS, errno.ENOSPC),
    (Where.STATEMENTS, Fault.ONCE, errno.EIO),
]
FAST = ("forget", FAULTS[0])
"""What the fast ring tries."""


@pytest.fixture
def home(homes: Begun, tmp_path: Path) -> Home:
    return copy_of(Home(homes(BEGINNING)), tmp_path / "home")


def histories(home: Home) -> list[bytes]:
    return [home.ask(home.boards.history, name) for name in home.ask(names_of, "oust")]


@pytest.mark.parametrize(
    ("name", "how", "nth"),
    [
        (*FAST, None),
        *(slow(name, FAULTS[nth], None) for nth, name in enumerate(COMMANDS) if name != FAST[0]),
        *(
            slow(name, how, nth + turn)
            for nth, name in enumerate(COMMANDS)
            for turn, how in enumerate(FAULTS)
        ),
    ],
)
def test_whatever_fails_a_player_is_gone_whole_or_there_whole(
    name: str, how: tuple[Where, Fault, int], nth: int | None, homes: Begun, memory_path: Path
) -> None:
    before, deed = homes(BEGINNING), COMMANDS[name]
    nothing, wanted = everything(before), done(before, memory_path, deed)
    kept = list[bool]()
    for each in disturbed(before, memory_path, deed, how, nth):
        kept.append(each.is_kept)
        assert each.found() == (nothing if each.is_kept else wanted), each.at
        if each.is_kept:
            each.repeat()
            assert each.found() == wanted, each.at
    assert_kept_until_it_is_done(kept)


def test_nothing_names_a_player_any_more_who_was_forgotten(home: Home) -> None:
    forget(home)
    assert [userids_in(each) for each in histories(home)] == [{"gone-1", "bob"}] * 2
    assert not home.ask(whole_account, "alice")
    home.recover()
    home.database.close()
    found = everything(home.path)
    for name, rows in found.items():
        is_letter = name.startswith(("letters", "outbox"))
        assert is_letter or "alice" not in repr(rows), name


def test_letters_that_waited_for_a_player_who_was_forgotten_go_with_their_files(home: Home) -> None:
    before = [letter for letter in letters(home) if letter.to == ALICE]
    forget(home)
    after = [letter for letter in letters(home) if letter.to == ALICE]
    assert len(before) > 1
    assert len(after) == 1
    assert before[0].name != after[0].name
    there = {path.name for path in (home.outbox.path / "new").iterdir()}
    assert there == {letter.file for letter in home.ask(all_letters, LetterState.FILE)}
    sent("forget bob lookingglass really", BOB)(home)
    assert {userids_in(each) for each in histories(home)} == {frozenset({"gone-1", "gone-2"})}


@pytest.mark.parametrize(
    "move",
    [
        lambda on: rename_player(on, "dave", "david"),
        lambda on: merge_players(on, "dave", "carol"),
    ],
)
def test_a_code_for_the_former_userid_makes_no_account_of_it(
    move: Callable[[Context], Moved], home: Home
) -> None:
    dave, elsewhere = "dave@example.org", "dave@home.example"
    sent(f"signup dave hatterhatter {dave} {elsewhere}", dave)(home)
    mailed = dict(codes(home))
    sent(f"verify {mailed[dave]}", dave)(home)
    work_at(home).carry_out(move)
    sent(f"verify {mailed[elsewhere]}", elsewhere)(home)
    assert home.ask(whole_account, "dave") is None
