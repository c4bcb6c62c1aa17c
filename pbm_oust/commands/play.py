"""The commands that play: `oust move 17 alice secret D4,E5#9`; preview, submit and confirm."""

from collections.abc import Sequence
from dataclasses import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.items import Submission, submitted_on
from pbm_oust.board.game import Game
from pbm_oust.board.reasons import OfBoard, game_in
from pbm_oust.board.record import PLAYING, Deed, Wish
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.notation import Blank, BoardCommand, Command, Heading, Partial, partial
from pbm_oust.grammar.values import BOARD, OF_BOARD
from pbm_oust.grammar.wish import (
    WISH_SHOWN,
    BadPlacement,
    NoTurn,
    names_of,
    possible_wish,
    read_wish,
    rest_of_wish,
    wish_instead,
)
from pbm_oust.play.forms import ForAnybody, ForPlayer
from pbm_oust.play.moving import (
    OldAnswer,
    OtherRecord,
    carry_out,
    check_guard,
    is_over,
    side_of,
    side_on,
)
from pbm_oust.play.notices import (
    BoardNotice,
    BoardOutcomeNotice,
    News,
    Notice,
    OutcomeNotice,
    Reader,
    Shown,
)
from pbm_oust.play.request import Actor, Handled, Outcome, RefusedBefore, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import read_game


class Move(BoardCommand, frozen=True):
    """Place stones, pass, swap or resign; only as record number `guard`, if that is given."""

    wish: Wish
    guard: int | None

    def instead(self, refusal: Refusal) -> Partial | None:
        """Return a move that can be made, if the board waits for one by this player."""
        game = game_in(refusal.reason)
        if game is None or game.result or game.player_to_move != self.userid:
            return None
        is_old = isinstance(refusal.reason, OtherRecord | OldAnswer | RefusedBefore)
        wish = possible_wish(game, self.wish) if is_old else wish_instead(game, refusal)
        return suggested(game, self.userid, wish) if wish else None

    def try_on(self, game: Game) -> None:
        """Raise the refusal that this would meet on a board."""
        side = side_on(self.userid, game)
        check_guard(self.guard, game)
        game.act(side, self.wish, game.latest, key="")


class Preview(Command, frozen=True):
    """Draw a board as it would be after these placements; nothing changes."""

    kind: Kind
    board: int
    wish: Wish
    guard: int | None

    def try_on(self, game: Game) -> None:
        """Raise the refusal that this would meet on a board."""
        check_guard(self.guard, game)
        game.act(game.to_move, self.wish, game.latest, key="")


def _read_placements(words: Sequence[str]) -> tuple[Wish, int | None]:
    wish, guard = read_wish(words)
    if isinstance(wish, Deed):
        raise Unreadable(BadPlacement(), words[0])
    return wish, guard


def suggested(game: Game, userid: str, wish: Wish) -> Partial:
    """Return the move that makes a wish the next record of a board."""
    at: dict[str, object] = {"kind": game.header.kind, "board": game.header.board}
    return Partial(Move, {**at, "userid": userid, "wish": wish, "guard": game.next_number})


def move(command: Move, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Add a record and what follows from it to a board, and show the board to both players."""

    def wished(game: Game) -> Wish:
        check_guard(command.guard, game)
        return command.wish

    return carry_out(command.kind, command.board, wished, actor, request, work)


def preview(command: Preview, request: Request, work: UnitOfWork) -> Handled:
    """Show a board as it would be after some placements."""
    game = read_game(work.home, command.kind, command.board)
    check_guard(command.guard, game)
    acted = game.act(game.to_move, command.wish, work.now(), request.message_key(request.sender))
    notice = BoardNotice(work.sender_of(request), News.PREVIEW, acted)
    return work.answer(notice, request, Handled(Outcome.ANSWERED, game.name))


def _form_of(deed: Deed, rank: int) -> Form[Move, ForPlayer[Move]]:
    """Return the short form of a deed: `oust resign 17 alice secret`."""
    implied = {"wish": deed, "guard": None}
    return Form(
        deed.value,
        Move,
        OF_BOARD,
        heading=Heading.PLAYING,
        rank=rank,
        implied=implied,
        run=ForPlayer(move),
    )


_SUBMITTED = (*PLAYING, Deed.RESIGN, Deed.DECLINE)


class NothingSubmitted(OfBoard, NotAllowedReason, frozen=True):
    """No move waits for confirmation."""


class ChangedSinceSubmit(OfBoard, NotAllowedReason, frozen=True):
    """The board is not as it was when the move was submitted."""

    number: int
    """The record number that the move would have had."""
    wish: Wish
    """The move."""


class Submit(BoardCommand, frozen=True):
    """Keep a move until it is confirmed."""

    wish: Wish
    guard: int | None

    def instead(self, refusal: Refusal) -> Partial | None:
        """Return what could be submitted, if the move could not be made."""
        move = self._move.instead(refusal)
        return Partial(Submit, move.given) if move else None

    def try_on(self, game: Game) -> None:
        """Raise the refusal that the move would meet on a board."""
        self._move.try_on(game)

    @property
    def _move(self) -> Move:
        return Move(self.kind, self.board, self.userid, self.password, self.wish, self.guard)


class Confirm(BoardCommand, frozen=True):
    """Make the move that was submitted."""

    def instead(self, refusal: Refusal) -> Partial | None:
        """Return the beginning of a submission, if the board has changed since the last one."""
        if not isinstance(refusal.reason, ChangedSinceSubmit):
            return None
        blank = Blank("PLACEMENTS")
        return partial(Submit, kind=self.kind, board=self.board, userid=self.userid, wish=blank)


class SubmittedNotice(BoardOutcomeNotice, frozen=True):
    """A move that waits until the reader confirms it."""

    template = "submitted"
    submission: Submission | None = None
    """None if no move waits any more."""
    supposed: Game | None = None
    """The game as it would be after the move."""

    def shows(self) -> tuple[Shown, ...]:
        """Return the board as it would be, or as it is if no move waits."""
        return (Shown(self.supposed, is_now=False) if self.supposed else Shown(self.game),)


def _read_submitted(words: Sequence[str]) -> tuple[Wish, int | None]:
    wish, guard = read_wish(words)
    if isinstance(wish, Deed) and wish not in _SUBMITTED:
        raise Unreadable(NoTurn(names_of(_SUBMITTED)), words[0])
    return wish, guard


_SUBMITTED_SHOWN = ("PLACEMENTS[#N]", f"{'|'.join(names_of(_SUBMITTED))}[#N]")


def submit(command: Submit, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Draw a board as it would be after a move, and keep the move until it is confirmed."""
    game = read_game(work.home, command.kind, command.board)

    def change(account: Account) -> Account:
        side = side_of(actor, game, work)
        check_guard(command.guard, game)
        game.act(side, command.wish, game.time_of_next(work.now()), actor.message_key)
        others = (each for each in account.submissions if not each.is_on(game))
        kept = (each for each in others if not is_over(each.kind, each.board, work))
        kind, number = command.kind.name, game.next_number
        submitted = Submission.of(kind, command.board, number, command.wish)
        return replace(account, submissions=(*kept, submitted))

    def tell(account: Account) -> tuple[OutcomeNotice, list[Notice]]:
        reader = work.player_at(account, request)
        return _submitted(reader, account, game, actor, work), []

    return work.change_account(change, tell, actor, request, Handled(Outcome.DONE, game.name))


def confirm(command: Confirm, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Make the move that a player has submitted, if the board has not changed since."""

    def wished(game: Game) -> Wish:
        submission = submitted_on(work.account(actor.userid).submissions, game)
        if submission is None:
            raise NotAllowed(NothingSubmitted(game))
        if not game.meets_guard(submission.number):
            raise NotAllowed(ChangedSinceSubmit(game, submission.number, submission.wish))
        return submission.wish

    return carry_out(command.kind, command.board, wished, actor, request, work)


def _submitted(
    reader: Reader, account: Account, game: Game, actor: Actor, work: UnitOfWork
) -> SubmittedNotice:
    """Return the notice of a submission, with the game as it would be after it."""
    submission, side = submitted_on(account.submissions, game), game.side_of(account.userid)
    if submission and side and game.meets_guard(submission.number) and not game.result:
        at = game.time_of_next(work.now())
        supposed = game.act(side, submission.wish, at, actor.message_key)
        return SubmittedNotice(reader, game, submission, supposed)
    return SubmittedNotice(reader, game)


FORMS = (
    Form(
        "move",
        Move,
        OF_BOARD,
        rest_of_wish(WISH_SHOWN, read_wish),
        heading=Heading.PLAYING,
        rank=10,
        is_usual=True,
        run=ForPlayer(move),
    ),
    Form(
        "preview",
        Preview,
        (BOARD,),
        rest_of_wish(WISH_SHOWN[:1], _read_placements),
        heading=Heading.PLAYING,
        rank=50,
        run=ForAnybody(preview),
    ),
    _form_of(Deed.RESIGN, 60),
    _form_of(Deed.DECLINE, 70),
    Form(
        "submit",
        Submit,
        OF_BOARD,
        rest_of_wish(_SUBMITTED_SHOWN, _read_submitted),
        heading=Heading.PLAYING,
        rank=30,
        run=ForPlayer(submit),
    ),
    Form("confirm", Confirm, OF_BOARD, heading=Heading.PLAYING, rank=40, run=ForPlayer(confirm)),
)
