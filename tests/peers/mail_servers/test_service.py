import os
import re
import socket
import subprocess
from dataclasses import replace
from pathlib import Path

from tests.peers.mail_servers.host import PEERS, Host, free_port
from tests.support.document import block
from tests.support.waiting import wait_until

PATH = f"{os.environ['PATH']}:{PEERS}/systemd/usr/bin"
"""Where systemd-analyze is, if not on this machine then in the unpacked package."""

UNITS = f"{PEERS}/systemd/lib/systemd/system:"


def test_systemd_finds_no_fault_with_the_service(host: Host, tmp_path: Path) -> None:
    unit = tmp_path / "pbm_oust.service"
    unit.write_text(block(unit.name, host.places))
    found = subprocess.run(
        ["systemd-analyze", "verify", unit],
        env=os.environ | {"PATH": PATH, "SYSTEMD_UNIT_PATH": f"{tmp_path}:{UNITS}"},
        capture_output=True,
        text=True,
    )
    assert (found.returncode, found.stdout + found.stderr) == (0, "")


def test_the_service_is_told_to_read_its_configuration_again(host: Host) -> None:
    host.configure()
    unit = block("pbm_oust.service", {})
    (command,) = re.findall(r"^ExecReload=(.*)$", unit, re.MULTILINE)
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
