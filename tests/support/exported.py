"""Pages as files, written by a real process."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from pbm_oust.store.published import OWN
from tests.support.server import PROGRAM


@dataclass(frozen=True)
class Export:
    """What a process did that exported pages."""

    folder: Path
    done: subprocess.CompletedProcess[str]

    @property
    def files(self) -> dict[str, tuple[int, bytes]]:
        """The files by their paths: when each was written, and what it says."""
        return {
            str(path.relative_to(self.folder)): (path.stat().st_mtime_ns, path.read_bytes())
            for path in self.folder.rglob("*")
            if path.is_file() and OWN not in path.parts
        }

    def text(self, path: str) -> str:
        """Return the content of a file."""
        return (self.folder / path).read_text()


def exported(home: Path, folder: Path, *options: str) -> Export:
    """Export the pages of a home into a folder."""
    words = [PROGRAM, "--home", str(home), "web", "export", *options, str(folder)]
    return Export(folder, subprocess.run(words, capture_output=True, text=True))
