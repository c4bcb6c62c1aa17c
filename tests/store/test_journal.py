"""The journal: what is noted is found again, for a month, and whatever happens to single lines."""

import stat
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pbm_oust.store.journal import (
    MEMORY,
    BadJournal,
    Ending,
    Entry,
    Journal,
    format_entry,
    parse_entry,
)

from pbm_oust.store.home import Home
from tests.support.processes import files, run_at_once

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
CAUSE, OTHER, THIRD = "0123456789abcdef", "fedcba9876543210", "00112233445566ff"

entries = st.builds(
    Entry,
    at=st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31)).map(
        lambda at: at.replace(microsecond=0, tzinfo=UTC)
    ),
    cause=st.text("0123456789abcdef", min_size=16, max_size=16),
    ending=st.sampled_from(Ending),
)


@pytest.fixture
def journal(home: Home) -> Journal:
    return home.journal


def refused(cause: str, at: datetime = NOON) -> Entry:
    return Entry(at, cause, Ending.REFUSED)


def file_of(journal: Journal, day: datetime | date = NOON) -> Path:
    return journal.path / f"{day:%Y-%m-%d}.txt"


# What is noted


@pytest.mark.parametrize("ending", Ending)
def test_what_is_noted_is_found(journal: Journal, ending: Ending) -> None:
    journal.note(Entry(NOON, CAUSE, ending))
    assert journal.ending(CAUSE) is ending


def test_what_is_noted_is_found_by_a_process_that_starts_later(home: Home) -> None:
    home.journal.note(refused(CAUSE))
    assert Home(home.path).journal.ending(CAUSE) is Ending.REFUSED


def test_nothing_is_known_of_a_mail_in_an_empty_journal(journal: Journal) -> None:
    assert journal.ending(CAUSE) is None
    assert journal.entries() == []


@pytest.mark.parametrize(
    "asked", [OTHER, CAUSE[:-1], CAUSE[1:], CAUSE.upper(), "refused", "2026-11-20T12:00:00Z", ""]
)
def test_what_is_noted_is_found_by_nothing_but_its_id(journal: Journal, asked: str) -> None:
    journal.note(refused(CAUSE))
    assert journal.ending(asked) is None


def test_every_mail_has_its_own_ending(journal: Journal) -> None:
    journal.note(Entry(NOON, CAUSE, Ending.DONE))
    journal.note(Entry(NOON, OTHER, Ending.REFUSED))
    assert journal.ending(CAUSE) is Ending.DONE
    assert journal.ending(OTHER) is Ending.REFUSED


def test_the_journal_is_as_a_person_reads_it(journal: Journal) -> None:
    journal.note(Entry(NOON, CAUSE, Ending.DONE))
    journal.note(Entry(NOON + timedelta(minutes=5), OTHER, Ending.REFUSED))
    assert file_of(journal).read_text() == (
        "2026-11-20T12:00:00Z 0123456789abcdef done\n"
        "2026-11-20T12:05:00Z fedcba9876543210 refused\n"
    )


def test_the_journal_is_private(journal: Journal) -> None:
    journal.note(refused(CAUSE))
    assert stat.S_IMODE(file_of(journal).stat().st_mode) == 0o600
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o700


@settings(deadline=None)
@given(entries)
@example(Entry(NOON, "0" * 16, Ending.DONE))
def test_an_entry_is_read_as_it_was_written(entry: Entry) -> None:
    line = format_entry(entry)
    assert line.endswith("\n")
    assert parse_entry(line.removesuffix("\n")) == entry


# Days


def test_a_new_day_is_a_new_file(journal: Journal) -> None:
    tomorrow = NOON + timedelta(days=1)
    journal.note(refused(CAUSE))
    journal.note(refused(OTHER, tomorrow))
    assert files(journal.path) == ["2026-11-20.txt", "2026-11-21.txt"]
    assert journal.entries() == [refused(CAUSE), refused(OTHER, tomorrow)]
    assert journal.ending(CAUSE) is journal.ending(OTHER) is Ending.REFUSED


def test_a_new_day_forgets_what_is_older_than_a_month_and_nothing_else(journal: Journal) -> None:
    oldest = NOON - MEMORY
    for cause, at in [(CAUSE, oldest - timedelta(days=1)), (OTHER, oldest)]:
        journal.note(refused(cause, at))
    journal.note(refused(THIRD))
    assert files(journal.path) == ["2026-10-21.txt", "2026-11-20.txt"]
    assert journal.ending(CAUSE) is None
    assert journal.ending(OTHER) is journal.ending(THIRD) is Ending.REFUSED


def test_files_that_are_not_of_the_journal_are_neither_read_nor_forgotten(journal: Journal) -> None:
    (journal.path / "notes.txt").write_text(f"{NOON} {CAUSE} refused\n")
    (journal.path / "2020-01-01.txt.bak").write_text(format_entry(refused(CAUSE)))
    journal.note(refused(OTHER))
    assert files(journal.path) == ["2020-01-01.txt.bak", "2026-11-20.txt", "notes.txt"]
    assert journal.ending(CAUSE) is None
    assert journal.entries() == [refused(OTHER)]


# Damage


@pytest.mark.parametrize("length", [1, 25, len(format_entry(refused(OTHER))) - 1])
def test_a_torn_last_line_was_never_written_and_goes_with_the_next(
    journal: Journal, length: int
) -> None:
    journal.note(refused(CAUSE))
    whole = file_of(journal).read_bytes()
    file_of(journal).write_bytes(whole + format_entry(refused(OTHER)).encode()[:length])
    assert journal.entries() == [refused(CAUSE)]
    assert journal.ending(OTHER) is None
    journal.note(refused(THIRD))
    assert file_of(journal).read_bytes() == whole + format_entry(refused(THIRD)).encode()


def test_a_file_that_is_nothing_but_a_torn_line_begins_afresh(journal: Journal) -> None:
    file_of(journal).write_bytes(b"2026-11-20T12:0")
    journal.note(refused(CAUSE))
    assert file_of(journal).read_text() == format_entry(refused(CAUSE))


def test_an_entry_that_does_not_fit_on_the_disk_leaves_the_journal_as_it_was(home: Home) -> None:
    home.journal.note(refused(CAUSE))
    script = f"""
import resource
from pbm_oust.store.journal import parse_entry
resource.setrlimit(resource.RLIMIT_FSIZE, (60, 60))
try:
    home.journal.note(parse_entry("2026-11-20T12:00:00Z {OTHER} done"))
except OSError as error:
    print(error.strerror)
"""
    assert run_at_once(home, script) == ["File too large\n"]
    assert home.journal.entries() == [refused(CAUSE)]


DAMAGED_LINES = [
    b"",
    b"a remark",
    b"2026-11-20T12:00:00Z fedcba9876543210",
    b"2026-11-20T12:00:00Z fedcba9876543210 refused ",
    b"2026-11-20T12:00:00Z fedcba9876543210 refused\r",
    b"2026-11-20T12:00:00Z fedcba9876543210 forgiven",
    b"2026-11-20T12:00:00Z fedcba987654321 refused",
    b"2026-11-20T12:00:00Z FEDCBA9876543210 refused",
    b"2026-11-31T12:00:00Z fedcba9876543210 refused",
    b"20.11.2026 fedcba9876543210 refused",
    b"\0\0\0\0\0\0\0\0",
    b"2026-11-20T12:00:00Z \xff\xfe refused",
]


@pytest.mark.parametrize("line", DAMAGED_LINES)
def test_a_line_that_cannot_be_read_is_named_with_its_file(journal: Journal, line: bytes) -> None:
    journal.note(refused(CAUSE))
    with file_of(journal).open("ab") as file:
        file.write(line + b"\n")
    journal.note(refused(THIRD))
    with pytest.raises(BadJournal) as raised:
        journal.entries()
    assert str(raised.value).startswith(f"{file_of(journal)}: line 2: ")


@pytest.mark.parametrize("line", DAMAGED_LINES)
def test_a_line_that_cannot_be_read_hides_no_other(journal: Journal, line: bytes) -> None:
    file_of(journal).write_bytes(line + b"\n")
    journal.note(refused(CAUSE))
    assert journal.ending(CAUSE) is Ending.REFUSED
    assert journal.ending(THIRD) is None


def test_a_mail_whose_own_line_cannot_be_read_is_not_taken_for_unknown(journal: Journal) -> None:
    file_of(journal).write_text(f"2026-11-20T12:00:00Z {CAUSE} forgiven\n")
    with pytest.raises(BadJournal, match="forgiven"):
        journal.ending(CAUSE)


# Several at once


def test_processes_that_note_at_once_lose_nothing(home: Home) -> None:
    script = """
import os
from datetime import UTC, datetime, timedelta
from pbm_oust.store.journal import Ending
from pbm_oust.store.journal import Entry
begin = datetime(2026, 11, 1, tzinfo=UTC)
for number in range(90):
    cause = f"{os.getpid():08x}{number:08x}"
    home.journal.note(Entry(begin + timedelta(hours=8 * number), cause, Ending.DONE))
    print(cause)
"""
    printed = run_at_once(home, *[script] * 4)
    causes = [cause for output in printed for cause in output.split()]
    assert len(causes) == 360
    assert sorted(entry.cause for entry in home.journal.entries()) == sorted(causes)
    assert len(files(home.journal.path)) == 30
