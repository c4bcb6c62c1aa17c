"""Accounts as values. Pure."""

from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime

from pbm_oust.accounts.address import ascii_address, is_same_address
from pbm_oust.board.notation import USERID
from pbm_oust.frozen import frozen

HOUSE = ("house", "house1", "house2", "house3")
"""The userids of the house players; the first plays as the second does."""
_HOUSE_SINCE = datetime(2026, 11, 23, tzinfo=UTC)
_NO_PASSWORD = "none"  # what is stored where no password is right # nosec B105


class BadAccount(ValueError):
    """What was to be an account and cannot be read; the message says why."""


@frozen
class Account:
    """A player: userid, the hash of the password, and the addresses that mail goes to."""

    userid: str
    password: str
    addresses: tuple[str, ...]
    joined: datetime
    message_key: str = ""
    """The message key of the signup, if a mail made the account."""
    kept: Mapping[str, object] = field(default_factory=dict, hash=False)
    """What the player has settled, kept for later or put off, by the names of the nouns.

    Only `Kept` looks in here. Nouns of which the account keeps nothing are left out.
    """
    version: int = field(default=0, compare=False)
    """What tells this state of the account from others; 0 for one that is not stored yet."""
    changed: datetime | None = field(default=None, compare=False)
    """When a command changed it last, if one has."""
    damaged: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Why nouns cannot be read that are stored, by their names: it seems to keep nothing of them.

    That is enough for what others do; the player acts once it is mended.
    """

    def has_address(self, address: str) -> bool:
        """Return whether this is one of the player's addresses, however it is written."""
        return any(is_same_address(address, own) for own in self.addresses)

    def has_exactly(self, address: str) -> bool:
        """Return whether this is one of the player's addresses, letter by letter of either case.

        A domain beyond ASCII is the same in both of its forms.
        """
        return ascii_address(address).lower() in (
            ascii_address(own).lower() for own in self.addresses
        )


def parse_userid(text: str) -> str:
    """Return a userid in its one form, lower case.

    Raises ValueError for what `notation.USERID` does not allow.
    """
    userid = text.lower()
    if not USERID.fullmatch(userid):
        raise ValueError(f"{text!r} is no userid")
    return userid


def house_account(userid: str) -> Account | None:
    """Return the account of a house player, which every home has; None for any other userid.

    It has no address and no password, so that nobody can be a house player.
    """
    return Account(userid, _NO_PASSWORD, (), _HOUSE_SINCE) if userid in HOUSE else None


def is_house(account: Account) -> bool:
    """Return whether an account is that of a house player, and not of a person with the userid."""
    return account.userid in HOUSE and not account.addresses
