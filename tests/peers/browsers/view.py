"""How somebody looks at pages: their window, their language, and what is switched off."""

from dataclasses import dataclass
from pathlib import Path

from tests.peers.mail_programs.desk import PEERS

PHONE, DESKTOP = 360, 1200
"""Widths of windows, in the pixels of style sheets."""
HEIGHT = 900


@dataclass(frozen=True)
class View:
    """A window and the settings of its browser."""

    width: int = DESKTOP
    is_dark: bool = False
    language: str = "en"
    has_scripts: bool = True
    is_still: bool = False
    """Whether they have asked for less motion."""

    @property
    def name(self) -> str:
        """The view in words, for the names of tests."""
        colours = "dark" if self.is_dark else "light"
        return f"{self.width}-{colours}-{self.language}{'' if self.has_scripts else '-no-scripts'}"


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a browser that keeps its things in a folder."""
    return {"HOME": str(folder), "TMPDIR": str(folder), "PATH": "/usr/bin:/bin"}


def package(name: str) -> Path:
    """Return where a Debian package is unpacked."""
    return PEERS / name / "usr"
