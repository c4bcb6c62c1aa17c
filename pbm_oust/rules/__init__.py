"""The rules of the games. Pure: no files, no clock, no chance, no mail, no logging."""

from pbm_oust.rules.grid import Grid, Shape, format_size, parse_grid, parse_size
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import How, Kind, Position, Result, Side, choices, suggestion, taken

__all__ = [
    "KINDS",
    "Grid",
    "How",
    "Kind",
    "Position",
    "Result",
    "Shape",
    "Side",
    "choices",
    "format_size",
    "parse_grid",
    "parse_size",
    "suggestion",
    "taken",
]
