"""Starting a board: who may start one with whom, also with the house."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial

from msgspec import structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.items import LIFETIME, Seek
from pbm_oust.board import Game, Header
from pbm_oust.board.reasons import SamePlayer
from pbm_oust.grammar.values import Filter
from pbm_oust.play.authentication import Disabled, note_charges, of_boards, spend
from pbm_oust.play.context import Context, Look, Outcome
from pbm_oust.play.finding import BoardSearch, find_latest
from pbm_oust.play.moving import come_back
from pbm_oust.play.notices import BoardNotice, News, Notice
from pbm_oust.play.request import Ending, id_of
from pbm_oust.play.telling import tell_players
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import accounts, index
from pbm_oust.store.boards import challenge_remark
from pbm_oust.store.configuration import House
from pbm_oust.store.index import Source, count_active_against
from pbm_oust.store.limits import Charge, Counted


class SignedOff(NotAllowedReason, frozen=True):
    """A player has signed off."""

    own: bool
    """Whether that player sent the command."""


class Rejected(NotAllowedReason, frozen=True):
    """A player takes no challenges from the challenger."""

    userid: str
    """The player."""
    challenger: str


class LimitReached(NotAllowedReason, frozen=True):
    """A player plays on as many boards as they want."""

    userid: str
    limit: int
    """The number they want."""
    active: int
    """The number they play on."""


def start_board(
    on: Context,
    header: Header,
    *,
    source: Source | None = None,
    make: Callable[..., BoardNotice] = BoardNotice,
    brings_back: bool = False,
) -> Outcome:
    """Start a board of the player and another one, and show it to both.

    A board of the house has the terms that the configuration wants. `source` is what the board came
    from, if only one board may come from that. `make` makes the notices that show it. `brings_back`
    says that the player may have signed off, and comes back. Raises NotAllowed if a player does not
    want to play.
    """
    game, userid = new_game(on, header, brings_back=brings_back), on.player.userid
    other = game.opponent_of(userid)
    if source is None and other not in HOUSE:
        spend(on, [Charge(Counted.CHALLENGES_TO_ONE, f"{userid}\0{other}")])
    chat = on.request.chat
    told = tell_players(on, game, News.STARTED, actor=on.own, chat=chat, make=make)
    note_charges(on, of_boards(1, userid))
    if brings_back:
        come_back(on, userid)
    return write_board(on, game, told, source=source)


def write_board(
    on: Context,
    game: Game,
    told: Iterable[Notice],
    *,
    source: Source | None = None,
    identity: str = "",
) -> Outcome:
    """Write a new board, with the notices that show it and the message key of what started it.

    `identity` is that key if the server starts the board. The rest is as in `start_board`.
    """
    remarks = challenge_remark(identity or on.key) + (source.remark if source else b"")
    on.home.boards.start(on.transaction, game, remarks)
    return Outcome(Ending.DONE, tuple(told), game.name, identity=identity)


def check_two(x: str, o: str) -> None:
    """Check that two userids are not the same. Raises NotAllowed."""
    if x == o:
        raise NotAllowed(SamePlayer(), x)


def new_game(on: Context, header: Header, *, brings_back: bool = False) -> Game:
    """Return the game of a new board, if the player and the other one want to play it.

    Raises NotAllowed as `start_board` does.
    """
    game, challenger = Game.start(with_house_terms(on, header)), on.player.userid
    for userid in (header.x, header.o):
        account = on.account(userid)
        if brings_back and userid == challenger:
            account = account.with_signed_off(None)
        for objection in objections(on, account, challenger):
            raise objection
    check_house(on, game, challenger)
    return game


def objections(on: Look, challenged: Account, challenger: str) -> Iterator[NotAllowed]:
    """Yield what speaks against putting a player on a board for a challenger.

    The player rejects the challenger, has signed off or plays on as many boards as they want, or
    their account is disabled.
    """
    userid = challenged.userid
    if challenged.signed_off_since:
        yield NotAllowed(SignedOff(own=userid == challenger), userid)
    if challenger in challenged.rejected:
        yield NotAllowed(Rejected(userid, challenger), userid)
    if challenged.disabled_since:
        yield NotAllowed(Disabled(userid, own=False), userid)
    limit = challenged.board_limit
    active = index.count_active(on.snapshot, userid) if limit else 0
    if limit and active >= limit:
        yield NotAllowed(LimitReached(userid, limit, active), userid)


_LOOKED_AT = index.Window(100)
"""On how many of the latest boards, of a player and of all, opponents are looked for."""


def possible_opponents(on: Look, challenger: str, most: int) -> list[str]:
    """Return players whom a player can challenge: earlier opponents, then others who play.

    Those of each come first who played last. They are at most so many, without the house.
    """
    kinds, asked, found = list(KINDS.values()), {challenger, *HOUSE}, list[str]()
    for players in ((challenger,), ()):
        search = BoardSearch(kinds, players, Filter.ALL)
        latest = find_latest(on, search, _LOOKED_AT).boards
        for userid in (each for board in latest for each in (board.x, board.o)):
            account = None if userid in asked else on.account_if_any(userid)
            asked.add(userid)
            if account and not any(objections(on, account, challenger)):
                found.append(userid)
            if len(found) == most:
                return found
    return found


class HouseOff(NotAllowedReason, frozen=True):
    """The house does not play here."""


class HouseBusy(NotAllowedReason, frozen=True):
    """The player has as many boards against the house as they may have at once."""

    most: int


class HouseBoardTooLarge(NotAllowedReason, frozen=True):
    """The board has more cells than the house plays on."""

    cells: int
    most: int


def with_house_terms(on: Look, header: Header) -> Header:
    """Return the header of a new board; one with the house is rated only where that is set."""
    if not _has_house(on, header) or on.home.configured.house is House.RATED:
        return header
    return structs.replace(header, terms=structs.replace(header.terms, rated=False))


def check_house(on: Look, game: Game, challenger: str) -> None:
    """Check that the house plays a new board, if it is asked to. Raises NotAllowed."""
    header = game.header
    if not _has_house(on, header):
        return
    configured = on.home.configured
    if configured.house is House.OFF:
        raise NotAllowed(HouseOff())
    cells = header.grid.cells.bit_count()
    if cells > configured.house_cells:
        raise NotAllowed(HouseBoardTooLarge(cells, configured.house_cells))
    under_way = count_active_against(on.snapshot, challenger, HOUSE)
    if under_way >= configured.house_boards:
        raise NotAllowed(HouseBusy(configured.house_boards))


def _has_house(on: Look, header: Header) -> bool:
    """Return whether a house player has a side of a board."""
    players = map(on.account_if_any, (header.x, header.o))
    return any(each and each.is_house for each in players)


def open_seeks(on: Look, kinds: Iterable[Kind]) -> list[tuple[Seek, str]]:
    """Return the open challenges of some games with the userids of those who made them."""
    since = on.now - LIFETIME
    return [each for kind in kinds for each in accounts.open_seeks(on.snapshot, kind.name, since)]


def open_seeks_of(on: Look, userid: str) -> list[Seek]:
    """Return the open challenges of a player; none of somebody who has signed off."""
    account = on.account_if_any(userid)
    return open_of(account, on.now) if account and accounts.is_there(account) else []


def open_of(account: Account, now: datetime) -> list[Seek]:
    """Return the challenges of a player that are not too old."""
    return [each for each in account.seeks if each.is_open(now) and each.kind in KINDS]


_OVERRULED = (Rejected, LimitReached)
"""What players have settled about challenges of others does not hold for the operator."""


class SetUp(Outcome, frozen=True, kw_only=True):
    """A board that was set up."""

    game: Game
    overruled: tuple[NotAllowed, ...]
    """Why one of its players could not have challenged the other one."""


def set_up_board(on: Context, header: Callable[[Context], Header], reason: str) -> SetUp:
    """Set a board up and show it to both players; `reason` is what the operator writes to them.

    `header` returns the header of the board. Raises NotAllowed, also if a player has signed off or
    is disabled.
    """
    game = Game.start(header(on))
    check_two(game.x, game.o)
    x, o = on.account(game.x), on.account(game.o)
    against = (*objections(on, x, o.userid), *objections(on, o, x.userid))
    for objection in against:
        if not isinstance(objection.reason, _OVERRULED):
            raise objection
    make = partial(BoardNotice, is_set_up=True)
    told = tell_players(on, game, News.STARTED, actor=None, chat=reason, make=make)
    key = id_of(game.name, "challenge", game.x, game.o)
    made = write_board(on, game, told, identity=key)
    return SetUp(made.ending, made.notices, made.board, identity=key, game=game, overruled=against)
