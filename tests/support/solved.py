"""The solved boards that docs/experiments.md tells of."""

import re
from math import inf
from typing import NamedTuple

from tests.support.document import DOCS

_ROW = re.compile(
    r"^\| (Churn, )?(square \S+|hex \S+) \| (\w+) player wins \| ([^|]*) \| ([^|]*) \|",
    re.MULTILINE,
)


class SolvedRow(NamedTuple):
    """A solved board: who wins, the first stones that do, and the positions that were searched."""

    who: str
    stones: str
    positions: float
    """Without end if the row only says about how many."""


SOLVED = {
    ("churn" if churn else "oust", grid): SolvedRow(
        who, stones.strip(), inf if "about" in number else int(number.replace(",", ""))
    )
    for churn, grid, who, stones, number in _ROW.findall((DOCS / "experiments.md").read_text())
}
"""By game and grid."""
