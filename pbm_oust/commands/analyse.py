"""The command analyse: what a search says about a game that is over, in words.

It is mailed at once if it is kept, and otherwise as soon as the house has made it.
"""

from math import ceil

from pbm_oust.accounts.asks import Topic
from pbm_oust.board import Game, has_counted
from pbm_oust.board.reasons import OfBoard
from pbm_oust.grammar import values
from pbm_oust.grammar.form import AnsweredBy, Cost, Form
from pbm_oust.grammar.notation import Heading
from pbm_oust.play.context import Context, Outcome, answered
from pbm_oust.play.notices import AnalysisNotice, Notice
from pbm_oust.play.unit_of_work import ForPlayer
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.robot.analysis import SECONDS
from pbm_oust.rules import Kind
from pbm_oust.store.analyses import (
    MOST_WANTED,
    Obstacle,
    kept,
    obstacle_to,
    want,
    wanted_by,
)
from pbm_oust.store.index import BoardName

HEADING = Heading.LOOKING


class NotOver(OfBoard, NotAllowedReason, frozen=True):
    """The game goes on, and nobody is helped to play it."""


class NeverBegun(OfBoard, NotAllowedReason, frozen=True):
    """The game is over and counts as never begun."""


class NotSearched(OfBoard, NotAllowedReason, frozen=True):
    """The house does not analyse the game."""

    obstacle: Obstacle


class TooManyWanted(OfBoard, NotAllowedReason, frozen=True):
    """The player waits for as many analyses as anybody may."""

    names: tuple[str, ...]
    """The boards for whose analysis they wait."""


class AnalysisWantedNotice(Notice, frozen=True):
    """The house analyses a game for its reader as soon as it can."""

    game: Game
    minutes: int
    """How long that takes, once it has begun."""

    def topic(self) -> str:
        """Return what sets the letter apart from others about the board."""
        return f"{self.game.name}.analysis.wanted"


def analyse(on: Context, kind: Kind, board: int) -> Outcome:
    """Mail a player what a search says about a game, at once or as soon as it is made."""
    game, reader, userid = on.game(kind, board), on.reader_at(on.own), on.own.userid
    if not game.result:
        raise NotAllowed(NotOver(game))
    if not has_counted(game):
        raise NotAllowed(NeverBegun(game))
    if found := kept(on.snapshot, game):
        return answered(AnalysisNotice.of(reader, game, found), board=game.name)
    if obstacle := obstacle_to(game, on.home):
        raise NotAllowed(NotSearched(game, obstacle))
    name, waiting = BoardName.of(game.header), wanted_by(on.snapshot, userid)
    if name not in waiting and len(waiting) >= MOST_WANTED:
        raise NotAllowed(TooManyWanted(game, tuple(map(str, waiting))))
    want(on.transaction, name, userid, on.now)
    minutes = ceil((len(game.records) + 1) * SECONDS / 60)
    return answered(AnalysisWantedNotice(reader, game, minutes), board=game.name)


FORMS = (
    Form(
        "analyse",
        values.OF_BOARD,
        cost=Cost(work=2),
        answers={Topic.CHAT: AnsweredBy.NAME},
        run=ForPlayer(analyse, brings_back=False),
    ),
)
