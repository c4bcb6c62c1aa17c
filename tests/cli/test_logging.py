"""What an event loop reports again and again."""

import errno
import logging
import sys

from pbm_oust.cli.common import REPEATED, LogFormatter, Repetitions


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
