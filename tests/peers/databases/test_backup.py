"""A backup of a home on a server is one of files, from which a home of files is made."""

from pathlib import Path

from pbm_oust.store.home import Home
from tests.peers.databases.conftest import Host, mailed, wrong
from tests.support.home_by_mail import ADDRESS, ALICE


def test_a_home_of_files_is_made_from_a_backup_of_one_on_a_server(
    hosts: tuple[Host, Host], tmp_path: Path
) -> None:
    one, other = hosts
    challenge = mailed(ALICE, "oust challenge alice bob wonderland", 1)
    assert one.run("deliver", "--sender", ALICE, given=challenge).returncode == 0
    backup, restored = tmp_path / "backup", Host(tmp_path / "restored")
    done = other.run("backup", str(backup))
    assert done.returncode == 0, done.stderr
    assert restored.run("restore", str(backup)).returncode == 0
    printed = [host.run("games", "history", "oust", "1").stdout for host in (one, restored)]
    assert printed[0] == printed[1] != b""
    homes = [Home(host.folder) for host in (one, restored)]
    assert homes[0].key() == homes[1].key()
    assert [home.configured.address for home in homes] == [ADDRESS] * 2
    assert homes[1].configured.store == ""
    for home in homes:
        home.close()


def test_the_doctor_finds_nothing_wrong_with_a_home_on_a_server(hosts: tuple[Host, Host]) -> None:
    challenge = mailed(ALICE, "oust challenge alice bob wonderland", 1)
    assert hosts[0].run("deliver", "--sender", ALICE, given=challenge).returncode == 0
    for host in hosts:
        done = host.run("doctor")
        assert wrong(host) == []
        assert b"database: it is whole, and the index of boards fits the histories" in done.stdout
        assert b"histories: 1 board replayed without a fault" in done.stdout
        assert host.run("ratings", "oust").returncode == 0
        assert host.run("games", "verify").returncode == 0
