"""What a search says about a game: how likely side x was to win after each record, and why.

It speaks of the sides, whoever owns them: a swap moves no stone and changes no evaluation. How the
players ended a game changes none either: what counts is what the rules still made of it.

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
"""How long a position is searched unless somebody says otherwise."""


class Evaluation(Struct, frozen=True):
    """What a search says about a position."""

    x_wins: float
    """0..1: how likely side x is to win; a draw counts as a half."""
    is_certain: bool
    """Whether this is proved, and no estimate."""
    line: tuple[Wish, ...] = ()
    """The best turns from there on, of both sides."""


class Analysis(Struct, frozen=True):
    """What a search says about a game."""

    identity: str
    """What tells the game apart from others: see `identity_of`."""
    seconds: float
    """How long each position was searched."""
    evaluations: tuple[Evaluation, ...]
    """The first one is about the start; one follows for each record."""

    @classmethod
    def of(cls, game: Game, seconds: float, evaluations: Iterable[Evaluation]) -> Self:
        """Return what evaluations on all positions of a game say about it."""
        return cls(identity_of(game), seconds, tuple(evaluations))


def identity_of(game: Game) -> str:
    """Return what tells a game apart from others, as far as an analysis depends on it.

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
    """A text is not an analysis."""


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
    """Return the analysis that JSON says. Raises BadAnalysis."""
    try:
        whole = json.loads(text)
        evaluations = tuple(
            Evaluation(
                float(each["x_wins"]), bool(each["certain"]), tuple(map(parse_wish, each["line"]))
            )
            for each in whole["verdicts"]
        )
        return Analysis(str(whole["game"]), float(whole["seconds"]), evaluations)
    except (KeyError, TypeError, ValueError) as error:
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
    """Return the cells that are placed on in a line until sides are swapped."""
    kept = takewhile(lambda wish: wish is not Deed.SWAP, line)
    return [cell for wish in kept if isinstance(wish, Place) for cell in wish.cells]


def notes_of(analysis: Analysis, said: Mapping[int, str] = MappingProxyType({})) -> Notes:
    """Return what an analysis says of each position, as SGF has it, with words about some moves.

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
