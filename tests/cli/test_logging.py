"""What an event loop reports again and again."""

import errno
import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

from pbm_oust.cli.logs import REPEATED, LogFormatter, Repetitions
from tests.support.player import Player
from tests.support.server import running
from tests.support.sink import listening_sink


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
import sys
from pbm_oust.cli.logs import start_log
from pbm_oust.render.entry import LogEntry
from pbm_oust.store.configuration import LogForm
start_log(LogForm(sys.argv[1]))
logging.info("received")
logging.info("%s", LogEntry(id="9c2f1e07", board="", bytes=7, message_id="<1@example.org>"))
logging.warning("wrong password from %s", "192.0.2.7")
logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
try:
    raise ValueError("alice@example.org")
except ValueError:
    logging.exception("a fault in the program")
"""


def logged(log: Path, stream: str, form: str = "text") -> list[str]:
    """Return what a program logs into a file that JOURNAL_STREAM names, or does not."""
    with log.open("w") as written:
        there = os.fstat(written.fileno())
        subprocess.run(
            [sys.executable, "-c", LOGGING, form],
            stderr=written,
            check=True,
            env={**os.environ, "JOURNAL_STREAM": stream.format(there.st_dev, there.st_ino)},
        )
    return log.read_text().splitlines()


def test_the_journal_is_told_priorities_and_no_time(tmp_path: Path) -> None:
    """As `journalctl -p warning` wants them: sd-daemon(3)."""
    told = logged(tmp_path / "log", "{}:{}")
    assert told[:4] == [
        "<6>INFO received",
        "<6>INFO id=9c2f1e07 board=- bytes=7 message_id=<1@example.org>",
        "<4>WARNING wrong password from 192.0.2.7",
        "<3>ERROR a fault in the program",
    ]
    assert told[-1] == "<3>    ValueError: (address)"
    assert all(line.startswith("<3>    ") for line in told[4:])


def test_whatever_is_no_journal_is_told_the_time(tmp_path: Path) -> None:
    told = logged(tmp_path / "log", "7:7")
    assert told[0].endswith(" INFO received")
    assert told[0][:2] == "20"


def test_programs_that_collect_logs_are_told_objects(tmp_path: Path) -> None:
    told = [json.loads(line) for line in logged(tmp_path / "log", "7:7", "json")]
    assert all(re.fullmatch(r"2\d{3}-\d\d-\d\dT[\d:.]{12}Z", each.pop("time")) for each in told)
    traceback = told[-1].pop("traceback")
    assert traceback.endswith("\nValueError: (address)")
    assert told == [
        {"level": "info", "message": "received"},
        {"level": "info", "id": "9c2f1e07", "bytes": 7, "message_id": "<1@example.org>"},
        {"level": "warning", "message": "wrong password from 192.0.2.7"},
        {"level": "error", "message": "a fault in the program"},
    ]


def test_the_journal_tells_objects_apart_by_priority(tmp_path: Path) -> None:
    told = logged(tmp_path / "log", "{}:{}", "json")
    assert [line[:4] for line in told] == ["<6>{", "<6>{", "<4>{", "<3>{"]


def test_all_processes_of_a_server_log_as_it_is_configured(tmp_path: Path) -> None:
    (tmp_path / "pbm_oust.toml").write_text('log = "json"\n')
    with (
        listening_sink() as (sink, relay),
        running(tmp_path, "--relay", f"smtp://{relay}") as server,
    ):
        Player("alice", "wonderland", server).send("help")
        sink.wait_for(1)
        server.stop()
    told = [json.loads(line) for line in server.log.splitlines()]
    (came,) = (each for each in told if each.get("command") == "help")
    (left,) = (each for each in told if "letter" in each)
    assert left["id"] == came["id"]
    assert isinstance(came["bytes"], int)
