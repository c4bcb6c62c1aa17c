"""The commands for texts: chat, message, note and broadcast. The text is that of the mail."""

import secrets
from collections.abc import Iterable
from enum import Enum

from msgspec import structs

from pbm_oust.accounts.account import LONGEST_NOTE, MOST_BROADCASTS, Account
from pbm_oust.accounts.asks import BROADCASTS, Ask, Topic
from pbm_oust.board import Game, Wish
from pbm_oust.board.reasons import MayHaveBoard, OfBoard
from pbm_oust.commands.play import suggested
from pbm_oust.grammar.form import AnsweredBy, Command, Form
from pbm_oust.grammar.notation import Heading, Text
from pbm_oust.grammar.parts import Rest
from pbm_oust.grammar.values import OF_BOARD, OWN, only_word, read_userids
from pbm_oust.play import notices
from pbm_oust.play.authentication import of_texts, spend
from pbm_oust.play.context import Context, Look, Outcome, answered, done
from pbm_oust.play.moving import side_on
from pbm_oust.play.request import Ending, Request
from pbm_oust.play.starting import SignedOff
from pbm_oust.play.telling import note_said
from pbm_oust.play.unit_of_work import ForPlayer
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.rules import Kind
from pbm_oust.store.accounts import wanting_broadcasts
from pbm_oust.store.verifications import forget_words, words_of

HEADING = Heading.TALKING


class NothingWritten(MayHaveBoard, NotAllowedReason, frozen=True):
    """There is no text to pass on."""


def _instead(command: Command, refusal: Refusal) -> Command | None:
    """Return the same again, if there is no text to pass on."""
    return command if isinstance(refusal.reason, NothingWritten) else None


MOST_READERS = 10
"""To how many players a message goes at most."""


class NoWords(MayHaveBoard, NotAllowedReason, frozen=True):
    """No words of the player wait to be passed on."""


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
    """A text of a player to the reader, and perhaps to others."""

    sender: str
    text: str
    to: tuple[str, ...]
    game: Game | None
    """The game that it is about, if any."""

    def ask(self) -> Ask | None:
        """Return that an answer goes to the player who wrote."""
        if self.game:
            return notices.answer_on(self.game, self.reader.account, Topic.CHAT)
        userid = self.reader.userid
        return Ask(Topic.TO, (self.sender,), userid) if userid else None

    def may_show_any_board(self) -> bool:
        """Return whether its reader asked for it."""
        return self.reader.asked


class TalkSentNotice(notices.Notice, frozen=True):
    """A text of the reader was passed on, but for players whom mail does not reach."""

    text: str
    to: tuple[str, ...]
    lost: tuple[str, ...]
    """The players whom mail does not reach at present."""
    game: Game | None
    meant: Command | None
    """The move that the text may have been meant as."""

    def ask(self) -> Ask | None:
        """Return that an answer goes to the other player as well, if there is only one."""
        userid = self.reader.userid
        if self.game or not userid or len(self.to) > 1:
            return notices.answer_on(self.game, self.reader.account, Topic.CHAT)
        return Ask(Topic.TO, self.to, userid)


def chat(on: Context, kind: Kind, board: int, meant: Wish | None) -> Outcome:
    """Pass the text of a mail on to the other player of a board.

    `meant` is the move that the text may have been meant as, if it came as an answer.
    """
    game, userid = on.game(kind, board), on.player.userid
    side_on(userid, game)
    other = on.account(game.opponent_of(userid))
    made = _pass_on(on, _text(on.request, game), [other], game, meant)
    note_said(on, game)
    return made


def send(on: Context, kind: Kind, board: int) -> Outcome:
    """Pass on to the other player of a board what an answer said that could not be read."""
    userid, name = on.player.userid, f"{kind.name} {board}"
    words = words_of(on.snapshot, userid, name, on.now)
    if not words:
        raise NotAllowed(NoWords(game=on.game_if_any(kind, board)))
    chat_text = "\n\n".join(filter(None, (words, on.request.chat.strip())))
    asked = structs.replace(on.request, chat=chat_text)
    made = chat(on.answering(asked, player=on.player, key=on.key), kind, board, None)
    forget_words(on.transaction, userid, name)
    return made


def message(on: Context, to: tuple[str, ...]) -> Outcome:
    """Pass the text of a mail on to players."""
    if len(to) > MOST_READERS:
        raise NotAllowed(TooManyReaders(MOST_READERS))
    players, own = [on.account(userid) for userid in to], on.player.userid
    for player in players:
        if player.signed_off_since:
            raise NotAllowed(SignedOff(player.userid == own), player.userid)
        if own in player.rejected:
            raise NotAllowed(MessageRejected(player.userid, own), player.userid)
    return _pass_on(on, _text(on.request, None), players)


def _text(request: Request, game: Game | None) -> str:
    """Return the text to pass on. Raises NotAllowed if nothing is written."""
    if not request.chat.strip():
        raise NotAllowed(NothingWritten(game=game))
    return request.chat


def _pass_on(
    on: Context,
    text: str,
    to: list[Account],
    game: Game | None = None,
    wish: Wish | None = None,
) -> Outcome:
    """Pass a text on to players; `wish` is the move that it may have been meant as.

    Raises NotAllowed for a text to the house.
    """
    for player in to:
        if player.is_house:
            raise NotAllowed(IsMachine(game=game, userid=player.userid), player.userid)
    userid = on.player.userid
    meant = suggested(game, userid, wish) if wish and game and not game.result else None
    readers = [(player.userid, on.reader(player)) for player in to]
    reached = tuple(each for each, reader in readers if reader.addresses)
    lost = tuple(each for each, reader in readers if not reader.addresses)
    spend(on, of_texts(userid, reached))
    told = [
        TalkNotice(reader, userid, text, reached, game) for _, reader in readers if reader.addresses
    ]
    sent = TalkSentNotice(on.reader_at(on.own), text, reached, lost, game, meant)
    return done([sent, *told], game.name if game else "")


DELETE = "delete"


class NoteTooLong(OfBoard, NotAllowedReason, frozen=True):
    """The note is too long."""

    length: int
    """Its number of characters."""
    most: int
    """The most characters."""


class Became(Enum):
    """The fate of a note."""

    SHOWN = "shown"
    KEPT = "kept"
    DELETED = "deleted"


class NoteNotice(notices.BoardOutcomeNotice, frozen=True):
    """The reader's note about a board."""

    note: str
    """Empty if there is none."""
    became: Became


def take_note(on: Context, kind: Kind, board: int, is_deleted: bool) -> Outcome:
    """Keep the text as a note about a board, show the note if nothing is written, or delete it."""
    game, account = on.game(kind, board), on.own
    side_on(account.userid, game)
    text = "" if is_deleted else on.request.chat.strip()
    if len(text) > LONGEST_NOTE:
        raise NotAllowed(NoteTooLong(game, len(text), LONGEST_NOTE))
    if not text and not is_deleted:
        note = account.note_about(game.name)
        return answered(NoteNotice(on.reader_at(account), game, note, Became.SHOWN))
    account = on.save(account.with_note(game.name, text))
    became = Became.KEPT if text else Became.DELETED
    note = account.note_about(game.name)
    return done([NoteNotice(on.reader_at(account), game, note, became)], game.name)


class TooManyBroadcasts(NotAllowedReason, frozen=True):
    """The player has reached the limit of broadcasts a day."""

    most: int
    """The limit."""


class BroadcastNotice(notices.Notice, frozen=True):
    """A text to everybody, or of the operator to some players."""

    author: str
    """The userid of its author; empty for the operator."""
    text: str
    is_to_all: bool
    """Whether it goes to everybody who wants such mails."""

    def subscription(self) -> str:
        """Return that its reader may end what goes to everybody."""
        return BROADCASTS if self.is_to_all else ""

    def ask(self) -> notices.Unheard:
        """Return that nobody reads an answer."""
        return notices.Unheard()


class BroadcastSentNotice(notices.Notice, frozen=True):
    """A text was passed on to everybody who wants that."""

    text: str
    count: int
    """The number of players who get it."""


def broadcast(on: Context) -> Outcome:
    """Pass the text of a mail on to everybody else, at most a few times a day."""
    text, userid = _text(on.request, None), on.own.userid
    changed = on.own.with_broadcast(on.now)
    if changed is None:
        raise NotAllowed(TooManyBroadcasts(MOST_BROADCASTS))
    others = (
        each
        for each in wanting_broadcasts(on.snapshot)
        if each.userid != userid and userid not in each.rejected
    )
    told = notices_to(others, text, userid, on)
    account = on.save(changed)
    return done([BroadcastSentNotice(on.reader_at(account), text, len(told)), *told])


class Announced(Outcome, frozen=True, kw_only=True):
    """The operator's words to players."""

    count: int
    """The number of players who get them."""


def announce(on: Context, text: str, userids: Iterable[str] | None) -> Announced:
    """Mail the operator's words to these players, or to all who want such mails.

    Raises NotAllowed for a userid that nobody has.
    """
    if userids is None:
        told = notices_to(wanting_broadcasts(on.snapshot), text, "", on)
    else:
        readers = [on.reader(on.account(userid)) for userid in dict.fromkeys(userids)]
        told = _told(readers, "", text, is_to_all=False)
    identity = f"operator {secrets.token_hex(8)}"
    return Announced(Ending.DONE, tuple(told), identity=identity, count=len(told))


def notices_to(
    accounts: Iterable[Account], text: str, author: str, on: Look
) -> list[BroadcastNotice]:
    """Return the notices to those players who have not signed off and can be reached."""
    readers = (on.reader(account) for account in accounts if not account.signed_off_since)
    return _told(readers, author, text, is_to_all=True)


def _told(
    readers: Iterable[notices.Reader], author: str, text: str, *, is_to_all: bool
) -> list[BroadcastNotice]:
    """Return the notices to those readers who can be reached."""
    return [
        BroadcastNotice(reader, author, text, is_to_all) for reader in readers if reader.addresses
    ]


CHAT = Form(
    "chat",
    OF_BOARD,
    text=Text.CONTENT,
    answers={Topic.CHAT: AnsweredBy.TEXT},
    implied={"meant": None},
    instead=_instead,
    run=ForPlayer(chat),
)
MESSAGE = Form(
    "message",
    OWN,
    Rest(("to",), ("USERID..",), read_userids, tuple),
    is_of_kind=False,
    text=Text.CONTENT,
    answers={Topic.TO: AnsweredBy.TEXT},
    instead=_instead,
    run=ForPlayer(message),
)
FORMS = (
    CHAT,
    Form("send", OF_BOARD, run=ForPlayer(send)),
    MESSAGE,
    Form(
        "broadcast",
        OWN,
        is_of_kind=False,
        text=Text.CONTENT,
        instead=_instead,
        run=ForPlayer(broadcast),
    ),
    Form(
        "note",
        OF_BOARD,
        only_word(DELETE, "is_deleted"),
        text=Text.CONTENT,
        instead=_instead,
        run=ForPlayer(take_note),
    ),
)
