"""A terminal in which a mail program runs as if somebody sat before it."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyte

from tests.support.waiting import PATIENCE, Hung, has_news

REST = 0.5
"""Seconds without news after which a screen has come to rest."""
ROWS, COLUMNS = 40, 120
_CONTROLS = re.compile(r"\x1b\[[0-9;?>=]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>78DM]|\x1b\][^\x07]*\x07")


class Terminal:
    """What a program writes, without colours and places; what it shows; and what is typed."""

    def __init__(self, master: int, program: subprocess.Popen[bytes], rows: int) -> None:
        self._master = master
        self._program = program
        self._raw = b""
        self._seen = 0
        self._screen = pyte.Screen(COLUMNS, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._is_answered = True
        """Whether the program has written anything since something was typed."""

    @property
    def written(self) -> str:
        return _CONTROLS.sub("", self._raw.decode("utf-8", "replace"))

    def wait_for(self, text: str) -> None:
        """Wait until the program writes a text that it had not written before the last wait."""
        deadline, before = time.monotonic() + PATIENCE, len(self._raw)
        while text not in self.written[self._seen :]:
            if time.monotonic() > deadline:
                raise self._fault(before, f"{text!r} did not come:\n{self.written[-2000:]}")
            self._take()
        self._seen = self.written.index(text, self._seen) + len(text)

    @property
    def shown(self) -> list[str]:
        """The lines of the screen, from the top down."""
        self._take()
        return [line.rstrip() for line in self._screen.display]

    def wait_to_see(self, pattern: str, keys: str = "") -> re.Match[str]:
        """Wait until a line of the screen has a pattern in it, and return what matches last.

        What was there when something was typed does not count before the program has written.
        `keys` are typed again and again meanwhile, each time after the screen has come to rest.
        """
        deadline, before = time.monotonic() + PATIENCE, len(self._raw)
        while not (found := self._matches(pattern)):
            if time.monotonic() > deadline:
                raise self._fault(before, "\n".join([f"no {pattern!r} in", *self.shown]))
            if keys and not self._take():
                self.type(keys)
        return found[-1]

    def type(self, keys: str) -> None:
        self._is_answered = False
        os.write(self._master, keys.encode())

    def rest(self) -> None:
        """Wait until the program has written nothing for a while.

        Some forget what is typed while they take the screen back from another program.
        """
        quiet_since = time.monotonic()
        while time.monotonic() < quiet_since + REST:
            if self._take():
                quiet_since = time.monotonic()

    def wait_until_ended(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while self._program.poll() is None:
            assert time.monotonic() < deadline, f"it did not end:\n{self.written[-2000:]}"
            self._take()
        assert self._program.returncode == 0, self.written[-2000:]

    def _fault(self, before: int, said: str) -> AssertionError:
        """Return what to raise: Hung if nothing has been written since so many bytes were."""
        return AssertionError(said) if len(self._raw) > before else Hung(said)

    def _matches(self, pattern: str) -> list[re.Match[str]]:
        shown = "\n".join(self.shown)
        return list(re.finditer(pattern, shown, re.MULTILINE)) if self._is_answered else []

    def _take(self) -> bool:
        """Take what the program writes; return whether it has written anything for a moment."""
        if not has_news(self._master, 0.05):
            return False
        try:
            read = os.read(self._master, 65536)
        except OSError:  # the program has closed its side
            time.sleep(0.05)
            return False
        self._raw += read
        self._stream.feed(read)
        self._is_answered = True
        return True


@contextmanager
def terminal(
    command: list[str | Path], environment: dict[str, str], folder: Path, rows: int = ROWS
) -> Iterator[Terminal]:
    """Run a program in a terminal for the body of the `with`."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))
    program = subprocess.Popen(
        ["setsid", "--ctty", *command],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={"TERM": "xterm"} | environment,
        cwd=folder,
    )
    os.close(slave)
    try:
        yield Terminal(master, program, rows)
    finally:
        if program.poll() is None:
            program.kill()
        program.wait()
        os.close(master)
