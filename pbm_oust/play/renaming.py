"""Players who get another userid: in all histories, and in the accounts of others.

It is done board by board, each written whole in one step, and the account goes last. A line in the
account says meanwhile which userid the player gets, so that whoever begins again after a crash goes
on with the same one.
"""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.accounts.account_file import FILED, format_account, parse_account
from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.merging import merged, with_renamed
from pbm_oust.accounts.status import becomes, is_placeholder, placeholder, to_be_told, with_becomes
from pbm_oust.board.game import Game
from pbm_oust.board.rename import userids_in
from pbm_oust.play.authentication import Disabled
from pbm_oust.play.letters import remove_letters
from pbm_oust.play.notices import Notice
from pbm_oust.play.request import Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import (
    DamagedHistory,
    each_userids,
    has_played,
    open_board,
    read_game,
)
from pbm_oust.store.recovery import removal_place


@dataclass(frozen=True, slots=True)
class RenamedNotice(Notice):
    """A player has another userid: the reader, or somebody with whom the reader plays."""

    template = "renamed"
    old: str
    new: str
    is_joined: bool
    """Whether the userid is that of another account of the player."""


def boards_of(userid: str, home: Home) -> list[tuple[Kind, int]]:
    """Return the boards in whose histories a userid stands."""
    return [(kind, board) for kind, board, userids in each_userids(home) if userid in userids]


def check_boards(userid: str, home: Home) -> None:
    """Make sure, before anything changes, that all boards of a player replay.

    Raises DamagedHistory.
    """
    for kind, board in boards_of(userid, home):
        read_game(home, kind, board)


def active_games(userid: str, home: Home) -> Iterator[Game]:
    """Yield the games that go on in which a player owns a side; damaged ones are left out."""
    for kind, board in boards_of(userid, home):
        with suppress(DamagedHistory, NotAllowed):
            game = read_game(home, kind, board)
            if game.result is None and game.side_of(userid):
                yield game


def rename_on_boards(old: str, new: str, home: Home) -> None:
    """Replace a userid in all histories. Raises DamagedHistory.

    The numbering of each kind is held meanwhile, so that no board begins unseen: whoever starts
    one looks at the accounts while he holds it.
    """
    for kind in KINDS.values():
        with home.next_board(kind.name):
            for board in home.boards(kind.name):
                if old in userids_in(home.read_history(kind.name, board)):
                    with open_board(home, kind, board) as opened:
                        opened.rename(old, new)


def mark_forgotten(userid: str, work: UnitOfWork) -> str:
    """Return the word that stands for a player from now on, and keep it in his account.

    Raises NotAllowed for one whom the operator is about to rename.
    """
    with work.home.locked_players():
        account = work.account(userid)
        word = becomes(account)
        if is_placeholder(word):
            return word
        if word:
            raise NotAllowed(Disabled(userid, own=True))
        taken = {each for _, _, userids in each_userids(work.home) for each in userids}
        taken.update(work.home.userids(), _promised(work.home))
        number = 1
        while (word := placeholder(number)) in taken:
            number += 1
        work.home.write_player(userid, format_account(with_becomes(account, word)))
        return word


def rename_elsewhere(old: str, new: str | None, home: Home) -> None:
    """Replace a userid in the accounts of others, or take it out. Accounts must be held."""
    for account in _accounts(home):
        with suppress(BadAccount):
            changed = with_renamed(account, old, new)
            if account.userid != old and changed != account:
                home.write_player(account.userid, format_account(changed))


def forget_addresses(account: Account, home: Home) -> None:
    """Forget what came back from a player's addresses, and the letters that wait for them.

    Addresses that somebody else has too are left alone.
    """
    others = [other for other in _accounts(home) if other.userid != account.userid]
    own = [
        address
        for address in account.addresses
        if not any(other.has_address(address) for other in others)
    ]
    for address in own:
        home.bounces.forget(address)
    remove_letters(home, lambda to: any(is_same_address(to, address) for address in own))


def _accounts(home: Home) -> Iterator[Account]:
    """Yield all accounts that can be read."""
    for userid in home.userids():
        with suppress(NoSuchFile, BadAccount):
            yield parse_account(home.read_player(userid))


def _promised(home: Home) -> Iterator[str]:
    """Yield the userids that players are about to get."""
    for account in _accounts(home):
        with suppress(BadAccount):
            yield becomes(account)


class CannotMove(Exception):
    """A player who cannot be renamed or joined so; the message says why. Nothing has changed."""


def rename_player(old: str, new: str, work: UnitOfWork) -> int:
    """Give a player another userid, and return on how many boards.

    Begun again after a crash, it finishes what is left. Raises CannotMove; NotAllowed where there
    is no such player; DamagedHistory for a board that has to be mended first.
    """
    check_boards(old, work.home)
    with work.home.locked_players():
        account = work.account(old)
        if not _is_begun(account, new, work):
            if work.has_account(new) or has_played(new, work.home):
                raise CannotMove(f"the userid {new} belongs to somebody already")
            renamed = with_becomes(replace(account, userid=new), "")
            # The new account is there first, so that nobody can take the userid meanwhile.
            work.home.write_player(new, format_account(renamed))
        _mark(account, new, work)
    return _move(account, new, "renamed", work)


def merge_players(old: str, into: str, work: UnitOfWork) -> int:
    """Make the boards and addresses of a player those of another, and return how many boards.

    Begun again after a crash, it finishes what is left. Raises as `rename_player` does.
    """
    if old == into:
        raise CannotMove("these are one account")
    check_boards(old, work.home)
    with work.home.locked_players():
        account, target = work.account(old), work.account(into)
        if becomes(account) not in ("", into) or becomes(target):
            raise CannotMove("one of them is about to get another userid; finish that first")
        _mark(account, into, work)
    both = [
        f"{kind.name} {board}"
        for kind, board, userids in each_userids(work.home)
        if {old, into} <= userids
    ]
    with work.home.locked_players():
        account, target = work.account(old), work.account(into)
        if both:
            work.home.write_player(old, format_account(with_becomes(account, "")))
            raise CannotMove(f"both have played on {', '.join(both)}")
        work.home.write_player(into, format_account(merged(target, account, FILED)))
    return _move(account, into, "merged", work)


def _is_begun(account: Account, new: str, work: UnitOfWork) -> bool:
    """Return whether an account has its copy under a new userid already. Raises CannotMove."""
    promised = becomes(account)
    if promised and promised != new:
        raise CannotMove(f"{account.userid} is about to become {promised}; finish that first")
    if not work.has_account(new):
        return False
    return bool(promised) or work.account(new).password == account.password


def _mark(account: Account, new: str, work: UnitOfWork) -> None:
    """Write down what userid a player is to have, and who has to be told, for now or later."""
    if becomes(account) != new:
        games = active_games(account.userid, work.home)
        owners = {userid for game in games for userid in (game.x, game.o)}
        marked = with_becomes(account, new, sorted(owners - {account.userid}))
        work.home.write_player(account.userid, format_account(marked))


def _move(account: Account, new: str, how: str, work: UnitOfWork) -> int:
    """Move a player's boards to another userid, tell all whom it concerns, remove the account."""
    old, home = account.userid, work.home
    count = len(boards_of(old, home))
    rename_on_boards(old, new, home)
    cause = hashlib.sha256(f"{how}\0{old}\0{new}\0{account.joined}".encode()).hexdigest()[:16]
    request = Request("", "", "", f"operator {cause}")
    with home.locked_players():
        rename_elsewhere(old, new, home)
        home.pending.forget_of(account, work.now())
        told = [new, *to_be_told(work.account(old))]
        readers = [work.player(work.account(userid)) for userid in told if work.has_account(userid)]
        notices = [
            RenamedNotice(reader, old, new, is_joined=how == "merged")
            for reader in readers
            if reader.addresses
        ]
        with work.posting(notices, request, cause, removal_place(old)):
            home.remove_player(old)
    return count
