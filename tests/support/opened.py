"""Which histories this process opens, and which folders of them it lists."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbm_oust.rules import KINDS


class _Opened:
    """What is opened and listed in a home while somebody counts."""

    def __init__(self) -> None:
        self.folder = ""
        self.paths = list[str]()

    def look_at(self, event: str, given: tuple[object, ...]) -> None:
        """Note a history that is opened, or a folder of them that is listed."""
        if self.folder and event in ("open", "os.listdir", "os.scandir"):
            path = str(given[0])
            is_history = path.endswith(".txt")
            is_listed = event != "open" and path.removeprefix(self.folder) in KINDS
            if path.startswith(self.folder) and (is_history or is_listed):
                self.paths.append(path)


_OPENED = _Opened()
sys.addaudithook(_OPENED.look_at)


@contextmanager
def opened_in(home: Path) -> Iterator[list[str]]:
    """Give a list of what is opened and listed in a home while the body runs."""
    _OPENED.folder, _OPENED.paths = f"{home}/", []
    try:
        yield _OPENED.paths
    finally:
        _OPENED.folder = ""
