"""Analyses of games: the chance of side x after each record, and the best turns.

An evaluation is about a side, whoever owns it, so a swap does not change it. Nor does the way in
which players ended the game: only a result by the rules counts.

In writing, an analysis is JSON, to be kept and read back, or notes in SGF:

{"game": "4f0c1d2e9a8b7c6d..",
 "seconds": 1.0,
 "verdicts": [{"x_wins": 0.52, "certain": false, "line": ["D4", "E5,F6"]}, ..]}
"""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Self

from msgspec import Struct, structs

from pbm_oust.board import Deed, Game, Place, Ruling, Wish
from pbm_oust.board.notation import format_action, format_origin, format_wish, parse_wish
from pbm_oust.board.sgf import Notes

SECONDS = 1.0
"""The default time for the search of a position."""


class Evaluation(Struct, frozen=True):
    """The chance of side x in a position, and the best turns."""

    x_wins: float
    """The chance of side x, 0..1; a draw counts as a half."""
    is_certain: bool
    """Whether the chance is proved, and no estimate."""
    line: tuple[Wish, ...] = ()
    """The best turns from the position on, of both sides."""


class Analysis(Struct, frozen=True):
    """The evaluations of a game."""

    identity: str
    """The identity of the game: see `identity_of`."""
    seconds: float
    """The time for the search of each position."""
    evaluations: tuple[Evaluation, ...]
    """The first one is about the start; one follows for each record."""

    @classmethod
    def of(cls, game: Game, seconds: float, evaluations: Iterable[Evaluation]) -> Self:
        """Return the analysis of a game with these evaluations of all its positions."""
        return cls(identity_of(game), seconds, tuple(evaluations))


def identity_of(game: Game) -> str:
    """Return a digest of everything in a game that an analysis depends on.

    It stays the same when a player gets another userid.
    """
    header, kind = game.header, game.header.kind.name
    origin = format_origin(header.origin, kind) if header.origin else ""
    lines = [f"{kind} {header.grid} {header.terms.swap} {origin}"]
    for record in game.records:
        action = record.action
        nameless = structs.replace(action, userid="") if isinstance(action, Ruling) else action
        lines.append(f"{record.by} {format_action(nameless)}")
    return sha256("\n".join(lines).encode()).hexdigest()[:32]


_CERTAIN = {0.0: "x loses for certain", 0.5: "a draw for certain", 1.0: "x wins for certain"}


class BadAnalysis(ValueError):
    """A text that is not an analysis."""


def format_analysis(analysis: Analysis) -> str:
    """Return an analysis as JSON."""
    return json.dumps(
        {
            "game": analysis.identity,
            "seconds": analysis.seconds,
            "verdicts": [evaluation_fields(evaluation) for evaluation in analysis.evaluations],
        }
    )


def parse_analysis(text: str) -> Analysis:
    """Return the analysis in a JSON text. Raises BadAnalysis."""
    try:
        whole = json.loads(text)
        evaluations = tuple(
            Evaluation(
                float(each["x_wins"]), bool(each["certain"]), tuple(map(parse_wish, each["line"]))
            )
            for each in whole["verdicts"]
        )
        return Analysis(str(whole["game"]), float(whole["seconds"]), evaluations)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise BadAnalysis(repr(error)) from None


def evaluation_fields(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as JSON writes it."""
    return {
        "x_wins": round(evaluation.x_wins, 4),
        "certain": evaluation.is_certain,
        "line": [format_wish(wish) for wish in evaluation.line],
    }


def line_text(evaluation: Evaluation) -> str:
    """Return the best turns from a position on: `D4 E5,F6 pass`."""
    return " ".join(format_wish(wish) for wish in evaluation.line)


def placed_in(line: Iterable[Wish]) -> list[str]:
    """Return the cells of the placements in a line, up to a swap."""
    kept = takewhile(lambda wish: wish is not Deed.SWAP, line)
    return [cell for wish in kept if isinstance(wish, Place) for cell in wish.cells]


def notes_of(analysis: Analysis, said: Mapping[int, str] = MappingProxyType({})) -> Notes:
    """Return an analysis as notes in SGF; `said` are comments on moves.

    `SBKV` is how likely Black, who is x, is to win, in percent: Sabaki draws a curve of it.
    """
    return {
        number: {
            "C": [*said.get(number, "").splitlines(), _comment(evaluation)],
            "SBKV": [f"{100 * evaluation.x_wins:.2f}"],
        }
        for number, evaluation in enumerate(analysis.evaluations)
    }


def _comment(evaluation: Evaluation) -> str:
    rate = f"x wins with {evaluation.x_wins:.1%}"
    said = _CERTAIN[evaluation.x_wins] if evaluation.is_certain else rate
    return f"{said}; best: {line_text(evaluation)}" if evaluation.line else said
