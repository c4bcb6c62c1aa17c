"""The files of a home: durable writes, locks, and permissions.

A write that returns is on the disk; a write that fails has changed nothing, as far as the disk
allows.

Files are synced, and so are the folders that name them. Their modes are exact, whatever the umask.
This is the only module that writes files.
"""

import errno
import fcntl
import os
import pwd
import re
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

_drafts = count()
_DRAFT = re.compile(r"\..+\.[0-9]+\.[0-9]+\.draft")


class NoSuchFile(LookupError):
    """A board, account or letter that is not in the home."""


class Disk:
    """Write operations on files. Every method may raise OSError.

    Then nothing has changed, unless even that has failed. Methods that begin with `step` are the
    single operations of which all others consist, and the points where a disk can fail.
    """

    def create(
        self, path: Path, data: bytes, mode: int, *, replaces: bool = False, syncs: bool = True
    ) -> None:
        """Write a file that does not exist; it appears whole. Raises FileExistsError.

        If it replaces another one, a reader sees the old content or the new one. A draft removed by
        another process's `remove_drafts` is written again.
        """
        draft = path.with_name(f".{path.name}.{os.getpid()}.{next(_drafts)}.draft")
        is_named = False
        while not is_named:
            try:
                self.write(draft, data, mode, syncs=syncs)
                with suppress(FileNotFoundError):
                    (self.step_rename if replaces else self.step_link)(draft, path)
                    is_named = True
            finally:
                with suppress(OSError):
                    self.step_remove(draft)
        if syncs:
            self.sync_folder(path.parent)

    def write(self, path: Path, data: bytes, mode: int, *, syncs: bool = True) -> None:
        """Write a file that nobody reads yet; its folder is not synced."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
        handle = self.step_open(path, flags, mode)
        try:
            give_to_owner_of(path.parent, handle)
            os.fchmod(handle, mode)
            self._write_all(handle, data, at=0)
            if syncs:
                self.step_sync(handle)
        finally:
            os.close(handle)

    def append(self, handle: int, data: bytes, at: int, *, syncs: bool = True) -> None:
        """Write to an open file at the end `at` of its content; anything after it is cut off."""
        try:
            self.step_truncate(handle, at)
            self._write_all(handle, data, at)
            if syncs:
                self.step_sync(handle)
        except OSError:
            with suppress(OSError):
                self.step_truncate(handle, at)
            raise

    def remove(self, path: Path) -> None:
        """Remove a file. Raises FileNotFoundError."""
        self.step_remove(path)
        self.sync_folder(path.parent)

    def make_folder(self, path: Path, mode: int) -> None:
        """Make a folder if it is missing; the folder around it is not synced."""
        with suppress(FileExistsError):
            path.mkdir(mode)
            give_to_owner_of(path.parent, path)
            set_mode(path, mode)

    def remove_drafts(self, folder: Path) -> None:
        """Remove drafts of `create` from dead processes; a live process writes its draft again."""
        for name in filter(_DRAFT.fullmatch, os.listdir(folder)):
            if (folder / name).is_file():
                with suppress(FileNotFoundError):
                    self.step_remove(folder / name)

    def sync_folder(self, path: Path) -> None:
        """Sync a folder: the names of its files."""
        self._sync(path, os.O_RDONLY | os.O_DIRECTORY)

    def sync_file(self, path: Path) -> None:
        """Sync a file and its folder."""
        self._sync(path, os.O_RDONLY)
        self.sync_folder(path.parent)

    def _sync(self, path: Path, flags: int) -> None:
        handle = self.step_open(path, flags, 0)
        try:
            self.step_sync(handle)
        finally:
            os.close(handle)

    def _write_all(self, handle: int, data: bytes, at: int) -> None:
        done = 0
        while done < len(data):
            done += self.step_write(handle, data[done:], at + done)

    def step_open(self, path: Path, flags: int, mode: int) -> int:
        """Open a file or a folder and return its handle."""
        return os.open(path, flags | os.O_CLOEXEC, mode)

    def step_write(self, handle: int, data: bytes, at: int) -> int:
        """Write some of the data and return the number of bytes."""
        return os.pwrite(handle, data, at)

    def step_sync(self, handle: int) -> None:
        """Sync a file or a folder."""
        os.fsync(handle)

    def step_truncate(self, handle: int, size: int) -> None:
        """Cut a file to a size."""
        os.ftruncate(handle, size)

    def step_link(self, path: Path, target: Path) -> None:
        """Give a file a second name, which must be free."""
        os.link(path, target)

    def step_rename(self, path: Path, target: Path) -> None:
        """Rename a file, replacing any other; the folders are not synced."""
        os.rename(path, target)

    def step_remove(self, path: Path) -> None:
        """Remove a file's name."""
        os.unlink(path)


def set_mode(path: Path, mode: int) -> None:
    """Give a file or a folder its permissions. Raises OSError, also for a link.

    The file is not opened: a process that closes one loses the locks that SQLite has on it.
    """
    handle = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if stat.S_ISLNK(os.fstat(handle).st_mode):
            raise linked(path)
        os.chmod(f"/proc/self/fd/{handle}", mode)
    finally:
        os.close(handle)


def open_regular(path: Path | str, flags: int = os.O_RDONLY) -> int:
    """Open a file of the home and return its handle. Raises OSError.

    A link is not followed, and a pipe in place of the file does not block.
    """
    try:
        handle = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise linked(path) from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return handle


def linked(path: Path | str) -> OSError:
    """Return the error for a symbolic link below the home."""
    return OSError(errno.ELOOP, "it is a link, and links in the home are not followed", str(path))


def bytes_of(path: Path) -> bytes:
    """Return the content of a file of the home. Raises FileNotFoundError and OSError."""
    with open(open_regular(path), "rb") as file:
        return file.read()


def give_to_owner_of(folder: Path, made: Path | int) -> None:
    """Give files made by root to the owner of the folder, so that the server can use them."""
    if os.geteuid() == 0:
        owner = folder.stat()
        # Whoever owns the folder could put a link in the place of what was made.
        os.chown(made, owner.st_uid, owner.st_gid, follow_symlinks=isinstance(made, int))


@contextmanager
def locked_folder(path: Path, *, waits: bool = True) -> Iterator[bool]:
    """Lock a folder, and yield whether it is locked. The lock ends with the process.

    With `waits=False`, somebody else may hold the lock.
    """
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(handle)


@contextmanager
def locked_file(path: Path | str) -> Iterator[int]:
    """Lock an existing file, and yield its handle. The lock ends with the process.

    If the file was replaced while we waited for it, the new one is locked instead.
    """
    is_held = False
    while not is_held:
        handle = open_regular(path, os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            is_held = os.path.samestat(os.fstat(handle), os.lstat(path))
            if is_held:
                yield handle
        finally:
            os.close(handle)


# Who may enter a home: its owner alone, or with readers others too, who then see the histories

CLOSED = 0o700
OPEN = 0o711
"""The mode of a home with readers: others can reach files by name."""

FOLDER_OF_HISTORIES = 0o755
HISTORY = 0o644

_OWN_FILES = {"pbm_oust.db", "pbm_oust.toml", "key"}
"""Files that make a folder a home."""

_OWN_FOLDERS = {"outbox", "lost+found"}
"""Folders that an unfinished home may have, besides those of histories."""

_OUTBOX = ("outbox", "outbox/tmp", "outbox/new", "outbox/cur")


def guard(home: Path, kinds: Collection[str], *, has_readers: bool) -> None:
    """Keep others out of a home, or let them read its histories and nothing else.

    `kinds` names the folders of histories. Raises OSError for a folder that is no home or belongs
    to others; then nothing has changed.
    """
    _refuse_foreign(home, kinds)
    folders = [home / kind for kind in kinds if os.path.lexists(home / kind)]
    for folder in [*folders, *(home / each for each in _OUTBOX)]:
        if folder.is_symlink():
            raise linked(folder)
    if has_readers and _mode(home) != OPEN:
        _hide_the_rest(home, kinds)
        for path in [history for folder in folders for history in _histories(folder)]:
            with suppress(OSError):
                set_mode(path, HISTORY)
    for folder in folders:
        if _mode(folder) != FOLDER_OF_HISTORIES:
            set_mode(folder, FOLDER_OF_HISTORIES)
    wanted = OPEN if has_readers else CLOSED
    if _mode(home) != wanted:
        home.chmod(wanted)  # a link may lead to it
    if _mode(home) != wanted:
        reason = "its disk keeps nobody out of a folder; take one on another disk"
        raise OSError(errno.EPERM, reason, str(home))


def user_name(uid: int) -> str:
    """Return the name of a user of this machine, or `user 1234` for an unknown one."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _refuse_foreign(home: Path, kinds: Collection[str]) -> None:
    """Raise OSError for a folder owned by others, shared, or with foreign files."""
    found = home.stat()
    if os.geteuid() not in (found.st_uid, 0):
        owner = user_name(found.st_uid)
        reason = f"it belongs to {owner}; do this as {owner}, or name another folder with --home"
    elif found.st_mode & stat.S_ISVTX:
        reason = f"all users share it; name a folder of its own, as in --home {home / 'games'}"
    elif not _is_home(home, kinds):
        reason = (
            "it holds other things and no games; "
            f"name an empty folder or a new one, as in --home {home / 'games'}"
        )
    else:
        return
    raise OSError(errno.EPERM, reason, str(home))


def _is_home(folder: Path, kinds: Collection[str]) -> bool:
    """Return whether a folder is a home, or is empty but for hidden files."""
    names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    return bool(
        names & _OWN_FILES
        or names <= {*kinds, *_OWN_FOLDERS}
        or any(_histories(folder / kind) for kind in kinds)
    )


def _histories(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.txt") if path.stem.isdigit()]


def _hide_the_rest(home: Path, kinds: Collection[str]) -> None:
    """Restrict the owner's files in a home, except histories, to the owner."""
    for path in home.iterdir():
        with suppress(OSError):
            found = path.lstat()
            mode = stat.S_IMODE(found.st_mode)
            is_ours = path.name not in kinds and found.st_uid == home.stat().st_uid
            if is_ours and mode & 0o007:
                set_mode(path, mode & ~0o007)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
