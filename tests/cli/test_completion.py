"""The shell completes what the lines in docs/command-line.md promise."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.accounts import make_account
from tests.support.server import PROGRAM

tabled = tables.tabled(__file__)

ROOT = Path(__file__).parents[2]
LINES = {
    shell: line.strip()
    for line, shell in re.findall(
        r"^(.*_PBM_OUST_COMPLETE=.*?) +# (\w+)$",
        (ROOT / "docs" / "command-line.md").read_text(),
        re.MULTILINE,
    )
}
ENVIRONMENT = os.environ | {"PATH": f"{Path(PROGRAM).parent}:{os.environ['PATH']}"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with three boards and two players."""
    for name in ("1", "2", "31"):
        (tmp_path / "oust").mkdir(exist_ok=True)
        shutil.copy(ROOT / "games" / "oust" / "1.txt", tmp_path / "oust" / f"{name}.txt")
    home = Home(tmp_path)
    home.prepare()
    for userid in ("alice", "bob"):
        make_account(home, userid, "wonderland", f"{userid}@example.org")
    return tmp_path


def completed(home: Path, line: str) -> list[str]:
    """Return what bash offers at the end of a line, in which a home is named by itself."""
    words = " ".join(f"'{word}'" for word in ["pbm-oust", *line.split(" ")])
    script = f"""
        {LINES["bash"]}
        COMP_WORDS=({words})
        COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
        _pbm_oust_completion pbm-oust
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT | {"PBM_OUST_HOME": str(home)},
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.slow
@tabled("line", "offered")
def test_bash_completes(line: str, offered: str, home: Path) -> None:
    assert sorted(completed(home, line)) == sorted(offered.split())


def test_the_home_that_the_line_names_is_the_one_whose_boards_are_offered(home: Path) -> None:
    (home / "other" / "oust").mkdir(parents=True)
    (home / "other" / "oust" / "7.txt").touch()
    assert completed(home, f"--home {home}/other games show oust ") == ["7"]


@pytest.mark.slow
def test_a_home_that_is_not_there_offers_nothing(home: Path) -> None:
    assert completed(home / "nowhere", "games show oust ") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_line_of_each_shell_prints_its_script(shell: str) -> None:
    found = re.search(r"(_PBM_OUST_COMPLETE=\w+) pbm-oust", LINES[shell])
    assert found
    done = subprocess.run(
        ["sh", "-c", found[0]], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert f"_PBM_OUST_COMPLETE={shell}_complete" in done.stdout
