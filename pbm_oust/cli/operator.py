"""What the operator's commands work with, and how they print."""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from pbm_oust.accounts.address import parse_own_address
from pbm_oust.board.game import Game
from pbm_oust.cli.terminal import page, say, say_json
from pbm_oust.grammar.values import BoardAt, read_board_at
from pbm_oust.refusal import Refusal, Unreadable
from pbm_oust.render.text import in_columns
from pbm_oust.render.visible import visible_line
from pbm_oust.rules.grid import Grid, Shape, parse_size
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.configuration import (
    BadConfiguration,
    Configuration,
    parse_configuration,
    parse_endpoint,
    parse_relay,
)
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import AccountDamaged, DatabaseFault
from pbm_oust.store.home import CONFIGURATION, Home
from pbm_oust.store.index import BoardName
from pbm_oust.store.open_boards import Salvage
from pbm_oust.store.rebuilding import Progress, untold

if TYPE_CHECKING:
    from pbm_oust.play.unit_of_work import UnitOfWork


class Refused(click.ClickException):
    """Something was not done; exit status 1."""

    exit_code = 1


@dataclass
class Operator:
    """The home that a command works on."""

    path: Path

    @cached_property
    def _home(self) -> Home:
        try:
            return Home(self.path)
        except PermissionError:
            raise
        except OSError as error:  # the configuration says what keeps the home
            reason = error.strerror or str(error)
            where = "" if CONFIGURATION in reason else f"{self.path / CONFIGURATION}: "
            raise click.UsageError(f"{where}{reason}") from None

    @property
    def home(self) -> Home:
        """The home, which must exist, and whose configuration must be right."""
        home = self.home_as_it_is
        self.configuration  # noqa: B018 - refuses a faulty one
        return home

    @property
    def home_as_it_is(self) -> Home:
        """The home, which must exist, whatever its configuration says."""
        if not self.path.is_dir():
            raise Refused(
                f"there is no home {self.path}; name one with --home, or start a server there"
            )
        return self._home

    def prepared_home(self, progress: Progress = untold) -> Home:
        """Return the home to write to; makes missing folders.

        If its database has to be made, `progress` is told how far that is.
        Raises DatabaseFault if the database cannot be read.
        """
        try:
            self._home.prepare(progress)
            self._home.ask(lambda _: None)
        except DatabaseFault:
            raise
        except OSError as error:
            raise Refused(f"cannot use {self.path} as home: {error.strerror}") from None
        return self._home

    def unit_of_work(self) -> "UnitOfWork":
        """Return a unit of work on the home, whose notices become letters."""
        from pbm_oust.letters.letters import Letters  # few commands write letters
        from pbm_oust.play.unit_of_work import UnitOfWork

        home, configured = self.prepared_home(), self.configuration
        letters = Letters(configured.address, home.now, home.key, configured.web_address)
        return UnitOfWork(home, letters.write, home.now)

    def close(self) -> None:
        """Close what is open of the home."""
        if "_home" in vars(self):
            self._home.close()

    @cached_property
    def boards(self) -> Salvage:
        """The boards of the home, which can be read even without its database."""
        return Salvage(self.home, self._warn)

    def _warn(self, fault: DatabaseFault) -> None:
        say(f"Warning: {fault}. This comes from the histories alone.", err=True)

    def game(self, kind: Kind, board: int) -> Game:
        """Return the game of a board. Raises Refused if there is none, and DamagedHistory."""
        try:
            return self.boards.game(kind, board)
        except Refusal:
            raise no_board(kind, board) from None

    def history(self, kind: Kind, board: int) -> bytes:
        """Return the history of a board as its file has it. Raises Refused."""
        try:
            return self.boards.history(BoardName(kind.name, board))
        except NoSuchFile:
            raise no_board(kind, board) from None

    @cached_property
    def configuration(self) -> Configuration:
        """The configuration of the home. Raises UsageError if it is faulty."""
        try:
            return self.read_configuration()
        except BadConfiguration as error:
            raise click.UsageError(str(error)) from None

    def read_configuration(self) -> Configuration:
        """Return the configuration as it is now. Raises BadConfiguration, which names the file."""
        try:
            return parse_configuration(self._home.read_configuration())
        except (BadConfiguration, OSError) as error:
            raise BadConfiguration(f"{self._home.configuration}: {error}") from None


def no_board(kind: Kind, board: int) -> Refused:
    """Return the refusal for a board that does not exist."""
    return Refused(f"there is no board {kind.name} {board}")


def pass_operator(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the operator with the home that the command line names, once for all.

    What is damaged there and has to be repaired first refuses the command, in its own words.
    """

    @wraps(function)
    def with_operator(*words: Any, **options: Any) -> Any:
        root = click.get_current_context().find_root()
        if root.obj is None:
            root.obj = Operator(Path(root.params["home"]))
            root.call_on_close(root.obj.close)
        try:
            return function(root.obj, *words, **options)
        except (AccountDamaged, DamagedHistory) as damage:
            raise Refused(str(damage)) from None

    return with_operator


def now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


def print_json(value: object) -> None:
    """Print a value as JSON."""
    say_json(f"{json.dumps(value, indent=2, ensure_ascii=False)}\n")


def print_fields(rows: Iterable[Sequence[object]]) -> None:
    """Print names, and what is behind each of them."""
    cells = ([visible_line(str(cell)) for cell in row] for row in rows)
    page("".join(f"{line}\n" for line in in_columns(cells)))


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns below their headings."""
    print_fields((headings, *rows))


class Parsed(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """A parameter read by a function, which raises ValueError and says what would be right.

    `name` is shown in the place of the value. `offered` are the texts that a shell completes.
    """

    def __init__(
        self, name: str, read: Callable[[str], object], offered: Sequence[str] = ()
    ) -> None:
        self.name = name
        self._read = read
        self._offered = offered

    def get_metavar(self, *_: Any, **_named: Any) -> str:
        """Return how the place of a value is shown."""
        return self.name

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """Return the value of a text."""
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return how a shell can complete a text."""
        return [CompletionItem(word) for word in self._offered if word.startswith(incomplete)]


def _read_kind(text: str) -> Kind:
    if text.lower() not in KINDS:
        raise ValueError(f"{text!r} is none of {', '.join(KINDS)}")
    return KINDS[text.lower()]


def _read_board(text: str) -> BoardAt:
    try:
        return read_board_at(text)
    except Unreadable:
        raise ValueError(f"{text!r} is not written like 17 or 17#5") from None


KIND = Parsed("KIND", _read_kind, tuple(KINDS))
BOARD_AT = Parsed("BOARD", _read_board)
ADDRESS = Parsed("ADDRESS", parse_own_address)
ENDPOINT = Parsed("HOST:PORT", parse_endpoint)
RELAY = Parsed("smtp://HOST:PORT", parse_relay)


def complete_boards(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the numbers of the boards of the kind that the line names."""
    kind = context.params.get("kind")
    words = _boards(context, kind.name) if isinstance(kind, Kind) else []
    return _beginning(words, incomplete)


def complete_userids(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the userids of all accounts."""
    return _beginning(_userids(context), incomplete)


def complete_command(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the words that may come next in a command by mail."""
    from pbm_oust.service.table import next_in

    follows = next_in(context.params.get(parameter.name or "") or ())
    words = list(follows.words)
    if "BOARD" in follows.place and follows.kind:
        words += _boards(context, follows.kind.name)
    if "USERID" in follows.place:
        words += _userids(context)
    return _beginning(words, incomplete)


def _boards(context: click.Context, kind: str) -> list[str]:
    return [str(name.board) for name in Salvage(_home(context)).names(kind)]


def _userids(context: click.Context) -> list[str]:
    with suppress(DatabaseFault):
        return _home(context).userids()
    return []


def _home(context: click.Context) -> Home:
    """Return the home that the command line names; no command runs here that would know it."""
    return Home(Path(context.find_root().params["home"]))


def _beginning(words: list[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(incomplete.lower())]


kind_name = click.argument("kind", type=KIND)
board_number = click.argument("board", type=click.IntRange(min=1), shell_complete=complete_boards)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def grid_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options --size and --hex, which `grid_from` reads."""
    function = click.option(
        "--size", metavar="SIZE", help="The size of the grid, as in a challenge."
    )(function)
    return click.option(
        "--hex",
        "hexagonal",
        metavar="SIDES",
        help="The sides of a hexagonal grid: 7, 3,4 or 3,3,5.",
    )(function)


def grid_from(kind: Kind, size: str | None, hexagonal: str | None) -> Grid:
    """Return the grid that the options name, or the game's own. Raises UsageError."""
    if size and hexagonal:
        raise click.UsageError("give either --size or --hex")
    try:
        if size:
            grid = parse_size(kind.own_shape, size)
        elif hexagonal:
            grid = parse_size(Shape.HEX, hexagonal)
        else:
            grid = kind.default_grid
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if not kind.plays_on(grid):
        raise click.UsageError(
            f"{kind.title} is not played on {grid}, which has {grid.cells.bit_count()} cells"
        )
    return grid


LARGEST_IMPORT = 4 * 2**20
"""The most bytes of a file that is imported, unless it is known to be large."""

_GZIP = b"\x1f\x8b"
"""How a file begins that gzip has compressed (RFC 1952, section 2.3.1)."""

import_argument = click.argument(
    "file", type=click.Path(exists=True, dir_okay=False, allow_dash=True), default="-"
)
large_option = click.option(
    "--large", is_flag=True, help="Take a file of more than 4 MB, which may need much memory."
)


def read_import(file: str, *, large: bool) -> tuple[str, bytes]:
    """Return what to call a file, or standard input for `-`, and its content.

    What gzip has compressed is returned without the compression. Raises Refused if it is too large,
    or if its compression is damaged.
    """
    name = "standard input" if file == "-" else click.format_filename(file)
    most = -1 if large else LARGEST_IMPORT + 1
    with click.open_file(file, "rb") as opened:
        data: bytes = opened.read(most)
    if data.startswith(_GZIP):
        import gzip
        import zlib
        from io import BytesIO

        try:
            data = gzip.GzipFile(fileobj=BytesIO(data)).read(most)
        except (OSError, EOFError, zlib.error) as error:
            raise Refused(f"{name}: gzip has not made this, or not all of it is here") from error
    if not large and len(data) > LARGEST_IMPORT:
        raise Refused(f"{name} has more than 4 MB; to take it all the same, give --large")
    return name, data
