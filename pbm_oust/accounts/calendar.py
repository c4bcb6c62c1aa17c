"""The name of a player's calendar, which is a proof. Pure.

    alice.TOKEN

The token is made from the userid and from the password as it is stored, so that a new password ends
it. Nothing is kept about it.
"""

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.tags import TOKEN, token_for
from pbm_oust.board.notation import USERID
from dataclasses import dataclass
import re

_NAME = re.compile(rf"(?P<userid>{USERID.pattern})\.(?P<token>{TOKEN.pattern})")


@dataclass(frozen=True, slots=True)
class CalendarOf:
    """The calendar of a player."""

    userid: str

    def parts(self) -> tuple[str, ...]:
        """Return what proves that somebody may see it, as words."""
        return ("calendar", self.userid)


def format_calendar(key: bytes, account: Account) -> str:
    """Return the name of a player's calendar."""
    return f"{account.userid}.{token_for(key, account, CalendarOf(account.userid))}"


def parse_calendar(name: str) -> tuple[CalendarOf, str] | None:
    """Return the calendar with a name, which is not proved yet, and its token; or None."""
    match = _NAME.fullmatch(name)
    return (CalendarOf(match["userid"]), match["token"]) if match else None
