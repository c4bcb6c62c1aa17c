"""Which letters can be answered, and what an answer to each of them is. Pure."""

from dataclasses import replace

from pbm_oust.accounts.tags import Purpose, Reply
from pbm_oust.board.game import Game
from pbm_oust.play.notices import BoardNotice, News, Notice, RefusalNotice, Told, game_of
from pbm_oust.play.request import Request


def reply_to(notice: Notice, request: Request, address: str) -> Reply | None:
    """Return what an answer to a letter about a notice is, where it counts as its reader's.

    That is so for letters about a board to one of its players, at an address of his account.
    """
    game, reader = game_of(notice), notice.reader
    account = reader.account
    if game is None or account is None or game.side_of(account.userid) is None:
        return None
    if not account.has_exactly(address):
        return None
    purpose, is_supposed = Purpose.CHAT if game.result else Purpose.PLAY, False
    match notice:
        case BoardNotice():
            is_supposed = notice.news is News.PREVIEW
            if notice.is_past:
                return None
        case RefusalNotice():
            is_supposed = bool(notice.supposed)
            if request.reply and request.reply.purpose is Purpose.CHAT:
                purpose = Purpose.CHAT
        case Told(about="talk" | "talk_sent"):
            purpose = Purpose.CHAT
        case Told(about="submitted" | "queued" | "note"):
            pass
        case _:
            return None
    if is_supposed:
        purpose = Purpose.PLAY
    number = game.next_number - is_supposed
    return replace(turn_of(game, account.userid), purpose=purpose, number=number)


def turn_of(game: Game, userid: str) -> Reply:
    """Return the answer that makes the next record of a board."""
    kind, board = game.header.kind.name, game.header.board
    return Reply(Purpose.PLAY, kind, board, game.next_number, userid)
