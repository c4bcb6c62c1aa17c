"""The commands to leave, and to take along what is stored: signoff, delete, forget and export."""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import TypeVar

from msgspec import Struct, structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.bounces import Returned
from pbm_oust.accounts.document import account_lines
from pbm_oust.accounts.tags import Credential, Pending
from pbm_oust.board import Deed, Game
from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.values import OWN, only_word
from pbm_oust.play.authentication import authenticate
from pbm_oust.play.finding import active_games, boards_naming
from pbm_oust.play.moving import incoming, is_over
from pbm_oust.play.notices import News, Notice, OutcomeNotice, Reader
from pbm_oust.play.request import Actor, Handled, Outcome, RefusedBefore
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import ForAnybody, ForPlayer, UnitOfWork, returned_from
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules import KINDS
from pbm_oust.store import ladders, tournaments
from pbm_oust.store.accounts import remove_account
from pbm_oust.store.index import BoardName
from pbm_oust.store.letters import count_letters_to
from pbm_oust.store.message_keys import KeyOutcome, outcome_of, settle_key
from pbm_oust.store.open_boards import append, read_board
from pbm_oust.store.verifications import forget_bounces, forget_player, requests_of

HEADING = Heading.ACCOUNT


class SignedOffNotice(OutcomeNotice, frozen=True):
    """The reader has signed off."""

    boards: tuple[str, ...]
    """The names of those that go on."""


class DeletedNotice(Notice, frozen=True):
    """The reader's account was removed."""

    boards: tuple[str, ...]
    """The names of those that ended with it."""


def sign_off(actor: Actor, work: UnitOfWork) -> Handled:
    """Let a player sign off: their boards go on, and nobody starts new ones with them.

    They leave all ladders.
    """

    def change(account: Account) -> Account:
        return account.with_signed_off(account.signed_off_since or work.now())

    def tell(account: Account) -> SignedOffNotice:
        boards = tuple(game.name for game in active_games(account.userid, work.home))
        return SignedOffNotice(work.player_at(account), boards)

    handled = work.change_account(change, tell, actor)
    if handled.outcome is Outcome.DONE:
        work.home.do(ladders.depart, actor.userid, work.now())
    return handled


def delete(actor: Actor, work: UnitOfWork) -> Handled:
    """Remove an account: it gives up its boards, and then all of it is deleted."""
    home, userid = work.home, actor.userid
    if home.ask(outcome_of, actor.message_key) is KeyOutcome.REFUSED:
        raise NotAllowed(RefusedBefore())
    boards = leave_boards(actor, work)
    account = work.account(userid)
    told = DeletedNotice(work.player_at(account), tuple(map(str, boards)))
    with work.posting([told]):
        home.do(settle_key, actor.message_key, KeyOutcome.DONE, work.now())
        home.do(forget_player, account.userid, account.message_key)
        for address in account.addresses:
            home.do(forget_bounces, address)
        home.do(ladders.depart, userid, work.now())
        home.do(remove_account, userid)
    return Handled(Outcome.DONE)


def leave_boards(actor: Actor, work: UnitOfWork) -> dict[BoardName, Game]:
    """Resign all active boards of a player, and decline those on which they have not moved yet.

    The other players and those who watch are told. Returns the games after that. Raises
    DamagedHistory.
    """
    names = boards_naming(actor.userid, work.home)
    left = {name: _leave(name, actor, work) for name in names}
    return {name: game for name, game in left.items() if game}


def _leave(name: BoardName, actor: Actor, work: UnitOfWork) -> Game | None:
    """Leave one board if its game goes on, and return the game after that."""
    board = read_board(work.home, KINDS[name.kind], name.board)
    game = board.game
    side = game.side_of(actor.userid)
    if side is None or game.result:
        return None
    deed = Deed.DECLINE if game.can_decline(side) else Deed.RESIGN
    left = game.act(side, deed, game.time_of_next(work.now()), actor.message_key)
    told = tell_players(left, News.PLAYED, work, actor=None, leaving=actor.userid)
    notices = [notice for notice in told if notice.reader.userid != actor.userid]
    with work.posting(notices):
        append(work.home, board, left, incoming(actor, work))
    return left


REALLY = "really"


class ForgetNotice(Notice, frozen=True):
    """What it means to be forgotten, before anything is done."""

    active: tuple[str, ...]
    """The names of the boards on which the reader plays."""
    boards: int
    """The number of histories with the reader's userid."""


class ForgottenNotice(OutcomeNotice, frozen=True):
    """The last letter to a player who is forgotten."""

    userid: str
    left: int
    """The number of boards that the player has left."""
    word: str
    """What replaces the userid in histories; empty if it was in none."""


def forget(work: UnitOfWork, userid: str, password: Credential, is_sure: bool) -> Handled:
    """Remove a player's account, and the userid from all histories; say what that means first."""
    key = work.request.message_key(userid)
    home = work.home
    if home.ask(outcome_of, key) is KeyOutcome.DONE:
        done = ForgottenNotice(work.sender(), userid, 0, "", is_repeated=True)
        return work.answer(done, Handled(Outcome.DONE_BEFORE))
    actor = authenticate(userid, password, work, may_be_sender=False)
    if not is_sure:
        active = tuple(game.name for game in active_games(userid, home))
        count = len(boards_naming(userid, home))
        reader = work.player_at(actor.account)
        return work.answer(ForgetNotice(reader, active, count))
    from pbm_oust.play import renaming

    renaming.check_boards(userid, home)
    left = leave_boards(actor, work)
    word = renaming.free_placeholder(home) if boards_naming(userid, home) else ""
    reader = work.player_at(actor.account)
    done = ForgottenNotice(reader, userid, len(left), word)
    account = work.account(userid)
    with work.posting([done]):
        home.do(settle_key, key, KeyOutcome.DONE, work.now())
        home.do(ladders.depart, userid, work.now())
        if word:
            renaming.rename_in_texts(userid, word, work)
            renaming.rename_in_games(userid, word, home)
        home.do(tournaments.forget, userid)
        renaming.forget_addresses(account, home)
        home.do(forget_player, account.userid, account.message_key)
        home.do(remove_account, userid)
    return Handled(Outcome.DONE)


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
    """What a piece of an export is."""

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


def export(actor: Actor, work: UnitOfWork) -> Handled:
    """Mail a player all that is stored about them, but only to the addresses of their account."""
    account = actor.account
    at = work.player_at(account)
    own = tuple(address for address in at.addresses if account.has_address(address))
    reader = structs.replace(at, addresses=own, wrote_from="")
    boards = boards_naming(account.userid, work.home)
    names = tuple(map(str, boards))
    parts = list(_parted(_pieces(account, boards, work), lambda piece: piece.size))
    count = len(parts) + 1
    first = _first_letter(account, reader, names, count, work)
    others = [
        ExportBoardsNotice(reader, part=number, parts=count, pieces=tuple(part))
        for number, part in enumerate(parts, 2)
    ]
    done = ExportSentNotice(work.sender(), own, count)
    with work.posting([done, first, *others]):
        return Handled(Outcome.DONE)


def _first_letter(
    account: Account, reader: Reader, boards: tuple[str, ...], parts: int, work: UnitOfWork
) -> ExportNotice:
    """Return what is stored about a player except notes and histories."""
    entered = work.home.ask(tournaments.entered_by, account.userid)
    plans = (plan for plan in account.queue if not is_over(plan.kind, plan.board, work))
    account = structs.replace(account, queue=tuple(plans))
    return ExportNotice(
        reader,
        lines=tuple(account_lines(structs.replace(account, notes=()))),
        returned=returned_from(work.home, *account.addresses),
        waiting=tuple(work.home.ask(requests_of, account.userid, account.message_key, work.now())),
        letters=work.home.ask(count_letters_to, account.addresses),
        boards=boards,
        tournaments=tuple(f"{kind} {number}" for kind, number in entered),
        ladders=tuple(work.home.ask(ladders.ladders_of, account.userid)),
        parts=parts,
    )


def _pieces(
    account: Account, boards: Iterable[BoardName], work: UnitOfWork
) -> Iterator[ExportPiece]:
    """Yield a player's notes, and the histories of boards, damaged or not."""
    for name, note in account.notes_by_board.items():
        yield ExportPiece(What.NOTE, name, note)
    for board in boards:
        text = work.home.history(board).decode("utf-8", "replace")
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


FORMS: tuple[Form[ForPlayer | ForAnybody], ...] = (
    Form("signoff", OWN, is_of_kind=False, run=ForPlayer(sign_off, brings_back=False)),
    Form(
        "delete",
        OWN,
        is_of_kind=False,
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
        only_word(REALLY, "is_sure"),
        is_of_kind=False,
        # It checks the password itself: when its mail comes again, the account is gone.
        run=ForAnybody(forget),
    ),
)
