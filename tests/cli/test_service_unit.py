"""What systemd learns from the server: whether to start it again, and whether a reload failed."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.document import settings, unit
from tests.support.server import PROGRAM, running

WITHOUT_UVICORN = "import sys; sys.modules['uvicorn'] = None; from pbm_oust.cli import run; run()"


def ended(home: Path, *options: str, command: tuple[str, ...] = (PROGRAM,)) -> tuple[str, str]:
    """Return the status with which a server ends by itself, and what it says."""
    words = [*command, "--home", str(home), "serve", "--smtp", "127.0.0.1:0", *options]
    done = subprocess.run(words, capture_output=True, text=True)
    return str(done.returncode), done.stderr


def reloaded(home: Path, process: int) -> int:
    """Carry out what systemd does at a reload, and return the status of the last command."""
    status = 0
    for command in settings(
        unit("pbm_oust.service", {"/var/lib/pbm_oust": str(home)}), "ExecReload"
    ):
        folder = Path(PROGRAM).parent
        environment = {"PATH": f"{folder}:{os.environ['PATH']}", "MAINPID": str(process)}
        status = subprocess.run(["bash", "-c", command], env=environment).returncode
        if status:
            break
    return status


def test_what_starting_again_does_not_mend_is_not_tried_again(tmp_path: Path) -> None:
    (final,) = settings(unit("pbm_oust.service", {}), "RestartPreventExitStatus")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        assert ended(tmp_path, "--lmtp", place) == (
            final,
            f"Error: cannot listen at {place}: Address already in use\n",
        )
    key = tmp_path / "key"
    key.write_text("as it was scribbled down\n")
    told = f"Error: {key}: a key is 64 hexadecimal digits in one line\n"
    assert ended(tmp_path) == (final, told)
    key.unlink()
    (tmp_path / "pbm_oust.toml").write_text('adress = "pbmserv@example.org"\n')
    status, said = ended(tmp_path)
    assert status == final
    assert said.endswith("adress: there is no such key; perhaps address is meant\n")


def test_pages_without_their_libraries_are_told_at_once(tmp_path: Path) -> None:
    python = (sys.executable, "-c", WITHOUT_UVICORN)
    status, said = ended(tmp_path, "--web", "127.0.0.1:0", command=python)
    assert status == "2"
    assert said == "Error: web needs more libraries: pip install 'pbm_oust[web]'\n"
    (tmp_path / "pbm_oust.toml").write_text('web = "127.0.0.1:0"\n')
    assert ended(tmp_path, command=python) == (status, said)


@pytest.mark.parametrize(
    ("text", "is_usable"),
    [
        ('title = "Games"', True),
        ("title = 7", False),
        ('certificate = "/nowhere/chain.pem"', False),
        ('smtp = ""', False),
    ],
)
def test_a_reload_of_a_bad_file_fails_and_changes_nothing(
    text: str, is_usable: bool, tmp_path: Path
) -> None:
    with running(tmp_path) as server:
        (tmp_path / "pbm_oust.toml").write_text(f"{text}\n")
        status = reloaded(tmp_path, server.process.pid)
        assert server.stop() == 0
    assert (status == 0) is is_usable
    assert "the configuration stays as it was" not in server.log


def test_a_server_says_in_full_where_its_home_is(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    environment.pop("PBM_OUST_HOME", None)
    command = [PROGRAM, "serve", "--smtp", "127.0.0.1:0"]
    for folder, home in (("elsewhere", "data/pbm_oust"), ("checkout", "checkout/games")):
        (tmp_path / folder).mkdir()
        if folder == "checkout":
            (tmp_path / folder / "pbm_oust" / "cli").mkdir(parents=True)
            (tmp_path / folder / "pbm_oust" / "cli" / "main.py").touch()
        process = subprocess.Popen(
            command, cwd=tmp_path / folder, env=environment, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout
        assert process.stdout.readline().endswith(f"; home {tmp_path / home}.\n")
        process.send_signal(signal.SIGTERM)
        process.communicate()
        assert (tmp_path / home / "outbox").is_dir()
