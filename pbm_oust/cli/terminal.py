"""How the command line prints, and what it does for a person at a terminal: colours, a pager.

No other module prints. Whatever a mail, a file or the database holds, a terminal shows it and is
not steered by it.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

import click

from pbm_oust.render.visible import visible_json, visible_line, visible_text


class TerminalText(str):
    """A text for a terminal; nothing in it steers one, except the colours that we put there."""

    __slots__ = ()


def shown(text: object) -> TerminalText:
    """Return a text of lines as a terminal can show it."""
    return text if isinstance(text, TerminalText) else TerminalText(visible_text(str(text)))


def say(line: object = "", *, err: bool = False) -> None:
    """Print one line."""
    click.echo(line if isinstance(line, TerminalText) else visible_line(str(line)), err=err)


def tell(line: object) -> None:
    """Print one line to standard error, if that can be written: nothing depends on it."""
    with suppress(OSError):
        say(line, err=True)


def say_text(text: object, *, err: bool = False) -> None:
    """Print a text of lines as a terminal can show it; no line end is added."""
    click.echo(shown(text), nl=False, err=err)


def say_json(text: str) -> None:
    """Print lines of JSON; odd characters are escaped, and no line end is added."""
    click.echo(visible_json(text), nl=False)


def say_data(data: bytes) -> None:
    """Print a file byte for byte, unless a person is reading."""
    if is_terminal():
        say_text(data.decode("utf-8", "replace"))
    else:
        click.echo(data, nl=False)


def ask(question: str) -> None:
    """Ask whether something is to be done; end the program if not."""
    click.confirm(visible_line(question), abort=True)


def is_terminal() -> bool:
    """Return whether a person is reading."""
    return sys.stdout.isatty()


def has_colours() -> bool:
    """Return whether to print colours: on a terminal that has them, unless NO_COLOR is set.

    Source: https://no-color.org
    """
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and is_terminal()


def page(text: str) -> None:
    """Print lines; if the terminal has too few, use the program that PAGER names."""
    from shutil import get_terminal_size

    text = shown(text)
    if is_terminal() and sys.stdin.isatty() and text.count("\n") >= get_terminal_size().lines:
        click.echo_via_pager(text.removesuffix("\n"))
    else:
        say_text(text)


T = TypeVar("T")

Columns = Mapping[str, str | Callable[[T], object]]
"""The columns of a list by their headings: a field of its JSON, or a function of an item."""


@dataclass(frozen=True)
class Output:
    """The output of a command: a value with --json, and lines for a person without it."""

    is_json: bool

    def json(self, value: object) -> None:
        """Print a value, if JSON is wanted."""
        if self.is_json:
            say_json(f"{json.dumps(value, indent=2, ensure_ascii=False)}\n")

    def say(self, line: object = "", *, err: bool = False) -> None:
        """Print a line, unless JSON is wanted."""
        if not self.is_json:
            say(line, err=err)

    def page(self, text: str) -> None:
        """Print lines, unless JSON is wanted."""
        if not self.is_json:
            page(text)

    def rows(self, rows: Iterable[Iterable[object]]) -> None:
        """Print rows with their cells in columns, unless JSON is wanted."""
        cells = ([visible_line(str(cell)) for cell in row] for row in rows)
        from pbm_oust.render.text import in_columns  # here: `deliver` starts for each mail

        self.page("".join(f"{line}\n" for line in in_columns(cells)))

    def table(
        self, items: Iterable[T], fields: Callable[[T], Mapping[str, object]], columns: Columns[T]
    ) -> None:
        """Print the columns of some items below their headings, unless JSON is wanted."""
        if not self.is_json:
            self.rows([tuple(columns), *(_cells(each, fields(each), columns) for each in items)])

    def items(
        self, items: Sequence[T], fields: Callable[[T], Mapping[str, object]], columns: Columns[T]
    ) -> None:
        """Print a list: the fields of its items as JSON, or a table unless it is empty."""
        if self.is_json:
            self.json(list(map(fields, items)))
        elif items:
            self.table(items, fields, columns)


def _cells(item: T, row: Mapping[str, object], columns: Columns[T]) -> Iterator[object]:
    for column in columns.values():
        cell = row[column] if isinstance(column, str) else column(item)
        yield "" if cell is None else cell


@contextmanager
def progress_bar(
    label: str, *, counted: bool = False
) -> Iterator[Callable[[int, int | None], None]]:
    """Give a function that draws progress, given how much is done, and of how much, if known.

    If it is `counted`, the numbers are shown instead of a percentage and the time left. Nothing is
    drawn unless a person is at the terminal.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _of: None
        return
    with click.progressbar(
        length=1,
        label=label,
        file=sys.stderr,
        show_pos=counted,
        show_percent=not counted,
        show_eta=not counted,
    ) as bar:

        def draw(done: int, of: int | None) -> None:
            bar.length = None if of is None else max(of, 1)
            bar.update(max(done, 1 if of == 0 else 0) - bar.pos)

        yield draw
