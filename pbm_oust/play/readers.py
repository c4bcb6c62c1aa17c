"""Who an address belongs to, and in which language its mails are answered."""

from collections.abc import Iterator
from contextlib import suppress

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.accounts.account_file import parse_account
from pbm_oust.accounts.settings import settings_of
from pbm_oust.languages import Language
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.home import Home


def accounts_at(address: str, home: Home) -> Iterator[Account]:
    """Yield the accounts that have an address, as far as they can be read."""
    for userid in home.userids():
        with suppress(NoSuchFile, BadAccount):
            account = parse_account(home.read_player(userid))
            if account.has_address(address):
                yield account


def language_at(address: str, asked: Language, home: Home) -> Language:
    """Return what mails from an address are answered in: the language of the account it has.

    Where it has none, or several and one of them has the language that was asked for, it is that.
    """
    languages = []
    for account in accounts_at(address, home):
        with suppress(BadAccount):
            languages.append(settings_of(account).language)
    return asked if asked in languages or not languages else languages[0]
