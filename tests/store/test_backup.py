import subprocess
import threading
from pathlib import Path

from tests.support.document import block
from tests.support.player import Letters, Player, latest_mail, play_to_the_end
from tests.support.server import PROGRAM, Server, running

MOST_COPIES = 8


def test_every_copy_made_during_a_game_holds_good_histories(tmp_path: Path) -> None:
    with running(tmp_path / "home") as server:
        players, latest = _begin(server)
        game = threading.Thread(target=play_to_the_end, args=(players, latest))
        game.start()
        archives: list[Path] = []
        while game.is_alive():
            archives.append(_archive(tmp_path / "home", tmp_path / f"archive{len(archives)}"))
        game.join()
    chosen = archives[:: len(archives) // MOST_COPIES + 1]
    records = []
    for archive in chosen:
        copy = _restore(archive)
        verified = _verify(copy)
        assert verified.startswith("oust 1: ok, ")
        records.append(len((copy / "oust" / "1.txt").read_text().splitlines()))
    assert records == sorted(records)
    assert records[0] < records[-1]


def test_a_copy_whose_last_line_is_cut_is_played_on_from_the_line_before(tmp_path: Path) -> None:
    with running(tmp_path / "home") as server:
        (alice, bob), latest = _begin(server)
        alice.follow_example(latest["alice"])
        board_mail = bob.wait_for_mail()[-1]
        bob.follow_example(board_mail)
    copy = _restore(_archive(tmp_path / "home", tmp_path / "archive"))
    history = copy / "oust" / "1.txt"
    history.write_bytes(history.read_bytes()[:-5])
    assert _verify(copy).startswith("oust 1: ok, 1 record")
    with running(copy) as server:
        for player in (alice, bob):
            player.post = server
            player.new_mail()
        bob.follow_example(board_mail)
        latest = play_to_the_end((alice, bob), latest_mail((alice, bob)))
        assert "over" in str(latest["bob"]["Subject"])
    assert _verify(copy).startswith("oust 1: ok, ")


def _begin(server: Server) -> tuple[tuple[Player, Player], Letters]:
    players = Player("alice", "wonderland", server), Player("bob", "lookingglass", server)
    for player in players:
        player.sign_up()
    players[0].send("oust challenge alice bob -size=5")
    return players, latest_mail(players)


def _archive(home: Path, folder: Path) -> Path:
    folder.mkdir()
    made = _run_block("backup", home, folder)
    assert made.returncode in (0, 1), made.stderr
    return folder


def _restore(folder: Path) -> Path:
    home = folder / "home"
    home.mkdir()
    assert _run_block("restore", home, folder).returncode == 0
    return home


def _run_block(name: str, home: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    places = {"/var/lib/pbm_oust": str(home), "/var/backups": str(folder)}
    script = block(name, places)
    return subprocess.run(["bash", "-ec", script], capture_output=True, text=True)


def _verify(home: Path) -> str:
    verified = subprocess.run(
        [PROGRAM, "--home", home, "games", "verify"], capture_output=True, text=True
    )
    assert verified.returncode == 0, verified.stdout
    return verified.stdout
