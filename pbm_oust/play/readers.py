"""In which language the mails of an address are answered."""

from pbm_oust.accounts.settings import settings_of
from pbm_oust.languages import Language
from pbm_oust.store.home import Home


def language_at(address: str, asked: Language, home: Home) -> Language:
    """Return what mails from an address are answered in: the language of the account it has.

    Where it has none, or several and one of them has the language that was asked for, it is that.
    """
    languages = [settings_of(account).language for account in home.accounts_at(address)]
    return asked if asked in languages or not languages else languages[0]
