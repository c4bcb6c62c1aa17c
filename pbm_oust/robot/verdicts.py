"""Analyses in writing: as JSON, to be kept and read back, and as notes in SGF. Pure.

{"game": "4f0c1d2e9a8b7c6d..",
 "seconds": 1.0,
 "verdicts": [{"x_wins": 0.52, "certain": false, "line": ["D4", "E5,F6"]}, ..]}
"""

import json
from typing import Any

from pbm_oust.board.formats.sgf import Notes
from pbm_oust.board.notation import format_wish, parse_wish
from pbm_oust.robot.analysis import Analysis, Verdict

_CERTAIN = {0.0: "x loses for certain", 0.5: "a draw for certain", 1.0: "x wins for certain"}


class BadAnalysis(ValueError):
    """A text is not an analysis."""


def format_analysis(analysis: Analysis) -> str:
    """Return an analysis as JSON."""
    return json.dumps(
        {
            "game": analysis.identity,
            "seconds": analysis.seconds,
            "verdicts": [verdict_fields(verdict) for verdict in analysis.verdicts],
        }
    )


def parse_analysis(text: str) -> Analysis:
    """Return the analysis that JSON says. Raises BadAnalysis."""
    try:
        whole = json.loads(text)
        verdicts = tuple(
            Verdict(
                float(each["x_wins"]), bool(each["certain"]), tuple(map(parse_wish, each["line"]))
            )
            for each in whole["verdicts"]
        )
        return Analysis(str(whole["game"]), float(whole["seconds"]), verdicts)
    except (KeyError, TypeError, ValueError) as error:
        raise BadAnalysis(repr(error)) from None


def verdict_fields(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON writes it."""
    return {
        "x_wins": round(verdict.x_wins, 4),
        "certain": verdict.is_certain,
        "line": [format_wish(wish) for wish in verdict.line],
    }


def line_text(verdict: Verdict) -> str:
    """Return the best turns from a position on: `D4 E5,F6 pass`."""
    return " ".join(format_wish(wish) for wish in verdict.line)


def notes_of(analysis: Analysis) -> Notes:
    """Return what an analysis says of each position, as SGF has it.

    `SBKV` is how likely Black, who is x, is to win, in percent: Sabaki draws a curve of it.
    """
    return {
        number: {"C": [_comment(verdict)], "SBKV": [f"{100 * verdict.x_wins:.2f}"]}
        for number, verdict in enumerate(analysis.verdicts)
    }


def _comment(verdict: Verdict) -> str:
    rate = f"x wins with {verdict.x_wins:.1%}"
    said = _CERTAIN[verdict.x_wins] if verdict.is_certain else rate
    return f"{said}; best: {line_text(verdict)}" if verdict.line else said
