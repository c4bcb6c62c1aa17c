"""Starting a board: once for a mail, whatever command it is that starts it."""

from collections.abc import Callable
from datetime import timedelta

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.inviting import check_willing
from pbm_oust.actions.request import Actor, Handled, Request
from pbm_oust.actions.telling import answer_again, tell_players
from pbm_oust.boards import challenge_remark, find_remark
from pbm_oust.commands.masking import without_passwords
from pbm_oust.game import Game
from pbm_oust.header import Header
from pbm_oust.notation import format_header
from pbm_oust.notices import News
from pbm_oust.recovery import board_place
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.rules.position import Kind

MEMORY = timedelta(days=30)
"""How long a challenge is known when the same mail comes again."""


def challenger_of(x: str, o: str, request: Request, desk: Desk) -> Actor:
    """Return the one of two players from whose address a request came.

    Raises NotAllowed where they cannot start a board against each other, or it came from neither.
    """
    actor = actor_among((x, o), request, desk)
    if actor is None:
        raise NotAllowed(Barred.STRANGE_ADDRESS)
    if x == o:
        raise NotAllowed(Barred.SAME_PLAYER, x)
    return actor


def actor_among(userids: tuple[str, ...], request: Request, desk: Desk) -> Actor | None:
    """Return the first of some players from whose address a request came, or None."""
    found = (desk.account_if_any(userid) for userid in userids)
    own = next((each for each in found if each and each.has_address(request.sender)), None)
    return Actor(own, request.cause(own.userid)) if own else None


def start_board(
    kind: Kind, header: Callable[[int], Header], actor: Actor, request: Request, desk: Desk
) -> Handled:
    """Start a board and show it to both players, if the mail has not done so before.

    `header` is given the number of the new board while nobody else starts one.
    """
    with desk.home.next_board(kind.name) as number:
        known = started_by(actor, kind, desk)
        if known:
            return answer_again(known, actor, request, desk)
        if desk.home.journal.ending(actor.cause):
            raise NotAllowed(Barred.REFUSED_BEFORE)
        return write_board(Game.start(header(number)), "", actor, request, desk)


def started_by(actor: Actor, kind: Kind, desk: Desk) -> Game | None:
    """Return the game that a mail has started, or None."""
    since = desk.now() - MEMORY
    return find_remark(desk.home, kind, challenge_remark(actor.cause), since)


def write_board(game: Game, remark: str, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Write a board whose number is held, and show it to both players.

    Raises NotAllowed where one of them does not want to play.
    """
    for userid in (game.header.x, game.header.o):
        check_willing(desk.account(userid), actor.userid, desk.home)
    kind, number = game.header.kind, game.header.board
    chat = without_passwords(request.chat)
    notices = tell_players(game, News.STARTED, desk, request, actor=actor.account, chat=chat)
    with desk.posting(notices, request, actor.cause, board_place(kind.name, number)):
        history = format_header(game.header) + challenge_remark(actor.cause) + remark
        desk.home.create_history(kind.name, number, history)
    return Handled("started", game.name)
