"""The commands to leave, and to take along what is stored: signoff, delete, forget and export."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import TypeVar

from msgspec import Struct, structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.asks import Topic
from pbm_oust.accounts.bounces import Returned
from pbm_oust.accounts.document import account_lines
from pbm_oust.accounts.tags import Pending
from pbm_oust.board import Deed
from pbm_oust.grammar.form import AnsweredBy, Cost, Form
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.values import OWN, only_word
from pbm_oust.grammar.vocabulary import in_english
from pbm_oust.play.context import Context, Outcome, answered, done
from pbm_oust.play.finding import active_games
from pbm_oust.play.moving import is_over, side_on
from pbm_oust.play.notices import News, Notice, Reader
from pbm_oust.play.request import Ending
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import ForPlayer
from pbm_oust.rules import KINDS
from pbm_oust.store import ladders, tournaments
from pbm_oust.store.index import BoardName, boards_with
from pbm_oust.store.letters import count_letters_to
from pbm_oust.store.verifications import forget_bounces, forget_player, requests_of

HEADING = Heading.ACCOUNT


class SignedOffNotice(Notice, frozen=True):
    """The reader has signed off."""

    boards: tuple[str, ...]
    """The names of those that go on."""


class DeletedNotice(Notice, frozen=True):
    """The reader's account was removed."""

    boards: tuple[str, ...]
    """The names of those that ended with it."""


def sign_off(on: Context) -> Outcome:
    """Let a player sign off: their boards go on, and nobody starts new ones with them.

    They leave all ladders.
    """
    account = on.save(on.own.with_signed_off(on.own.signed_off_since or on.now))
    ladders.depart(on.transaction, account.userid, on.now)
    boards = tuple(game.name for game in active_games(on, account.userid))
    return done([SignedOffNotice(on.reader_at(account), boards)])


def delete(on: Context) -> Outcome:
    """Remove an account: it gives up its boards, and then all of it is deleted."""
    account, userid, told = on.own, on.player.userid, list[Notice]()
    left = _leave_all(on, told)
    told.append(DeletedNotice(on.reader_at(account), left))
    for address in account.addresses:
        forget_bounces(on.transaction, address)
    forget_player(on.transaction, userid, account.message_key)
    on.remove(userid)
    return done(told)


def _leave_all(on: Context, told: list[Notice]) -> tuple[str, ...]:
    """Resign all active boards of a player, or decline those on which they have not moved yet.

    They leave all ladders, too. What the other players and those who watch are told is added to
    `told`. Returns the names of the boards. Raises DamagedHistory before anything is written.
    """
    userid, names = on.player.userid, boards_with(on.snapshot, on.player.userid)
    boards = (on.board(KINDS[name.kind], name.board) for name in names)
    going_on = [each for each in boards if each.game.side_of(userid) and not each.game.result]
    for board in going_on:
        game = board.game
        side = side_on(userid, game)
        deed = Deed.DECLINE if game.can_decline(side) else Deed.RESIGN
        left = game.act(side, deed, game.time_of_next(on.now), on.key)
        notices = tell_players(on, left, News.PLAYED, actor=None, leaving=userid)
        told += [notice for notice in notices if notice.reader.userid != userid]
        on.append(board, left)
    ladders.depart(on.transaction, userid, on.now)
    return tuple(board.game.name for board in going_on)


REALLY = "really"
_ME = "me"
_SURE = only_word(REALLY, "is_sure")


def _read_sure(words: Sequence[str]) -> bool:
    """Return whether a player is sure to be forgotten: `forget me really`. Raises Unreadable."""
    is_said = [in_english(word) for word in words[:1]] == [_ME]
    return bool(_SURE.read(words[1:] if is_said else words))


class ForgetNotice(Notice, frozen=True):
    """The consequences of being forgotten, before anything is done."""

    active: tuple[str, ...]
    """The names of the boards on which the reader plays."""
    boards: int
    """The number of histories with the reader's userid."""


class ForgottenNotice(Notice, frozen=True):
    """The last letter to a player who is forgotten."""

    userid: str
    left: int
    """The number of boards that the player has left."""
    word: str
    """What replaces the userid in histories; empty if it was in none."""


def forget(on: Context, is_sure: bool) -> Outcome:
    """Remove a player's account, and the userid from all histories; say what that means first."""
    account, userid = on.own, on.player.userid
    if not is_sure:
        active = tuple(game.name for game in active_games(on, userid))
        count = len(boards_with(on.snapshot, userid))
        return answered(ForgetNotice(on.reader_at(account), active, count))
    from pbm_oust.play import renaming

    told = list[Notice]()
    left = _leave_all(on, told)
    word = renaming.free_placeholder(on) if boards_with(on.snapshot, userid) else ""
    told.append(ForgottenNotice(on.reader_at(account), userid, len(left), word))
    if word:
        renaming.rename_in_texts(on, userid, word)
        renaming.rename_in_games(on, userid, word)
    tournaments.forget(on.transaction, userid)
    renaming.forget_addresses(on, account)
    forget_player(on.transaction, userid, account.message_key)
    on.remove(userid)
    return done(told)


T = TypeVar("T")


class ExportNotice(Notice, frozen=True):
    """The first letter of an export: all about the reader except notes and histories."""

    lines: tuple[str, ...]
    """The account, one line for each item."""
    returned: tuple[Returned, ...]
    waiting: tuple[Pending, ...]
    """What the reader has asked for and not confirmed."""
    letters: int
    """The number of letters to the reader that wait to be sent."""
    boards: tuple[str, ...]
    """The names of the boards whose histories hold the reader's userid."""
    tournaments: tuple[str, ...]
    """The names of the tournaments that the reader has entered."""
    ladders: tuple[str, ...]
    """The games on whose ladders the reader stands."""
    parts: int
    """The number of letters of the export."""
    part: int = 1

    def topic(self) -> str:
        """Return which part of the export it is."""
        return f"{self.template}.{self.part}"


class What(Enum):
    """The kinds of pieces of an export."""

    NOTE = "note"
    """A note of the reader."""
    HISTORY = "history"
    """A history, or its beginning."""
    REST = "rest"
    """More of a history that does not fit into one letter."""


class ExportPiece(Struct, frozen=True):
    """A piece of an export: what is stored about the reader and a board."""

    what: What
    board: str
    """The name of the board."""
    text: str

    @property
    def size(self) -> int:
        """The number of its bytes."""
        return len(self.text.encode())


class ExportBoardsNotice(Notice, frozen=True):
    """A later letter of an export: notes and histories."""

    part: int
    parts: int
    """The number of letters of the export."""
    pieces: tuple[ExportPiece, ...]

    def topic(self) -> str:
        """Return which part of the export it is."""
        return f"{self.template}.{self.part}"


class ExportSentNotice(Notice, frozen=True):
    """An export is on its way."""

    addresses: tuple[str, ...]
    """Where it goes; empty if no mail arrives at present."""
    count: int
    """The number of its letters."""


LARGEST_PART = 60_000
"""How many bytes of notes and histories go into one letter: no encoding makes it too large."""


def export(on: Context) -> Outcome:
    """Mail a player all that is stored about them, but only to the addresses of their account."""
    account = on.own
    at = on.reader_at(account)
    own = tuple(address for address in at.addresses if account.has_address(address))
    reader = structs.replace(at, addresses=own, wrote_from="")
    boards = boards_with(on.snapshot, account.userid)
    parts = list(_parted(_pieces(on, account, boards), lambda piece: piece.size))
    count = len(parts) + 1
    others = [
        ExportBoardsNotice(reader, part=number, parts=count, pieces=tuple(part))
        for number, part in enumerate(parts, 2)
    ]
    sent = ExportSentNotice(on.asker(), own, count)
    first = _first_letter(on, reader, tuple(map(str, boards)), count)
    return Outcome(Ending.DONE, (sent, first, *others))


def _first_letter(on: Context, reader: Reader, boards: tuple[str, ...], parts: int) -> ExportNotice:
    """Return what is stored about a player except notes and histories."""
    account, snapshot = on.own, on.snapshot
    plans = tuple(plan for plan in account.queue if not is_over(on, plan.kind, plan.board))
    kept = structs.replace(account, queue=plans, notes=())
    entered = tournaments.entered_by(snapshot, account.userid)
    return ExportNotice(
        reader,
        lines=tuple(account_lines(kept)),
        returned=on.returned_from(*account.addresses),
        waiting=tuple(requests_of(snapshot, account.userid, account.message_key, on.now)),
        letters=count_letters_to(snapshot, account.addresses),
        boards=boards,
        tournaments=tuple(f"{kind} {number}" for kind, number in entered),
        ladders=tuple(ladders.ladders_of(snapshot, account.userid)),
        parts=parts,
    )


def _pieces(on: Context, account: Account, boards: Iterable[BoardName]) -> Iterator[ExportPiece]:
    """Yield a player's notes, and the histories of boards, damaged or not."""
    for name, note in account.notes_by_board.items():
        yield ExportPiece(What.NOTE, name, note)
    for board in boards:
        text = on.home.boards.history(on.snapshot, board).decode("utf-8", "replace")
        for nth, some in enumerate(_in_parts(text)):
            yield ExportPiece(What.REST if nth else What.HISTORY, str(board), some)


def _in_parts(text: str) -> Iterator[str]:
    """Yield the lines of a history, as many at a time as go into one letter."""
    lines = text.splitlines(keepends=True) or [""]
    return map("".join, _parted(lines, lambda line: len(line.encode())))


def _parted(things: Iterable[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield things in their order, as many at a time as go into one letter by their bytes."""
    part, size = list[T](), 0
    for thing in things:
        size += size_of(thing)
        if part and size > LARGEST_PART:
            yield part
            part, size = [], size_of(thing)
        part.append(thing)
    if part:
        yield part


FORMS: tuple[Form[ForPlayer], ...] = (
    Form(
        "signoff",
        OWN,
        is_of_kind=False,
        run=ForPlayer(sign_off, brings_back=False),
    ),
    Form(
        "delete",
        OWN,
        is_of_kind=False,
        answers={Topic.PLAY: AnsweredBy.NAME},
        run=ForPlayer(delete, may_be_sender=False, brings_back=False),
    ),
    Form(
        "export",
        OWN,
        is_of_kind=False,
        needs_own_mail=True,
        cost=Cost(work=5),
        run=ForPlayer(export),
    ),
    Form(
        "forget",
        OWN,
        structs.replace(_SURE, read=_read_sure),
        is_of_kind=False,
        answers={Topic.PLAY: AnsweredBy.NAME},
        run=ForPlayer(forget, may_be_sender=False, brings_back=False),
    ),
)
