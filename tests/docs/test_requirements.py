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


def test_what_debians_package_takes_from_debian_is_new_enough_and_not_brought_along() -> None:
    control, rules = ((ROOT / "debian" / name).read_text() for name in ("control", "rules"))
    taken = re.findall(r"python3-(\w+) \(>= ([\d.]+)\)", control)
    wanted = WANTED["options"]["install_requires"].split("\n")
    assert {f"{name} >= {version}" for name, version in taken} <= set(wanted)
    (left_out,) = re.findall(r"^OF_DEBIAN = (.*)$", rules, re.MULTILINE)
    needed_by_them = {"markupsafe"}
    assert set(left_out.split("|")) == {name for name, _ in taken} | needed_by_them


def test_debians_package_names_whose_the_libraries_are_that_it_brings_along() -> None:
    rules = (ROOT / "debian" / "rules").read_text()
    left_out = "|".join(re.findall(r"^(?:OF_DEBIAN|NOT_NEEDED) = (.*)$", rules, re.MULTILINE))
    brought = {name for name in locked("program") if not re.fullmatch(left_out, name)}
    copyright_text = (ROOT / "debian" / "copyright").read_text()
    named = re.findall(r"site-packages/(\w+)\*", copyright_text)
    assert brought <= {name.replace("_", "-") for name in named}
    licences = set(re.findall(r"^License: (\S+)$", copyright_text, re.MULTILINE))
    assert licences == set(re.findall(r"^License: (\S+)\n ", copyright_text, re.MULTILINE))


def test_the_project_has_one_address() -> None:
    control = (ROOT / "debian" / "control").read_text()
    assert f"\nHomepage: {WANTED['metadata']['url']}\n" in control
    assert f"\nVcs-Git: {WANTED['metadata']['url']}.git\n" in control
