"""A backup of a home on a server is one of files, from which a home of files is made."""

from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    ("before", "behind", "after"),
    [("  store", "", ""), ("store", "colour = 1\n", "colour = 1\n"), ("store\t", "[limits]\n", "")],
)
def test_a_backup_names_no_server_however_its_line_is_written(
    before: str, behind: str, after: str, hosts: tuple[Host, Host], tmp_path: Path
) -> None:
    one, backup, restored = hosts[0], tmp_path / "backup", tmp_path / "restored"
    (one.folder / "key").write_text("of the home of files that was here before\n")
    configuration = one.folder / "pbm_oust.toml"
    settings = configuration.read_text()
    configuration.write_text(f"{settings.replace('store', before)}{behind}")
    assert one.run("backup", str(backup)).returncode == 0
    text = (backup / "pbm_oust.toml").read_text()
    assert ("store" not in text, after in text) == (True, True)
    assert Host(restored).run("restore", str(backup)).returncode == 0
    homes = [Home(folder) for folder in (one.folder, restored)]
    assert [home.is_on_server for home in homes] == [True, False]
    assert homes[0].key() == homes[1].key()
    for home in homes:
        home.close()


@pytest.mark.parametrize("before", ['"store"', '"st\\u006fre"'])
def test_a_line_that_cannot_be_taken_out_stops_the_backup(
    before: str, hosts: tuple[Host, Host], tmp_path: Path
) -> None:
    one, backup = hosts[0], tmp_path / "backup"
    configuration = one.folder / "pbm_oust.toml"
    configuration.write_text(configuration.read_text().replace("store", before))
    done = one.run("backup", str(backup))
    assert (done.returncode, b"store cannot be taken out" in done.stderr) == (1, True)
    assert not backup.exists()


def test_a_backup_that_names_a_server_is_not_restored(
    hosts: tuple[Host, Host], tmp_path: Path
) -> None:
    one, backup, restored = hosts[0], tmp_path / "backup", Host(tmp_path / "restored")
    assert one.run("backup", str(backup)).returncode == 0
    (backup / "pbm_oust.toml").write_bytes((one.folder / "pbm_oust.toml").read_bytes())
    done = restored.run("restore", str(backup))
    assert (done.returncode, b"names a server in store" in done.stderr) == (1, True)
    assert not restored.folder.exists()


def test_an_unknown_key_hides_no_server_from_the_doctor(
    hosts: tuple[Host, Host], tmp_path: Path
) -> None:
    one = hosts[0]
    configuration = one.folder / "pbm_oust.toml"
    configuration.write_text(f"{configuration.read_text()}colour = 1\n")
    said = one.run("doctor").stdout.decode()
    assert "server: fsync or full_page_writes is off" in said
    words = ("home", "copy", str(one.folder), "--follow", str(tmp_path / "copy"), "--once")
    done = one.run(*words)
    assert done.returncode == 0, done.stderr


def test_the_doctor_finds_nothing_wrong_with_a_home_on_a_server(hosts: tuple[Host, Host]) -> None:
    challenge = mailed(ALICE, "oust challenge alice bob wonderland", 1)
    assert hosts[0].run("deliver", "--sender", ALICE, given=challenge).returncode == 0
    for host in hosts:
        done = host.run("doctor")
        assert wrong(host) == []
        assert b"database: it is whole" in done.stdout
        assert b"histories: 1 board replayed without a fault" in done.stdout
        assert host.run("ratings", "oust").returncode == 0
        assert host.run("games", "verify").returncode == 0
