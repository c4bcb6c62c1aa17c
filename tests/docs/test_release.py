"""`scripts/release` begins a release only if one can come of it, and leaves nothing half done."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.server import ROOT


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of what was committed, which is to be released."""
    copy = tmp_path / "sources"
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, copy], check=True)
    with (copy / "CHANGELOG.md").open("a") as changes:
        changes.write("\n## Next\n")
    git(copy, "commit", "--quiet", "--all", "--message", "What is new")
    return copy


def git(sources: Path, *words: str) -> str:
    named = ["git", "-c", "user.name=Rita", "-c", "user.email=rita@example.org"]
    return subprocess.run(
        [*named, *words], cwd=sources, capture_output=True, text=True, check=True
    ).stdout


def refused(sources: Path, *words: str) -> str:
    """Return why there is no release, on a host that reaches no package index."""
    before = git(sources, "rev-parse", "HEAD"), git(sources, "status", "--porcelain")
    done = subprocess.run(
        [sources / "scripts" / "release", *words],
        env={**os.environ, "PIP_NO_INDEX": "1", "PYTHON": sys.executable},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stdout
    assert before == (git(sources, "rev-parse", "HEAD"), git(sources, "status", "--porcelain"))
    return done.stderr


def test_what_is_not_committed_is_not_released(sources: Path) -> None:
    (sources / "scribble").write_text("?")
    assert "something is not committed" in refused(sources, "9.9.9")


def test_a_version_is_released_once(sources: Path) -> None:
    git(sources, "tag", "v9.9.9")
    assert "there is a tag v9.9.9 already" in refused(sources, "9.9.9")


def test_an_option_that_is_none_begins_nothing(sources: Path) -> None:
    assert "no such option: --audited" in refused(sources, "9.9.9", "--audited")


@pytest.mark.slow
def test_nothing_is_released_unaudited(sources: Path) -> None:
    told = refused(sources, "9.9.9")
    assert "requirements/release.txt cannot be installed" in told
    assert "nothing has begun" in told


@pytest.mark.slow
def test_one_that_has_stopped_goes_on_behind_its_commit(sources: Path) -> None:
    git(sources, "commit", "--quiet", "--allow-empty", "--message", "Release 9.9.9")
    told = refused(sources, "9.9.9")
    assert "requirements/release.txt" not in told
    assert "Installing pbm_oust" in told
