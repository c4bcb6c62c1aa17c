"""What the host provides: owners and permissions of files, the key, space on the disk."""

import os
import shlex
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from pbm_oust.doctor.finding import Examiner, Finding, counted, status, within
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.disk import CLOSED, OPEN, user_name
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.own_socket import FOR_DELIVER, FOR_OWNER
from pbm_oust.store.sqlite import files_of

LEAST_BYTES = 50 * 2**20
LEAST_FILES = 1000

_on = Examiner("permissions")
_on_space = Examiner("space")


def check(home: Home, configuration: Configuration) -> Iterator[Finding]:
    """Yield findings about what others can read, who owns the files, and free space."""
    yield from _on.all_or(
        "private files are private, and all belong to one user",
        [
            *_open_to_others(home, configuration.readers),
            *_of_others(home),
            *_unusable(home),
            *_linked(home),
            *_key(home),
        ],
    )
    free = shutil.disk_usage(home.path).free
    inodes = os.statvfs(home.path)
    if free < LEAST_BYTES:
        yield _on_space.bad(f"{free >> 20} MiB are free", "Make room: a full disk stops all mail")
    elif inodes.f_files and inodes.f_favail < LEAST_FILES:
        files = counted(inodes.f_favail, "more file")
        yield _on_space.bad(f"the disk has room for {files}", "Remove files that are not needed")
    else:
        yield _on_space.ok(f"{free >> 20} MiB are free")


def _open_to_others(home: Home, has_readers: bool) -> Iterator[Finding]:
    mode = stat.S_IMODE(home.path.stat().st_mode)
    if mode & 0o777 & ~(OPEN if has_readers else CLOSED):
        yield _on.bad(
            f"the home is open to others ({mode:o})", "Start the server, which keeps them out"
        )
    if has_readers:
        yield _on.note("readers is true: other users of this machine can read the histories")
    for paths, wanted in (
        ([home.outbox.path], 700),
        ([home.key_path], 600),
        *(([home.path / name], 600) for name in (FOR_OWNER, FOR_DELIVER)),
        (files_of(home.database_path), 600),
    ):
        modes = [(path, stat.S_IMODE(found.st_mode)) for path in paths if (found := status(path))]
        for path, mode in [each for each in modes if each[1] & 0o077][:1]:
            name, there = within(home.path, path), shlex.quote(str(paths[0].absolute()))
            yield _on.bad(
                f"{name} is open to others ({mode:o})",
                "Do",
                f"chmod {wanted} {there}{'*' if len(paths) > 1 else ''}",
            )


def _of_others(home: Home) -> Iterator[Finding]:
    owner = home.path.stat().st_uid
    found = ((path, status(path)) for path in _files(home))
    strange = [
        (path, is_there.st_uid) for path, is_there in found if is_there and is_there.st_uid != owner
    ]
    if strange:
        path, uid = strange[0]
        first = f"{within(home.path, path)} of {user_name(uid)}"
        yield _on.bad(
            f"{counted(len(strange), 'file')} in the home of {user_name(owner)}, "
            f"the first {first}, belong to somebody else",
            "Do",
            shlex.join(["chown", "-R", user_name(owner), str(home.path.absolute())]),
        )


def _linked(home: Home) -> Iterator[Finding]:
    for path in _files(home):
        if path.is_symlink() and path != home.path:
            yield _on.bad(
                f"{within(home.path, path)} is a link, and links in the home are not followed",
                "Put what it leads to in its place",
            )


def _unusable(home: Home) -> Iterator[Finding]:
    for path in _files(home):
        wanted = os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)
        if not os.access(path, wanted) and status(path):
            user = user_name(os.geteuid())
            yield _on.bad(
                f"{user} may not read and write {within(home.path, path)}",
                "Run the server as the user whom the home belongs to, with chmod u+rwX on it",
            )
            return


def _files(home: Home) -> list[Path]:
    """Return the files and folders that the server uses, without what others put there."""
    folders = [home.outbox.path, *(home.path / kind for kind in KINDS)]
    below = (path for folder in folders for path in [folder, *folder.rglob("*")])
    own = (home.path, home.key_path, *files_of(home.database_path))
    return [path for path in (*own, *below) if os.path.lexists(path)]


def _key(home: Home) -> Iterator[Finding]:
    try:
        if home.engine.key.is_made:
            home.key()
        else:
            yield _on.note("there is no key yet; the server makes one when it starts")
    except DatabaseFault:
        yield _on.note("the key is not looked at, because the database cannot be read")
    except OSError as error:
        reason = str(error).removeprefix(f"{home.path}/")
        yield _on.bad(reason, "Put the file back from a backup, or remove it for a new one")
