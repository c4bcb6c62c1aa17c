import os
import re
import shutil
import socket
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.peers.mail_servers.host import PEERS, Host
from tests.support.document import PACKAGE, block, settings, unit
from tests.support.ports import free_port
from tests.support.waiting import wait_until

PATH = f"{os.environ['PATH']}:{PEERS}/systemd/usr/bin"
"""Where systemd-analyze is, if not on this machine then in the unpacked package."""

UNITS = f"{PEERS}/systemd/lib/systemd/system:"


DROP_IN = "pbm_oust.service.d/database.conf"


@pytest.mark.parametrize("reaches_a_database", [False, True])
def test_systemd_finds_no_fault_with_the_units(
    host: Host, tmp_path: Path, *, reaches_a_database: bool
) -> None:
    for name in ("pbm_oust.service", "pbm_oust-backup.service"):
        (tmp_path / name).write_text(unit(name, host.places_of_unit))
    shutil.copy(PACKAGE / "pbm_oust-backup.timer", tmp_path)
    if reaches_a_database:
        (tmp_path / DROP_IN).parent.mkdir()
        (tmp_path / DROP_IN).write_text(block(f"several_hosts/{DROP_IN}", {}))
    found = subprocess.run(
        [
            "systemd-analyze",
            "--man=no",
            "verify",
            *tmp_path.glob("*.service"),
            *tmp_path.glob("*.timer"),
        ],
        env=os.environ | {"PATH": PATH, "SYSTEMD_UNIT_PATH": f"{tmp_path}:{UNITS}"},
        capture_output=True,
        text=True,
    )
    assert (found.returncode, found.stdout + found.stderr) == (0, "")


@pytest.mark.parametrize("name", ["pbm_oust.service", "pbm_oust-backup.service"])
def test_systemd_finds_little_exposed(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(unit(name, {"ExecStart=pbm-oust": "ExecStart=/usr/bin/true"}))
    looked = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", tmp_path / name],
        env=os.environ | {"PATH": PATH},
        capture_output=True,
        text=True,
    )
    assert looked.returncode == 0, looked.stdout + looked.stderr


def test_the_service_may_think_with_low_priority() -> None:
    allowed = set[str]()
    for words in settings(unit("pbm_oust.service", {}), "SystemCallFilter"):
        named = set().union(*map(calls, words.removeprefix("~").split()))
        allowed = allowed - named if words.startswith("~") else allowed | named
    assert {"read", "setpriority"} <= allowed
    assert not {"mount", "setrlimit"} & allowed


def calls(name: str) -> set[str]:
    """Return the system calls that a name stands for in a unit: itself, or a set of systemd."""
    if not name.startswith("@"):
        return {name}
    listed = subprocess.run(
        ["systemd-analyze", "syscall-filter", name],
        env=os.environ | {"PATH": PATH},
        capture_output=True,
        text=True,
        check=True,
    )
    words = re.findall(r"^ +([@\w-]+)$", listed.stdout, re.MULTILINE)
    return set().union(*map(calls, words))


def test_the_service_is_told_to_read_its_configuration_again(host: Host) -> None:
    host.configure()
    *_, command = settings(unit("pbm_oust.service", {}), "ExecReload")
    moved = replace(host, lmtp_port=free_port())
    with host.serving() as server:
        assert not _is_listening(moved.lmtp_port)
        moved.configure()
        environment = {"MAINPID": str(server.process.pid)}
        subprocess.run(["bash", "-c", command], env=environment, check=True)
        wait_until(lambda: _is_listening(moved.lmtp_port), "a listener at the other port")


def _is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
