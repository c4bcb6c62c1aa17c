"""The Maildir of a home without a relay: each letter is there once, whatever happens meanwhile."""

import errno
import stat
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random

import pytest

from pbm_oust.store.database import Transaction
from pbm_oust.store.letters import (
    Draft,
    LetterState,
    add_letters,
    all_letters,
    recall_letter,
    remove_letters,
)
from pbm_oust.store.outbox import Outbox, file_name
from pbm_oust.store.sqlite import SqliteDatabase
from pbm_oust.store.upkeep import forget_expired
from tests.chaos.launcher import TracedDisk
from tests.chaos.power import Storage
from tests.chaos.trace import Step, Trace
from tests.store.posting import head, ids, latest_letter, letter
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed
from tests.support.rings import first_is_fast, slow
from tests.support.trouble import Fault, FaultyDisk, FaultyVfs, Trouble
from tests.support.vfs import TracedVfs


@pytest.fixture
def database(embedded: SqliteDatabase) -> SqliteDatabase:
    return embedded


@pytest.fixture
def maildir(database: SqliteDatabase) -> Outbox:
    maildir = Outbox(database.path.parent / "outbox", database)
    maildir.prepare()
    return maildir


def contents(maildir: Outbox, state: str = "new") -> list[str]:
    """Return what stands in the files, in the order of their names."""
    return [path.read_text() for path in sorted((maildir.path / state).iterdir())]


def add(database: SqliteDatabase, at: datetime, *texts: str) -> list[int]:
    """Add letters that are to be files, in one unit of work."""

    def work(transaction: Transaction) -> list[int]:
        added = list[int]()
        for text in texts:
            draft = Draft(head(), text.encode(), at)
            add_letters(transaction, [draft], LetterState.FILE)
            added.append(latest_letter(transaction))
        return added

    return database.write(work)


def files_of(database: SqliteDatabase) -> list[str]:
    with database.read() as snapshot:
        return [each.file for each in all_letters(snapshot, LetterState.FILE)]


def remove(database: SqliteDatabase, letters: Iterable[int]) -> None:
    database.write(lambda transaction: remove_letters(transaction, letters))


def open_mail(maildir: Outbox) -> list[str]:
    """Take the letters that are new, as a mail program does, and return them."""
    found = contents(maildir)
    for path in (maildir.path / "new").iterdir():
        path.rename(maildir.path / "cur" / f"{path.name}:2,S")
    return found


# Writing


def test_letters_are_written_in_their_order_for_their_owner_alone(
    database: SqliteDatabase, maildir: Outbox, now: datetime
) -> None:
    first, second = add(database, now, "one", "two")
    assert maildir.write_out() == 2
    assert contents(maildir) == ["one", "two"]
    names = [path.name for path in sorted((maildir.path / "new").iterdir())]
    seconds = int(now.timestamp())
    assert names == [f"{seconds}.L{each:06}.pbm_oust" for each in (first, second)]
    assert [letter(database, each).file for each in (first, second)] == names
    modes = {stat.S_IMODE(path.stat().st_mode) for path in maildir.path.rglob("*")}
    assert modes == {0o600, 0o700}


def test_what_others_keep_in_the_folders_is_left_alone(
    database: SqliteDatabase, maildir: Outbox, now: datetime
) -> None:
    (maildir.path / "tmp" / "1.M2P3.host").write_text("of a mail program")
    (maildir.path / "new" / "1.M2P3.host").write_text("of somebody else")
    add(database, now, "one")
    maildir.write_out()
    assert contents(maildir, "tmp") == ["of a mail program"]
    assert contents(maildir) == ["of somebody else", "one"]


def test_letters_that_were_taken_are_forgotten(
    database: SqliteDatabase, maildir: Outbox, now: datetime
) -> None:
    add(database, now, "one", "two")
    maildir.write_out()
    assert maildir.forget_taken() == 0
    assert open_mail(maildir) == ["one", "two"]
    (third,) = add(database, now, "three")
    maildir.write_out()
    assert maildir.forget_taken() == 2
    assert ids(database, LetterState.FILE) == [third]


# Taking back


def test_a_letter_that_nobody_has_opened_is_taken_back(
    database: SqliteDatabase, maildir: Outbox, now: datetime
) -> None:
    first, second = add(database, now, "one", "two")
    maildir.write_out()
    with maildir.withheld([letter(database, second).file]) as is_withheld:
        assert is_withheld
        assert contents(maildir) == ["one"]
        remove(database, [second])
    assert contents(maildir) == ["one"]
    assert contents(maildir, "tmp") == []
    assert ids(database, LetterState.FILE) == [first]


def test_letters_are_taken_back_together_or_not_at_all(
    database: SqliteDatabase, maildir: Outbox, now: datetime
) -> None:
    add(database, now, "one", "two")
    maildir.write_out()
    first, second = sorted((maildir.path / "new").iterdir())
    second.rename(maildir.path / "cur" / f"{second.name}:2,S")
    with maildir.withheld([first.name, second.name]) as is_withheld:
        assert not is_withheld
        assert contents(maildir) == ["one"]
    assert contents(maildir) == ["one"]


def test_a_letter_that_has_just_become_a_file_does_not_go_to_the_relay_as_well(
    database: SqliteDatabase, maildir: Outbox, now: datetime
) -> None:
    (number,) = add(database, now, "one")
    found = letter(database, number)
    maildir.write_out()
    database.write(lambda transaction: recall_letter(transaction, found))
    assert contents(maildir) == ["one"]
    assert ids(database, LetterState.WAITING) == []
    written = letter(database, number)
    with maildir.withheld([written.file]) as is_withheld:
        assert is_withheld
        database.write(lambda transaction: recall_letter(transaction, written))
    assert (contents(maildir), ids(database, LetterState.WAITING)) == ([], [number])


# Trouble


@pytest.mark.parametrize(
    ("is_opened", "fault", "number"),
    [
        (True, Fault.ONCE, errno.EIO),
        slow(False, Fault.HALF, errno.EIO),
        slow(True, Fault.STAYS, errno.EIO),
        (False, Fault.STAYS, errno.ENOSPC),
    ],
)
def test_a_fault_at_any_step_of_writing_loses_and_doubles_no_letter(
    is_opened: bool, fault: Fault, number: int, memory_path: Path, now: datetime
) -> None:
    """A mail program may take what is there as soon as it is there."""
    for at in count(1):
        home = memory_path / f"{at}"
        home.mkdir()
        trouble = Trouble(0, fault, number)
        with FaultyVfs(trouble).in_use():
            database = SqliteDatabase(home / "pbm_oust.db", FaultyDisk(trouble))
            maildir = Outbox(home / "outbox", database, FaultyDisk(trouble))
            maildir.prepare()
            add(database, now, "one", "two")
            trouble.steps, trouble.at = 0, at
            failed = False
            try:
                maildir.write_out()
            except OSError:
                failed = True
            taken = open_mail(maildir) if is_opened else []
            is_over = trouble.steps < at
            trouble.end()
            maildir.write_out()
            assert sorted(taken + contents(maildir)) == ["one", "two"], at
            assert contents(maildir, "tmp") == []
            database.close()
        if is_over and not failed:
            break
    assert at > 5


@pytest.mark.parametrize(("fault", "number"), [(Fault.ONCE, errno.EIO), (Fault.STAYS, errno.EIO)])
def test_a_fault_at_any_step_of_taking_back_leaves_letters_and_database_of_one_mind(
    fault: Fault, number: int, memory_path: Path, now: datetime
) -> None:
    for at in count(1):
        home = memory_path / f"{at}"
        home.mkdir()
        trouble = Trouble(0, fault, number)
        with FaultyVfs(trouble).in_use():
            database = SqliteDatabase(home / "pbm_oust.db", FaultyDisk(trouble))
            maildir = Outbox(home / "outbox", database, FaultyDisk(trouble))
            maildir.prepare()
            letters = add(database, now, "one", "two")
            maildir.write_out()
            names = files_of(database)
            trouble.steps, trouble.at = 0, at
            try:
                with maildir.withheld(names) as is_withheld:
                    assert is_withheld
                    remove(database, letters)
            except OSError:
                pass
            is_over = trouble.steps < at
            trouble.end()
            maildir.write_out()
            left = ids(database, LetterState.FILE)
            assert left in ([], letters)
            assert contents(maildir) == (["one", "two"] if left else [])
            assert contents(maildir, "tmp") == []
            database.close()
        if is_over:
            break
    assert at > 5


@pytest.mark.parametrize("share", first_is_fast([0.5, 0.0, 1.0]))
def test_a_power_cut_at_any_step_loses_and_doubles_no_letter(
    share: float, memory_path: Path, now: datetime
) -> None:
    """With nothing undone, it is a process that is killed."""
    steps, written, taken_back = posted_and_taken_back(
        memory_path / "traced", memory_path / "trace", now
    )
    for cut in range(12, len(steps) + 1):
        home = memory_path / f"{cut}"
        storage = Storage()
        storage.follow(steps[:cut])
        storage.cut(Random(cut), share)
        for name in ("tmp", "new", "cur"):
            (home / "outbox" / name).mkdir(parents=True)
        for name, content in storage.files().items():
            path = home / Path(name).relative_to(memory_path / "traced")
            path.write_bytes(content)
        database = SqliteDatabase(home / "pbm_oust.db")
        maildir = Outbox(home / "outbox", database)
        maildir.write_out()
        found = contents(maildir)
        assert len(set(found)) == len(found) == len(ids(database, LetterState.FILE))
        assert contents(maildir, "tmp") == []
        if cut >= taken_back:
            assert found == ["one"]
        elif cut >= written:
            assert found in (["one", "two"], ["one"])
        database.close()


def posted_and_taken_back(home: Path, path: Path, now: datetime) -> tuple[list[Step], int, int]:
    """Write two letters and take one back; return the steps, and how many were behind each."""
    disk = TracedDisk()
    disk.trace, disk.fuse = Trace(path), path.with_name("fuse")
    home.mkdir()
    with TracedVfs(disk.trace).in_use():
        database = SqliteDatabase(home / "pbm_oust.db", disk)
        maildir = Outbox(home / "outbox", database, disk)
        maildir.prepare()
        letters = add(database, now, "one", "two")
        maildir.write_out()
        written = len(list(disk.trace.steps()))
        with maildir.withheld(files_of(database)[1:]):
            remove(database, letters[1:])
        taken_back = len(list(disk.trace.steps()))
        database.close()
    steps = list(disk.trace.steps())
    disk.trace.close()
    return steps, written, taken_back


def test_letters_that_wait_keep_no_upkeep_waiting(tmp_path: Path) -> None:
    home = home_of(tmp_path, ALICE, BOB, mails=[(ALICE, "oust challenge alice bob wonderland")])
    outbox, away = home.outbox.path, tmp_path / "away"
    before = len(open_mail(home.outbox))
    (outbox / "tmp").rename(away)
    (outbox / "tmp").touch()
    mailed(home, ALICE, "oust move 1 alice wonderland C3")
    (outbox / "tmp").unlink()
    away.rename(outbox / "tmp")
    forget_expired(home, home.now())
    assert contents(home.outbox) == []
    mailed(home, BOB, "oust move 1 bob lookingglass D4")
    assert len(contents(home.outbox)) == before + 2


def test_a_draft_that_was_never_committed_goes_though_a_later_letter_has_its_number(
    database: SqliteDatabase, maildir: Outbox, now: datetime
) -> None:
    (number,) = add(database, now, "Hello")
    draft = maildir.path / "tmp" / file_name(number, now - timedelta(seconds=1))
    draft.write_text("Hello?")
    assert maildir.write_out() == 1
    maildir.write_out()
    assert (contents(maildir), contents(maildir, "tmp")) == (["Hello"], [])
