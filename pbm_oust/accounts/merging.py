"""What becomes of accounts when players get other userids, or two accounts are made one. Pure."""

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.registry import KEPT, Nouns
from pbm_oust.frozen import replace


def with_renamed(account: Account, old: str, new: str | None, nouns: Nouns = KEPT) -> Account:
    """Return an account in which another player has a new userid; None: that player is gone.

    It is the same account where it does not speak of the player.
    """
    known = None if new == account.userid else new
    for noun in nouns:
        value = noun.of(account)
        renamed = noun.renamed(value, old, known)
        if renamed != value:
            account = noun.put(account, renamed)
    return account


def merged(account: Account, other: Account, nouns: Nouns = KEPT) -> Account:
    """Return an account that has the addresses of another and what that one kept, too."""
    added = (address for address in other.addresses if not account.has_address(address))
    both = replace(account, addresses=(*account.addresses, *added))
    for noun in nouns:
        both = noun.put(both, noun.merged(noun.of(account), noun.of(other)))
    without_other = with_renamed(both, other.userid, None, nouns)
    return with_renamed(without_other, account.userid, None, nouns)
