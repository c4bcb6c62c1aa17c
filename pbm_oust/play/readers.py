"""The language in which mails from an address are answered."""

from pbm_oust.accounts.settings import settings_of
from pbm_oust.languages import Language
from pbm_oust.store.home import Home


def language_at(address: str, asked: Language, home: Home) -> Language:
    """Return the language of the answers to an address: that of its account.

    The language that was asked for is taken if there is no account, or if there are several and
    one of them has it.
    """
    languages = [settings_of(account).language for account in home.accounts_at(address)]
    return asked if asked in languages or not languages else languages[0]
