"""Starts the command line as it is, or broken on purpose, with or without a trace of its disk.

    python -m tests.chaos.launcher BUILD SPARED TRACE FUSE ARGUMENTS..

BUILD is a word of `Build`, and SPARED tells which syncs are left out where the build leaves out
syncs: those of the paths in which the expression is found. TRACE is the file of the trace, or empty
for none. FUSE is a file that may come to hold a number: so many steps of the disk later the file is
gone, and this process stands still, holding the trace, until it is killed. Without a trace, a build
that writes early lines stands still behind the next ones.

SQLite's operations on files are steps of the disk like all others. What is patched must be there:
if it is not, the launcher says so and ends with status 2.
"""

import os
import re
import signal
import sys
from collections.abc import Callable
from contextlib import nullcontext
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from pbm_oust.store import disk
from tests.chaos.trace import Step, Trace, What
from tests.support.vfs import TracedVfs

STEPS = {
    "step_open",
    "step_write",
    "step_sync",
    "step_truncate",
    "step_link",
    "step_rename",
    "step_remove",
}
"""The steps that the trace knows."""


ROOT = Path(__file__).parents[2]
START = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from tests.chaos.launcher import main
main()
"""
"""Starts the processes beside the server in the same way, in whatever folder it is."""


class Build(Enum):
    """What is started: the program as it is, or with something left out that it needs."""

    SOUND = "sound"
    NO_SYNC = "no-sync"
    NO_ID_CHECK = "no-id-check"
    EARLY_LINES = "early-lines"
    """Histories get their lines before the database has them for good."""


class TracedDisk(disk.Disk):
    """A disk whose every step is written down."""

    trace: Trace
    fuse: Path
    spared: re.Pattern[str] | None = None
    """The paths that are not synced."""
    latest: tuple[What, str] | None = None
    """The step that this process took last, and on which file or folder."""

    def step_open(self, path: Path, flags: int, mode: int) -> int:
        """Open a file or a folder; that makes a file, or empties it, if the flags say so."""
        if not flags & os.O_CREAT:
            return super().step_open(path, flags, mode)
        with self.trace.held():
            is_there = path.exists()
            handle = super().step_open(path, flags, mode)
            if not is_there:
                self.note(Step(What.CREATE, str(path)))
            elif flags & os.O_TRUNC:
                self.note(Step(What.TRUNCATE, str(path)))
            return handle

    def step_write(self, handle: int, data: bytes, at: int) -> int:
        """Write some of the data."""
        with self.trace.held():
            done = super().step_write(handle, data, at)
            self._note_about(handle, What.WRITE, at, data[:done])
            return done

    def step_sync(self, handle: int) -> None:
        """Sync a file or a folder, unless the build leaves that out."""
        if self.spared and self.spared.search(_path(handle)):
            return
        with self.trace.held():
            upto = self.trace.size
        super().step_sync(handle)
        with self.trace.held():
            self._note_about(handle, What.SYNC, upto)

    def step_truncate(self, handle: int, size: int) -> None:
        """Cut a file to a size."""
        with self.trace.held():
            super().step_truncate(handle, size)
            self._note_about(handle, What.TRUNCATE, size)

    def step_link(self, path: Path, target: Path) -> None:
        """Give a file a second name."""
        with self.trace.held():
            super().step_link(path, target)
            self.note(Step(What.LINK, str(path), str(target)))

    def step_rename(self, path: Path, target: Path) -> None:
        """Give a file another name."""
        with self.trace.held():
            super().step_rename(path, target)
            self.note(Step(What.RENAME, str(path), str(target)))

    def step_remove(self, path: Path) -> None:
        """Take a file's name away."""
        with self.trace.held():
            super().step_remove(path)
            self.note(Step(What.REMOVE, str(path)))

    def _note_about(self, handle: int, what: What, at: int, data: bytes = b"") -> None:
        """Write down a step on an open file, unless it has lost its name and so does not matter."""
        path = _path(handle)
        if not path.endswith(" (deleted)"):
            self.note(Step(what, path, at=at, data=data))

    def note(self, step: Step) -> None:
        """Write a step down; stand still if the fuse has burnt down.

        Writes to one file that come one after the other burn the fuse once, as a commit of SQLite
        is many of them.
        """
        self.trace.add(step)
        latest, TracedDisk.latest = TracedDisk.latest, (step.what, step.path)
        if latest == (What.WRITE, step.path) and step.what is What.WRITE:
            return
        left = _number_in(self.fuse)
        if left is not None and left > 1:
            self.fuse.write_text(str(left - 1))
        elif left is not None:
            self.fuse.unlink()
            while True:
                signal.pause()


def keep_trace(path: Path, fuse: Path, spared: str | None) -> TracedVfs:
    """Let everything that works with the disk write down its steps.

    SQLite does so as long as what is returned is kept.
    """
    found = {name for name in vars(disk.Disk) if name.startswith("step_")}
    if found != STEPS:
        _fail(f"the steps of the disk are {sorted(found)}, the trace knows {sorted(STEPS)}")
    TracedDisk.trace, TracedDisk.fuse = Trace(path), fuse
    TracedDisk.spared = None if spared is None else re.compile(spared)
    original = disk.Disk
    replace("pbm_oust.store.disk", "Disk", TracedDisk)
    import_module("pbm_oust.cli")
    for name, module in list(sys.modules.items()):
        if name.startswith("pbm_oust.") and original in vars(module).values():
            _fail(f"{name} knows the disk without a trace")
    return TracedVfs(TracedDisk.trace, TracedDisk().note, TracedDisk.spared)


def forget_ids() -> None:
    """Let nothing see that a message came before."""
    replace("pbm_oust.board.record", "Records.has_message_key", lambda _records, _key: False)
    replace("pbm_oust.play.context", "Look.started_by", lambda _look, _key: None)


def write_early(fuse: Path) -> None:
    """Let files of histories get their lines a moment before these are committed.

    With a fuse that burns, this process stands still in between, until it is killed.
    """
    boards: Any = import_module("pbm_oust.store.boards")
    append: Callable[..., Any] = boards.Boards.append

    def write_at_once(self: Any, transaction: Any, board: Any, acted: Any) -> Any:
        after = append(self, transaction, board, acted)
        self.path(after.name).write_bytes(after.data)
        if fuse.exists():
            fuse.unlink()
            while True:
                signal.pause()
        return after

    replace("pbm_oust.store.boards", "Boards.append", write_at_once)


def replace(module: str, name: str, value: object) -> None:
    """Put something in the place of what has a name in a module."""
    owner: Any = import_module(module)
    *path, last = name.split(".")
    for each in path:
        owner = getattr(owner, each, None)
    if not hasattr(owner, last):
        _fail(f"{module} has no {name}")
    setattr(owner, last, value)


def main() -> None:
    """Start the command line."""
    word, spared, trace, fuse, *arguments = sys.argv[1:]
    build = Build(word)
    kept = None
    if trace:
        kept = keep_trace(Path(trace), Path(fuse), spared if build is Build.NO_SYNC else None)
    if build is Build.NO_ID_CHECK:
        forget_ids()
    if build is Build.EARLY_LINES:
        write_early(Path(fuse))
    if "serve" in arguments:
        started = [sys.executable, "-c", START, str(ROOT), word, spared, trace, fuse]
        replace("pbm_oust.cli.beside", "PROGRAM", started)
    sys.argv = ["pbm-oust", *arguments]
    run: Callable[[], None] = import_module("pbm_oust.cli").run
    with kept.in_use() if kept else nullcontext():
        run()


def _path(handle: int) -> str:
    return os.readlink(f"/proc/self/fd/{handle}")


def _number_in(path: Path) -> int | None:
    try:
        return int(path.read_text() or 0) or None
    except FileNotFoundError:
        return None


def _fail(reason: str) -> NoReturn:
    sys.stderr.write(f"launcher: {reason}\n")
    raise SystemExit(2)


if __name__ == "__main__":
    main()
