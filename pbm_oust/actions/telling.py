"""Telling the players of a board what happened on it: who is mailed the board, and who is not."""

from collections.abc import Iterator

from pbm_oust.actions.ahead import ahead_of, waiting_for
from pbm_oust.actions.desk import Actor, Desk, Handled, Request
from pbm_oust.boards import finished_games
from pbm_oust.game import Game
from pbm_oust.notices import BoardNotice, News, Notice, Reader
from pbm_oust.outbox import NOWHERE
from pbm_oust.players import Account
from pbm_oust.ratings import Change, is_rated, rate
from pbm_oust.recovery import board_place


def tell_players(
    game: Game,
    news: News,
    desk: Desk,
    request: Request,
    *,
    actor: Account | None,
    chat: str = "",
    told_from: int = 0,
) -> list[Notice]:
    """Return the notices that show a board to its players.

    `actor` is the player whose request led to it, who is answered; None for what the server or its
    operator did. `chat` is what the actor wrote for the other player. `told_from` is the number of
    the first record that the players have not been told of, 0 for the latest.
    """
    acting = actor.userid if actor else ""
    others = [account for account in _players_of(game, desk) if account.userid != acting]
    readers = [(account, desk.player(account)) for account in others]
    lost = [account.userid for account, reader in readers if not reader.addresses]
    changes = _changes_by(game, desk)
    players = [*others, *([actor] if actor else [])]
    since = told_from or len(game.records)

    def notice(
        account: Account, reader: Reader, unreachable: str = "", chat: str = ""
    ) -> BoardNotice:
        return BoardNotice(
            reader,
            news,
            game,
            unreachable=unreachable,
            changes=changes,
            told_from=told_from,
            chat=chat,
            chat_from=acting,
            ahead=ahead_of(account, players, game, since),
        )

    lost_one = next(iter(lost), "")
    answers = [notice(actor, desk.player_at(actor, request), lost_one)] if actor else []
    return [*answers, *(notice(account, reader, chat=chat) for account, reader in readers)]


def answer_again(game: Game, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Tell a player that the command was done when the mail came the first time."""
    kind, board = game.header.kind.name, game.header.board
    desk.home.sync_history(kind, board)
    desk.home.outbox.finish(actor.cause, board_place(kind, board))
    reader, ahead = desk.player_at(actor.account, request), waiting_for(actor.account, game)
    repeated = BoardNotice(reader, News.DONE_BEFORE, game, ahead=ahead)
    with desk.posting([repeated], request, actor.cause, NOWHERE):
        return Handled("done before", game.name)


def _players_of(game: Game, desk: Desk) -> Iterator[Account]:
    """Yield the accounts of both players, as far as they have one."""
    for userid in (game.x, game.o):
        if desk.has_account(userid):
            yield desk.account(userid)


def _changes_by(game: Game, desk: Desk) -> tuple[Change, ...]:
    """Return what a game that is over does to the ratings of its players."""
    if not is_rated(game):
        return ()
    for table in rate([*finished_games(desk.home), game]):
        for rated in table.games:
            if rated.game is game:
                return (rated.x, rated.o)
    return ()
