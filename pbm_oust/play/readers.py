"""Readers: in which language they are answered, and at which addresses letters reach them."""

from dataclasses import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.bounces import Returned
from pbm_oust.accounts.settings import USUAL, settings_of
from pbm_oust.languages import Language
from pbm_oust.play.notices import Reader
from pbm_oust.store.bounces import bounces_of
from pbm_oust.store.home import Home


def language_at(address: str, asked: Language, home: Home) -> Language:
    """Return the language of the answers to an address: that of its account.

    The language that was asked for is taken if there is no account, or if there are several and
    one of them has it.
    """
    languages = [settings_of(account).language for account in home.accounts_at(address)]
    return asked if asked in languages or not languages else languages[0]


def stranger(address: str, asked: Language, home: Home) -> Reader:
    """Return whoever wrote from an address and has not proved to be a player."""
    settings = replace(USUAL, language=language_at(address, asked, home))
    return Reader((address,), None, address, _returned(home, address), settings)


def reachable(account: Account, addresses: tuple[str, ...], wrote_from: str, home: Home) -> Reader:
    """Return a player at those addresses from which letters do not bounce.

    The address that they wrote from is included, whatever bounced before.
    """
    returned = _returned(home, *addresses)
    lost = [each.address for each in returned if each.is_suspended]
    working = (
        address
        for address in addresses
        if is_same_address(address, wrote_from)
        or not any(is_same_address(address, other) for other in lost)
    )
    settings = settings_of(account)
    return Reader(tuple(working), account.userid, wrote_from, returned, settings, account)


def _returned(home: Home, *addresses: str) -> tuple[Returned, ...]:
    found = (home.ask(bounces_of, address) for address in addresses)
    return tuple(each for each in found if each.bounces)
