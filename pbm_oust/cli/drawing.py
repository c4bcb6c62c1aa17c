"""Boards at a terminal, in colours."""

import click

from pbm_oust.board.game import Game
from pbm_oust.cli.terminal import Shown, has_colours, shown
from pbm_oust.render.text import LETTERS, Letters, game_text
from pbm_oust.rules.position import Side

COLOURS = {Side.X: "red", Side.O: "cyan"}

_MARKS = Letters(x=("\ue000", "\ue001"), o=("\ue002", "\ue003"))
"""Stand for stones while a board is drawn, to tell them from the names of columns."""
_COLOURED = ((_MARKS.x, LETTERS.x, COLOURS[Side.X]), (_MARKS.o, LETTERS.o, COLOURS[Side.O]))


def drawn(game: Game) -> Shown:
    """Return a board with its heading, in colours if there are any."""
    if not has_colours():
        return shown(game_text(game))
    text: str = shown(game_text(game, _MARKS))
    for marks, letters, colour in _COLOURED:
        for mark, letter, bold in zip(marks, letters, (False, True), strict=True):
            text = text.replace(mark, click.style(letter, fg=colour, bold=bold))
    return Shown(text)
