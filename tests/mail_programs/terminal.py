"""A terminal in which a mail program runs as if somebody sat before it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.end_to_end.waiting import PATIENCE

ROWS, COLUMNS = 40, 120
_CONTROLS = re.compile(r"\x1b\[[0-9;?>=]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>78DM]|\x1b\][^\x07]*\x07")


class Terminal:
    """What a program writes, without colours and places, and what is typed."""

    def __init__(self, master: int, program: subprocess.Popen[bytes]) -> None:
        self._master = master
        self._program = program
        self._raw = b""
        self._seen = 0

    @property
    def written(self) -> str:
        return _CONTROLS.sub("", self._raw.decode("utf-8", "replace"))

    def wait_for(self, text: str) -> None:
        """Wait until the program writes a text that it had not written before the last wait."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.written[self._seen :]:
            assert time.monotonic() < deadline, f"{text!r} did not come:\n{self.written[-2000:]}"
            self._take()
        self._seen = self.written.index(text, self._seen) + len(text)

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def wait_until_ended(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while self._program.poll() is None:
            assert time.monotonic() < deadline, f"it did not end:\n{self.written[-2000:]}"
            self._take()
        assert self._program.returncode == 0, self.written[-2000:]

    def _take(self) -> None:
        if select.select([self._master], [], [], 0.05)[0]:
            try:
                self._raw += os.read(self._master, 65536)
            except OSError:  # the program has closed its side
                time.sleep(0.05)


@contextmanager
def terminal(
    command: list[str | Path], environment: dict[str, str], folder: Path
) -> Iterator[Terminal]:
    """Run a program in a terminal for the body of the `with`."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    program = subprocess.Popen(
        ["setsid", "--ctty", *command],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment | {"TERM": "xterm"},
        cwd=folder,
    )
    os.close(slave)
    try:
        yield Terminal(master, program)
    finally:
        if program.poll() is None:
            program.kill()
        program.wait()
        os.close(master)
