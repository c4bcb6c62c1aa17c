"""What the server tells somebody, as values, with pages of lists. The templates have the words."""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct, structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.bounces import Returned
from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.queue import Clause
from pbm_oust.accounts.settings import NAMES, USUAL, Settings, values_of
from pbm_oust.board import Game, Summary, Wish
from pbm_oust.board.ratings import RatingChange
from pbm_oust.board.reasons import MayHaveBoard, game_in
from pbm_oust.grammar.form import Command
from pbm_oust.grammar.parts import Option
from pbm_oust.refusal import Refusal, in_small_letters
from pbm_oust.robot.analysis import Analysis, Evaluation
from pbm_oust.robot.turning import TurningPoint, explained
from pbm_oust.rules import Kind
from pbm_oust.store.index import Window
from pbm_oust.store.ladders import Climb
from pbm_oust.tournaments.cup import Cup


class Verification(Struct, frozen=True):
    """The meaning of an answer that brings a code back."""

    code: Secret


class Unheard(Struct, frozen=True):
    """The meaning of an answer that nobody reads: it must not come back as a command."""


Meaning = Ask | Verification | Unheard


def turn_on(game: Game, userid: str) -> Ask:
    """Return the answer with which a player makes the next record of a board."""
    header = game.header
    return Ask.on_board(Topic.PLAY, header.kind.name, header.board, game.next_number, userid)


def words_behind(command: str, reader: "Reader") -> Ask | None:
    """Return that an answer may be the words behind a command alone."""
    return Ask(Topic.DO, (command,), reader.userid) if reader.userid else None


def answer_on(game: Game | None, account: Account | None, topic: Topic | None = None) -> Ask | None:
    """Return what an answer to a letter about a board means; None for those who do not play there.

    It is None too if there is no board. Without a topic, the answer does what is left to do
    there.
    """
    if game is None or account is None or game.side_of(account.userid) is None:
        return None
    usual = Topic.CHAT if game.result else Topic.PLAY
    return structs.replace(turn_on(game, account.userid), topic=topic or usual)


def answer_instead(supposed: Game, account: Account | None) -> Ask | None:
    """Return what an answer means to a letter that shows a board with a supposed record."""
    reply = answer_on(supposed, account, Topic.PLAY)
    return reply.at_record(reply.record - 1) if reply else None


def sheet_of(
    boards: Iterable[Game | Summary], account: Account | None, more: Command | None = None
) -> Ask | None:
    """Return what an answer means to a letter that shows several boards; None if to nothing.

    It covers those of the player's boards that go on, as the letter shows them. `more` is the
    command for what it has no room for.
    """
    if account is None:
        return None
    userid = account.userid
    summaries = (each if isinstance(each, Summary) else each.summary for each in boards)
    positions = {
        each.name: Ask.on_board(Topic.PLAY, each.kind.name, each.board, each.records + 1, userid)
        for each in summaries
        if each.result is None and userid in (each.x, each.o)
    }
    if not (positions or more):
        return None
    return Ask.sheet(userid, positions.values(), more.line() if more else "")


class Reader(Struct, frozen=True):
    """The reader of a notice: addresses, and the userid if the server knows the player."""

    addresses: tuple[str, ...]
    userid: str | None = None
    wrote_from: str = ""
    """The address from which this reader wrote the mail that the notice answers, if they did."""
    returned: tuple[Returned, ...] = ()
    """The reader's addresses from which letters came back since they last wrote."""
    settings: Settings = USUAL
    """The reader's settings; the usual ones if the server does not know them."""
    account: Account | None = None
    """The reader's account, if an answer to the notice may count as theirs."""
    left_out: str = ""
    """The first line of what was left out of their mail, though they may have written it."""
    unread: str = ""
    """The first line of their text in which letters could not be read."""

    @property
    def asked(self) -> bool:
        """Whether the notice answers a mail that this reader wrote."""
        return bool(self.wrote_from)


class ShownBoard(Struct, frozen=True):
    """A board that a letter shows; `is_now` tells whether its player can act on it."""

    game: Game
    is_now: bool = True


class Notice(Struct, frozen=True):
    """One thing to tell one reader. A template in `mail/` puts its fields into words."""

    template: ClassVar[str]
    """The name of the template, which is that of the class: `code_sent` for CodeSentNotice."""
    holds_code: ClassVar = False
    """Whether it holds a code, which proves that mail arrives: then it is told by a letter of its
    own alone."""
    reader: Reader

    @property
    def is_answer(self) -> bool:
        """Whether it may be told in place of the letter that answers its reader's mail."""
        return self.reader.asked and not self.holds_code

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.template = in_small_letters(cls.__name__.removesuffix("Notice"))

    def board(self) -> Game | None:
        """Return the game whose thread the letter belongs to: its `game`, if it has one."""
        game: Game | None = getattr(self, "game", None)
        return game

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the boards that the letter shows, in order."""
        return ()

    def offers(self) -> tuple[Ask, ...]:
        """Return the open challenges that its reader may join by a link."""
        return ()

    def listed(self) -> int:
        """Return how many lines the page of a list has that it shows."""
        page: Page[object] | None = getattr(self, "page", None)
        return len(page.rows) if page else 0

    def ask(self) -> Meaning | None:
        """Return the meaning of an answer to the letter; None for any command of its reader.

        It asks for a turn on each board that it shows as it is now, unless it asks for something
        else.
        """
        now = (shown.game for shown in self.shows() if shown.is_now)
        return sheet_of(now, self.reader.account, self.more())

    def more(self) -> Command | None:
        """Return the command for the part of a list that has no room in the letter."""
        page: Page[object] | None = getattr(self, "page", None)
        following: Command | None = getattr(self, "following", None)
        return following if page and page.left_out else None

    def subscription(self) -> str:
        """Return what its reader may end by an address in its head: BROADCASTS, `oust 17`."""
        return ""

    def may_show_any_board(self) -> bool:
        """Return whether it is neither the news of a single board nor what another player wrote."""
        return True

    def topic(self) -> str:
        """Return a word for the Message-ID: letters to one reader about one mail differ in it."""
        game = self.board()
        return f"{game.name}.{len(game.records)}" if game else self.template


class BoardOutcomeNotice(Notice, frozen=True):
    """The outcome of a command about a board; an answer plays on the board as it is."""

    game: Game

    def ask(self) -> Ask | None:
        """Return what an answer does on the board."""
        return answer_on(self.game, self.reader.account)


class TimedNotice(Notice, frozen=True, kw_only=True):
    """A notice that tells the clock of the player to move, if it shows one board as it is now."""

    clock: Clock | None = None
    """The clock of the player to move, if the game goes on from here."""

    def is_now(self) -> bool:
        """Return whether it shows a board on which its player can act."""
        return any(shown.is_now for shown in self.shows())


class News(Enum):
    """Why a board is shown to somebody."""

    STARTED = "started"
    PLAYED = "played"
    SHOWN = "shown"
    DONE_BEFORE = "done_before"
    PREVIEW = "preview"
    REMINDED = "reminded"


_FIRST = 2
"""After how many records of a board its first letters have been written."""


class QueuedTurns(Struct, frozen=True):
    """The turns that players of a board had queued, as far as the reader may know."""

    queued: frozenset[int] = frozenset()
    """The numbers of the records that came from a queue."""
    passed: frozenset[int] = frozenset()
    """The numbers of the records where the server passed for a player."""
    waiting: tuple[Clause, ...] = ()
    """What the reader has queued that still waits: a clause for each answer."""
    dropped: tuple[Clause, ...] = ()
    """What the reader had queued that did not fit, likewise."""


class ParsedAnswer(Struct, frozen=True):
    """The parts of an answer beside its command."""

    wish: Wish | None
    """The move that was found among other words; None if it stood alone on its line."""
    further: Command | None
    """A command that stands below the move and is not carried out."""


class BoardNotice(TimedNotice, frozen=True):
    """A board, and what happened on it."""

    news: News
    game: Game
    is_past: bool = False
    """Whether the board is shown as it was earlier."""
    chat: str = ""
    """What the other player or the operator wrote with it."""
    chat_from: str = ""
    """The userid of who wrote it; empty for the operator."""
    passed_on: str = ""
    """The userid of the other player, if what the reader wrote goes to them."""
    challenger: str = ""
    """The userid of the player who challenges the other one, if the board begins so."""
    is_set_up: bool = False
    """Whether the operator has set the board up, if it begins so."""
    unreachable: str = ""
    """The userid of the other player, if letters do not reach them at present."""
    changes: tuple[RatingChange, ...] = ()
    """What the game did to the ratings of its players, if it is over and rated."""
    climb: Climb | None = None
    """What it did to the ladder, if it is over and a challenge there began it."""
    cup: Cup | None = None
    """The tournament that it belongs to, if it is over."""
    round: int = 0
    """The round of that."""
    is_analysed: bool = False
    """Whether the house analyses it for its players, because it is over."""
    is_counting: bool = False
    """Whether nobody knows that yet, because games before it are being counted."""
    told_from: int = 0
    """The number of the first record that the notice tells of; 0 for the latest alone."""
    back: str = ""
    """The userid of a player whose vacation ended when they acted here."""
    disabled: str = ""
    """The userid of the other player, if the operator has disabled their account."""
    note: str = ""
    """The reader's note about the board."""
    is_watched: bool = False
    """Whether the reader only watches the board and does not play on it."""
    ahead: QueuedTurns = QueuedTurns()
    heard: ParsedAnswer | None = None
    """How the reader's answer was read, if it holds more than its command."""
    gone: str = ""
    """The userid of a player who has left the server, if the game is over."""
    untold: str = ""
    """The userid of the other player, if they were not told of the move that is taken back."""

    @property
    def tells_userid(self) -> bool:
        """Whether the reader hears for the first time which userid the server has given them."""
        account = self.reader.account
        return bool(account and account.has_given_userid) and len(self.game.records) <= _FIRST

    @property
    def tells_whole_game(self) -> bool:
        """Whether the notice tells all records of a game that is over."""
        return bool(self.game.result) and not self.is_past and self.news is not News.PREVIEW

    def is_now(self) -> bool:
        """Return whether its player can act on the board as it is shown."""
        return not self.is_past and self.news is not News.PREVIEW

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the board."""
        return (ShownBoard(self.game, self.is_now()),)

    def may_show_any_board(self) -> bool:
        """Return whether its reader asked for it."""
        return self.reader.asked

    def subscription(self) -> str:
        """Return the name of the board, if its reader watches it."""
        return self.game.name if self.is_watched else ""

    def ask(self) -> Ask | None:
        """Return what an answer means: nothing, if nobody would act on it or read it."""
        if self.is_past or (self.gone and self.game.result):
            return None
        if self.news is News.PREVIEW:
            return answer_instead(self.game, self.reader.account)
        return answer_on(self.game, self.reader.account)


class RefusalNotice(TimedNotice, frozen=True):
    """A command that was not carried out."""

    refusal: Refusal
    sent: str
    """The line as it was sent, with possible passwords masked."""
    culprit: str
    """The part of it that is at fault, if it can be shown."""
    culprit_at: int
    """Where that part begins in the line."""
    correction: Command | None
    """What to send instead."""
    instead: tuple[Command, ...] = ()
    """What to answer instead, if that is not the correction; several, if it is not clear what."""
    seen: tuple[Command, ...] = ()
    """What was seen in an answer that is not clear, if anything was."""
    passes_to: str = ""
    """The other player, if the words of such an answer are passed on once its writer wants that."""
    answered: Game | None = None
    """The board of the letter, if an unreadable mail answers one."""
    replied: Ask | None = None
    """Which letter was answered, if one was."""
    is_last: bool = False
    """Whether the same mail gets no answer any more for a while."""
    is_last_unreadable: bool = False
    """Whether no answer of this player that cannot be read is answered any more for a while."""

    @property
    def game(self) -> Game | None:
        """The board that the letter shows, if it shows one."""
        return game_in(self.refusal.reason) or self.answered

    @property
    def supposed(self) -> str:
        """The turn that is only supposed to have been made, if the board is shown after one."""
        reason = self.refusal.reason
        return reason.supposed if isinstance(reason, MayHaveBoard) else ""

    @property
    def told_to(self) -> str:
        """The player who would be told the reason, if their turn is only supposed."""
        reason = self.refusal.reason
        return reason.told_to if isinstance(reason, MayHaveBoard) else ""

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the board of that game."""
        return (ShownBoard(self.game, not self.supposed),) if self.game else ()

    def ask(self) -> Ask | None:
        """Return what an answer means: the same as the answer that was refused, if it was one."""
        replied = self.replied
        if self.game is None:
            return None if replied and replied.is_on_board else replied
        if self.supposed:
            return answer_instead(self.game, self.reader.account)
        is_chat = replied and replied.topic is Topic.CHAT and replied.name == self.game.name
        return answer_on(self.game, self.reader.account, Topic.CHAT if is_chat else None)


class SettingsNotice(Notice, frozen=True):
    """All settings of the reader."""

    rows: tuple[tuple[str, str, tuple[str, ...]], ...]
    """The name of each setting, its value, and its possible values if they are few."""
    changed: tuple[str, ...]
    """The names of those that were changed."""

    @classmethod
    def of(cls, reader: Reader, changed: tuple[str, ...] = ()) -> "SettingsNotice":
        """Return the notice of a reader's settings."""
        rows = tuple((name, reader.settings.text_of(name), values_of(name)) for name in NAMES)
        return cls(reader, rows, changed)

    def ask(self) -> Ask | None:
        """Return that an answer may be the name and the value of a setting alone."""
        return words_behind("settings", self.reader)


class AnalysisNotice(Notice, frozen=True):
    """The findings of a search about a game that is over."""

    game: Game
    first: Evaluation
    """The evaluation of the start."""
    last: Evaluation
    points: tuple[TurningPoint, ...]

    @classmethod
    def of(cls, reader: Reader, game: Game, analysis: Analysis) -> "AnalysisNotice":
        """Return the notice of an analysis of a game."""
        first, *_, last = analysis.evaluations
        return cls(reader, game, first, last, tuple(explained(game, analysis)))

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the board after each turning point."""
        return tuple(ShownBoard(self.game.after(each.number), False) for each in self.points)

    def topic(self) -> str:
        """Return a word for the Message-ID: letters about one board differ in it."""
        return f"{self.game.name}.analysis"


MOST_LISTED = 50
MOST_DRAWN = 10


class Capacity(Struct, frozen=True):
    """The room that an answer has left; several commands of one mail share it."""

    lines: int = MOST_LISTED
    """How many lines each list may have."""
    boards: int = MOST_DRAWN

    def beside(self, notice: Notice) -> "Capacity":
        """Return the room that is left beside a notice."""
        drawn = len(notice.shows())
        return Capacity(max(0, self.lines - notice.listed()), max(0, self.boards - drawn))


WHOLE_LETTER = Capacity()
"""The room of a letter in which nothing is yet."""


LAST_PAGE = 9999
"""The highest page that can be asked for."""

T_co = TypeVar("T_co", covariant=True)


class Page(Struct, Generic[T_co], frozen=True):
    """A page of a list, with as many of its lines as a letter has room for."""

    number: int
    rows: Sequence[T_co]
    count: int
    """The number of lines of the whole list."""
    most: int = MOST_LISTED
    """How many lines the letter has room for."""

    @property
    def first(self) -> int:
        """The place of its first line in the list, from 1 on."""
        return part_of(self.number, self.most).skipped + 1

    @property
    def left_out(self) -> int:
        """The number of lines that come after these."""
        return max(0, self.count + 1 - self.first - self.most)

    @property
    def following(self) -> int:
        """The number of the page that has the next line; this one, if it is not here whole."""
        return self.number if self.most < MOST_LISTED else self.number + 1

    @property
    def last(self) -> int:
        """The number of the last page."""
        return max(1, -(-self.count // MOST_LISTED))

    @property
    def is_beyond(self) -> bool:
        """Whether the list has fewer pages."""
        return self.number > self.last


def part_of(number: int, most: int) -> Window:
    """Return the part of a list that is on a page, with room for so many lines."""
    return Window(most, (number - 1) * MOST_LISTED)


def _read(_kind: Kind, value: str | None) -> int:
    number = int(value) if value and value.isascii() and value.isdigit() else 0
    if not 1 <= number <= LAST_PAGE:
        raise ValueError("not a page")
    return number


def _write(_kind: Kind, number: int) -> str:
    return f"-page={number}"


PAGE = Option(
    "page",
    lambda _kind: ("-page=2",),
    _read,
    _write,
    takes="page",
    sets="page",
    usual=lambda _kind: 1,
)
"""The option that chooses a page of a list."""
