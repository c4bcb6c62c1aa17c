import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pbm_oust.rules import KINDS
from pbm_oust.store.database import Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.ratings import mark
from tests.support.command_line import done, run
from tests.support.histories import lay_samples


@pytest.fixture
def home(tmp_path: Path) -> Path:
    lay_samples(tmp_path)
    done(tmp_path, "home", "rebuild")
    return tmp_path


def test_ratings_are_the_same_to_the_last_digit_whenever_they_are_computed(home: Path) -> None:
    first = done(home, "ratings", "--recompute", "--json")
    assert done(home, "ratings", "--json") == first
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
    assert "oust 1  demo_ann 1800.0  demo_bob 1400.0" in done(home, "ratings")


def test_until_ratings_are_counted_anew_they_are_those_that_all_games_give(home: Path) -> None:
    kept = [done(home, *words) for words in (("standings",), ("ratings", "--json"))]
    written(home, lambda transaction: mark(transaction, KINDS["oust"]))
    written(home, lambda transaction: transaction.run("UPDATE ratings SET wins = 9"))
    assert [done(home, *words) for words in (("standings",), ("ratings", "--json"))] == kept
    assert "games of oust are still to be counted for ratings" in doctor_says(home)
    done(home, "sweep")
    assert "ratings" not in doctor_says(home)
    assert done(home, "standings") == kept[0]
    assert done(home, "ratings", "--recompute", "--json") == kept[1]


def doctor_says(home: Path) -> str:
    """Return what the doctor says about a home."""
    return run(home, "doctor").output


def written(home: Path, work: Callable[[Transaction], object]) -> None:
    """Write into the database of a home."""
    database = Home(home).database
    database.write(work)
    database.close()
