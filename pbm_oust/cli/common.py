"""The operator's commands: the home, their arguments, files that are imported, and the log."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from pbm_oust.accounts.account import bare_userid
from pbm_oust.accounts.address import parse_own_address
from pbm_oust.board import Game
from pbm_oust.board.notation import HIGHEST, format_time
from pbm_oust.cli.terminal import Output, say
from pbm_oust.grammar.grids import read_grid
from pbm_oust.grammar.values import read_board_at
from pbm_oust.refusal import Refusal, Unreadable
from pbm_oust.rules import KINDS, Grid, Kind, Shape
from pbm_oust.store import configuration as configurations
from pbm_oust.store.accounts import all_userids
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import AccountDamaged, DatabaseFault
from pbm_oust.store.home import CONFIGURATION, Home, configuration_of
from pbm_oust.store.index import BoardName
from pbm_oust.store.letters import Letter
from pbm_oust.store.open_boards import GameReader, is_taken
from pbm_oust.store.outbox import Written
from pbm_oust.store.publishing import Progress, untold

if TYPE_CHECKING:
    from pbm_oust.mail.flush import Relaying
    from pbm_oust.mail.inbound import Inbound
    from pbm_oust.play.unit_of_work import UnitOfWork
    from pbm_oust.store.rebuilding import Rebuilt


class Refused(click.ClickException):
    """Something was not done; exit status 1."""


@dataclass
class Operator:
    """The home that a command works on."""

    path: Path

    @cached_property
    def _home(self) -> Home:
        try:
            home = Home(self.path)
            home.outbox.writer = self._write_letter
            return home
        except PermissionError:
            raise
        except OSError as error:  # the configuration says what keeps the home
            reason = error.strerror or str(error)
            where = "" if CONFIGURATION in reason else f"{configuration_of(self.path)}: "
            raise click.UsageError(f"{where}{reason}") from None

    def _write_letter(self, letter: Letter, content: bytes) -> Written:
        """Write the first letter that is kept as data, and let the home write the others."""
        _inbound_of(self._home, self.configuration)
        return self._home.outbox.written(letter, content)

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
        with self._using():
            self._home.prepare(progress)
            self._home.ask(lambda _: None)
        return self._home

    def rebuilt_home(self, folder: Path, progress: Progress) -> "Rebuilt":
        """Let the files of histories below a folder be the boards of the home, where they can."""
        self.home  # noqa: B018 - refuses one that is not there
        with self._using():
            return self._home.rebuild(folder, progress)

    @contextmanager
    def _using(self) -> Iterator[None]:
        """Refuse, with its reason, a home that the body cannot use. Raises DatabaseFault."""
        try:
            yield
        except DatabaseFault:
            raise
        except OSError as error:
            raise Refused(f"cannot use {self.path} as home: {error.strerror}") from None

    def inbound(self) -> "Inbound":
        """Open the way of a mail into the home."""
        return _inbound_of(self.prepared_home(), self.configuration)

    def unit_of_work(self) -> "UnitOfWork":
        """Return a unit of work on the home, whose notices become letters."""
        return self.inbound().work

    def relaying(self, relay: configurations.Endpoint) -> "Relaying":
        """Return the sender of letters to a relay."""
        from pbm_oust.mail.flush import Relaying  # few homes with a pipe have a relay

        return Relaying(self._home, relay, self.configuration.address, self._home.database.time)

    def hand_over(self) -> None:
        """Hand the letters that are due to the relay, if there is one; they stay if it is down."""
        if relay := self.configuration.relay:
            try:
                self.relaying(relay).flush()
            except (configurations.BadConfiguration, OSError) as error:
                say(f"letters stay in the outbox: {error}", err=True)

    def close(self) -> None:
        """Close what is open of the home."""
        if "_home" in vars(self):
            self._home.close()

    @cached_property
    def boards(self) -> GameReader:
        """The boards of the home, which can be read even without its database."""
        warning = "Warning: {}. This comes from the histories alone."
        return GameReader(self.home, lambda fault: say(warning.format(fault), err=True))

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

    def knows(self, userid: str) -> bool:
        """Return whether a player has an account or has played; also where nobody can tell."""
        with suppress(DatabaseFault):
            return self.home.ask(is_taken, userid)
        return True

    @cached_property
    def configuration(self) -> configurations.Configuration:
        """The configuration of the home. Raises UsageError if it is faulty."""
        try:
            return self.read_configuration()
        except configurations.BadConfiguration as error:
            raise click.UsageError(str(error)) from None

    def read_configuration(self) -> configurations.Configuration:
        """Return the configuration as it is now. Raises BadConfiguration, which names the file."""
        try:
            return configurations.parse_configuration(self._home.read_configuration())
        except (configurations.BadConfiguration, OSError) as error:
            raise configurations.BadConfiguration(f"{self._home.configuration}: {error}") from None


def _inbound_of(home: Home, configured: configurations.Configuration) -> "Inbound":
    from pbm_oust.mail.inbound import open_inbound  # few commands write letters

    given = home, configured.address, home.now, configured.limits
    return open_inbound(*given, web_address=configured.web_address)


def no_board(kind: Kind, board: int) -> Refused:
    """Return the refusal for a board that does not exist."""
    return Refused(f"there is no board {kind.name} {board}")


FURTHEST = timedelta(days=36500)
"""How far ahead a time may be that an operator sets."""


def check_ahead(at: datetime, days: int, now: datetime) -> None:
    """Raise Refused if a time is too far ahead after so many more days."""
    last = now + FURTHEST
    if at > last - timedelta(days=days):
        raise Refused(f"that is too far ahead; the last time possible is {format_time(last)}")


json_option = click.option(
    "--json",
    "output",
    is_flag=True,
    callback=lambda _context, _option, is_json: Output(is_json),
    help="Print JSON.",
)
"""Gives a command its `output`."""


def command(
    name: str | None = None,
    *,
    has_json: bool = False,
    context_settings: dict[str, Any] | None = None,
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function whose first argument is the operator of the home.

    The command line names the home, once for all commands. A damaged history or account refuses the
    command, in its own words. With `has_json`, the last option is --json, and the function has an
    `output`.
    """

    def made_of(function: Callable[..., Any]) -> click.Command:
        @wraps(function)
        def with_operator(**given: Any) -> Any:
            root = click.get_current_context().find_root()
            if root.obj is None:
                root.obj = Operator(Path(root.params["home"]))
                root.call_on_close(root.obj.close)
            try:
                return function(root.obj, **given)
            except (AccountDamaged, DamagedHistory) as damage:
                raise Refused(str(damage)) from None

        made = click.command(name, context_settings=context_settings)(with_operator)
        return json_option(made) if has_json else made

    return made_of


class Parsed(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """A parameter read by a function, which raises ValueError and says what would be right.

    `name` is shown in the place of the value. `offered` are the texts that a shell completes.
    `wrong` says what is wrong with a value for which the function raises Unreadable.
    """

    def __init__(
        self, name: str, read: Callable[[str], object], offered: Sequence[str] = (), wrong: str = ""
    ) -> None:
        self.name = name
        self._read = read
        self._offered = offered
        self._wrong = wrong

    def get_metavar(self, *_: Any, **_named: Any) -> str:
        """Return the name that stands in the place of a value."""
        return self.name

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """Return the value of a text."""
        try:
            return self._read(value)
        except (ValueError, Unreadable) as error:
            wrong = f"{value!r} {self._wrong}" if self._wrong else str(error)
            self.fail(wrong, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the words that complete a text in a shell."""
        return [CompletionItem(word) for word in self._offered if word.startswith(incomplete)]


def _read_kind(text: str) -> Kind:
    if text.lower() not in KINDS:
        raise ValueError(f"{text!r} is none of {', '.join(KINDS)}")
    return KINDS[text.lower()]


USERID = Parsed("USERID", bare_userid)
"""A userid as people write it; whether there is such a player is seen later."""
KIND = Parsed("KIND", _read_kind, tuple(KINDS))
NUMBER = click.IntRange(1, HIGHEST)
"""The number of a board, a record or a tournament."""
BOARD_AT = Parsed("BOARD", read_board_at, wrong="is not written like 17 or 17#5")
ADDRESS = Parsed("ADDRESS", parse_own_address)
ENDPOINT = Parsed("HOST:PORT", configurations.parse_endpoint)
RELAY = Parsed("smtp://HOST:PORT", configurations.parse_relay)


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
    return [str(name.board) for name in GameReader(_home(context)).names(kind)]


def _userids(context: click.Context) -> list[str]:
    with suppress(DatabaseFault):
        return _home(context).ask(all_userids)
    return []


def _home(context: click.Context) -> Home:
    """Return the home that the command line names; no command runs here that would know it."""
    return Home(Path(context.find_root().params["home"]))


def _beginning(words: list[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(incomplete.lower())]


kind_name = click.argument("kind", type=KIND)


def board_named(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the board that its first two words name, as `kind` and `board`."""
    named = click.argument("board", type=NUMBER, shell_complete=complete_boards)
    return kind_name(named(function))


def board_at_named(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the board that its first two words name, perhaps as of a record."""
    named = click.argument(
        "board", type=BOARD_AT, metavar="BOARD[#N]", shell_complete=complete_boards
    )
    return kind_name(named(function))


def grid_named(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the game that its first word names, and the grid that its options name.

    Without --size and --hex, the grid is the game's own.
    """

    @kind_name
    @click.option(
        "--hex", "sides", metavar="SIDES", help="The sides of a hexagonal grid: 7, 3,4 or 3,3,5."
    )
    @click.option("--size", metavar="SIZE", help="The size of the grid, as in a challenge.")
    @wraps(function)
    def with_grid(*, kind: Kind, size: str | None, sides: str | None, **given: Any) -> Any:
        return function(kind=kind, grid=_grid(kind, size, sides), **given)

    return with_grid


def _grid(kind: Kind, size: str | None, sides: str | None) -> Grid:
    if size and sides:
        raise click.UsageError("give either --size or --hex")
    given = size or sides
    try:
        grid = kind.default_grid
        if given:
            shape = Shape.HEX if sides else kind.own_shape
            grid = read_grid(given, shape, is_sure=bool(sides))
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
    """Read a file, or standard input for `-`: the name to call it by, and its content.

    A file that gzip has compressed is unpacked. Raises Refused for a file that is too large, or is
    damaged.
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
