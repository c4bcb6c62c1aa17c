"""The news of a board as data: most letters are kept so, and written after the commit.

A move is answered 250 when its record is durable and it is durable who is to be told. So the outbox
gets a document of some hundred bytes in the place of a letter. Whoever sends the letter makes the
notice again from that document, the board as it was at that record, and the reader's account.
"""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct, structs

from pbm_oust.accounts.settings import USUAL, Settings
from pbm_oust.board import Game
from pbm_oust.languages import ENGLISH, LANGUAGES
from pbm_oust.play.context import Look
from pbm_oust.play.notices import BoardNotice, News, Notice, QueuedTurns, Reader
from pbm_oust.play.request import UNASKED, Request
from pbm_oust.rules import KINDS
from pbm_oust.store.letters import About, Head, Letter

_TOLD = frozenset((News.STARTED, News.PLAYED, News.DONE_BEFORE, News.REMINDED))
_X, _O, _READER = "x", "o", "reader"
"""The roles of players in a document, where they are independent of their userids."""
_NAMED = (
    "chat_from",
    "passed_on",
    "challenger",
    "unreachable",
    "back",
    "disabled",
    "untold",
)
"""The fields of a BoardNotice that name a player of the board."""
_PLAIN = ("chat", "told_from", "is_set_up", "is_watched")
"""Its fields that are kept as they are."""


class BoardNews(Struct, frozen=True, omit_defaults=True):
    """A BoardNotice as the outbox keeps it, without its reader, its board and its record."""

    news: News
    addresses: tuple[str, ...]
    """All addresses of the reader that it goes to."""
    identity: str
    """What set the mail apart from others that it tells of."""
    reader: str = ""
    """The role of the reader, if they play there."""
    language: str = ENGLISH.code
    """The reader's language, for who has no account any more."""
    microsecond: int = 0
    """How long after its second it was posted."""
    wrote_from: str = ""
    left_out: str = ""
    unread: str = ""
    message_id: str = ""
    """The Message-ID of the mail that it tells of."""
    roles: dict[str, str] = {}
    """The players that fields of the notice name, by their roles."""
    chat: str = ""
    told_from: int = 0
    is_set_up: bool = False
    is_watched: bool = False
    has_note: bool = False
    """Whether it has the reader's note about the board."""
    queued: tuple[int, ...] = ()
    passed: tuple[int, ...] = ()


_read = msgspec.json.Decoder(BoardNews).decode


class NoRecord(Exception):
    """The board does not have the record any more that a letter tells of."""


def kept_news(notice: Notice, request: Request, moment: datetime) -> bytes | None:
    """Return the document of a notice about a request; None if its letters are written at once.

    Those are that show more than the board and the account say later.
    """
    if type(notice) is not BoardNotice:
        return None
    reader, ahead, account = notice.reader, notice.ahead, notice.reader.account
    is_more = notice.game.result or notice.is_past or notice.heard or notice.gone or notice.clock
    if is_more or notice.news not in _TOLD or ahead.waiting or ahead.dropped:
        return None
    if not account or reader.returned or not all(map(account.has_exactly, reader.addresses)):
        return None
    roles = _roles_in(notice)
    if roles is None:
        return None
    return msgspec.json.encode(
        BoardNews(
            notice.news,
            reader.addresses,
            request.identity,
            _roles_on(notice.game).get(reader.userid or "", ""),
            reader.settings.language.code,
            moment.microsecond,
            reader.wrote_from,
            reader.left_out,
            reader.unread,
            request.message_id,
            roles,
            has_note=bool(notice.note),
            queued=tuple(sorted(ahead.queued)),
            passed=tuple(sorted(ahead.passed)),
            **{name: getattr(notice, name) for name in _PLAIN},
        )
    )


def _roles_in(notice: BoardNotice) -> dict[str, str] | None:
    """Return the roles of those whom a notice names; None if somebody else is among them."""
    roles = dict[str, str]()
    known = {notice.reader.userid: _READER} | _roles_on(notice.game)
    for name in _NAMED:
        if userid := getattr(notice, name):
            if userid not in known:
                return None
            roles[name] = known[userid]
    return roles


def _roles_on(game: Game) -> dict[str, str]:
    """Return the roles of the players of a board, by their userids."""
    return {game.x: _X, game.o: _O}


def restored(on: Look, letter: Letter, document: bytes) -> tuple[BoardNotice, Request, datetime]:
    """Return the notice of a letter that was kept as data, its request, and its exact moment.

    `on` has the moment at which the letter was posted. Raises NoRecord, ValueError, NotAllowed if
    there is no such board, and DamagedHistory.
    """
    kept, about = _read(document), letter.head.about
    if about is None:
        raise NoRecord("the letter names no board")
    board = on.game(KINDS[about.kind], about.board)
    if len(board.records) < about.record:
        raise NoRecord(f"{board.name} has no record {about.record}")
    game = board.after(about.record)
    # This reads the accounts of all who are concerned at once.
    clock = None if game.result else on.clock_of(game)
    userid = letter.head.userid
    account = on.account_if_any(userid) if userid else None  # it may have been removed since then
    userids = {role: userid for userid, role in _roles_on(game).items()}
    userids[_READER] = account.userid if account else userids.get(kept.reader, "")
    plain: dict[str, Any] = {name: getattr(kept, name) for name in _PLAIN}
    plain |= {name: userids[role] for name, role in kept.roles.items()}
    reader = Reader(
        kept.addresses,
        userids[_READER] or None,
        kept.wrote_from,
        settings=account.all_settings if account else _stranger_in(kept.language),
        account=account,
        left_out=kept.left_out,
        unread=kept.unread,
    )
    notice = BoardNotice(
        reader,
        kept.news,
        game,
        note=account.note_about(game.name) if account and kept.has_note else "",
        ahead=QueuedTurns(frozenset(kept.queued), frozenset(kept.passed)),
        clock=clock,
        **plain,
    )
    request = structs.replace(UNASKED, identity=kept.identity, message_id=kept.message_id)
    return notice, request, letter.posted.replace(microsecond=kept.microsecond)


def _stranger_in(language: str) -> Settings:
    return structs.replace(USUAL, language=LANGUAGES.get(language, ENGLISH))


def head_of(notice: Notice, address: str, message_id: str = "", subject: str = "") -> Head:
    """Return what the outbox knows of a letter besides its content.

    One that is not written yet has no Message-ID.
    """
    reader, game = notice.reader, notice.board()
    about = None
    if isinstance(notice, BoardNotice) and game:
        about = About(game.header.kind.name, game.header.board, len(game.records))
    return Head(
        recipient=address,
        message_id=message_id,
        subject=subject,
        userid=reader.userid if reader.account else None,
        about=about,
        copies=len(reader.addresses) if about else 1,
        is_answer=reader.asked,
        may_show_any_board=notice.may_show_any_board(),
    )
