"""`pbm-oust games challenge`: boards that the operator sets up."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbm_oust.accounts.account import with_disabled, with_signed_off
from pbm_oust.board.notation import format_header
from pbm_oust.cli import main
from pbm_oust.store.index import BoardName
from tests.support.sweeping import World, day, new_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return new_world(tmp_path, ("alice", "bob", "carol"))


def challenge(world: World, words: str, *options: str) -> Result:
    line = ["--home", str(world.path), "games", "challenge", *words.split(), *options]
    return CliRunner().invoke(main, line)


def test_both_players_are_told_that_the_operator_set_the_board_up(world: World) -> None:
    result = challenge(world, "oust Alice bob --size 5", "--reason", "Spring tournament, round 1.")
    assert (result.exit_code, result.output) == (0, "oust 1: alice (x) - bob (o)\n")
    assert world.letters() == [
        ("alice", "oust 1 #1: your turn, alice"),
        ("bob", "oust 1 #1: alice to move"),
    ]
    for userid in ("alice", "bob"):
        text = world.text_to(userid)
        assert "The operator writes: Spring tournament, round 1." in text
        assert "The operator has set up this game. It is rated." in text
        assert "If you do not want to play, answer this mail with: decline" in text
    assert b"# challenge " in world.home.history(BoardName("oust", 1))
    assert world.take("bob", "oust decline 1 bob wonderland").board == "oust 1"
    assert world.history(1) == ["1 o decline", "= draw void"]


def test_it_takes_the_options_of_a_challenge_by_mail(world: World) -> None:
    words = "--hex=3,4 --noswap --unrated --nagtime 3 --forfeittime=4 --totaltime 50 --maxtime=9"
    assert challenge(world, f"oust bob alice {words}").exit_code == 0
    world.take("bob", f"oust challenge bob alice wonderland {words.replace('time ', 'time=')}")
    ours, by_mail = (format_header(world.game(number).header).splitlines() for number in (1, 2))
    assert [ours[3:-2], by_mail[3:-2]] == [by_mail[3:-2]] * 2
    assert ours[3:7] == [
        "Grid: hex 3,4",
        "X: bob",
        "O: alice",
        "Options: nagtime=3 forfeittime=4 totaltime=50 maxtime=9",
    ]
    assert challenge(world, "oust bob alice --hex").exit_code == 0
    assert str(world.game(3).header.grid) == "hex 7"


def test_each_time_there_is_another_board(world: World) -> None:
    found = [challenge(world, "oust alice bob").output for _ in range(2)]
    assert found == [f"oust {number}: alice (x) - bob (o)\n" for number in (1, 2)]


def test_what_players_settled_about_challenges_is_only_a_warning(world: World) -> None:
    world.take("bob", "reject bob wonderland alice")
    world.take("alice", "limit alice wonderland 1")
    assert challenge(world, "oust alice carol").stderr == ""
    result = challenge(world, "oust alice bob")
    assert (result.exit_code, result.stdout) == (0, "oust 2: alice (x) - bob (o)\n")
    assert result.stderr == (
        "Warning: alice wants at most 1 board, and plays on 1\n"
        "Warning: bob rejects challenges from alice\n"
    )


@pytest.mark.parametrize(
    ("words", "status", "reason"),
    [
        ("oust alice alice", 1, "Error: alice cannot play both sides; name two players"),
        ("oust alice dave", 1, "Error: there is no player dave"),
        ("oust alice 1", 2, "'1' is no userid"),
        ("churn alice bob --size=4,5", 1, "Error: Churn is not played on hex 4,5"),
        ("oust alice bob --size=99", 2, "--size=99 is not possible; write it like -size=13"),
        ("oust alice bob --size=5 --hex=3", 2, "give either --size or --hex"),
        ("oust alice bob --nagtime=0", 2, "--nagtime=0 is not possible"),
    ],
)
def test_what_cannot_be_set_up(words: str, status: int, reason: str, world: World) -> None:
    result = challenge(world, words)
    assert result.exit_code == status
    assert reason in result.output
    assert world.letters() == []


def test_who_has_left_or_is_disabled_gets_no_board(world: World) -> None:
    world.change_player("bob", lambda account: with_disabled(account, day(0)))
    world.change_player("carol", lambda account: with_signed_off(account, day(0)))
    closed, gone = challenge(world, "oust alice bob"), challenge(world, "oust carol alice")
    assert (closed.exit_code, gone.exit_code) == (1, 1)
    assert closed.output == (
        "Error: bob is disabled; to change that:  "
        f"pbm-oust --home {world.home.path} players enable bob\n"
    )
    assert gone.output == (
        "Error: carol has signed off; a command of theirs has to bring them back\n"
    )
    assert world.letters() == []
