"""A short league, with every command and every clock."""

from pathlib import Path

import pytest

from tests.league import cups
from tests.league.running import conduct
from tests.league.season import Plan


@pytest.mark.parametrize("players", [2, 5])
def test_a_league_of_few_players_does_what_they_can_do(players: int, tmp_path: Path) -> None:
    plan = Plan(players=players, boards=3, days=40)
    outcome = conduct(plan, tmp_path, lambda _line: None)
    assert not outcome.faults, outcome.report()
    assert outcome.boards >= plan.boards


def test_a_short_league_is_played_to_the_end_with_every_command(tmp_path: Path) -> None:
    outcome = conduct(Plan(boards=12, days=120), tmp_path, lambda _line: None)
    assert not outcome.faults, outcome.report()
    assert {"forfeit", "resign", "capture", "majority"} <= set(outcome.endings)
    assert {"remind", "swap", "propose", "accept", "reject"} <= set(outcome.deeds)


def test_cups_and_a_ladder_come_to_what_their_boards_say_however_often_the_server_is_killed(
    tmp_path: Path,
) -> None:
    plan = cups.Plan(players=10, cups=1, days=50, kills=6)
    outcome = cups.conduct(plan, tmp_path, lambda _line: None)
    assert not outcome.faults, outcome.report()
    assert outcome.rounds == [2]
    assert {"resign", "forfeit", "void"} <= set(outcome.endings)
    assert outcome.challenges
    assert outcome.climbs
