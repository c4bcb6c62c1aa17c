"""Players who get another userid: in all histories, and in the accounts of others.

It is done board by board, each written whole in one step, and the account goes last. A line in the
account says meanwhile which userid the player gets, so that whoever begins again after a crash goes
on with the same one.
"""

from collections.abc import Iterator
from contextlib import suppress

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.letters import remove_letters
from pbm_oust.boards import DamagedHistory, each_userids, open_board, read_game
from pbm_oust.disk import NoSuchFile
from pbm_oust.game import Game
from pbm_oust.home import Home
from pbm_oust.membership import becomes, is_placeholder, placeholder, with_becomes
from pbm_oust.players import Account, BadAccount, format_account, is_same_address, parse_account
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.rewriting import userids_in
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.willing import with_other_userid


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


def mark_forgotten(userid: str, desk: Desk) -> str:
    """Return the word that stands for a player from now on, and keep it in his account.

    Raises NotAllowed for one whom the operator is about to rename.
    """
    with desk.home.locked_players():
        account = desk.account(userid)
        word = becomes(account)
        if is_placeholder(word):
            return word
        if word:
            raise NotAllowed(Barred.DISABLED, userid=userid, own=True)
        taken = {each for _, _, userids in each_userids(desk.home) for each in userids}
        taken.update(desk.home.userids(), _promised(desk.home))
        number = 1
        while (word := placeholder(number)) in taken:
            number += 1
        desk.home.write_player(userid, format_account(with_becomes(account, word)))
        return word


def rename_elsewhere(old: str, new: str | None, home: Home) -> None:
    """Replace a userid in the accounts of others, or take it out. Accounts must be held."""
    for account in _accounts(home):
        with suppress(BadAccount):
            changed = with_other_userid(account, old, new)
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
