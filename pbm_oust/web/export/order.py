"""What is to be exported, and what tells one export apart from another."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from pbm_oust.web.export.places import Past


@dataclass(frozen=True, slots=True)
class Order:
    """What to export, whence and where to."""

    home: Path
    folder: Path
    address: str
    """It takes commands by mail."""
    base: str
    """Where people find the files; empty if nobody knows, and there are no feeds then."""
    language: str
    """The code of a language."""
    past: Past
    clock: Callable[[], datetime]

    def made_from(self, *what: object) -> str:
        """Return what tells files that are made from something apart from all others."""
        said = self.address, self.base, self.language, self.past.value, what
        return _digest(f"{_program()} {said!r}".encode())


@cache
def _program() -> str:
    """Return a checksum of all that the program consists of, words and pictures too."""
    contents = (_content(files(each)) for each in ("pbm_oust", "pbm_oust.templates"))
    return _digest(b"".join(contents))


def _content(place: Traversable) -> bytes:
    """Return a checksum of each file in a folder, and in the folders within it."""
    found = sorted(place.iterdir(), key=lambda each: each.name)
    parts = (
        _content(each) if each.is_dir() else sha256(each.read_bytes()).digest()
        for each in found
        if each.name != "__pycache__"
    )
    return b"".join(parts)


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:32]
