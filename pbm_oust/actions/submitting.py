"""Moves in two steps: submit draws the board as it would be, confirm makes the move."""

from pbm_oust.actions.acting import check_guard, is_over, side_of
from pbm_oust.actions.desk import Desk
from pbm_oust.actions.play import carry_out
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.boards import open_board
from pbm_oust.commands.queue import Confirm, Submit
from pbm_oust.game import Game
from pbm_oust.notices import Told
from pbm_oust.players import Account
from pbm_oust.record import Wish
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.submissions import Submission, submissions_of, submitted_on, with_submissions


def submit(command: Submit, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Draw a board as it would be after a move, and keep the move until it is confirmed."""
    with open_board(desk.home, command.kind, command.board) as board:
        game = board.game

        def change(account: Account) -> Account:
            side = side_of(actor, game, desk)
            check_guard(command.guard, game)
            game.act(side, command.wish, max(desk.now(), game.latest), actor.cause)
            others = (each for each in submissions_of(account) if not each.is_on(game))
            kept = (each for each in others if not is_over(each.kind, each.board, desk))
            kind, number = command.kind.name, game.next_number
            submitted = Submission(kind, command.board, number, command.wish)
            return with_submissions(account, (*kept, submitted))

        def tell(account: Account) -> tuple[Told, list[Told]]:
            reader = desk.player_at(account, request)
            return Told(reader, "submitted", _facts(account, game, actor, desk)), []

        return desk.change_account(change, tell, actor, request, Handled("submitted", game.name))


def confirm(command: Confirm, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Make the move that a player has submitted, if the board is as it was then."""

    def wished(game: Game) -> Wish:
        submission = submitted_on(desk.account(actor.userid), game)
        if submission is None:
            raise NotAllowed(Barred.NOTHING_SUBMITTED, game=game)
        if not game.meets_guard(submission.number):
            number = submission.number
            raise NotAllowed(Barred.BOARD_CHANGED, game=game, number=number, wish=submission.wish)
        return submission.wish

    return carry_out(command, wished, actor, request, desk)


def _facts(account: Account, game: Game, actor: Actor, desk: Desk) -> dict[str, object]:
    """Return what there is to tell of a submission, and the game as it would be after it."""
    facts: dict[str, object] = {"game": game, "submission": None, "supposed": None}
    submission, side = submitted_on(account, game), game.side_of(account.userid)
    if submission and side and game.meets_guard(submission.number) and not game.result:
        at = max(desk.now(), game.latest)
        facts["submission"] = submission
        facts["supposed"] = game.act(side, submission.wish, at, actor.cause)
    return facts


SIGNED: dict[type, Action] = {Submit: submit, Confirm: confirm}
