"""Passing texts on: chat on a board, and messages."""

from dataclasses import replace

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.advice import move_line
from pbm_oust.boards import read_game
from pbm_oust.commands.answers import read_answer
from pbm_oust.commands.masking import without_passwords
from pbm_oust.commands.play import Move
from pbm_oust.commands.talk import Chat, Message
from pbm_oust.game import Game
from pbm_oust.limits import Counted
from pbm_oust.membership import signed_off_since
from pbm_oust.notices import Told
from pbm_oust.players import Account
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.replying import Purpose


def chat(command: Chat, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Pass the text of a mail on to the other player of a board."""
    game = read_game(desk.home, command.kind, command.board)
    if game.side_of(actor.userid) is None:
        raise NotAllowed(Barred.NOT_ON_BOARD, game=game, userid=actor.userid)
    other = desk.account(game.o if game.x == actor.userid else game.x)
    text = _text(command, request, game)
    if actor.reply and desk.is_too_often(Counted.REMARK, actor.userid):
        return Handled("silent: too many answers that were to be passed on", game.name)
    return _pass_on(text, [other], game, actor, request, desk)


def message(command: Message, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Pass the text of a mail on to players."""
    players = [desk.account(userid) for userid in command.to]
    for player in players:
        if signed_off_since(player):
            raise NotAllowed(Barred.SIGNED_OFF, player.userid, own=player.userid == actor.userid)
    return _pass_on(_text(command, request, None), players, None, actor, request, desk)


def _text(command: Chat | Message, request: Request, game: Game | None) -> str:
    """Return what is to be passed on. Raises NotAllowed where nothing is written."""
    text = without_passwords(request.chat, command.password)
    if not text.strip():
        raise NotAllowed(Barred.NOTHING_WRITTEN, game=game)
    return text


def _pass_on(
    text: str, to: list[Account], game: Game | None, actor: Actor, request: Request, desk: Desk
) -> Handled:
    meant = _move_meant(text, game, actor) if game and not game.result else None
    reached = [(player.userid, desk.player(player)) for player in to]
    facts = {
        "game": game,
        "sender": actor.userid,
        "text": text,
        "meant": meant,
        "to": [userid for userid, reader in reached if reader.addresses],
        "lost": [userid for userid, reader in reached if not reader.addresses],
    }
    notices = [Told(reader, "talk", facts) for _, reader in reached if reader.addresses]
    done = Told(desk.player_at(actor.account, request), "talk_sent", facts)
    handled = Handled("passed on", game.name if game else "")
    return desk.do_once(notices, done, actor, request, handled)


def _move_meant(text: str, game: Game, actor: Actor) -> str | None:
    """Return the line that makes the move which an answer may have been meant for, or None.

    That is for an answer that goes to the other player and would be a move of the board's mail.
    """
    if actor.reply is None or actor.reply.purpose is not Purpose.CHAT:
        return None
    command = read_answer("", text, replace(actor.reply, purpose=Purpose.PLAY)).command
    return move_line(game, actor.userid, command.wish) if isinstance(command, Move) else None


SIGNED: dict[type, Action] = {Chat: chat, Message: message}
