"""A real disk that is full or cannot be written: a file system in memory, of one process alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.beside import ROOT
from tests.support.waiting import PATIENCE

WITHIN = ("unshare", "--map-root-user", "--mount", "sh", "-c")
MOUNTED = 'mount -t tmpfs -o size=2m pbm_oust "$0" && exec "$@"'

BEGIN = """
import os, subprocess, sys
from pathlib import Path
from pbm_oust.store.sqlite import SqliteDatabase
from pbm_oust.store.faults import DatabaseFull, DatabaseReadOnly
from tests.store.mails import take, taken

home = Path(sys.argv[1])
database, other = SqliteDatabase(home / "pbm_oust.db"), SqliteDatabase(home / "pbm_oust.db")

def fails(fault, work, *values):
    try:
        work(*values)
    except fault as error:
        return str(error)
    raise SystemExit("it did not fail")

def fill():
    with (home / "filler").open("wb") as filler:
        try:
            while True:
                os.write(filler.fileno(), bytes(4096))
        except OSError:
            pass

def remount(how):
    subprocess.run(["mount", "-o", f"remount,bind,{how}", str(home)], check=True)
"""

FULL = """
take(database, "before")
fill()
assert "the disk is full" in fails(DatabaseFull, take, database, "mail")
assert "the disk is full" in fails(DatabaseFull, take, other, "mail")
assert taken(database) == taken(other) == ["before"]
(home / "filler").unlink()
take(database, "mail")
take(other, "more")
assert taken(database) == ["before", "mail", "more"]
"""

FULL_BEFORE_THE_FIRST = """
fill()
assert "the disk is full" in fails(DatabaseFull, take, database, "mail")
assert [path.name for path in home.iterdir()] == ["filler"]
(home / "filler").unlink()
take(database, "mail")
assert taken(database) == ["mail"]
"""

READ_ONLY = """
take(database, "before")
database.close()
remount("ro")
assert "is read-only" in fails(DatabaseReadOnly, take, database, "mail")
assert "is read-only" in fails(DatabaseReadOnly, taken, database)
remount("rw")
take(database, "mail")
assert taken(database) == ["before", "mail"]
"""

READ_ONLY_BEFORE_THE_FIRST = """
remount("ro")
assert "is read-only" in fails(DatabaseReadOnly, take, database, "mail")
assert taken(database) == []
remount("rw")
take(database, "mail")
assert taken(database) == ["mail"]
"""


def can_mount() -> bool:
    if not shutil.which("unshare"):
        return False
    return (
        subprocess.run([*WITHIN, "mount -t tmpfs none /mnt"], capture_output=True).returncode == 0
    )


@pytest.mark.slow
@pytest.mark.skipif(
    "CI" not in os.environ and not can_mount(), reason="this host lets nobody mount a file system"
)
@pytest.mark.parametrize(
    "script", [FULL, FULL_BEFORE_THE_FIRST, READ_ONLY, READ_ONLY_BEFORE_THE_FIRST]
)
def test_trouble_with_the_disk_is_named_and_passes(script: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    program = [sys.executable, "-c", BEGIN + script, str(home)]
    subprocess.run([*WITHIN, MOUNTED, str(home), *program], cwd=ROOT, timeout=PATIENCE, check=True)
