"""Proofs that an address is somebody's own: codes, what waits for one, and what was proved. Pure.

    Proved: NAME KEY

So it reads in an account what was proved for it: the name of the code and the message key of the
mail that asked for it.
"""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum

from pbm_oust.accounts.account import Account, Proof
from pbm_oust.accounts.address import normal_address
from pbm_oust.accounts.password import Secret
from pbm_oust.languages import ENGLISH, Language

LIFETIME = timedelta(days=3)
"""How long a code can come back."""
SIGN_IN_LIFETIME = timedelta(minutes=15)
"""How long one can that signs a player in."""
MOST_KEPT = 20
"""How many proofs an account keeps in mind, the latest ones."""
CODE = re.compile(r"[a-z2-7]{16}")
_CODE_BYTES = 10


class Purpose(Enum):
    """What happens when a code comes back."""

    SIGNUP = "signup"
    """An account is made, or a further address of its signup is added."""
    ADD = "add"
    CHANGE = "change"
    """The address takes the place of all others, or joins those that came by the same mail."""
    FORGOT = "forgot"
    """The account gets a new password."""
    CHALLENGE = "challenge"
    """A challenge is carried out that came from an address of the player, without any proof."""
    SIGN_IN = "sign-in"
    """The player is signed in at the pages; no mail brings this one back."""


@dataclass(frozen=True, slots=True)
class Pending:
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
    """The line of the challenge."""
    other: str = ""
    """The userid of the other player of the challenge."""

    @property
    def ends(self) -> datetime:
        """When its code counts no more."""
        is_short = self.purpose is Purpose.SIGN_IN
        return self.asked + (SIGN_IN_LIFETIME if is_short else LIFETIME)


def code_for(key: bytes, pending: Pending) -> str:
    """Return the code of something pending: the same whenever the same mail asks for it."""
    parts = (
        pending.purpose.value,
        pending.userid,
        normal_address(pending.address),
        pending.message_key,
    )
    digest = hmac.digest(key, "\0".join(("verify", *parts)).encode(), hashlib.sha256)
    return base64.b32encode(digest[:_CODE_BYTES]).decode().lower()


def name_of(code: Secret) -> str:
    """Return what a code is known by where it must not stand itself, written like a message key."""
    return hashlib.sha256(code.text.encode()).hexdigest()[:16]


def salt_for(key: bytes, userid: str, message_key: str = "") -> bytes:
    """Return the salt of a password: one request gives one hash, however often it comes.

    `message_key` is that of the mail that asks for another password than the first.
    """
    of = f"salt\0{userid}\0{message_key}" if message_key else f"salt\0{userid}"
    return hmac.digest(key, of.encode(), hashlib.sha256)[:16]


def with_proof(account: Account, proof: Proof) -> Account:
    """Return an account that keeps one more proof in mind."""
    return replace(account, verified=(*account.verified, proof)[-MOST_KEPT:])
