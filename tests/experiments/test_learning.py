"""scripts/learn_games: the house plays against itself, the same for the same seed."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "learn_games"


def learned(*words: str) -> list[str]:
    """Return the lines that the script prints."""
    done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, check=True)
    return done.stdout.decode().splitlines()


def test_the_centre_of_the_smallest_churn_wins_most() -> None:
    words = "churn", "--hex", "2", "--games", "6", "--looks", "60"
    lines = learned(*words)
    corner, centre = lines[0].split()[0], lines[1].split()[1]
    assert centre == "100"
    assert int(corner) < int(centre)
    assert lines[3].startswith("best first stone     B2 wins 100.0%")
    assert lines == learned(*words)


def test_first_stones_that_differ_by_a_symmetry_share_their_games() -> None:
    rows = [line.split() for line in learned("oust", "--size", "3", "--games", "2")[:3]]
    assert len({rows[0][0], rows[0][2], rows[2][0], rows[2][2]}) == 1
    assert len({rows[0][1], rows[1][0], rows[1][2], rows[2][1]}) == 1
