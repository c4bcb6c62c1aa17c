import subprocess
from pathlib import Path

import pytest

from tests.support.letters import text_of
from tests.support.player import Player, latest_mail, mover_of, play_to_the_end
from tests.support.rings import slow
from tests.support.server import PROGRAM, letters_in, running


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "option", "grid", "how"),
    [
        ("oust", "-size=8", "square 8x8", "capture"),
        slow("oust", "-hex=3", "hex 3", "capture"),
        slow("churn", "-size=2", "hex 2", "majority"),
    ],
)
def test_two_people_with_mail_programs_play_a_game_until_one_wins(
    kind: str, option: str, grid: str, how: str, tmp_path: Path
) -> None:
    with running(tmp_path) as server:
        alice = Player("alice", "wonderland", server)
        bob = Player("bob", "lookingglass", server)
        alice.sign_up()
        bob.sign_up()
        alice.send(
            f"{kind} challenge alice bob wonderland {option}",
            "Next: oust move 1 alice wonderland C3",
        )
        latest = latest_mail((alice, bob))
        mover = mover_of((alice, bob), latest)
        for spoilt in ("pass", "A99", "D", "A1 lookingglass wonderland"):
            mover.send(f"{kind} move 1 {mover.userid} {mover.password} {spoilt}")
        mover.send(f"{kind} mvoe 1 {mover.userid} {mover.password} A1")
        mover.send(f"{kind} move 1 {mover.userid} {mover.password.upper()} A1")
        mover.new_mail()
        latest = play_to_the_end((alice, bob), latest)
        subjects = {userid: str(mail["Subject"]) for userid, mail in latest.items()}
        assert (subjects["alice"], subjects["bob"]) in (
            (f"{kind} 1: over, you win", f"{kind} 1: over, alice wins"),
            (f"{kind} 1: over, bob wins", f"{kind} 1: over, you win"),
        )
        assert "The whole game:" in text_of(latest["alice"])
        assert server.stop() == 0
    verified = subprocess.run(
        [PROGRAM, "--home", str(tmp_path), "games", "verify"], capture_output=True, text=True
    )
    assert verified.returncode == 0
    assert verified.stdout.startswith(f"{kind} 1: ok, ")
    assert verified.stdout.endswith(f" {how}\n")
    history = (tmp_path / kind / "1.txt").read_text()
    assert f"Grid: {grid}\n" in history
    (tmp_path / "letter").write_bytes(bytes(latest["alice"]))
    imported = subprocess.run(
        [PROGRAM, "--home", str(tmp_path / "other"), "games", "import", str(tmp_path / "letter")]
    )
    assert imported.returncode == 0
    records = [line for line in history.splitlines() if not line.startswith("#")]
    assert (tmp_path / "other" / kind / "1.txt").read_text().splitlines() == records
    _no_password_anywhere(tmp_path, server.log, verified.stdout)


def _no_password_anywhere(home: Path, *texts: str) -> None:
    for password in ("wonderland", "lookingglass"):
        for path in home.rglob("*"):
            assert not path.is_file() or password.encode() not in path.read_bytes(), path
        assert all(password not in text for text in texts)


@pytest.mark.slow
def test_all_letters_about_a_board_are_one_thread(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        alice = Player("alice", "wonderland", server)
        bob = Player("bob", "lookingglass", server)
        alice.sign_up()
        bob.sign_up()
        alice.send("oust challenge alice bob wonderland -size=5")
        alice.send("oust move 1 alice wonderland C3")
        bob.send("oust move 1 bob lookingglass C3")
        bob.send("oust show 1")
        letters = [mail for mail in letters_in(tmp_path).values() if "oust 1" in mail["Subject"]]
        assert len(letters) == 6
        assert all("<oust.1@example.com>" in mail["References"] for mail in letters)
        assert len({mail["Message-ID"] for mail in letters}) == len(letters)
        assert all(str(mail["Subject"]).isascii() for mail in letters)
