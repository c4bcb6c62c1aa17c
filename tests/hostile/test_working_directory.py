"""What lies in the folder where the program is started is run by none of its processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, home_of, mailed
from tests.support.ports import free_port
from tests.support.server import ADDRESS, PROGRAM, started
from tests.support.waiting import PATIENCE, wait_until
from tests.support.website import Site, is_there

OURS = "pbm_oust", "resvg_py", "uvicorn", "click", "jinja2", "apsw", "msgspec"
TRAP = "from pathlib import Path; Path({seen!r}).touch(); raise SystemExit('trapped')\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a module of the name of each that a process of ours could look for."""
    found = tmp_path / "uploads"
    found.mkdir()
    for name in {*OURS, *sys.stdlib_module_names}:
        (found / f"{name}.py").write_text(TRAP.format(seen=str(tmp_path / f"ran-{name}")))
    return found


@pytest.mark.slow
def test_serving_pages_pictures_and_the_house(folder: Path, tmp_path: Path) -> None:
    home, port = home_of(tmp_path / "home", ALICE), free_port()
    words = [PROGRAM, "--home", str(home.path), "serve", "--address", ADDRESS]
    words += ["--smtp", "127.0.0.1:0", "--web", f"127.0.0.1:{port}"]
    with started(words, home.path, folder=folder):
        mailed(home, ALICE, "oust challenge house1 alice wonderland -size=7 -noswap")
        wait_until(lambda: moves_of(home), "the house's turn")
        wait_until(lambda: is_there(port), "the pages to be there")
        assert Site(port).get("/oust/1.png").status == 200
    assert not list(tmp_path.glob("ran-*"))


@pytest.mark.slow
def test_helping_with_what_is_shared_out_to_all_cores(folder: Path, tmp_path: Path) -> None:
    words = [PROGRAM, "rules", "simulate", "oust", "--size", "3", "--games", "4", "--jobs", "2"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    assert not list(tmp_path.glob("ran-*"))
