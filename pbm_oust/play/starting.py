"""Starting a board: who may start one with whom, also with the house, and once for each mail."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial

from msgspec import Struct, structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.items import LIFETIME, Seek
from pbm_oust.board import Game, Header
from pbm_oust.board.reasons import SamePlayer
from pbm_oust.grammar.values import Filter
from pbm_oust.play.authentication import Disabled, of_boards, record, spend
from pbm_oust.play.finding import Wish, find_latest
from pbm_oust.play.notices import BoardNotice, News, Notice
from pbm_oust.play.request import Actor, Handled, Outcome, RefusedBefore
from pbm_oust.play.rulings import id_of, request_of
from pbm_oust.play.telling import answer_again, tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import accounts, index
from pbm_oust.store.boards import challenge_remark
from pbm_oust.store.configuration import House
from pbm_oust.store.home import Home
from pbm_oust.store.index import Source, count_active_against
from pbm_oust.store.limits import Charge, Counted
from pbm_oust.store.message_keys import outcome_of
from pbm_oust.store.open_boards import next_number, started_by


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
    kind: Kind,
    header: Callable[[int], Header],
    actor: Actor,
    work: UnitOfWork,
    ask: Callable[[], Handled],
) -> Handled:
    """Start a board and show it to both players, unless the mail has done so before.

    `header` is given the number of the new board. `ask` has the challenge confirmed, if it could be
    carried out and nothing proves whose it is. Raises NotAllowed.
    """
    done_before = answered_again(actor, work)
    if done_before:
        return done_before
    new = header(next_number(work.home, kind))
    if actor.is_proved:
        make = partial(BoardNotice, challenger=actor.userid)
        return write_board(new, actor, work, make=make)
    _new_game(new, actor, work)
    return ask()


def answered_again(actor: Actor, work: UnitOfWork) -> Handled | None:
    """Show a player the board that this mail started when it came before, if it did.

    Raises NotAllowed if it was refused then.
    """
    known = started_by(work.home, actor.message_key)
    if known:
        return answer_again(known, actor, work)
    if work.home.ask(outcome_of, actor.message_key):
        raise NotAllowed(RefusedBefore())
    return None


def write_board(
    header: Header,
    actor: Actor,
    work: UnitOfWork,
    *,
    source: Source | None = None,
    changed: Iterable[Account] = (),
    make: Callable[..., BoardNotice] = BoardNotice,
) -> Handled:
    """Write a new board and show it to both players.

    A board of the house has the terms that the configuration wants. `source` is what the board came
    from, if only one board may come from that. `changed` holds accounts that change with it. `make`
    makes the notices that show it. Raises NotAllowed if a player does not want to play.
    """
    game = _new_game(header, actor, work)
    other = game.opponent_of(actor.userid)
    if source is None and other not in HOUSE:
        spend([Charge(Counted.CHALLENGES_TO_ONE, f"{actor.userid}\0{other}")], work)
    notices = tell_players(
        game, News.STARTED, work, actor=actor.account, chat=work.request.chat, make=make
    )
    record(of_boards(1, actor.userid), work)
    return post_board(game, notices, actor.message_key, work, source=source, changed=changed)


def post_board(
    game: Game,
    notices: Iterable[Notice],
    key: str,
    work: UnitOfWork,
    *,
    source: Source | None = None,
    changed: Iterable[Account] = (),
) -> Handled:
    """Write a new board with the notices that show it.

    `key` is the message key of what started it. The rest is as in `write_board`.
    """
    with work.posting(notices):
        for account in changed:
            work.save(account)
        remarks = challenge_remark(key) + (source.remark if source else b"")
        work.home.do(work.home.boards.start, game, remarks)
    return Handled(Outcome.DONE, game.name)


def check_two(x: str, o: str) -> None:
    """Check that two userids are not the same. Raises NotAllowed."""
    if x == o:
        raise NotAllowed(SamePlayer(), x)


def _new_game(header: Header, actor: Actor, work: UnitOfWork) -> Game:
    """Return a new board that both players want to play. Raises NotAllowed."""
    game = Game.start(with_house_terms(header, work))
    for userid in (header.x, header.o):
        for objection in objections(work.account(userid), actor.userid, work.home):
            raise objection
    check_house(game, actor.userid, work)
    return game


def objections(challenged: Account, challenger: str, home: Home) -> Iterator[NotAllowed]:
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
    active = count_active(userid, home) if limit else 0
    if limit and active >= limit:
        yield NotAllowed(LimitReached(userid, limit, active), userid)


_LOOKED_AT = index.Window(100)
"""On how many of the latest boards, of a player and of all, opponents are looked for."""


def possible_opponents(challenger: str, work: UnitOfWork, most: int) -> list[str]:
    """Return players whom a player can challenge: earlier opponents, then others who play.

    Those of each come first who played last. They are at most so many, without the house.
    """
    kinds, asked, found = list(KINDS.values()), {challenger, *HOUSE}, list[str]()
    for players in ((challenger,), ()):
        latest = find_latest(work, Wish(kinds, players, Filter.ALL), _LOOKED_AT).boards
        for userid in (each for board in latest for each in (board.x, board.o)):
            account = None if userid in asked else work.account_if_any(userid)
            asked.add(userid)
            if account and not any(objections(account, challenger, work.home)):
                found.append(userid)
            if len(found) == most:
                return found
    return found


def count_active(userid: str, home: Home) -> int:
    """Return the number of a player's active boards; damaged ones are left out."""
    return home.ask(index.count_active, userid)


class HouseOff(NotAllowedReason, frozen=True):
    """The house does not play here."""


class HouseBusy(NotAllowedReason, frozen=True):
    """The player has as many boards against the house as they may have at once."""

    most: int


class HouseBoardTooLarge(NotAllowedReason, frozen=True):
    """The board has more cells than the house plays on."""

    cells: int
    most: int


def with_house_terms(header: Header, work: UnitOfWork) -> Header:
    """Return the header of a new board; one with the house is rated only where that is set."""
    if not _has_house(header, work) or work.home.configured.house is House.RATED:
        return header
    return structs.replace(header, terms=structs.replace(header.terms, rated=False))


def check_house(game: Game, challenger: str, work: UnitOfWork) -> None:
    """Check that the house plays a new board, if it is asked to. Raises NotAllowed."""
    header = game.header
    if not _has_house(header, work):
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


def _has_house(header: Header, work: UnitOfWork) -> bool:
    """Return whether a house player has a side of a board."""
    players = map(work.account_if_any, (header.x, header.o))
    return any(each and each.is_house for each in players)


def open_seeks(kinds: Iterable[Kind], work: UnitOfWork) -> list[tuple[Seek, str]]:
    """Return the open challenges of some games with the userids of those who made them."""
    since = work.now() - LIFETIME
    return [each for kind in kinds for each in work.home.ask(accounts.open_seeks, kind.name, since)]


def open_seeks_of(userid: str, work: UnitOfWork) -> list[Seek]:
    """Return the open challenges of a player; none of somebody who has signed off."""
    account = work.account_if_any(userid)
    return open_of(account, work.now()) if account and accounts.is_there(account) else []


def open_of(account: Account, now: datetime) -> list[Seek]:
    """Return the challenges of a player that are not too old."""
    return [each for each in account.seeks if each.is_open(now) and each.kind in KINDS]


_OVERRULED = (Rejected, LimitReached)
"""What players have settled about challenges of others does not hold for the operator."""


class SetUp(Struct, frozen=True):
    """A board that was set up."""

    game: Game
    overruled: tuple[NotAllowed, ...]
    """Why one of its players could not have challenged the other one."""


def set_up_board(
    kind: Kind, header: Callable[[UnitOfWork, int], Header], work: UnitOfWork, reason: str
) -> SetUp:
    """Set a board up and show it to both players; `reason` is what the operator writes to them.

    `header` is given the number of the board. Raises NotAllowed, also if a player has signed off or
    is disabled.
    """

    def deed(work: UnitOfWork) -> SetUp:
        game = Game.start(header(work, next_number(work.home, kind)))
        check_two(game.x, game.o)
        x, o = work.account(game.x), work.account(game.o)
        against = (*objections(x, o.userid, work.home), *objections(o, x.userid, work.home))
        for objection in against:
            if not isinstance(objection.reason, _OVERRULED):
                raise objection
        key = id_of(game.name, "challenge", game.x, game.o)
        work = work.answering(request_of(key))
        make = partial(BoardNotice, is_set_up=True)
        notices = tell_players(game, News.STARTED, work, actor=None, chat=reason, make=make)
        post_board(game, notices, key, work)
        return SetUp(game, against)

    return work.retried(deed)
