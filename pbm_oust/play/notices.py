"""What the server has to tell somebody. Values; the templates turn them into words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.returned import Returned
from pbm_oust.accounts.settings import USUAL, Settings
from pbm_oust.board.game import Game
from pbm_oust.board.ratings import Change
from pbm_oust.board.reasons import MayHaveBoard, board_of
from pbm_oust.refusal import Reason, Refusal
from pbm_oust.rules.position import Kind


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a notice: addresses, and the userid where the server knows the player."""

    addresses: tuple[str, ...]
    userid: str | None = None
    wrote_from: str = ""
    """The address from which this reader wrote the mail that the notice answers, if one did."""
    returned: tuple[Returned, ...] = ()
    """The reader's addresses from which letters came back since he last wrote."""
    settings: Settings = USUAL
    """What the reader has settled; what is usual where the server does not know him."""
    account: Account | None = field(default=None, repr=False)
    """The reader's account, where an answer to the notice may count as his."""
    answering: str = ""
    """What an answer to the letter is for, a word of `replying.Purpose`; empty where it needs a
    password."""

    @property
    def asked(self) -> bool:
        """Whether the notice answers a mail that this reader wrote."""
        return bool(self.wrote_from)


class News(Enum):
    """Why a board is shown to somebody."""

    STARTED = "started"
    PLAYED = "played"
    SHOWN = "shown"
    DONE_BEFORE = "done_before"
    PREVIEW = "preview"
    REMINDED = "reminded"


@dataclass(frozen=True, slots=True)
class Ahead:
    """What the players of a board had settled ahead, as far as its reader may know."""

    queued: frozenset[int] = frozenset()
    """The numbers of the records that came from what was queued."""
    passed: frozenset[int] = frozenset()
    """The numbers of the records in which the server passed for a player."""
    waiting: tuple[str, ...] = ()
    """What the reader has queued and what still waits."""
    dropped: tuple[str, ...] = ()
    """What the reader had queued and what did not fit."""


@dataclass(frozen=True, slots=True)
class BoardNotice:
    """A board, and what happened on it."""

    reader: Reader
    news: News
    game: Game
    is_past: bool = False
    """Whether the board is shown as it was at an earlier time."""
    chat: str = ""
    """What the other player wrote along with it."""
    chat_from: str = ""
    unreachable: str = ""
    """The userid of the other player, where no letter reaches him at present."""
    changes: tuple[Change, ...] = ()
    """What the game did to the ratings of its players, where it is over and rated."""
    told_from: int = 0
    """The number of the first record that the notice tells of; 0 for the latest alone."""
    clock: Clock | None = None
    """The time of the player to move, where the board goes on from here."""
    back: str = ""
    """The userid of the player whose vacation ended with what he did here."""
    disabled: str = ""
    """The userid of the other player, where the operator has disabled his account."""
    note: str = ""
    """What the reader has noted about the board."""
    is_watched: bool = False
    """Whether the reader does not play on the board and only watches it."""
    ahead: Ahead = Ahead()
    untold: str = ""
    """The userid of the other player, where he has not been told of what is taken back."""


@dataclass(frozen=True, slots=True)
class BoardsNotice:
    """Several boards at once, as they were asked for."""

    reader: Reader
    kind: Kind
    views: tuple[tuple[Game, bool], ...]
    """Games, and whether each is shown as it was at an earlier time."""
    left_out: int = 0
    """How many more there are than one mail shows."""
    damaged: tuple[str, ...] = ()
    """The names of boards that cannot be read."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """What the reader has noted about boards, by their names."""


@dataclass(frozen=True, slots=True)
class GamesNotice:
    """A list of boards."""

    reader: Reader
    kind: Kind
    asked_for: str
    games: tuple[Game, ...]
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WelcomeNotice:
    """An account was made."""

    reader: Reader
    account: Account


@dataclass(frozen=True, slots=True)
class HelpNotice:
    """The pages of the help that were asked for; the overview where none was named."""

    reader: Reader
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefusalNotice:
    """A command that was not carried out."""

    reader: Reader
    refusal: Refusal
    sent: str
    """The line as it was sent, whatever might be a password masked."""
    culprit: str
    """The part of it that is at fault, if it can be shown."""
    culprit_at: int
    """Where that part begins in the line."""
    correction: str | None
    """A line to send instead."""
    clock: Clock | None = None
    """The time of the player to move, where a board belongs to it that goes on."""
    answer: str = ""
    """What to answer instead, where the correction is a command for the board."""
    answered: Game | None = None
    """The board whose letter was answered by what could not be read."""

    @property
    def game(self) -> Game | None:
        """The board that the letter shows, if it shows one."""
        reason = self.refusal.reason
        known = board_of(reason) if isinstance(reason, Reason) else self.refusal.facts.get("game")
        return known or self.answered

    @property
    def supposed(self) -> str:
        """The turn after which the board would be so, where it is only supposed to be made."""
        reason = self.refusal.reason
        return reason.supposed if isinstance(reason, MayHaveBoard) else ""

    @property
    def told_to(self) -> str:
        """The player whom the reason would be told, where their turn is only supposed."""
        reason = self.refusal.reason
        return reason.told_to if isinstance(reason, MayHaveBoard) else ""


@dataclass(frozen=True, slots=True)
class Told:
    """Something that a template of its own says: `about` is the template's name in `mail/`.

    `facts` are what the template needs; a game among them, as `game`, is the board that the mail
    belongs to.
    """

    reader: Reader
    about: str
    facts: Mapping[str, Any]
    is_repeated: bool = False
    """Whether this was done when the same mail came before."""


Notice = (
    BoardNotice | BoardsNotice | GamesNotice | WelcomeNotice | HelpNotice | RefusalNotice | Told
)


def game_of(notice: Notice) -> Game | None:
    """Return the game that a notice is about, or None."""
    match notice:
        case BoardNotice() | RefusalNotice():
            return notice.game
        case Told():
            game = notice.facts.get("game")
        case _:
            return None
    return game if isinstance(game, Game) else None
