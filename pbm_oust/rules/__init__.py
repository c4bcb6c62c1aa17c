"""The rules of the games. Pure: no files, no clock, no chance, no mail, no logging."""

from pbm_oust.rules.grid import Grid, Shape, parse_grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import How, Kind, Position, Result, Side

__all__ = ["KINDS", "Grid", "How", "Kind", "Position", "Result", "Shape", "Side", "parse_grid"]
