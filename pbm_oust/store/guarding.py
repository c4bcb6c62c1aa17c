"""Who may enter a home: its owner alone, or with readers others too, who then see the histories."""

import errno
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.disk import linked, set_mode

CLOSED = 0o700
OPEN = 0o711
"""The permissions of a home with readers: others can reach what they know the name of."""

FOLDER_OF_HISTORIES = 0o755
HISTORY = 0o644

_OWN_FILES = {"pbm_oust.db", "pbm_oust.toml", "key"}
"""A folder that holds one of these is a home."""

_OWN_FOLDERS = {*KINDS, "outbox", "lost+found"}
"""What a home may hold that was begun and never finished."""


_LETTERS = ("outbox", "outbox/tmp", "outbox/new", "outbox/cur")


def guard(home: Path, *, has_readers: bool) -> None:
    """Keep others out of a home, or let them read its histories and nothing else.

    Raises OSError for a folder that is no home or belongs to others; then nothing has changed.
    """
    _refuse_foreign(home)
    folders = [home / kind for kind in KINDS if os.path.lexists(home / kind)]
    for folder in [*folders, *(home / each for each in _LETTERS)]:
        if folder.is_symlink():
            raise linked(folder)
    if has_readers and _mode(home) != OPEN:
        _hide_the_rest(home)
        _show_histories(folders)
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
    """Return the name of a user of this machine, or `user 1234` if there is none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _refuse_foreign(home: Path) -> None:
    """Raise OSError for a folder that others own, that all share, or that holds other things."""
    found = home.stat()
    if os.geteuid() not in (found.st_uid, 0):
        owner = user_name(found.st_uid)
        reason = f"it belongs to {owner}; do this as {owner}, or name another folder with --home"
    elif found.st_mode & stat.S_ISVTX:
        reason = f"all users share it; name a folder of its own, as in --home {home / 'games'}"
    elif not _is_home(home):
        reason = (
            "it holds other things and no games; "
            f"name an empty folder or a new one, as in --home {home / 'games'}"
        )
    else:
        return
    raise OSError(errno.EPERM, reason, str(home))


def _is_home(folder: Path) -> bool:
    """Return whether a folder is a home, or is empty but for hidden files."""
    names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    return bool(
        names & _OWN_FILES
        or names <= _OWN_FOLDERS
        or any(_histories(folder / kind) for kind in KINDS)
    )


def _histories(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.txt") if path.stem.isdigit()]


def _show_histories(folders: list[Path]) -> None:
    for path in [history for folder in folders for history in _histories(folder)]:
        with suppress(OSError):
            set_mode(path, HISTORY)


def _hide_the_rest(home: Path) -> None:
    """Keep others from what the owner of a home has in it, besides the histories."""
    for path, found in _entries(home):
        mode = stat.S_IMODE(found.st_mode)
        if mode & 0o007 and found.st_uid == home.stat().st_uid:
            with suppress(OSError):
                set_mode(path, mode & ~0o007)


def _entries(home: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for path in home.iterdir():
        if path.name not in KINDS:
            with suppress(FileNotFoundError):
                yield path, path.lstat()


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
