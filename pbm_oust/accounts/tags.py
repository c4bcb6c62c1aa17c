"""Tags, the words behind the + of our address, but for asks; codes, and sessions. Pure.

    pbmserv+verify.CODE@HOST
    pbmserv+bounces.TOKEN@HOST
    pbmserv+echo.NAME.TOKEN@HOST
    pbmserv+noreply@HOST

Letters leave with an envelope sender whose token is made from the recipient and the home's key, so
that nobody can have a player's mail suspended who has not got a letter to that player in hand.

A code proves that an address is somebody's own. What waits for one is kept until it comes back, and
then an account keeps in mind what was proved for it: the name of the code, and the message key of
the mail that asked for it.
"""

import hashlib
import hmac
import re
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Self

from msgspec import Struct

from pbm_oust.accounts import asks
from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import ascii_address, is_same_address, normal_address
from pbm_oust.accounts.asks import TOKEN, Claim, parse_claim, proof, tagged
from pbm_oust.accounts.password import Secret, masked
from pbm_oust.board.game import AHEAD
from pbm_oust.board.notation import USERID
from pbm_oust.languages import ENGLISH, Language

CODE_LIFETIME = timedelta(days=3)
"""How long a code can come back."""
SIGN_IN_LIFETIME = timedelta(minutes=15)
"""How long one can that signs a player in."""
CODE = TOKEN
"""A code is written as a token is."""


class Purpose(Enum):
    """The deeds that wait for a code."""

    SIGNUP = "signup"
    """An account is made, or a further address of its signup is added."""
    ADD = "add"
    CHANGE = "change"
    """The address takes the place of all others, or joins those that came by the same mail."""
    FORGOT = "forgot"
    """The account gets a new password."""
    UNPROVED = "challenge"
    """A command is done that came from an address of the player, without any proof.

    It may be one of several. The value is older than commands that are no challenges."""
    WORDS = "words"
    """The words of an answer go to the other player of a board; no code brings these back."""
    SIGN_IN = "sign-in"
    """The player is signed in at the pages; no mail brings this one back."""


class Pending(Struct, frozen=True):
    """Something that is done when the code comes back which was mailed to the address."""

    purpose: Purpose
    userid: str
    address: str
    """Where the code was mailed to; of FORGOT, the first address that it was mailed to."""
    asked: datetime
    message_key: str
    """The message key of the mail that asked for it."""
    password: str = ""
    """The hash of the password that an account to be made gets."""
    language: Language = ENGLISH
    """What the code is mailed in, and what an account to be made is written to in."""
    line: str = ""
    """The command that is not proved; several, a line each, if it has to be said which is meant.

    Of WORDS, these."""
    other: str = ""
    """The userid of the other player, if that is a challenge."""

    @property
    def ends(self) -> datetime:
        """The time from which its code counts no more."""
        is_short = self.purpose is Purpose.SIGN_IN
        return self.asked + (SIGN_IN_LIFETIME if is_short else CODE_LIFETIME)


def code_for(key: bytes, pending: Pending) -> str:
    """Return the code of something pending: the same whenever the same mail asks for it."""
    parts = (
        pending.purpose.value,
        pending.userid,
        normal_address(pending.address),
        pending.message_key,
    )
    return proof(key, "verify", *parts)


def name_of(code: Secret) -> str:
    """Return the name of a code for places where it must not stand; written like a message key."""
    return hashlib.sha256(code.text.encode()).hexdigest()[:16]


def salt_for(key: bytes, userid: str, message_key: str = "") -> bytes:
    """Return the salt of a password: one request gives one hash, however often it comes.

    `message_key` is that of the mail that asks for another password than the first.
    """
    of = f"salt\0{userid}\0{message_key}" if message_key else f"salt\0{userid}"
    return hmac.digest(key, of.encode(), hashlib.sha256)[:16]


_SEEN = re.compile(rf"{asks.ASK}(?:\.{asks.LETTER})?\.(?P<token>{TOKEN.pattern})", re.IGNORECASE)

_SEEN_BEHIND_A_WORD = re.compile(
    rf"(?:verify\.?|bounces\.|echo\.{CODE.pattern}\.)(?=({TOKEN.pattern}))", re.IGNORECASE
)


def without_tokens(text: str, instead: str) -> str:
    """Return a text with something else in the place of each token or code.

    It finds them in whatever they stand, and though they are broken.
    """
    text = masked(text, _SEEN, instead)
    return masked(text, _SEEN_BEHIND_A_WORD, instead, is_sure=False)


_BOUNCES = "bounces"


def envelope_sender(own_address: str, key: bytes, recipient: str) -> str:
    """Return the envelope sender of a letter, to which its bounces come."""
    return tagged(own_address, f"{_BOUNCES}.{bounce_token(key, recipient)}")


def bounce_token(key: bytes, recipient: str) -> str:
    """Return the token of the envelope sender of a letter, made from its recipient."""
    name = ascii_address(recipient).lower().replace('"', "")
    return proof(key, _BOUNCES, name)


def tag_of(address: str) -> str:
    """Return the tag of an address, in lower case: the words behind its last +."""
    return address.rpartition("@")[0].rpartition("+")[2].lower()


_VERIFICATION = "verify"


def verification_address(own_address: str, code: str) -> str:
    """Return the address whose mail brings a code back."""
    return tagged(own_address, f"{_VERIFICATION}.{code}")


_UNREAD_TAG = "noreply"


def unread_address(own_address: str) -> str:
    """Return the form of our address to which answers may go that nobody is to read."""
    return tagged(own_address, _UNREAD_TAG)


class Robotic(Enum):
    """The purposes of tags that take no command."""

    BOUNCES = _BOUNCES
    """Letters of ours come back to it."""
    UNREAD = _UNREAD_TAG
    """Answers go to it that nobody is to read."""


_ECHO = "echo"
_ECHO_TAG = re.compile(rf"{_ECHO}\.(?P<name>{CODE.pattern})\.(?P<token>{TOKEN.pattern})")


class Echo(Struct, frozen=True):
    """A trial mail of an operator that should come back, from its tag; not proved yet."""

    name: str
    """What tells it from others: 16 letters and digits."""
    token: str

    @classmethod
    def begin(cls, key: bytes, name: str) -> Self:
        """Return a trial that begins now."""
        return cls(name, proof(key, _ECHO, name))

    def is_proved(self, key: bytes) -> bool:
        """Return whether the owner of the home has begun it."""
        return hmac.compare_digest(Echo.begin(key, self.name).token, self.token)

    def address(self, own_address: str) -> str:
        """Return the address that a mail brings it back to."""
        return tagged(own_address, f"{_ECHO}.{self.name}.{self.token}")

    @property
    def message_key(self) -> str:
        """The key under which it is noted that it has come back."""
        return hashlib.sha256(f"{_ECHO}\0{self.name}".encode()).hexdigest()[:16]


Tag = Robotic | Secret | Echo | Claim
"""What a tag says: what it is for, a verification code, or whose answer a mail claims to be."""


def parse_tag(address: str, own_address: str) -> Tag | None:
    """Return the meaning of the tag of an address of ours, in either case; None without one."""
    if not is_same_address(address, own_address) or "+" not in address:
        return None
    tag = tag_of(address)
    if claim := parse_claim(tag):
        return claim
    name, _, rest = tag.partition(".")
    if name == _VERIFICATION and CODE.fullmatch(rest):
        return Secret(rest)
    if name == Robotic.BOUNCES.value:
        return Robotic.BOUNCES
    if found := _ECHO_TAG.fullmatch(tag):
        return Echo(found["name"], found["token"])
    return Robotic.UNREAD if tag == Robotic.UNREAD.value else None


def format_calendar(key: bytes, account: Account) -> str:
    """Return the name of a player's calendar, which nobody else can know."""
    token = proof(key, "reply", "calendar", account.userid, "", account.password)
    return f"{account.userid}.{token}"


SESSION_LIFETIME = timedelta(days=28)
"""How long a session lasts. Message keys are kept longer, so none that was ended comes back."""

_SESSION_NAME = "[a-z0-9]{16}"
_SESSION = re.compile(
    rf"(?P<userid>{USERID.pattern})\.(?P<ends>[0-9]{{1,10}})\.(?P<name>{_SESSION_NAME})"
    rf"\.(?P<token>{TOKEN.pattern})"
)


class SignIn(Struct, frozen=True):
    """A player who is signed in, in one browser."""

    userid: str
    ends: datetime
    name: str
    """What tells it from other sessions: 16 letters and digits that nobody can foresee."""

    @classmethod
    def begin(cls, userid: str, now: datetime, name: str) -> Self:
        """Return a session that begins now."""
        return cls(userid, (now + SESSION_LIFETIME).replace(microsecond=0), name)

    def parts(self) -> tuple[str, ...]:
        """Return the words from which the token of this session alone is made."""
        return ("session", self.userid, _seconds(self.ends), self.name)

    @property
    def key(self) -> str:
        """The key under which it is noted that it has ended, written like a message key."""
        return hashlib.sha256("\0".join(self.parts()).encode()).hexdigest()[:16]


def form_token(session: SignIn, key: bytes, account: Account) -> str:
    """Return the token of the forms of a session: only a page that its player has got has it."""
    return proof(key, "reply", "forms", *session.parts(), "", account.password)


def format_session(session: SignIn, key: bytes, account: Account) -> str:
    """Return a session as a browser keeps it."""
    words = session.userid, _seconds(session.ends), session.name
    return ".".join((*words, _session_token(session, key, account)))


def _session_token(session: SignIn, key: bytes, account: Account) -> str:
    return proof(key, "reply", *session.parts(), "", account.password)


def parse_session(text: str) -> tuple[SignIn, str] | None:
    """Return the session that a browser names, which is not proved yet, and its token; or None."""
    match = _SESSION.fullmatch(text)
    if match is None:
        return None
    ends = datetime.fromtimestamp(int(match["ends"]), UTC)
    return SignIn(match["userid"], ends, match["name"]), match["token"]


def proved_by(
    session: SignIn, token: str, key: bytes, account: Account, now: datetime
) -> Account | None:
    """Return the account that a token proves a session of, as it was when that began, or None.

    A session that ends later than any that begins now was begun by a wrong clock.
    """
    if not (now < session.ends <= now + SESSION_LIFETIME + AHEAD):
        return None
    for proving in account.proving if account.userid == session.userid else ():
        if hmac.compare_digest(_session_token(session, key, proving), token):
            return proving
    return None


def _seconds(at: datetime) -> str:
    return str(int(at.timestamp()))
