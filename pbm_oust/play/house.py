"""What it takes to play against the house: that it plays at all, how many boards, and which."""

from pbm_oust.accounts.account import HOUSE, is_house
from pbm_oust.board.game import Game
from pbm_oust.board.header import Header
from dataclasses import dataclass, replace
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.store.board_queries import count_active_against
from pbm_oust.store.configuration import House


@dataclass(frozen=True, slots=True)
class HouseOff(NotAllowedReason):
    """The house does not play here."""


@dataclass(frozen=True, slots=True)
class HouseBusy(NotAllowedReason):
    """The player has as many boards against the house as they may have at once."""

    most: int


@dataclass(frozen=True, slots=True)
class HouseBoardTooLarge(NotAllowedReason):
    """The board has more cells than the house plays on."""

    cells: int
    most: int


def with_house_terms(header: Header, work: UnitOfWork) -> Header:
    """Return the header of a new board; one with the house is rated only where that is set."""
    if not house_of(header, work) or work.home.configured.house is House.RATED:
        return header
    return replace(header, terms=replace(header.terms, rated=False))


def check_house(game: Game, challenger: str, work: UnitOfWork) -> None:
    """Check that the house plays a new board, if it is asked to. Raises NotAllowed."""
    header = game.header
    if not house_of(header, work):
        return
    configured = work.home.configured
    if configured.house is House.OFF:
        raise NotAllowed(HouseOff())
    cells = header.grid.cells.bit_count()
    if cells > configured.house_cells:
        raise NotAllowed(HouseBoardTooLarge(cells, configured.house_cells))
    under_way = work.home.ask(count_active_against, challenger, HOUSE)
    if under_way >= configured.house_boards:
        raise NotAllowed(HouseBusy(configured.house_boards))


def house_of(header: Header, work: UnitOfWork) -> str:
    """Return the userid of a house player on a board; empty if there is none."""
    players = (work.account_if_any(userid) for userid in (header.x, header.o))
    return next((each.userid for each in players if each and is_house(each)), "")
