"""The outbox: letters and what they are about stand or fall together."""

import mailbox
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.home import Home
from tests.support.processes import run_at_once

CAUSE, OTHER = "0123456789abcdef", "fedcba9876543210"
LETTER = b"Subject: oust 17\n\nIt is your turn.\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.prepare(["oust"])
    return home


def post(home: Home, *letters: bytes, cause: str = CAUSE) -> None:
    with home.outbox.posting(letters, cause, "oust.1"):
        pass


def boxes(home: Home) -> dict[str, int]:
    """Return how many files there are in each folder of the outbox."""
    return {box: len(list((home.outbox.path / box).iterdir())) for box in ("tmp", "new", "cur")}


def crash_while_posting(home: Home, cause: str) -> None:
    """Post a letter in a process that dies before the letter has its place."""
    script = f"""
import os, sys
from pathlib import Path
from pbm_oust.store.home import Home
with Home(Path(sys.argv[1])).outbox.posting([{LETTER!r}], {cause!r}, "oust.1"):
    os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", script, str(home.path)]).returncode == 9


def test_letters_have_their_place_when_the_body_has_succeeded(home: Home) -> None:
    with home.outbox.posting([LETTER, b"second"], CAUSE, "oust.1"):
        assert boxes(home) == {"tmp": 2, "new": 0, "cur": 0}
    assert boxes(home) == {"tmp": 0, "new": 2, "cur": 0}
    assert [home.outbox.read(name) for name in home.outbox.letters()] == [LETTER, b"second"]


def test_no_letter_is_left_when_the_body_fails(home: Home) -> None:
    with (
        pytest.raises(ValueError, match="body"),
        home.outbox.posting([LETTER, b"second"], CAUSE, "oust.1"),
    ):
        raise ValueError("body")
    assert boxes(home) == {"tmp": 0, "new": 0, "cur": 0}


def test_no_letter_is_left_when_the_body_is_interrupted(home: Home) -> None:
    with pytest.raises(KeyboardInterrupt), home.outbox.posting([LETTER], CAUSE, "oust.1"):
        raise KeyboardInterrupt
    assert boxes(home) == {"tmp": 0, "new": 0, "cur": 0}


def test_the_body_does_not_run_when_letters_cannot_be_written(home: Home) -> None:
    (home.outbox.path / "tmp").rmdir()
    with pytest.raises(OSError, match="tmp"), home.outbox.posting([LETTER], CAUSE, "oust.1"):
        raise AssertionError("the body must not run")
    assert home.outbox.letters() == []


def test_no_letter_is_left_when_the_second_does_not_fit_on_the_disk(home: Home) -> None:
    script = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    with home.outbox.posting([b"x" * 50, b"x" * 500], "0" * 16, "oust.1"):
        print("the body ran")
except OSError as error:
    print(error.strerror)
"""
    assert run_at_once(home, script) == ["File too large\n"]
    assert boxes(home) == {"tmp": 0, "new": 0, "cur": 0}


def test_posting_nothing_writes_nothing(home: Home) -> None:
    post(home)
    assert boxes(home) == {"tmp": 0, "new": 0, "cur": 0}


def test_a_letter_that_a_crash_left_without_its_place_is_not_in_the_outbox(home: Home) -> None:
    crash_while_posting(home, CAUSE)
    assert boxes(home) == {"tmp": 1, "new": 0, "cur": 0}
    assert home.outbox.letters() == []


def test_a_letter_that_a_crash_left_without_its_place_is_found_by_its_cause(home: Home) -> None:
    crash_while_posting(home, CAUSE)
    home.outbox.finish(CAUSE, "oust.1")
    (name,) = home.outbox.letters()
    assert home.outbox.read(name) == LETTER
    assert boxes(home) == {"tmp": 0, "new": 1, "cur": 0}


def test_letters_of_another_cause_are_left_where_they_are(home: Home) -> None:
    crash_while_posting(home, OTHER)
    home.outbox.finish(CAUSE, "oust.1")
    assert boxes(home) == {"tmp": 1, "new": 0, "cur": 0}


def test_finishing_twice_does_nothing_more(home: Home) -> None:
    crash_while_posting(home, CAUSE)
    home.outbox.finish(CAUSE, "oust.1")
    home.outbox.finish(CAUSE, "oust.1")
    assert boxes(home) == {"tmp": 0, "new": 1, "cur": 0}


def test_letters_are_listed_in_the_order_in_which_they_were_posted(home: Home) -> None:
    for number in range(20):
        post(home, b"%d a" % number, b"%d b" % number)
    wanted = [b"%d %s" % (number, letter) for number in range(20) for letter in (b"a", b"b")]
    assert [home.outbox.read(name) for name in home.outbox.letters()] == wanted


def test_a_letter_that_a_mail_program_has_looked_at_is_still_in_the_outbox(home: Home) -> None:
    post(home, LETTER)
    (name,) = home.outbox.letters()
    (home.outbox.path / "new" / name).rename(home.outbox.path / "cur" / f"{name}:2,S")
    assert home.outbox.letters() == [f"{name}:2,S"]
    assert home.outbox.read(f"{name}:2,S") == LETTER


def test_a_letter_can_be_removed(home: Home) -> None:
    post(home, LETTER, b"second")
    first, second = home.outbox.letters()
    home.outbox.remove(first)
    assert home.outbox.letters() == [second]


def test_a_letter_that_is_not_there_is_neither_read_nor_removed(home: Home) -> None:
    with pytest.raises(NoSuchFile):
        home.outbox.read("nothing")
    with pytest.raises(NoSuchFile):
        home.outbox.remove("nothing")


def test_the_outbox_is_a_maildir(home: Home) -> None:
    post(home, LETTER)
    maildir = mailbox.Maildir(home.outbox.path, create=False)
    (message,) = maildir
    assert message["Subject"] == "oust 17"
    assert message.get_subdir() == "new"
    assert message.get_payload() == "It is your turn.\n"


def test_a_maildir_keeps_a_letter_without_its_place_out_of_sight(home: Home) -> None:
    crash_while_posting(home, CAUSE)
    assert len(mailbox.Maildir(home.outbox.path, create=False)) == 0


def test_a_posting_is_not_finished_while_somebody_recovers(home: Home) -> None:
    crash_while_posting(home, CAUSE)
    with ThreadPoolExecutor() as pool:
        with home.outbox.left_behind() as (staged,):
            finished = pool.submit(home.outbox.finish, CAUSE, "oust.1")
            time.sleep(0.05)  # so that one that does not wait would be done
            assert not finished.done()
            home.outbox.settle(staged, is_done=True)
        finished.result()
    assert len(home.outbox.letters()) == 1
