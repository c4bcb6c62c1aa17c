"""Tags: what stands behind the + of our address, and the tokens that prove an answer. Pure.

    pbmserv+oust.17.12.alice.TOKEN@HOST
    <oust.17.11.alice.NAME.TOKEN@HOST>
    pbmserv+verify.CODE@HOST
    pbmserv+bounces.TOKEN@HOST
    pbmserv+noreply@HOST

A letter about a board to one of its players has such a Reply-To and such a Message-ID. The address
names the record that an answer may make, which is the one behind the last that the letter shows;
the Message-ID names that last one. A token is made from all that stands in front of it, from what
the answer is for, and from the player's password as it is stored, so that a new password ends all
earlier tokens. Nothing is kept about them.

Letters leave with an envelope sender whose token is made from the recipient and the home's key, so
that nobody can have a player's mail suspended who has not got a letter to that player in hand.
"""

import base64
import hashlib
import hmac
import re
from enum import Enum

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.broken import masked
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.verification import CODE
from pbm_oust.board.notation import NUMBER, USERID
from pbm_oust.frozen import frozen

_TOKEN_BYTES = 10

TOKEN = re.compile(r"[a-z2-7]{16}")

LONGEST_LOCAL_PART = 64
"""RFC 5321, section 4.5.3.1.1."""

_BOARD = rf"([a-z]{{1,16}})\.({NUMBER.pattern})\.(0|{NUMBER.pattern})\.({USERID.pattern})"

_TAG = re.compile(rf"{_BOARD}\.({TOKEN.pattern})")

_MESSAGE_ID = re.compile(rf"<{_BOARD}\.([0-9a-f]{{12}})\.({TOKEN.pattern})@([^<>@\s]+)>")

_OTHER_ID = re.compile(r"<[a-z0-9_.-]+\.[0-9a-f]{16}")
"""The Message-ID of a letter that no answer refers to, without its host."""

_SEEN = re.compile(rf"{_BOARD}(?:\.[0-9a-f]{{12}})?\.({TOKEN.pattern})", re.IGNORECASE)

_SEEN_BEHIND_A_WORD = re.compile(rf"(?:verify\.?|bounces\.)(?=({TOKEN.pattern}))", re.IGNORECASE)


class Purpose(Enum):
    """What an answer to a letter is for."""

    PLAY = "play"
    """It does on the board what its player may do there."""
    CHAT = "chat"
    """Its text goes to the other player."""


@frozen
class Reply:
    """An answer of a player to a letter about one of their boards.

    One that comes with a mail has been verified; it stands where a command has its password.
    """

    purpose: Purpose
    kind: str
    board: int
    number: int
    """The number of the record that the answer may make."""
    userid: str


Credential = Secret | Reply
"""What proves whose command it is: a password, or the letter that is answered."""


@frozen
class Claim:
    """What an address or a Message-ID says that a mail answers, which is not proved yet."""

    kind: str
    board: int
    number: int
    userid: str
    token: str
    letter: str = ""
    """What tells a letter from others about the same record; empty in an address."""


def reply_address(own_address: str, reply: Reply, token: str) -> str:
    """Return the address of answers; an empty text where its local part would be too long."""
    own_local, _, host = own_address.rpartition("@")
    board = f"{reply.kind}.{reply.board}.{reply.number}.{reply.userid}"
    local = f"{own_local}+{board}.{token}"
    return f"{local}@{host}" if len(local) <= LONGEST_LOCAL_PART else ""


def letter_id(host: str, reply: Reply, letter: str, token: str) -> str:
    """Return the Message-ID of a letter; `letter` is what tells it from others, 12 hex digits."""
    return f"<{reply.kind}.{reply.board}.{reply.number - 1}.{reply.userid}.{letter}.{token}@{host}>"


def parse_letter_id(message_id: str, host: str) -> Claim | None:
    """Return what a Message-ID of ours says, in letters of either case; None for any other."""
    match = _MESSAGE_ID.fullmatch(message_id.lower())
    if not match or match[7] != host.lower():
        return None
    kind, board, number, userid, letter, token, _ = match.groups()
    return Claim(kind, int(board), int(number) + 1, userid, token, letter)


def is_own_id(message_id: str, host: str) -> bool:
    """Return whether a Message-ID has one of the forms that our letters have."""
    begun = message_id.lower().removesuffix(f"@{host.lower()}>")
    return bool(_OTHER_ID.fullmatch(begun) or parse_letter_id(message_id, host))


def token_for(key: bytes, account: Account, reply: Reply, letter: str = "") -> str:
    """Return the token of an answer, or of the letter that it answers."""
    parts = (
        "letter" if letter else "reply",
        reply.purpose.value,
        reply.kind,
        str(reply.board),
        str(reply.number),
        reply.userid,
        letter,
        account.password,
    )
    digest = hmac.digest(key, "\0".join(parts).encode(), hashlib.sha256)
    return base64.b32encode(digest[:_TOKEN_BYTES]).decode().lower()


def verified(claim: Claim, key: bytes, account: Account) -> Reply | None:
    """Return the answer that a claim proves to be one of a player, or None."""
    for purpose in Purpose:
        reply = Reply(purpose, claim.kind, claim.board, claim.number, claim.userid)
        token = token_for(key, account, reply, claim.letter)
        if account.userid == claim.userid and hmac.compare_digest(token, claim.token):
            return reply
    return None


def without_tokens(text: str, instead: str) -> str:
    """Return a text with something else in the place of each token or code.

    It finds them in whatever they stand, and though they are broken.
    """
    text = masked(text, _SEEN, instead)
    return masked(text, _SEEN_BEHIND_A_WORD, instead, is_sure=False)


_BOUNCES = "bounces"

_BOUNCE_BYTES = 10


def envelope_sender(own_address: str, key: bytes, recipient: str) -> str:
    """Return the address that a letter to `recipient` comes back to."""
    local, _, host = own_address.rpartition("@")
    return f"{local}+{_BOUNCES}.{bounce_token(key, recipient)}@{host}"


def bounce_token(key: bytes, recipient: str) -> str:
    """Return the token that a letter to a recipient comes back with."""
    digest = hmac.digest(
        key, f"{_BOUNCES}\0{recipient.lower()}".encode("utf-8", "replace"), hashlib.sha256
    )
    return base64.b32encode(digest[:_BOUNCE_BYTES]).decode().lower()


def tag_of(address: str) -> str:
    """Return what stands behind the last + of an address, in lower case."""
    return address.rpartition("@")[0].rpartition("+")[2].lower()


_VERIFICATION = "verify"


def verification_address(own_address: str, code: str) -> str:
    """Return the address whose mail brings a code back."""
    local, _, host = own_address.rpartition("@")
    return f"{local}+{_VERIFICATION}.{code}@{host}"


_UNREAD_TAG = "noreply"


def unread_address(own_address: str) -> str:
    """Return the form of our address to which answers may go that nobody is to read."""
    local, _, host = own_address.rpartition("@")
    return f"{local}+{_UNREAD_TAG}@{host}"


class Robotic(Enum):
    """What a tag is for that no command comes to."""

    BOUNCES = _BOUNCES
    """Letters of ours come back to it."""
    UNREAD = _UNREAD_TAG
    """Answers go to it that nobody is to read."""


Tag = Robotic | Secret | Claim
"""What a tag says: what it is for, a verification code, or whose answer a mail claims to be."""


def parse_tag(address: str, own_address: str) -> Tag | None:
    """Return what the tag of an address of ours says, in letters of either case; None for none."""
    if not is_same_address(address, own_address) or "+" not in address:
        return None
    tag = tag_of(address)
    match = _TAG.fullmatch(tag)
    if match:
        kind, board, number, userid, token = match.groups()
        return Claim(kind, int(board), int(number), userid, token)
    name, _, rest = tag.partition(".")
    if name == _VERIFICATION and CODE.fullmatch(rest):
        return Secret(rest)
    if name == Robotic.BOUNCES.value:
        return Robotic.BOUNCES
    return Robotic.UNREAD if tag == Robotic.UNREAD.value else None
