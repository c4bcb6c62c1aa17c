"""What an answer to a letter means: the letter carries it, and the answer brings it back."""

from collections.abc import Iterable

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.answered import Answered, Purpose, Reply, Sheet
from pbm_oust.accounts.password import Secret
from pbm_oust.board.game import Game
from pbm_oust.board.summary import Summary, summary_of
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Verification:
    """The meaning of an answer that brings a code back."""

    code: Secret


@dataclass(frozen=True, slots=True)
class Unheard:
    """The meaning of an answer that nobody reads: it must not come back as a command."""


Meaning = Answered | Verification | Unheard


def turn_on(game: Game, userid: str) -> Reply:
    """Return the answer with which a player makes the next record of a board."""
    header = game.header
    return Reply(Purpose.PLAY, header.kind.name, header.board, game.next_number, userid)


def answer_on(game: Game, account: Account | None, purpose: Purpose | None = None) -> Reply | None:
    """Return what an answer to a letter about a board means; None for those who do not play there.

    Without a purpose, the answer does what is left to do on the board.
    """
    if account is None or game.side_of(account.userid) is None:
        return None
    usual = Purpose.CHAT if game.result else Purpose.PLAY
    return replace(turn_on(game, account.userid), purpose=purpose or usual)


def answer_instead(supposed: Game, account: Account | None) -> Reply | None:
    """Return what an answer means to a letter that shows a board with a supposed record."""
    reply = answer_on(supposed, account, Purpose.PLAY)
    return replace(reply, number=reply.number - 1) if reply else None


def sheet_of(boards: Iterable[Game | Summary], account: Account | None) -> Sheet | None:
    """Return what an answer means to a letter that shows several boards; None if to nothing.

    It covers those of the player's boards that go on, as the letter shows them.
    """
    if account is None:
        return None
    userid = account.userid
    summaries = (each if isinstance(each, Summary) else summary_of(each) for each in boards)
    positions = {
        each.name: Reply(Purpose.PLAY, each.kind.name, each.board, each.records + 1, userid)
        for each in summaries
        if each.result is None and userid in (each.x, each.o)
    }
    return Sheet(userid, tuple(positions.values())) if positions else None
