"""Sessions: who is signed in at the pages, as their browser keeps it. Pure.

    alice.1795392000.NAME.TOKEN

The number is the second in which it ends. The token is made from what stands in front of it and
from the player's password as it is stored, so that a new password ends all sessions. Nothing is
kept about a session, except that it has been ended before its time.
"""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Self

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.tags import TOKEN, is_token, token_for
from pbm_oust.board.game import AHEAD
from pbm_oust.board.notation import USERID
from dataclasses import dataclass
import re

LIFETIME = timedelta(days=28)
"""How long a session lasts. Message keys are kept longer, so none that was ended comes back."""

_NAME = "[a-z0-9]{16}"
_SESSION = re.compile(
    rf"(?P<userid>{USERID.pattern})\.(?P<ends>[0-9]{{1,10}})\.(?P<name>{_NAME})"
    rf"\.(?P<token>{TOKEN.pattern})"
)


@dataclass(frozen=True, slots=True)
class Session:
    """A player who is signed in, in one browser."""

    userid: str
    ends: datetime
    name: str
    """What tells it from other sessions: 16 letters and digits that nobody can foresee."""

    @classmethod
    def begin(cls, userid: str, now: datetime, name: str) -> Self:
        """Return a session that begins now."""
        return cls(userid, (now + LIFETIME).replace(microsecond=0), name)

    def parts(self) -> tuple[str, ...]:
        """Return what proves this session and no other, as words."""
        return ("session", self.userid, _seconds(self.ends), self.name)

    @property
    def key(self) -> str:
        """What it is known by once it has been ended, written like a message key."""
        return hashlib.sha256("\0".join(self.parts()).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class FormsOf:
    """The forms of a session: only a page that its player has got can hold their token."""

    session: Session

    @property
    def userid(self) -> str:
        """The player's userid."""
        return self.session.userid

    def parts(self) -> tuple[str, ...]:
        """Return what proves such a form and no other, as words."""
        return ("forms", *self.session.parts())


def format_session(session: Session, key: bytes, account: Account) -> str:
    """Return a session as a browser keeps it."""
    words = session.userid, _seconds(session.ends), session.name
    return ".".join((*words, token_for(key, account, session)))


def parse_session(text: str) -> tuple[Session, str] | None:
    """Return the session that a browser names, which is not proved yet, and its token; or None."""
    match = _SESSION.fullmatch(text)
    if match is None:
        return None
    ends = datetime.fromtimestamp(int(match["ends"]), UTC)
    return Session(match["userid"], ends, match["name"]), match["token"]


def is_proved(session: Session, token: str, key: bytes, account: Account, now: datetime) -> bool:
    """Return whether a token proves a session that has not ended by itself.

    One that ends later than any that begins now was begun by a wrong clock.
    """
    is_on = now < session.ends <= now + LIFETIME + AHEAD
    return is_on and is_token(token, key, account, session)


def _seconds(at: datetime) -> str:
    return str(int(at.timestamp()))
