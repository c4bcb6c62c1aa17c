import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support.histories import moves_of
from tests.support.server import ADDRESS, PROGRAM, running
from tests.support.waiting import wait_until

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_commands_of_the_readme_do_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "oust").mkdir()
    for board in ("1", "2", "3"):
        shutil.copy(ROOT / "games" / "oust" / f"{board}.txt", tmp_path / "oust")
    text = (ROOT / "README.md").read_text()
    lines = re.findall(r"^\.venv/bin/pbm-oust ((?:mail|players) .*)$", text, re.MULTILINE)
    with running(tmp_path) as server:
        (tmp_path / "pbm_oust.toml").write_text(
            f'address = "{ADDRESS}"\nsmtp = "127.0.0.1:{server.port}"\n'
        )
        done = []
        for line in lines:
            done.append(_run(tmp_path, line))
            if "D4" in line:
                wait_until(lambda: len(moves_of(Home(tmp_path), 4)) == 2, "the move of the house")
    subjects = [each.stdout.partition("\n")[0].removeprefix("Subject: ") for each in done]
    assert subjects == [
        "first steps",
        "made alice",
        "oust 4 #1: your turn, alice",
        "oust 4 #2: house1 to move",
        "oust 4 #3: your turn, alice",
        "oust 4: not done",
    ]
    assert [each.returncode for each in done] == [0] * 5 + [1]


def test_the_history_in_the_page_about_histories_is_one(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "histories.md").read_text()
    history = re.search(r"^pbm_oust history 1\n.*?^= .*?\n", text, re.MULTILINE | re.DOTALL)
    assert history
    (tmp_path / "oust").mkdir()
    (tmp_path / "oust" / "17.txt").write_text(history[0])
    verified = _run(tmp_path, "games verify")
    assert (verified.returncode, verified.stdout) == (
        0,
        "oust 17: ok, 7 records, marksteere won, resign\n",
    )


def _run(home: Path, line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, "--home", str(home), *shlex.split(line)], capture_output=True, text=True
    )
