"""The commands for texts: chat, message, note and broadcast. The text is that of the mail."""

import secrets
from collections.abc import Iterable
from enum import Enum
from functools import cache

from pbm_oust.accounts.account import LONGEST_NOTE, MOST_BROADCASTS, Account
from pbm_oust.accounts.tags import BROADCASTS, Answered, AnswerPurpose, Correspondence, Reply
from pbm_oust.board import Game, Wish
from pbm_oust.board.reasons import MayHaveBoard, OfBoard
from pbm_oust.commands.play import suggested
from pbm_oust.grammar.form import Command, Form
from pbm_oust.grammar.notation import Heading, Text
from pbm_oust.grammar.parts import Rest
from pbm_oust.grammar.values import OF_BOARD, OWN, only_word, read_userids
from pbm_oust.play import notices
from pbm_oust.play.authentication import of_texts, spend
from pbm_oust.play.moving import side_on
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.rulings import request_of
from pbm_oust.play.starting import SignedOff
from pbm_oust.play.telling import note_said
from pbm_oust.play.unit_of_work import ForPlayer, UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules import Kind
from pbm_oust.store.accounts import wanting_broadcasts
from pbm_oust.store.open_boards import read_game

HEADING = Heading.TALKING


class NothingWritten(MayHaveBoard, NotAllowedReason, frozen=True):
    """There is no text to pass on."""


MOST_READERS = 10
"""To how many players a message goes at most."""


class TooManyReaders(NotAllowedReason, frozen=True):
    """A message is for more players than one can go to."""

    most: int


class MessageRejected(NotAllowedReason, frozen=True):
    """A player takes no messages from the sender."""

    userid: str
    """The player."""
    sender: str


class IsMachine(MayHaveBoard, NotAllowedReason, frozen=True, kw_only=True):
    """A text is for a house player."""

    userid: str


class TalkNotice(notices.Notice, frozen=True):
    """What a player wrote to the reader, and perhaps to others."""

    sender: str
    text: str
    to: tuple[str, ...]
    game: Game | None
    """The game that it is about, if any."""

    def answer(self) -> Answered | None:
        """Return that an answer goes to the player who wrote."""
        if self.game:
            return notices.answer_on(self.game, self.reader.account, AnswerPurpose.CHAT)
        return Correspondence(self.reader.userid, self.sender) if self.reader.userid else None


class TalkSentNotice(notices.OutcomeNotice, frozen=True):
    """What became of a text to pass on."""

    text: str
    to: tuple[str, ...]
    lost: tuple[str, ...]
    """The players whom mail does not reach at present."""
    game: Game | None
    meant: Command | None
    """The move that the text may have been meant as."""

    def answer(self) -> Reply | None:
        """Return that an answer goes to the other player as well."""
        return notices.answer_on(self.game, self.reader.account, AnswerPurpose.CHAT)


def chat(actor: Actor, work: UnitOfWork, kind: Kind, board: int, meant: Wish | None) -> Handled:
    """Pass the text of a mail on to the other player of a board.

    `meant` is the move that the text may have been meant as, if it came as an answer.
    """
    game = read_game(work.home, kind, board)
    side_on(actor.userid, game)
    other = work.account(game.opponent_of(actor.userid))
    text = _text(work.request, game)
    return _pass_on(text, [other], game, meant, actor, work)


def message(actor: Actor, work: UnitOfWork, to: tuple[str, ...]) -> Handled:
    """Pass the text of a mail on to players."""
    if len(to) > MOST_READERS:
        raise NotAllowed(TooManyReaders(MOST_READERS))
    players = [work.account(userid) for userid in to]
    for player in players:
        if player.signed_off_since:
            raise NotAllowed(SignedOff(player.userid == actor.userid), player.userid)
        if actor.userid in player.rejected:
            raise NotAllowed(MessageRejected(player.userid, actor.userid), player.userid)
    return _pass_on(_text(work.request, None), players, None, None, actor, work)


def _text(request: Request, game: Game | None) -> str:
    """Return the text to pass on. Raises NotAllowed if nothing is written."""
    if not request.chat.strip():
        raise NotAllowed(NothingWritten(game=game))
    return request.chat


def _pass_on(
    text: str,
    to: list[Account],
    game: Game | None,
    wish: Wish | None,
    actor: Actor,
    work: UnitOfWork,
) -> Handled:
    """Pass a text on to players; `wish` is the move that it may have been meant as.

    Raises NotAllowed for a text to the house.
    """
    for player in to:
        if player.is_house:
            raise NotAllowed(IsMachine(game=game, userid=player.userid), player.userid)
    meant = suggested(game, actor.userid, wish) if wish and game and not game.result else None
    readers = [(player.userid, work.player(player)) for player in to]
    reached = tuple(userid for userid, reader in readers if reader.addresses)
    lost = tuple(userid for userid, reader in readers if not reader.addresses)
    if not work.was_done(actor.userid):
        spend(of_texts(actor.userid, reached), work)
    notices = [
        TalkNotice(reader, actor.userid, text, reached, game)
        for _, reader in readers
        if reader.addresses
    ]
    own = work.player_at(actor.account)
    done = TalkSentNotice(own, text, reached, lost, game, meant)
    handled = Handled(Outcome.DONE, game.name if game else "")
    if game and not work.was_done(actor.userid):
        note_said(text, game, actor, work)
    return work.do_once(notices, done, actor, handled)


DELETE = "delete"


class NoteTooLong(OfBoard, NotAllowedReason, frozen=True):
    """The note is too long."""

    length: int
    """Its number of characters."""
    most: int
    """The most characters."""


class Became(Enum):
    """What became of a note."""

    SHOWN = "shown"
    KEPT = "kept"
    DELETED = "deleted"


class NoteNotice(notices.BoardOutcomeNotice, frozen=True):
    """The reader's note about a board."""

    note: str
    """Empty if there is none."""
    became: Became


def take_note(actor: Actor, work: UnitOfWork, kind: Kind, board: int, is_deleted: bool) -> Handled:
    """Keep the text as a note about a board, show the note if nothing is written, or delete it."""
    game = read_game(work.home, kind, board)
    side_on(actor.userid, game)
    text = "" if is_deleted else work.request.chat.strip()
    if len(text) > LONGEST_NOTE:
        raise NotAllowed(NoteTooLong(game, len(text), LONGEST_NOTE))

    def told(account: Account, became: Became) -> NoteNotice:
        note = account.note_about(game.name)
        return NoteNotice(work.player_at(account), game, note, became)

    if not text and not is_deleted:
        return work.answer(told(actor.account, Became.SHOWN))
    became = Became.KEPT if text else Became.DELETED
    return work.change_account(
        lambda account: account.with_note(game.name, text),
        lambda account: told(account, became),
        actor,
        board=game.name,
    )


class TooManyBroadcasts(NotAllowedReason, frozen=True):
    """The player has reached the limit of broadcasts a day."""

    most: int
    """The limit."""


class BroadcastNotice(notices.Notice, frozen=True):
    """What somebody wrote to everybody, or the operator to some players."""

    author: str
    """The userid of its author; empty for the operator."""
    text: str
    is_to_all: bool
    """Whether it goes to everybody who wants such mails."""

    def subscription(self) -> str:
        """Return that its reader may end what goes to everybody."""
        return BROADCASTS if self.is_to_all else ""

    def answer(self) -> notices.Unheard:
        """Return that nobody reads an answer."""
        return notices.Unheard()


class BroadcastSentNotice(notices.OutcomeNotice, frozen=True):
    """A text was passed on to everybody who wants that."""

    text: str
    count: int
    """The number of players who get it."""


def broadcast(actor: Actor, work: UnitOfWork) -> Handled:
    """Pass the text of a mail on to everybody else, at most a few times a day."""
    text = _text(work.request, None)

    def change(account: Account) -> Account:
        changed = account.with_broadcast(work.now())
        if changed is None:
            raise NotAllowed(TooManyBroadcasts(MOST_BROADCASTS))
        return changed

    @cache
    def notices() -> list[BroadcastNotice]:
        others = (
            each
            for each in work.home.ask(wanting_broadcasts)
            if each.userid != actor.userid and actor.userid not in each.rejected
        )
        return notices_to(others, text, actor.userid, work)

    def tell(account: Account) -> BroadcastSentNotice:
        return BroadcastSentNotice(work.player_at(account), text, len(notices()))

    return work.change_account(change, tell, actor, tell_others=lambda _account: notices())


def announce(text: str, userids: Iterable[str] | None, work: UnitOfWork) -> int:
    """Mail the operator's words to these players, or to all who want such mails.

    Returns the number of players. Raises NotAllowed for a userid that nobody has.
    """
    request = request_of(f"operator {secrets.token_hex(8)}")

    def deed(work: UnitOfWork) -> int:
        if userids is None:
            notices = notices_to(work.home.ask(wanting_broadcasts), text, "", work)
        else:
            readers = [work.player(work.account(userid)) for userid in dict.fromkeys(userids)]
            notices = _told(readers, "", text, is_to_all=False)
        with work.answering(request).posting(notices):
            return len(notices)

    return work.retried(deed)


def notices_to(
    accounts: Iterable[Account], text: str, author: str, work: UnitOfWork
) -> list[BroadcastNotice]:
    """Return the notices to those players who have not signed off and can be reached."""
    readers = (work.player(account) for account in accounts if not account.signed_off_since)
    return _told(readers, author, text, is_to_all=True)


def _told(
    readers: Iterable[notices.Reader], author: str, text: str, *, is_to_all: bool
) -> list[BroadcastNotice]:
    """Return the notices to those readers who can be reached."""
    return [
        BroadcastNotice(reader, author, text, is_to_all) for reader in readers if reader.addresses
    ]


CHAT = Form("chat", OF_BOARD, text=Text.CONTENT, implied={"meant": None}, run=ForPlayer(chat))
MESSAGE = Form(
    "message",
    OWN,
    Rest(("to",), ("USERID..",), read_userids, tuple),
    is_of_kind=False,
    text=Text.CONTENT,
    run=ForPlayer(message),
)
FORMS = (
    CHAT,
    MESSAGE,
    Form("broadcast", OWN, is_of_kind=False, text=Text.CONTENT, run=ForPlayer(broadcast)),
    Form(
        "note",
        OF_BOARD,
        only_word(DELETE, "is_deleted"),
        text=Text.CONTENT,
        run=ForPlayer(take_note),
    ),
)
