"""A clock that several processes read from a file, and that stands still until it is set."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pbm_oust.board.notation import format_time, parse_time


@dataclass(frozen=True, slots=True)
class SetClock:
    """The clock whose time stands in the file `path`."""

    path: Path

    def now(self) -> datetime:
        """Return the time."""
        return parse_time(self.path.read_text())

    def set(self, at: datetime) -> None:
        """Set the clock forward. Time never runs backward: ValueError."""
        if self.path.exists() and at < self.now():
            raise ValueError(f"{at} is before {self.now()}")
        draft = self.path.with_suffix(".draft")
        draft.write_text(format_time(at))
        draft.replace(self.path)
