"""Readers: in which language they are answered, and at which addresses letters reach them."""

from collections.abc import Sequence

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.bounces import Returned
from pbm_oust.accounts.settings import USUAL, settings_of
from dataclasses import replace
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


def as_owner(reader: Reader, home: Home, userids: Sequence[str] = ()) -> Reader:
    """Return whoever wrote from an address as the player of the account that has it.

    Only what goes to that address may depend on it, for nothing proves who wrote. If several
    accounts have it, only one among some userids counts.
    """
    if reader.account:
        return reader
    found = home.accounts_at(reader.wrote_from)
    accounts = [account for account in found if account.has_exactly(reader.wrote_from)]
    named = [account for account in accounts if account.userid in userids]
    chosen = accounts if len(accounts) == 1 else named
    if len(chosen) != 1:
        return reader
    account = chosen[0]
    settings = replace(settings_of(account), language=reader.settings.language)
    return replace(reader, userid=account.userid, account=account, settings=settings)


def reachable(account: Account, addresses: tuple[str, ...], wrote_from: str, home: Home) -> Reader:
    """Return a player at those addresses from which letters do not bounce.

    The address that they wrote from is included, whatever bounced before.
    """
    returned = _returned(home, *addresses)
    lost = [each.address for each in returned if each.is_suspended]
    working = tuple(
        address
        for address in addresses
        if not any(is_same_address(address, other) for other in lost)
        or is_same_address(address, wrote_from)
    )
    settings = settings_of(account)
    return Reader(working, account.userid, wrote_from, returned, settings, account)


def _returned(home: Home, *addresses: str) -> tuple[Returned, ...]:
    found = (home.ask(bounces_of, address) for address in addresses)
    return tuple(each for each in found if each.bounces)
