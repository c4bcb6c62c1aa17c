"""The commands that play: `oust move 17 alice secret D4,E5#9`; and preview."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm_oust.accounts.tags import Credential
from pbm_oust.board.game import Game
from pbm_oust.board.reasons import game_in
from pbm_oust.board.record import Deed, Wish
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.notation import Command, Heading, Partial, partial
from pbm_oust.grammar.values import BOARD, OF_BOARD
from pbm_oust.grammar.wish import (
    WISH_SHOWN,
    BadPlacement,
    possible_wish,
    read_wish,
    rest_of_wish,
    wish_instead,
)
from pbm_oust.play.forms import ForAnybody, ForPlayer
from pbm_oust.play.moving import NotOnBoard, OldAnswer, OtherRecord, carry_out, check_guard
from pbm_oust.play.notices import BoardNotice, News
from pbm_oust.play.request import Actor, Handled, Outcome, RefusedBefore, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, Refusal, Unreadable
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import read_game


@dataclass(frozen=True, slots=True)
class Move(Command):
    """Place stones, pass, swap or resign; only as record number `guard`, if that is given."""

    kind: Kind
    board: int
    userid: str
    password: Credential
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
        side = game.side_of(self.userid)
        if side is None:
            raise NotAllowed(NotOnBoard(game, self.userid))
        check_guard(self.guard, game)
        game.act(side, self.wish, game.latest, key="")


@dataclass(frozen=True, slots=True)
class Preview(Command):
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
    header = game.header
    return partial(
        Move,
        kind=header.kind,
        board=header.board,
        userid=userid,
        wish=wish,
        guard=game.next_number,
    )


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
)
