"""What the command line does only for a person at a terminal: colours, a pager, progress."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from pbm_oust.board.game import Game
from pbm_oust.render.text import LETTERS, Letters, game_text
from pbm_oust.rules.position import Side

COLOURS = {Side.X: "red", Side.O: "cyan"}

_MARKS = Letters(x=("\ue000", "\ue001"), o=("\ue002", "\ue003"))
"""Stand for stones while a board is drawn, to tell them from the names of columns."""
_COLOURED = ((_MARKS.x, LETTERS.x, COLOURS[Side.X]), (_MARKS.o, LETTERS.o, COLOURS[Side.O]))


def is_terminal() -> bool:
    """Return whether a person is reading."""
    return sys.stdout.isatty()


def has_colours() -> bool:
    """Return whether to print colours: on a terminal that has them, unless NO_COLOR is set.

    Source: https://no-color.org
    """
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and is_terminal()


def drawn(game: Game) -> str:
    """Return a board with its heading, in colours if there are any."""
    if not has_colours():
        return game_text(game)
    text = game_text(game, _MARKS)
    for marks, letters, colour in _COLOURED:
        for mark, letter, bold in zip(marks, letters, (False, True), strict=True):
            text = text.replace(mark, click.style(letter, fg=colour, bold=bold))
    return text


def page(text: str) -> None:
    """Print lines; if the terminal has too few, use the program that PAGER names."""
    is_long = text.count("\n") >= shutil.get_terminal_size().lines
    if is_long and is_terminal() and sys.stdin.isatty():
        click.echo_via_pager(text.removesuffix("\n"))
    else:
        click.echo(text, nl=False)


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function that draws progress, given how much is done, and of how much.

    Nothing is drawn unless a person is at the terminal.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _of: None
        return
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def draw(done: int, of: int) -> None:
            bar.length = max(of, 1)
            bar.update(max(done, 0 if of else 1) - bar.pos)

        yield draw
