"""Open challenges: making one, withdrawing it, and joining one, which starts its board.

A remark of the new board says which challenge it takes. So a challenge is taken by the one write
that makes the board, whatever happens then, and a line of it that is left over does no harm.
"""

import hmac
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.actions.starting import started_by, write_board
from pbm_oust.actions.telling import answer_again
from pbm_oust.boards import seek_remark, seeks_taken
from pbm_oust.commands.seek import Join, OpenChallenge, Withdraw
from pbm_oust.game import Game
from pbm_oust.header import Header
from pbm_oust.membership import disabled_since, signed_off_since
from pbm_oust.notices import Told
from pbm_oust.players import Account, BadAccount
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind, Side
from pbm_oust.seeks import LIFETIME, MOST_SEEKS, Seek, last_numbers, seeks_of, with_seeks

Taken = dict[str, set[int]]
"""The numbers of open challenges that boards have taken, by the name of the game."""


def seek(command: OpenChallenge, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Keep an open challenge of a player until somebody joins it."""
    kind = command.kind
    if not kind.can_use(command.grid):
        raise NotAllowed(Barred.UNUSABLE_GRID, kind=kind, grid=command.grid)

    def change(account: Account) -> Account:
        taken = _taken(desk)
        kept = _open_of(account, taken, desk.now())
        if len(kept) >= MOST_SEEKS:
            raise NotAllowed(Barred.TOO_MANY_SEEKS, most=MOST_SEEKS)
        number = _next_number(kind, taken, desk)
        side, grid, terms = command.side, command.grid, command.terms
        return with_seeks(account, (*kept, Seek(number, kind.name, desk.now(), side, grid, terms)))

    return _change(change, command, actor, request, desk)


def withdraw(command: Withdraw, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Withdraw an open challenge of a player."""

    def change(account: Account) -> Account:
        seeks = _open_of(account, _taken(desk), desk.now())
        kept = [each for each in seeks if not each.is_named(command.kind.name, command.number)]
        if len(kept) == len(seeks):
            raise _no_such_seek(command)
        return with_seeks(account, kept)

    return _change(change, command, actor, request, desk)


def join(command: Join, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Start the board of an open challenge, which is taken by that."""
    kind = command.kind
    with desk.home.next_board(kind.name) as number:
        known = started_by(actor, kind, desk)
        if known:
            return answer_again(known, actor, request, desk)
        if desk.home.journal.ending(actor.cause):
            raise NotAllowed(Barred.REFUSED_BEFORE)
        with desk.home.locked_players():
            found, seeker = _find(command, desk)
            if seeker.userid == actor.userid:
                raise NotAllowed(Barred.OWN_SEEK, kind=kind, number=command.number)
            game = Game.start(_header(found, number, seeker, actor, desk))
            return write_board(game, seek_remark(found.number), actor, request, desk)


def open_seeks(kinds: list[Kind], desk: Desk) -> list[tuple[Seek, str]]:
    """Return the open challenges of some games with the userids of those who made them."""
    taken = _taken(desk)
    seeks = [
        (each, account)
        for account in _readable_accounts(desk)
        if not (signed_off_since(account) or disabled_since(account))
        for each in _open_of(account, taken, desk.now())
    ]
    return [
        (each, account.userid)
        for kind in kinds
        for each, account in sorted(seeks, key=lambda pair: pair[0].number)
        if each.kind == kind.name
    ]


def _change(
    change: Callable[[Account], Account],
    command: OpenChallenge | Withdraw,
    actor: Actor,
    request: Request,
    desk: Desk,
) -> Handled:
    """Change the challenges of a player, and tell him which are open."""
    is_made = isinstance(command, OpenChallenge)

    def tell(account: Account) -> tuple[Told, list[Told]]:
        seeks = [(each, account.userid) for each in _open_of(account, _taken(desk), desk.now())]
        facts = {"seeks": seeks, "is_made": is_made, "days": LIFETIME.days}
        return Told(desk.player_at(account, request), "sought", facts), []

    handled = Handled("sought" if is_made else "withdrawn")
    return desk.change_account(change, tell, actor, request, handled)


def _find(command: Join, desk: Desk) -> tuple[Seek, Account]:
    """Return an open challenge and who made it. Raises NotAllowed where there is none."""
    taken = _taken(desk)
    for account in _readable_accounts(desk):
        for each in _open_of(account, taken, desk.now()):
            if each.is_named(command.kind.name, command.number):
                return each, account
    raise _no_such_seek(command)


def _no_such_seek(command: Join | Withdraw) -> NotAllowed:
    kind, number = command.kind, command.number
    return NotAllowed(Barred.NO_SUCH_SEEK, kind=kind, number=number, days=LIFETIME.days)


def _header(seek: Seek, number: int, seeker: Account, joiner: Actor, desk: Desk) -> Header:
    """Return the header of the board that a challenge leads to."""
    side = seek.side or _lot(joiner, desk)
    x, o = seeker.userid, joiner.userid
    if side is Side.O:
        x, o = o, x
    return Header(KINDS[seek.kind], number, seek.grid, x, o, seek.terms, desk.now())


def _lot(joiner: Actor, desk: Desk) -> Side:
    """Return the side of the seeker by a lot that nobody else can foresee."""
    drawn = hmac.digest(desk.home.key(), joiner.cause.encode(), "sha256")
    return Side.O if drawn[0] % 2 else Side.X


def _next_number(kind: Kind, taken: Taken, desk: Desk) -> int:
    """Return a number that no challenge of a game was ever given, as far as one remembers it.

    Raises BadAccount for an account that cannot be read, for it may have the highest one.
    """
    given = {last_numbers(desk.account(userid)).get(kind.name, 0) for userid in desk.home.userids()}
    return 1 + max(given | taken[kind.name])


def _readable_accounts(desk: Desk) -> Iterator[Account]:
    """Yield the accounts whose challenges can be read; a damaged one keeps nobody from others."""
    for userid in desk.home.userids():
        with suppress(BadAccount, NotAllowed):
            account = desk.account(userid)
            seeks_of(account)
            yield account


def _open_of(account: Account, taken: Taken, now: datetime) -> list[Seek]:
    """Return the challenges of a player that wait: neither too old nor taken."""
    seeks = (each for each in seeks_of(account) if each.is_open(now) and each.kind in KINDS)
    return [each for each in seeks if each.number not in taken[each.kind]]


def _taken(desk: Desk) -> Taken:
    """Return the numbers of the challenges that boards have taken, by game."""
    since = desk.now() - LIFETIME
    return {name: seeks_taken(desk.home, kind, since) for name, kind in KINDS.items()}


SIGNED: dict[type, Action] = {OpenChallenge: seek, Withdraw: withdraw, Join: join}
