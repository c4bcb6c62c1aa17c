import os
from pathlib import Path

from tests.peers.mail_programs.leashed import leashed
from tests.support.waiting import wait_until


def test_what_a_program_has_started_ends_with_the_test_that_needs_it(tmp_path: Path) -> None:
    script = "setsid sleep 600 & echo $!; sleep 600 & echo $!; exec sleep 600"
    printed = tmp_path / "printed"
    with leashed(["sh", "-c", script], os.environ, printed):
        pids = wait_until(lambda: _two(printed), "two processes")
        assert all(Path(f"/proc/{pid}").exists() for pid in pids)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def _two(printed: Path) -> list[int]:
    pids = [int(line) for line in printed.read_text().splitlines()]
    return pids if len(pids) == 2 else []
