"""Reads the recorded games, the figures and the counts in `tests/data`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"


@dataclass(frozen=True)
class RecordedAction:
    """A placement or a pass. Cells are names separated by spaces, sorted by column, then by row."""

    by: str
    at: str
    captured: str
    legal: int
    legal_at: str | None
    """The possible placements; None if the file only counts them."""
    after: str


@dataclass(frozen=True)
class RecordedGame:
    """A game from the empty board to its result: `x`, `o`, `draw`, or None if it goes on."""

    name: str
    kind: str
    grid: str
    shows: tuple[str, ...]
    actions: tuple[RecordedAction, ...]
    result: str | None

    def turns(self) -> list[str]:
        """Return the actions as commands, one a turn: `x D4`, `o E5 F9`, `x pass`."""
        turns: list[str] = []
        for action in self.actions:
            if turns and turns[-1].startswith(action.by):
                turns[-1] += f" {action.at}"
            else:
                turns.append(f"{action.by} {action.at}")
        return turns


@dataclass(frozen=True)
class Count:
    """How many sequences of 1, 2, 3 .. placements a game has on a grid."""

    kind: str
    grid: str
    counts: tuple[int, ...]


def recorded_games() -> list[RecordedGame]:
    """Return all recorded games."""
    return [
        _game(json.loads(line))
        for name in ("oust_square.jsonl", "oust_hex.jsonl", "churn.jsonl")
        for line in (DATA / name).read_text().splitlines()
    ]


def recorded_game(name: str) -> RecordedGame:
    """Return the recorded game of this name."""
    return next(game for game in recorded_games() if game.name == name)


def figures() -> dict[int, dict[str, Any]]:
    """Return the figures of the Oust help page by their numbers."""
    found = json.loads((DATA / "figures.json").read_text())["figures"]
    return {figure["figure"]: figure for figure in found}


def counts() -> list[Count]:
    """Return the counted sequences of placements."""
    found = json.loads((DATA / "perft.json").read_text())
    return [Count(one["kind"], one["grid"], tuple(one["counts"])) for one in found]


def grid_name(shape: str, size: list[int]) -> str:
    """Return the name of a grid whose size is given as in the files."""
    return f"{shape} " + ("x" if shape == "square" else ",").join(map(str, size))


def _game(found: dict[str, Any]) -> RecordedGame:
    return RecordedGame(
        name=found["id"],
        kind=found["game"],
        grid=grid_name(found["grid"], found["size"]),
        shows=tuple(found["shows"]),
        actions=tuple(_action(action) for action in found["actions"]),
        result=found["result"],
    )


def _action(found: dict[str, Any]) -> RecordedAction:
    return RecordedAction(
        by=found["by"],
        at=found["at"],
        captured=" ".join(found["captured"]),
        legal=found["legal"],
        legal_at=" ".join(found["legal_at"]) if "legal_at" in found else None,
        after=found["after"],
    )
