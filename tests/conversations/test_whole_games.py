"""Games in which every move is a tap on a link of the letter that has just come, and Send."""

import subprocess
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from pathlib import Path
from random import Random

import pytest

from pbm_oust.board import Game
from pbm_oust.board.notation import format_action
from pbm_oust.rules import KINDS
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game
from tests.support.letters import page_of, text_of
from tests.support.pages import Page, Tap, as_a_form, by_rfc
from tests.support.player import Player, latest_mail, mover_of, play_to_the_end
from tests.support.rings import slow
from tests.support.server import PROGRAM, running


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "option", "grid", "how"),
    [
        ("oust", "-size=5", "square 5x5", "capture"),
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


# Games in which every move is a tap on a link of the letter that has just come, and Send


MOST_TAPS = 400


def taps_of(mail: EmailMessage, decode: Callable[[str], tuple[str, str]]) -> list[Tap]:
    """Return what can be tapped in a letter, as a program reads links."""
    return Page(page_of(bytes(mail))).taps(decode)


def chosen(taps: Sequence[Tap], chance: Random) -> Tap:
    """Return a tap by chance: every other time to swap, where that is possible."""
    by_subject = {tap.subject: tap for tap in taps}
    if "swap" in by_subject and chance.random() < 0.5:
        return by_subject["swap"]
    return by_subject[chance.choice(sorted(by_subject))]


def play_by_taps(players: Sequence[Player], chance: Random) -> list[str]:
    """Tap links by chance until the game is over; return what was tapped."""
    tapped = list[str]()
    for nth in range(MOST_TAPS):
        latest = latest_mail(players)
        if all("over" in str(mail["Subject"]) for mail in latest.values()):
            return tapped
        mover = mover_of(players, latest)
        for player in players:
            assert bool(taps_of(latest[player.userid], by_rfc)) is (player is mover)
        tap = chosen(taps_of(latest[mover.userid], (by_rfc, as_a_form)[nth % 2]), chance)
        mover.send(tap.subject, "", to=tap.address)
        tapped.append(tap.subject)
    raise AssertionError("the game does not end")


def played(kind: str, option: str, seed: int, folder: Path) -> tuple[list[str], Game]:
    """Return what was tapped in a game, and the game."""
    with running(folder) as server:
        alice = Player("alice", "wonderland", server)
        bob = Player("bob", "lookingglass", server)
        alice.sign_up()
        bob.sign_up()
        alice.send(f"{kind} challenge alice bob wonderland {option}")
        tapped = play_by_taps((alice, bob), Random(seed))
        assert server.stop() == 0
    return tapped, read_game(Home(folder), KINDS[kind], 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "option", "grid", "seed", "deeds"),
    [
        slow("oust", "-size=7", "square 7x7", 17, {"swap"}),
        ("oust", "-size=3", "square 3x3", 388, {"swap", "pass"}),
        slow("churn", "-size=2", "hex 2", 4, {"swap"}),
    ],
)
def test_a_whole_game_is_played_by_tapping_links(
    kind: str, option: str, grid: str, seed: int, deeds: set[str], tmp_path: Path
) -> None:
    tapped, game = played(kind, option, seed, tmp_path)
    assert game.result
    assert str(game.header.grid) == grid
    assert [format_action(record.action).partition("*")[0] for record in game.records] == tapped
    assert deeds <= set(tapped)
