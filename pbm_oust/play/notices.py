"""What the server has to tell somebody. Values; the templates turn them into words."""

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import ClassVar

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.returned import Returned
from pbm_oust.accounts.settings import USUAL, Settings
from pbm_oust.accounts.tags import Purpose, Reply
from pbm_oust.board.game import Game
from pbm_oust.board.ratings import Change
from pbm_oust.board.reasons import MayHaveBoard, board_of
from pbm_oust.grammar.command import Command, Partial
from pbm_oust.refusal import Refusal


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a notice: addresses, and the userid where the server knows the player."""

    addresses: tuple[str, ...]
    userid: str | None = None
    wrote_from: str = ""
    """The address from which this reader wrote the mail that the notice answers, if one did."""
    returned: tuple[Returned, ...] = ()
    """The reader's addresses from which letters came back since they last wrote."""
    settings: Settings = USUAL
    """What the reader has settled; what is usual where the server does not know them."""
    account: Account | None = field(default=None, repr=False)
    """The reader's account, where an answer to the notice may count as theirs."""

    @property
    def asked(self) -> bool:
        """Whether the notice answers a mail that this reader wrote."""
        return bool(self.wrote_from)


@dataclass(frozen=True, slots=True)
class Shown:
    """A board that a letter shows."""

    game: Game
    is_now: bool = True
    """Whether the board is as it is at this time, so that its player can act on it."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What an answer does that brings a code back."""

    code: Secret


@dataclass(frozen=True, slots=True)
class Unheard:
    """What an answer does that nobody reads: it must not come back as a command."""


Meaning = Reply | Verification | Unheard


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to tell one reader. A template of `mail/` turns it into words by its fields."""

    template: ClassVar[str]
    """The name of the template; each has a class of its own."""
    reader: Reader

    def board(self) -> Game | None:
        """Return the game to whose thread the letter belongs, or None."""
        return None

    def shows(self) -> tuple[Shown, ...]:
        """Return the boards that the letter shows, in their order."""
        return ()

    def answer(self) -> Meaning | None:
        """Return what an answer to the letter means; None where it is a mail like any other."""
        return None

    def topic(self) -> str:
        """Return what tells the letter from others to its reader about the same mail."""
        game = self.board()
        return f"{game.name}.{len(game.records)}" if game else self.template


@dataclass(frozen=True, slots=True)
class OutcomeNotice(Notice):
    """What became of a command that is carried out once, however often its mail comes."""

    is_repeated: bool = field(default=False, kw_only=True)
    """Whether it was carried out when the same mail came before."""


@dataclass(frozen=True, slots=True)
class TimedNotice(Notice):
    """A notice that tells the time of the player to move, where it shows one board as it is."""

    clock: Clock | None = field(default=None, kw_only=True)
    """The time of the player to move, where the board goes on from here."""


def turn_on(game: Game, userid: str) -> Reply:
    """Return the answer by which a player makes the next record of a board."""
    kind, board = game.header.kind.name, game.header.board
    return Reply(Purpose.PLAY, kind, board, game.next_number, userid)


def answer_on(game: Game, reader: Reader, purpose: Purpose | None = None) -> Reply | None:
    """Return what an answer means to a letter about a board; None for who does not play there.

    If no purpose is given, it does what is left to do on the board.
    """
    if reader.account is None or game.side_of(reader.account.userid) is None:
        return None
    usual = Purpose.CHAT if game.result else Purpose.PLAY
    return replace(turn_on(game, reader.account.userid), purpose=purpose or usual)


def answer_instead(supposed: Game, reader: Reader) -> Reply | None:
    """Return what an answer means to a letter about a board with a record that is only supposed."""
    reply = answer_on(supposed, reader, Purpose.PLAY)
    return replace(reply, number=reply.number - 1) if reply else None


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
class BoardNotice(TimedNotice):
    """A board, and what happened on it."""

    template = "board"
    news: News
    game: Game
    is_past: bool = False
    """Whether the board is shown as it was at an earlier time."""
    chat: str = ""
    """What the other player wrote along with it."""
    chat_from: str = ""
    unreachable: str = ""
    """The userid of the other player, where no letter reaches them at present."""
    changes: tuple[Change, ...] = ()
    """What the game did to the ratings of its players, where it is over and rated."""
    told_from: int = 0
    """The number of the first record that the notice tells of; 0 for the latest alone."""
    back: str = ""
    """The userid of the player whose vacation ended with what they did here."""
    disabled: str = ""
    """The userid of the other player, where the operator has disabled their account."""
    note: str = ""
    """What the reader has noted about the board."""
    is_watched: bool = False
    """Whether the reader does not play on the board and only watches it."""
    ahead: Ahead = Ahead()
    untold: str = ""
    """The userid of the other player, where they have not been told of what is taken back."""

    def board(self) -> Game:
        """Return the game that is shown."""
        return self.game

    def shows(self) -> tuple[Shown, ...]:
        """Return the board."""
        return (Shown(self.game, not self.is_past and self.news is not News.PREVIEW),)

    def answer(self) -> Reply | None:
        """Return what an answer means: nothing, where the board is shown as it was."""
        if self.is_past:
            return None
        if self.news is News.PREVIEW:
            return answer_instead(self.game, self.reader)
        return answer_on(self.game, self.reader)


@dataclass(frozen=True, slots=True)
class RefusalNotice(TimedNotice):
    """A command that was not carried out."""

    template = "refusal"
    refusal: Refusal
    sent: str
    """The line as it was sent, whatever might be a password masked."""
    culprit: str
    """The part of it that is at fault, if it can be shown."""
    culprit_at: int
    """Where that part begins in the line."""
    correction: Command | Partial | None
    """What to send instead."""
    instead: Command | Partial | None = None
    """What to answer instead, where that is not the correction."""
    answered: Game | None = None
    """The board whose letter was answered by what could not be read."""
    replied: Purpose | None = None
    """What the letter was for that was answered, if one was."""

    @property
    def game(self) -> Game | None:
        """The board that the letter shows, if it shows one."""
        return board_of(self.refusal.reason) or self.answered

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

    def board(self) -> Game | None:
        """Return the game on which the command was refused, if it got so far."""
        return self.game

    def shows(self) -> tuple[Shown, ...]:
        """Return the board of that game."""
        return (Shown(self.game, not self.supposed),) if self.game else ()

    def answer(self) -> Reply | None:
        """Return what an answer means: what the one that was refused was for, if one was."""
        if self.game is None:
            return None
        if self.supposed:
            return answer_instead(self.game, self.reader)
        is_chat = self.replied is Purpose.CHAT
        return answer_on(self.game, self.reader, Purpose.CHAT if is_chat else None)
