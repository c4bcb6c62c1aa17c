import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbm_oust.cli import main

GAMES = Path(__file__).parents[2] / "games" / "oust"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "oust").mkdir()
    for number in (1, 2, 3):
        shutil.copy(GAMES / f"{number}.txt", tmp_path / "oust")
    return tmp_path


def output(home: Path, *arguments: str) -> str:
    result = CliRunner().invoke(main, ["--home", str(home), *arguments])
    assert result.exit_code == 0
    return result.output


def test_standings_list_the_players_of_the_finished_games(home: Path) -> None:
    assert output(home, "standings").splitlines() == [
        "Oust, small boards",
        "      player    rating  games  won  lost  drawn",
        "  1.  demo_ann  1800?   3      3    0     0",
        "  2.  demo_bob  1400?   3      0    3     0",
    ]
    assert output(home, "standings", "churn") == ""


def test_ratings_are_the_same_to_the_last_digit_whenever_they_are_computed(home: Path) -> None:
    first = output(home, "ratings", "--recompute", "--json")
    assert output(home, "ratings", "--json") == first
    (table,) = json.loads(first)
    assert [game["board"] for game in table["games"]] == [1, 2, 3]
    assert table["standings"][0] == {
        "userid": "demo_ann",
        "rating": 1800.0,
        "provisional": True,
        "games": 3,
        "wins": 3,
        "losses": 0,
        "draws": 0,
    }
    assert "oust 1  demo_ann 1800.0  demo_bob 1400.0" in output(home, "ratings")
