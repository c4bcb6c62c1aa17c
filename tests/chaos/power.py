"""What a power cut leaves of a home: everything that was synced, and any part of the rest.

The model of a file system is this. What is written to a file, or cut off it, is durable when the
file is synced; a name that a folder gains or loses, when the folder is synced. A file that was
never synced may be empty or half written although its name is there. Of what is not durable, a
power cut leaves the steps up to some moment, which is another one for each file and each folder.
A rename from one folder to another happens whole or not at all, and is durable when the folder
that gains the name is synced. Folders themselves do not get lost.
"""

import os
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from random import Random

from tests.chaos.trace import Step, What


class WrongTrace(Exception):
    """A trace that does not fit the home: somebody writes files past the steps of the disk."""


@dataclass(slots=True)
class Content:
    """What stands in a file: as programs see it, as it is on the disk, and the steps between."""

    seen: bytearray = field(default_factory=bytearray)
    durable: bytearray = field(default_factory=bytearray)
    steps: deque[Step] = field(default_factory=deque)

    def change(self, step: Step) -> None:
        """Write to the file, or cut it."""
        _change(self.seen, step)
        self.steps.append(step)

    def sync(self, upto: int) -> None:
        """Make durable what was done before a place in the trace."""
        while self.steps and self.steps[0].place < upto:
            _change(self.durable, self.steps.popleft())

    def cut(self, random: Random, share: float) -> int:
        """Keep the first of the steps, each by the chance `share`; return how many are undone."""
        while self.steps and random.random() < share:
            _change(self.durable, self.steps.popleft())
        undone = len(self.steps)
        if self.steps and self.steps[0].data and random.random() < share:
            half = self.steps[0]
            data = half.data[: random.randrange(len(half.data))]
            _change(self.durable, Step(What.WRITE, "", at=half.at, data=data))
        self.seen, self.steps = bytearray(self.durable), deque()
        return undone


@dataclass(frozen=True, slots=True)
class Naming:
    """A step that is about the name of a file and not yet durable."""

    step: Step
    content: Content

    @property
    def name(self) -> str:
        """The name that comes or goes."""
        return self.step.target or self.step.path

    @property
    def folders(self) -> set[PurePath]:
        """The folders that it changes."""
        names = (self.step.path, self.step.target) if self._moves else (self.name,)
        return {PurePath(name).parent for name in names}

    @property
    def _moves(self) -> bool:
        return self.step.what is What.RENAME

    def apply(self, names: dict[str, Content]) -> None:
        """Give or take the name."""
        if self._moves and names.get(self.step.path) is self.content:
            del names[self.step.path]
        if self.step.what is What.REMOVE:
            names.pop(self.name, None)
        else:
            names[self.name] = self.content


class Storage:
    """The files of a home as its trace tells them."""

    def __init__(self) -> None:
        self._seen: dict[str, Content] = {}
        self._durable: dict[str, Content] = {}
        self._pending: list[Naming] = []
        self._touched: set[str] = set()

    def follow(self, steps: Iterable[Step]) -> None:
        """Take the steps of a trace. Raises WrongTrace."""
        for step in steps:
            try:
                self._follow(step)
            except KeyError:
                raise WrongTrace(f"the trace does not know the file of {step}") from None

    def check(self, folder: Path, but: Iterable[Path] = ()) -> None:
        """Raise WrongTrace unless the files of a folder are those that the trace tells of."""
        there = {str(path) for path in folder.rglob("*") if path.is_file()} - set(map(str, but))
        for name in there ^ set(self._seen):
            raise WrongTrace(f"only the {'folder' if name in there else 'trace'} has {name}")
        for name in self._touched & there:
            if Path(name).read_bytes() != self._seen[name].seen:
                raise WrongTrace(f"{name} is not as the trace tells")

    def cut(self, random: Random, share: float) -> int:
        """Cut the power; return how many steps are undone.

        `share` is the chance of each step to be kept although it is not durable; a step that is
        kept cannot have come after one in the same folder or file that is not.
        """
        undone, at_end = 0, set[PurePath]()
        for naming in self._pending:
            if not at_end & naming.folders and random.random() < share:
                naming.apply(self._durable)
            else:
                at_end |= naming.folders
                undone += 1
        done = set[int]()
        for name, content in self._durable.items():
            if id(content) not in done:
                undone += content.cut(random, share)
                done.add(id(content))
            else:
                same = content.durable
                self._durable[name] = Content(bytearray(same), bytearray(same))
        self._seen, self._pending = dict(self._durable), []
        return undone

    def files(self) -> dict[str, bytes]:
        """Return what stands in each file, as programs see it."""
        return {name: bytes(content.seen) for name, content in self._seen.items()}

    def restore(self) -> None:
        """Make the files what the power cut left."""
        for name in self._touched:
            Path(name).unlink(missing_ok=True)
            if name in self._durable:
                Path(name).write_bytes(self._durable[name].durable)
                os.chmod(name, 0o600)
        self._touched.clear()

    def _follow(self, step: Step) -> None:
        match step.what:
            case What.SYNC if step.path in self._seen:
                self._seen[step.path].sync(step.at)
            case What.SYNC:
                self._sync_folder(PurePath(step.path), step.at)
            case What.WRITE | What.TRUNCATE:
                self._seen[step.path].change(step)
                self._touched.add(step.path)
            case _:
                content = Content() if step.what is What.CREATE else self._seen[step.path]
                naming = Naming(step, content)
                naming.apply(self._seen)
                self._pending.append(naming)
                self._touched |= {step.path, naming.name}

    def _sync_folder(self, folder: PurePath, upto: int) -> None:
        """Make durable what the folder has gained and lost before a place in the trace."""
        synced = [
            naming
            for naming in self._pending
            if naming.step.place < upto and PurePath(naming.name).parent == folder
        ]
        for naming in synced:
            naming.apply(self._durable)
            self._pending = [
                other
                for other in self._pending
                if other is not naming and not _is_superseded(other, naming)
            ]


def _is_superseded(earlier: Naming, by: Naming) -> bool:
    """Return whether a file was given a name that a later rename takes away again."""
    return (
        by.step.what is What.RENAME
        and earlier.content is by.content
        and earlier.name == by.step.path
        and earlier.step.place < by.step.place
    )


def _change(content: bytearray, step: Step) -> None:
    """Do to the content of a file what a step has done."""
    content.extend(bytes(max(step.at - len(content), 0)))
    if step.what is What.TRUNCATE:
        del content[step.at :]
    else:
        content[step.at : step.at + len(step.data)] = step.data
