import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pbm_oust.cli import main
from pbm_oust.store.home import Home
from tests.support.accounts import account_of
from tests.support.command_line import run
from tests.support.games import history_of, new_game, play
from tests.support.histories import lay_samples, make_from_files


@pytest.fixture
def home(tmp_path: Path) -> Path:
    lay_samples(tmp_path)
    return tmp_path


def _json(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    told: dict[str, Any] = json.loads(result.stdout)
    return told


@pytest.mark.slow
def test_verify_finds_the_same_with_several_processes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home / "oust" / "2.txt"
    path.write_text(path.read_text().replace("10 x F3*1", "10 x F2*1"))
    alone = run(home, "games", "verify")
    monkeypatch.setattr("pbm_oust.store.rebuilding.FEW", 1)
    together = run(home, "games", "verify")
    assert (together.exit_code, together.output) == (alone.exit_code, alone.output)


def test_history_as_json_has_the_records(home: Path) -> None:
    told = json.loads(run(home, "games", "history", "oust", "2", "--json").output)
    assert told["records"][1]["action"] == "swap"
    assert told["records"][5]["action"] == [{"cell": "E5", "took": 1}, {"cell": "E2", "took": 0}]
    assert told["result"] == {"winner": "o", "how": "capture"}
    assert told["won_by"] == told["o"] == told["at_start"]["X"]


def test_list_can_be_limited_to_the_boards_where_a_player_is_to_move(home: Path) -> None:
    waiting = history_of(play(new_game("square 5x5"), "x C3")).decode()
    (home / "oust" / "17.txt").write_text(waiting)
    make_from_files(home)
    assert "marksteere (o) to move" in run(home, "games", "list", "--which", "next").output
    for player, number in (("marksteere", 1), ("rrognlie", 0), ("demo_ann", 0)):
        listed = run(home, "games", "list", "--which", "next", "--player", player)
        assert len(listed.output.splitlines()[1:]) == number


@pytest.mark.parametrize("group", [[], ["games"], ["players"], ["outbox"], ["rules"]])
def test_the_help_tells_of_every_command_in_a_whole_sentence(group: list[str]) -> None:
    told = CliRunner().invoke(main, [*group, "--help"], terminal_width=80).output
    lines = told.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    assert all(line.strip().endswith(".") and "..." not in line for line in lines), told


def test_players_are_made_listed_and_given_passwords(home: Path) -> None:
    made = run(home, "players", "add", "Dora", "dora@example.org", stdin="exploring\nexploring\n")
    assert made.exit_code == 0
    (dora,) = json.loads(run(home, "players", "list", "--json").output)
    assert (dora["userid"], dora["addresses"]) == ("dora", ["dora@example.org"])
    before = account_of(Home(home), "dora").password
    assert run(home, "players", "passwd", "dora", stdin="backpacks\nbackpacks\n").exit_code == 0
    assert account_of(Home(home), "dora").password != before
    assert "dora@example.org" in run(home, "players", "show", "dora").output
    assert all(b"exploring" not in path.read_bytes() for path in home.glob("pbm_oust.db*"))


def test_simulate_gives_the_same_figures_for_any_number_of_processes(tmp_path: Path) -> None:
    command = ("rules", "simulate", "oust", "--size", "5", "--games", "40", "--seed", "7", "--json")
    one, two = (_json(run(tmp_path, *command, "--jobs", jobs)) for jobs in ("1", "2"))
    assert one.pop("placements_per_second") > 0
    assert two.pop("placements_per_second") > 0
    assert one == two
    assert set(one) >= {"kind", "grid", "games", "placements", "results"}
    assert set(one["placements"]) == {"mean", "median", "stderr"}
    assert sum(one["results"].values()) == one["games"] == 40


def test_simulate_counts_the_turns_of_churn(tmp_path: Path) -> None:
    command = ("rules", "simulate", "churn", "--size", "3", "--games", "200", "--seed", "1")
    figures = _json(run(tmp_path, *command, "--json"))
    assert (figures["kind"], figures["grid"], figures["games"]) == ("churn", "hex 3", 200)
    assert abs(figures["turns"]["mean"] - 69.74) < 5 * figures["turns"]["stderr"]
    assert figures["turns_per_second"] > 0
    assert figures["results"]["draw"] == 0
    assert "200 random games, seed 1\n" in run(tmp_path, *command).output
