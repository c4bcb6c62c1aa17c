"""A folder with the histories of a home on a server, as the files that they would be.

    DIR/oust/17.txt     replaced whole when the history has changed, so no reader sees half a line
    DIR/.mirror         what has been copied so far

Who goes on after an interruption reads only what has changed meanwhile.
"""

import json
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pbm_oust.store.disk import Disk, NoSuchFile, read_file
from pbm_oust.store.guarding import HISTORY
from pbm_oust.store.history_files import HistoryFiles
from pbm_oust.store.postgresql.changes import Changed, Look
from pbm_oust.store.postgresql.histories import HistoryRows
from pbm_oust.store.waiting import BoardName

NOTE = ".mirror"
SAVED_AFTER = 1000
"""After so many histories it is noted how far the copying has come."""


class Mirror:
    """Copies histories into a folder. The methods may raise DatabaseFault and OSError."""

    def __init__(self, histories: HistoryRows, folder: Path, disk: Disk) -> None:
        self._histories = histories
        self._files = HistoryFiles(folder, disk)
        self._note = folder / NOTE
        self._disk = disk
        self._version = 0
        """All histories are copied that have this version or a lower one."""
        self._looks = deque[tuple[int, int]]()
        """The `following` and `highest` of looks, until nothing comes any more below `highest`."""
        self._copied = dict[BoardName, int]()
        """The versions of what was copied besides, so that it is copied once."""

    def begin(self) -> None:
        """Make the folder, and find out how far the copying has come."""
        self._files.prepare()
        self._files.remove_drafts()
        look = self._histories.changes(0)
        self._looks.append((look.following, look.highest))
        noted, version = self._noted()
        if noted == list(look.identity or ()) and version <= look.highest:
            self._version = version
        # A file that is missing or of another size is no longer what was copied.
        for changed in look.changed:
            if changed.version > self._version:
                break
            if self._files.stamp(changed.name).size != changed.size:
                self._copy(changed)

    def catch_up(self, goes_on: Callable[[], bool] = lambda: True) -> int:
        """Copy what has changed, as long as `goes_on` says; return how many histories."""
        look = self._histories.changes(self._version)
        settled = self._settled(look)
        copied = 0
        for changed in look.changed:
            if self._copied.get(changed.name) == changed.version:
                continue
            if not goes_on():
                return copied
            self._copy(changed)
            copied += 1
            if not copied % SAVED_AFTER:
                self._save(look, min(settled, changed.version))
        self._save(look, settled)
        return copied

    def _settled(self, look: Look) -> int:
        """Return the version up to which this look has shown everything."""
        settled = self._version
        while self._looks and self._looks[0][0] <= look.oldest:
            settled = self._looks.popleft()[1]
        self._looks.append((look.following, look.highest))
        return settled

    def _copy(self, changed: Changed) -> None:
        with suppress(NoSuchFile):
            content = self._histories.read(changed.name).data
            self._disk.replace(self._files.path(changed.name), content, HISTORY)
        self._copied[changed.name] = changed.version

    def _save(self, look: Look, version: int) -> None:
        """Note that all is copied up to a version, unless that is known."""
        if version <= self._version:
            return
        self._version = version
        self._copied = {name: each for name, each in self._copied.items() if each > version}
        note = json.dumps({"database": look.identity, "version": version})
        self._disk.replace(self._note, f"{note}\n".encode(), 0o600)

    def _noted(self) -> tuple[list[int], int]:
        """Return of which database, and up to which version, histories were copied before."""
        try:
            note = json.loads(read_file(self._note))
            return list(note["database"]), int(note["version"])
        except (NoSuchFile, ValueError, KeyError, TypeError):
            return [], 0
