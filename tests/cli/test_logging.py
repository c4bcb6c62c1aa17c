"""What an event loop reports again and again."""

import errno
import logging
import os
import subprocess
import sys
from pathlib import Path

from pbm_oust.cli.logs import REPEATED, LogFormatter, Repetitions


def reported(log: Repetitions, error: Exception, message: str = "socket.accept()") -> str:
    """Return what is logged when an event loop reports an error; empty if nothing is."""
    try:
        raise error
    except type(error):
        raised = sys.exc_info()
    record = logging.LogRecord("asyncio", logging.ERROR, "", 0, message, None, raised)
    return LogFormatter("%(message)s").format(record) if log.filter(record) else ""


def test_connections_that_cannot_be_taken_are_a_line_a_minute_with_their_count() -> None:
    now = [100.0]
    log = Repetitions(lambda: now[0])
    first = reported(log, OSError(errno.EMFILE, "Too many open files"))
    assert first == f"socket.accept: [Errno {errno.EMFILE}] Too many open files"
    for nth in range(70):
        same = reported(log, OSError(errno.EMFILE, "Too many open files"), f"socket.accept({nth})")
        assert same == ""
    now[0] += REPEATED
    later = reported(log, OSError(errno.EMFILE, "Too many open files"))
    assert later == f"{first}; 70 times more since it was told"


def test_any_other_fault_is_told_whole_once() -> None:
    now = [100.0]
    log = Repetitions(lambda: now[0])
    assert "Traceback" in reported(log, ValueError("no"), "Exception in callback f(0x7f)")
    assert reported(log, ValueError("no"), "Exception in callback f(0x8f)") == ""
    assert "Traceback" in reported(log, ValueError("other"), "Exception in callback f(0x7f)")
    now[0] += REPEATED
    again = reported(log, ValueError("no"), "Exception in callback f(0x9f)")
    assert again == "Exception in callback f: no; 1 times more since it was told"


LOGGING = """
import logging
from pbm_oust.cli.logs import start_log
start_log()
logging.info("received")
logging.warning("wrong password from 192.0.2.7")
try:
    1 / 0
except ZeroDivisionError:
    logging.exception("a fault in the program")
"""


def logged(log: Path, stream: str) -> list[str]:
    """Return what a program logs into a file that JOURNAL_STREAM names, or does not."""
    with log.open("w") as written:
        there = os.fstat(written.fileno())
        subprocess.run(
            [sys.executable, "-c", LOGGING],
            stderr=written,
            check=True,
            env={**os.environ, "JOURNAL_STREAM": stream.format(there.st_dev, there.st_ino)},
        )
    return log.read_text().splitlines()


def test_the_journal_is_told_priorities_and_no_time(tmp_path: Path) -> None:
    """As `journalctl -p warning` wants them: sd-daemon(3)."""
    told = logged(tmp_path / "log", "{}:{}")
    assert told[:2] == ["<6>INFO received", "<4>WARNING wrong password from 192.0.2.7"]
    assert told[2] == "<3>ERROR a fault in the program"
    assert "<3>    ZeroDivisionError: division by zero" in told
    assert all(line.startswith("<3>    ") for line in told[3:])


def test_whatever_is_no_journal_is_told_the_time(tmp_path: Path) -> None:
    told = logged(tmp_path / "log", "7:7")
    assert told[0].endswith(" INFO received")
    assert told[0][:2] == "20"
