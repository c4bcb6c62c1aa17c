"""The command analyse: what a search says about a game that is over, in words.

It is mailed at once if it is kept, and otherwise as soon as the house has made it.
"""

from enum import Enum
from math import ceil

from pbm_oust.board import Game, has_counted
from pbm_oust.board.reasons import OfBoard
from pbm_oust.grammar import values
from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.notation import Heading
from pbm_oust.play.notices import Notice, Reader, ShownBoard
from pbm_oust.play.request import Actor, Handled, Outcome
from pbm_oust.play.rulings import id_of, request_of
from pbm_oust.play.unit_of_work import ForPlayer, UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.robot.analysis import SECONDS, Analysis, Evaluation
from pbm_oust.robot.search import can_search, has_core
from pbm_oust.robot.turning import TurningPoint, explained
from pbm_oust.rules import Grid, Kind
from pbm_oust.store.analyses import (
    MOST_WANTED,
    forget_waiting,
    keep,
    kept,
    waiting_for,
    want,
    wanted_by,
)
from pbm_oust.store.index import BoardName
from pbm_oust.store.open_boards import read_game

HEADING = Heading.LOOKING


class NotOver(OfBoard, NotAllowedReason, frozen=True):
    """The game goes on, and nobody is helped to play it."""


class NeverBegun(OfBoard, NotAllowedReason, frozen=True):
    """The game is over and counts as never begun."""


class Obstacle(Enum):
    """Why nothing is searched."""

    OFF = "off"
    """The operator does not want it."""
    NO_CORE = "no_core"
    TOO_LARGE = "too_large"
    """The board has more cells than the house searches, or the house does not search the game."""


class NotSearched(OfBoard, NotAllowedReason, frozen=True):
    """The house does not analyse the game."""

    obstacle: Obstacle


class TooManyWanted(OfBoard, NotAllowedReason, frozen=True):
    """The player waits for as many analyses as anybody may."""

    names: tuple[str, ...]
    """The boards for whose analysis they wait."""


class AnalysisNotice(Notice, frozen=True):
    """What a search says about a game that is over."""

    game: Game
    first: Evaluation
    """What it says about the start."""
    last: Evaluation
    points: tuple[TurningPoint, ...]

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the board after each turning point."""
        return tuple(ShownBoard(self.game.after(each.number), False) for each in self.points)

    def topic(self) -> str:
        """Return what sets the letter apart from others about the board."""
        return f"{self.game.name}.analysis"


def notice_of(reader: Reader, game: Game, analysis: Analysis) -> AnalysisNotice:
    """Return what an analysis says about a game."""
    first, *_, last = analysis.evaluations
    points = tuple(explained(game, analysis))
    return AnalysisNotice(reader, game, first, last, points)


class AnalysisWantedNotice(Notice, frozen=True):
    """The house analyses a game for its reader as soon as it can."""

    game: Game
    minutes: int
    """How long that takes, once it has begun."""

    def topic(self) -> str:
        """Return what sets the letter apart from others about the board."""
        return f"{self.game.name}.analysis.wanted"


def analyse(actor: Actor, work: UnitOfWork, kind: Kind, board: int) -> Handled:
    """Mail a player what a search says about a game, at once or as soon as it is made."""
    game, reader = read_game(work.home, kind, board), work.player_at(actor.account)
    if not game.result:
        raise NotAllowed(NotOver(game))
    if not has_counted(game):
        raise NotAllowed(NeverBegun(game))
    if found := kept(work.home, game):
        return work.answer(notice_of(reader, game, found), Handled(Outcome.ANSWERED, game.name))
    if obstacle := _obstacle(game, work):
        raise NotAllowed(NotSearched(game, obstacle))
    name, waiting = BoardName.of(game.header), work.home.ask(wanted_by, actor.userid)
    if name not in waiting and len(waiting) >= MOST_WANTED:
        raise NotAllowed(TooManyWanted(game, tuple(map(str, waiting))))
    work.home.do(want, name, actor.userid, work.now())
    minutes = ceil((len(game.records) + 1) * SECONDS / 60)
    return work.answer(
        AnalysisWantedNotice(reader, game, minutes), Handled(Outcome.ANSWERED, game.name)
    )


def _obstacle(game: Game, work: UnitOfWork) -> Obstacle | None:
    configured, header = work.home.configured, game.header
    if not configured.house_analyses:
        return Obstacle.OFF
    if not has_core():
        return Obstacle.NO_CORE
    is_near = is_in_reach(header.kind, header.grid, configured.house_cells)
    return None if is_near else Obstacle.TOO_LARGE


def is_in_reach(kind: Kind, grid: Grid, most_cells: int) -> bool:
    """Return whether the house can analyse a game on a grid, if it has at most so many cells."""
    return grid.cells.bit_count() <= most_cells and can_search(kind.name, grid)


def publish(work: UnitOfWork, game: Game, analysis: Analysis) -> None:
    """Keep an analysis that has been made, and mail it to those who wait for it."""

    def deed(work: UnitOfWork) -> None:
        name = BoardName.of(game.header)
        work.home.do(keep, game, analysis)
        waiting = map(work.account_if_any, work.home.ask(waiting_for, name))
        told = [notice_of(work.player(each), game, analysis) for each in waiting if each]
        key = id_of("analysis", analysis.identity, work.now())
        with work.answering(request_of(key)).posting(told):
            work.home.do(forget_waiting, name)

    work.retried(deed)


FORMS = (
    Form(
        "analyse",
        values.OF_BOARD,
        cost=Cost(work=2),
        looks_back=True,
        run=ForPlayer(analyse, brings_back=False),
    ),
)
