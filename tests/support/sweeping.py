"""A home for tests of what is due in time: boards, players, and a clock set by hand."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.accounts.settings import USUAL, Settings
from pbm_oust.accounts.vacations import Absence, in_order
from pbm_oust.board import Game, Header
from pbm_oust.board.header import Terms
from pbm_oust.board.notation import format_record, format_result
from pbm_oust.letters.letters import Letters, LetterWriter
from pbm_oust.play.request import Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules import KINDS, parse_grid
from pbm_oust.service.service import handle
from pbm_oust.service.sweep import Swept, sweep
from pbm_oust.store.accounts import write_account
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_board, read_game
from tests.support.accounts import account_of
from tests.support.games import wish
from tests.support.letters import as_text

BEGIN = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)
ADDRESS = "pbmserv@example.com"
OUST = KINDS["oust"]
PASSWORD = "wonderland"
"""The password of everybody."""
HASH = hash_password(Secret(PASSWORD), bytes(16))


_dated: list[datetime] = [BEGIN]
LETTERS = Letters(ADDRESS, lambda: _dated[-1], lambda: b"key")
"""Writes all letters, so that templates are read once. They have the date of the latest work."""


def day(number: float) -> datetime:
    """Return a moment by the days since the beginning."""
    return (BEGIN + timedelta(days=number)).replace(microsecond=0)


@dataclass
class World:
    """A home at `path`, on a day that the test sets."""

    path: Path
    today: float = 0
    opened: Home | None = None
    """The home, where that is open already."""

    @cached_property
    def home(self) -> Home:
        """The home."""
        home = self.opened or Home(self.path)
        home.outbox.writer = LetterWriter(home, LETTERS).write
        return home

    def now(self) -> datetime:
        """Return the time."""
        return day(self.today)

    def work(self) -> UnitOfWork:
        """Return a work at the home."""
        _dated[-1] = self.now()
        return UnitOfWork(self.home, LETTERS.write, self.now)

    def sweep(self, at: float | None = None) -> Swept:
        """Do what is due on a day, today if none is named."""
        self.today = self.today if at is None else at
        return sweep(self.work())

    def done(self, at: float | None = None) -> list[str]:
        """Return what a sweep does on a day: `oust 1: remind x`."""
        return [f"{deed.about}: {deed.what}" for deed in self.sweep(at).done]

    def take(self, userid: str, line: str) -> Handled:
        """Carry out the line of a mail from a player. The same line is the same mail."""
        request = Request(line, "", f"{userid}@example.org", line, message_id="<1@example.org>")
        return handle(request, self.work())

    def add_player(self, userid: str, settings: Settings = USUAL) -> None:
        """Make an account with these settings."""
        account = Account(userid, HASH, (f"{userid}@example.org",), day(0))
        self.home.do(write_account, account.with_settings(settings))

    def change_player(self, userid: str, change: Callable[[Account], Account]) -> None:
        """Change an account."""
        account = account_of(self.home, userid)
        self.home.do(write_account, change(account))

    def away(self, userid: str, *some: tuple[float, float]) -> None:
        """Give a player these vacations."""
        absences = [Absence(day(start), day(end)) for start, end in some]
        self.change_player(userid, lambda account: replace(account, vacations=in_order(absences)))

    def add_board(self, x: str, o: str, at: float = 0, terms: Terms | None = None) -> int:
        """Start a board of Oust and return its number."""
        number = self.home.ask(self.home.boards.next_number, OUST)
        header = Header(OUST, number, parse_grid("square 5x5"), x, o, terms or Terms(), day(at))
        self.home.do(self.home.boards.start, Game.start(header))
        return number

    def play(self, board: int, at: float, command: str) -> None:
        """Do what a command like `x C3` says on a day."""
        held = read_board(self.home, OUST, board)
        side, _, words = command.partition(" ")
        game = held.game
        by = next(each for each in type(game.to_move) if each.value == side)
        key = f"{board:08x}{game.next_number:08x}"
        acted = game.act(by, wish(words), max(day(at), game.latest), key)
        self.home.do(self.home.boards.append, held, acted)

    def game(self, board: int) -> Game:
        """Return the game of a board."""
        return read_game(self.home, OUST, board)

    def history(self, board: int) -> list[str]:
        """Return the records and the result of a board from its history, without message keys."""
        game = self.game(board)
        lines = [" ".join(format_record(record).split()[:-2]) for record in game.records]
        return [*lines, *([format_result(game.result)] if game.result else [])]

    def letters(self) -> list[tuple[str, str]]:
        """Return the recipients and Subjects of the letters, in order."""
        names = self.home.outbox.letters()
        messages = [message_from_bytes(self.home.outbox.read(name)) for name in names]
        return [(str(each["To"]).partition("@")[0], str(each["Subject"])) for each in messages]

    def text_to(self, userid: str) -> str:
        """Return the latest letter to a player, its lines joined."""
        names = self.home.outbox.letters()
        texts = (as_text(self.home.outbox.read(name)).decode() for name in names)
        found = [text for text in texts if f"\nTo: {userid}@" in text]
        return " ".join(found[-1].split())

    def clear(self) -> None:
        """Remove all letters from the outbox."""
        for name in self.home.outbox.letters():
            self.home.outbox.remove(name)


def new_world(path: Path, userids: Iterable[str] = ("alice", "bob")) -> World:
    """Return a home with these players and no board."""
    world = World(path)
    world.home.prepare()
    for userid in userids:
        world.add_player(userid)
    return world
