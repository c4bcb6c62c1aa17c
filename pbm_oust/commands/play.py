"""The commands that play: `oust move 17 alice secret D4,E5#9`; and preview."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm_oust.accounts.tags import Credential
from pbm_oust.board.game import Game
from pbm_oust.board.record import Deed, Wish
from pbm_oust.grammar.form import Form, Rest
from pbm_oust.grammar.values import BOARD, PASSWORD, USERID
from pbm_oust.grammar.wish import WISH_SHOWN, BadPlacement, read_wish
from pbm_oust.play.moving import carry_out, check_guard
from pbm_oust.play.notices import BoardNotice, News
from pbm_oust.play.request import Action, Actor, Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import Unreadable
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import read_game


@dataclass(frozen=True, slots=True)
class Move:
    """Place stones, pass, swap or resign; only as record number `guard`, where that is given."""

    kind: Kind
    board: int
    userid: str
    password: Credential
    wish: Wish
    guard: int | None


@dataclass(frozen=True, slots=True)
class Preview:
    """Draw a board as it would be after these placements; nothing changes."""

    kind: Kind
    board: int
    wish: Wish
    guard: int | None


def _move(
    kind: Kind, board: int, userid: str, password: Credential, wish: tuple[Wish, int | None]
) -> Move:
    return Move(kind, board, userid, password, *wish)


def _preview(kind: Kind, board: int, wish: tuple[Wish, int | None]) -> Preview:
    return Preview(kind, board, *wish)


def _read_placements(words: Sequence[str]) -> tuple[Wish, int | None]:
    wish, guard = read_wish(words)
    if isinstance(wish, Deed):
        raise Unreadable(BadPlacement(), words[0])
    return wish, guard


def _form_of(deed: Deed) -> Form:
    """Return the short form of a deed: `oust resign 17 alice secret`."""

    def build(kind: Kind, board: int, userid: str, password: Credential) -> Move:
        return Move(kind, board, userid, password, deed, None)

    return Form(deed.value, build, (BOARD, USERID, PASSWORD))


def move(command: Move, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Add a record to a board, with what follows from it, and show the board to both players."""

    def wished(game: Game) -> Wish:
        check_guard(command.guard, game)
        return command.wish

    return carry_out(command.kind, command.board, wished, actor, request, work)


def preview(command: Preview, request: Request, work: UnitOfWork) -> Handled:
    """Show a board as it would be after some placements."""
    game = read_game(work.home, command.kind, command.board)
    check_guard(command.guard, game)
    acted = game.act(game.to_move, command.wish, work.now(), request.cause(request.sender))
    notice = BoardNotice(work.sender_of(request), News.PREVIEW, acted)
    return work.answer(notice, request, Handled("previewed", game.name))


FORMS = (
    Form("move", _move, (BOARD, USERID, PASSWORD), Rest(WISH_SHOWN, read_wish)),
    Form("preview", _preview, (BOARD,), Rest(WISH_SHOWN[:1], _read_placements)),
    _form_of(Deed.RESIGN),
    _form_of(Deed.DECLINE),
)

SIGNED: dict[type, Action] = {Move: move}

UNSIGNED: dict[type, Action] = {Preview: preview}
