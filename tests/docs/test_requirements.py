"""The locked requirements: they are those of setup.cfg, and each has its hashes."""

import configparser
import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support import tables

tabled = tables.tabled(__file__)

ROOT = Path(__file__).parents[2]
WANTED = configparser.ConfigParser()
WANTED.read(ROOT / "setup.cfg")


def locked(name: str) -> dict[str, str]:
    """Return the versions in a locked file, by the names of libraries."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ]+)", text, re.MULTILINE))


@tabled("name", "section", "key")
def test_what_setup_asks_for_is_locked(name: str, section: str, key: str) -> None:
    versions = locked(name)
    for line in WANTED[section][key].split("\n"):
        if line:
            wanted = Requirement(line)
            assert wanted.specifier.contains(versions[wanted.name.lower()]), line


def test_the_tests_run_with_the_versions_of_the_program() -> None:
    assert locked("program").items() <= locked("test").items()


@pytest.mark.parametrize("name", ["program", "test", "release"])
def test_every_locked_version_has_hashes(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    entries = re.findall(r"^[a-z0-9-][^\\\n]*(?:\\\n[^\\\n]*)*", text, re.MULTILINE)
    assert len(entries) == len(locked(name)) > 5
    assert all("--hash=sha256:" in entry for entry in entries)


def test_every_room_of_the_program_is_installed() -> None:
    rooms = {path.parent for path in (ROOT / "pbm_oust").rglob("__init__.py")}
    packages = {".".join(room.relative_to(ROOT).parts) for room in rooms}
    assert packages | {"pbm_oust.templates"} == set(WANTED["options"]["packages"].split())
