"""Tags: what stands behind the + of our address, and the tokens that prove an answer. Pure.

    pbmserv+oust.17.12.alice.TOKEN@HOST
    <oust.17.11.alice.NAME.TOKEN@HOST>
    pbmserv+sheet.ID.alice.TOKEN@HOST
    <sheet.ID.alice.NAME.TOKEN@HOST>
    pbmserv+to.bob.alice.TOKEN@HOST
    <to.bob.alice.NAME.TOKEN@HOST>
    pbmserv+join.oust.3.alice.TOKEN@HOST
    pbmserv+puzzle.oust.7.alice.TOKEN@HOST
    <puzzle.oust.7.alice.NAME.TOKEN@HOST>
    pbmserv+tournament.oust.3.alice.TOKEN@HOST
    <tournament.oust.3.alice.NAME.TOKEN@HOST>
    pbmserv+ladder.oust.1.alice.TOKEN@HOST
    <ladder.oust.1.alice.NAME.TOKEN@HOST>
    pbmserv+off.broadcasts.alice.TOKEN@HOST
    pbmserv+verify.CODE@HOST
    pbmserv+bounces.TOKEN@HOST
    pbmserv+echo.NAME.TOKEN@HOST
    pbmserv+noreply@HOST

A letter about a board to one of its players has such a Reply-To and such a Message-ID. The address
names the record that an answer may make, which is the one behind the last that the letter shows;
the Message-ID names that last one. A token is made from all that stands in front of it, from what
the answer is for, and from the player's password as it is stored, so that a new password ends all
earlier tokens. Nothing is kept about them.

A letter to a player that shows several boards has the others: the home keeps which positions it
shows, as the sheet with that ID. An answer to what bob has written to alice goes to bob. A mail to
the address with `join` joins the open challenge oust 3, one to that with `puzzle` answers a puzzle,
one to that with `tournament` enters a tournament or leaves it, one to that with `ladder` does the
same with a ladder, and one to that with `off` ends mails to everybody for alice.

Letters leave with an envelope sender whose token is made from the recipient and the home's key, so
that nobody can have a player's mail suspended who has not got a letter to that player in hand.

A code proves that an address is somebody's own. What waits for one is kept until it comes back, and
then an account keeps in mind what was proved for it: the name of the code, and the message key of
the mail that asked for it.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import ClassVar, Self, TypeVar

from msgspec import Struct, structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import ascii_address, is_same_address, normal_address
from pbm_oust.accounts.password import Secret, masked
from pbm_oust.board.game import AHEAD
from pbm_oust.board.notation import NUMBER, USERID
from pbm_oust.languages import ENGLISH, Language

T = TypeVar("T")

CODE_LIFETIME = timedelta(days=3)
"""How long a code can come back."""
SIGN_IN_LIFETIME = timedelta(minutes=15)
"""How long one can that signs a player in."""
CODE = re.compile(r"[a-z2-7]{16}")


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
    """The line of the challenge."""
    other: str = ""
    """The userid of the other player of the challenge."""

    @property
    def ends(self) -> datetime:
        """When its code counts no more."""
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
    return _proof(key, "verify", *parts)


def _proof(key: bytes, *parts: str) -> str:
    """Return 16 letters and digits that only the key and some words lead to."""
    words = "\0".join(parts).encode("utf-8", "replace")
    return base64.b32encode(hmac.digest(key, words, hashlib.sha256)[:10]).decode().lower()


def name_of(code: Secret) -> str:
    """Return what a code is known by where it must not stand itself, written like a message key."""
    return hashlib.sha256(code.text.encode()).hexdigest()[:16]


def salt_for(key: bytes, userid: str, message_key: str = "") -> bytes:
    """Return the salt of a password: one request gives one hash, however often it comes.

    `message_key` is that of the mail that asks for another password than the first.
    """
    of = f"salt\0{userid}\0{message_key}" if message_key else f"salt\0{userid}"
    return hmac.digest(key, of.encode(), hashlib.sha256)[:16]


class AnswerPurpose(Enum):
    """What an answer to a letter about one board is for."""

    PLAY = "play"
    """It does on the board what its player may do there."""
    CHAT = "chat"
    """Its text goes to the other player."""


class Reply(Struct, frozen=True):
    """An answer of a player to a letter about one of their boards.

    One that comes with a mail has been verified; it stands where a command has its password.
    """

    purpose: AnswerPurpose
    kind: str
    board: int
    number: int
    """The number of the record that the answer may make."""
    userid: str

    @property
    def word(self) -> str:
        """What the answer is for."""
        return self.purpose.value

    @property
    def name(self) -> str:
        """The name of the board: `oust 17`."""
        return f"{self.kind} {self.board}"

    @property
    def tag(self) -> str:
        """What an address says about it."""
        return f"{self.kind}.{self.board}.{self.number}.{self.userid}"

    def parts(self) -> tuple[str, ...]:
        """Return what proves such an answer and no other, as words."""
        return (self.purpose.value, self.kind, str(self.board), str(self.number), self.userid)


class SheetReply(Struct, frozen=True):
    """An answer of a player to a letter that shows several of their boards."""

    userid: str
    positions: tuple[Reply, ...]
    """What the answer may do on each of them, in the order of the letter."""
    word: ClassVar[str] = "boards"

    @property
    def id(self) -> str:
        """What tells it from other sheets of its player: eight letters and digits."""
        digest = hashlib.sha256("\0".join(self.parts()).encode()).digest()
        return base64.b32encode(digest[:5]).decode().lower()

    @property
    def tag(self) -> str:
        """What an address says about it."""
        return f"{_SHEET}.{self.id}.{self.userid}"

    def parts(self) -> tuple[str, ...]:
        """Return what proves such an answer and no other, as words."""
        return ("sheet", self.userid, self.text)

    @property
    def text(self) -> str:
        """The positions as they are kept: `oust.17.12 churn.3.5`."""
        return " ".join(f"{at.kind}.{at.board}.{at.number}" for at in self.positions)


class Correspondence(Struct, frozen=True):
    """An answer of a player to what another one has written to them, on no board."""

    userid: str
    to: str
    """The userid of the other player."""
    word: ClassVar[str] = "message"

    @property
    def tag(self) -> str:
        """What an address says about it."""
        return f"{_TO}.{self.to}.{self.userid}"

    def parts(self) -> tuple[str, ...]:
        """Return what proves such an answer and no other, as words."""
        return ("to", self.userid, self.to)


class Numbered(Struct, frozen=True):
    """A mail of a player about something of a game that has a number."""

    userid: str
    kind: str
    number: int
    word: ClassVar[str]

    @property
    def tag(self) -> str:
        """What an address says about it."""
        return f"{self.word}.{self.kind}.{self.number}.{self.userid}"

    def parts(self) -> tuple[str, ...]:
        """Return what proves such a mail and no other, as words."""
        return (self.word, self.userid, self.kind, str(self.number))


class Joining(Numbered, frozen=True):
    """A mail of a player that joins an open challenge, by a link in a letter that lists it."""

    word: ClassVar[str] = "join"


class Solving(Numbered, frozen=True):
    """An answer of a player to a letter that shows a puzzle."""

    word: ClassVar[str] = "puzzle"


class Entering(Numbered, frozen=True):
    """A mail of a player that answers a letter about a tournament: it enters that, or leaves it."""

    word: ClassVar[str] = "tournament"


class Climbing(Numbered, frozen=True):
    """A mail of a player that answers a letter about a ladder; each game has one, its number 1."""

    word: ClassVar[str] = "ladder"


class Unsubscribing(Struct, frozen=True):
    """A mail of a player that ends letters of one sort, to an address in the head of one of them.

    What it says does not matter, for programs write it.
    """

    userid: str
    what: str
    """BROADCASTS, DIGEST, or the name of a board that the player watches."""
    word: ClassVar[str] = "off"

    @property
    def tag(self) -> str:
        """What an address says about it."""
        return f"{_OFF}.{self.what.replace(' ', '.')}.{self.userid}"

    def parts(self) -> tuple[str, ...]:
        """Return what proves such a mail and no other, as words."""
        return ("off", self.userid, self.what)


BROADCASTS, DIGEST = "broadcasts", "digest"
"""What goes to everybody, and what comes once a day."""

Answered = Reply | SheetReply | Correspondence | Numbered | Unsubscribing
"""The letter that a mail answers."""


TOKEN = CODE
"""A token is written as a code is."""

LONGEST_LOCAL_PART = 64
"""RFC 5321, section 4.5.3.1.1."""

_SHEET, _TO, _OFF = "sheet", "to", "off"
_NUMBERED: Mapping[str, type[Numbered]] = {
    each.word: each for each in (Joining, Solving, Entering, Climbing)
}

_KIND, _NUMBER, _USERID = "[a-z]{1,16}", NUMBER.pattern, USERID.pattern
_WORD = "|".join(_NUMBERED)
_ANSWERED = (
    rf"(?P<said>{_KIND}\.{_NUMBER}\.(?:0|{_NUMBER})\.{_USERID}|{_SHEET}\.[a-z2-7]{{8}}\.{_USERID}"
    rf"|{_TO}\.{_USERID}\.{_USERID}|(?:{_WORD})\.{_KIND}\.{_NUMBER}\.{_USERID}"
    rf"|{_OFF}\.(?:{BROADCASTS}|{DIGEST}|{_KIND}\.{_NUMBER})\.{_USERID})"
)
_LETTER, _TOKEN = "[0-9a-f]{12}", rf"(?P<token>{TOKEN.pattern})"

_TAG = re.compile(rf"{_ANSWERED}\.{_TOKEN}")

_MESSAGE_ID = re.compile(rf"<{_ANSWERED}\.(?P<letter>{_LETTER})\.{_TOKEN}@(?P<host>[^<>@\s]+)>")

_OTHER_ID = re.compile(r"<[a-z0-9_.-]+\.[0-9a-f]{16}")
"""The Message-ID of a letter that no answer refers to, without its host."""

_SEEN = re.compile(rf"{_ANSWERED}(?:\.{_LETTER})?\.{_TOKEN}", re.IGNORECASE)

_SEEN_BEHIND_A_WORD = re.compile(
    rf"(?:verify\.?|bounces\.|echo\.{CODE.pattern}\.)(?=({TOKEN.pattern}))", re.IGNORECASE
)


Credential = Secret | Reply | Correspondence | Joining | Entering | Climbing | Unsubscribing
"""What proves whose command it is: a password, the letter that is answered, or a link in one."""


class SheetClaim(Struct, frozen=True):
    """That a mail answers a letter that shows several boards."""

    sheet: str
    userid: str


Claimed = Reply | SheetClaim | Correspondence | Numbered | Unsubscribing
"""What a mail may be; what an answer about a board is for is not known yet."""


class Claim(Struct, frozen=True):
    """What an address or a Message-ID says that a mail answers, which is not proved yet."""

    of: Claimed
    token: str
    letter: str = ""
    """What tells a letter from others like it; empty in an address."""


def reply_address(own_address: str, answered: Answered, token: str) -> str:
    """Return the address of answers; an empty text where its local part would be too long."""
    address = _tagged(own_address, f"{answered.tag}.{token}")
    return address if len(address.rpartition("@")[0]) <= LONGEST_LOCAL_PART else ""


def letter_id(host: str, answered: Answered, letter: str, token: str) -> str:
    """Return the Message-ID of a letter; `letter` is what tells it from others, 12 hex digits."""
    return f"<{_with_number(answered, -1).tag}.{letter}.{token}@{host}>"


def _with_number(said: T, more: int) -> T:
    """Return an answer with another number of a record, if it has one.

    A letter shows the record before that which its answer may make.
    """
    return structs.replace(said, number=said.number + more) if isinstance(said, Reply) else said


def parse_letter_id(message_id: str, host: str) -> Claim | None:
    """Return what a Message-ID of ours says, in letters of either case; None for any other."""
    match = _MESSAGE_ID.fullmatch(message_id.lower())
    if not match or match["host"] != host.lower():
        return None
    return Claim(_with_number(_claimed(match["said"]), 1), match["token"], match["letter"])


def _claimed(said: str) -> Claimed:
    """Return what an address or a Message-ID says is answered."""
    match said.split("."):
        case ["sheet", sheet, userid]:
            return SheetClaim(sheet, userid)
        case ["to", to, userid]:
            return Correspondence(userid, to)
        case [word, kind, number, userid] if word in _NUMBERED:
            return _NUMBERED[word](userid, kind, int(number))
        case ["off", *what, userid]:
            return Unsubscribing(userid, " ".join(what))
    kind, board, number, userid = said.split(".")
    return Reply(AnswerPurpose.PLAY, kind, int(board), int(number), userid)


def is_own_id(message_id: str, host: str) -> bool:
    """Return whether a Message-ID has one of the forms that our letters have."""
    begun = message_id.lower().removesuffix(f"@{host.lower()}>")
    return bool(_OTHER_ID.fullmatch(begun) or parse_letter_id(message_id, host))


def token_for(key: bytes, account: Account, proved: "Answered | SignIn", letter: str = "") -> str:
    """Return the token of an answer, or of the letter that it answers; or of a session."""
    parts = ("letter" if letter else "reply", *proved.parts(), letter, account.password)
    return _proof(key, *parts)


def is_token(
    token: str, key: bytes, account: Account, proved: "Answered | SignIn", letter: str = ""
) -> bool:
    """Return whether a token proves what it is said to prove, and that it is the account's."""
    right = token_for(key, account, proved, letter)
    return account.userid == proved.userid and hmac.compare_digest(right, token)


def verified(
    claim: Claim, key: bytes, account: Account, sheet: SheetReply | None = None
) -> Answered | None:
    """Return the answer that a claim proves a mail to be, or None.

    `sheet` is the one with the ID that the claim names, if it names one and that is known.
    """
    meant: tuple[Answered, ...]
    match claim.of:
        case Reply():
            meant = tuple(structs.replace(claim.of, purpose=each) for each in AnswerPurpose)
        case SheetClaim():
            meant = (sheet,) if sheet else ()
        case _:
            meant = (claim.of,)
    proved = (each for each in meant if is_token(claim.token, key, account, each, claim.letter))
    return next(proved, None)


def without_tokens(text: str, instead: str) -> str:
    """Return a text with something else in the place of each token or code.

    It finds them in whatever they stand, and though they are broken.
    """
    text = masked(text, _SEEN, instead)
    return masked(text, _SEEN_BEHIND_A_WORD, instead, is_sure=False)


_BOUNCES = "bounces"


def envelope_sender(own_address: str, key: bytes, recipient: str) -> str:
    """Return the address that a letter to `recipient` comes back to."""
    return _tagged(own_address, f"{_BOUNCES}.{bounce_token(key, recipient)}")


def _tagged(own_address: str, tag: str) -> str:
    """Return our address with a tag."""
    local, _, host = own_address.rpartition("@")
    return f"{local}+{tag}@{host}"


def bounce_token(key: bytes, recipient: str) -> str:
    """Return the token that a letter to a recipient comes back with."""
    name = ascii_address(recipient).lower().replace('"', "")
    return _proof(key, _BOUNCES, name)


def tag_of(address: str) -> str:
    """Return what stands behind the last + of an address, in lower case."""
    return address.rpartition("@")[0].rpartition("+")[2].lower()


_VERIFICATION = "verify"


def verification_address(own_address: str, code: str) -> str:
    """Return the address whose mail brings a code back."""
    return _tagged(own_address, f"{_VERIFICATION}.{code}")


_UNREAD_TAG = "noreply"


def unread_address(own_address: str) -> str:
    """Return the form of our address to which answers may go that nobody is to read."""
    return _tagged(own_address, _UNREAD_TAG)


class Robotic(Enum):
    """What a tag is for that no command comes to."""

    BOUNCES = _BOUNCES
    """Letters of ours come back to it."""
    UNREAD = _UNREAD_TAG
    """Answers go to it that nobody is to read."""


_ECHO = "echo"
_ECHO_TAG = re.compile(rf"{_ECHO}\.(?P<name>{CODE.pattern})\.(?P<token>{TOKEN.pattern})")


class Echo(Struct, frozen=True):
    """That a mail comes back to an operator who tries whether mail arrives; not proved yet."""

    name: str
    """What tells it from others: 16 letters and digits."""
    token: str

    @classmethod
    def begin(cls, key: bytes, name: str) -> Self:
        """Return what a mail is to bring back."""
        return cls(name, _proof(key, _ECHO, name))

    def is_proved(self, key: bytes) -> bool:
        """Return whether the owner of the home has begun it."""
        return hmac.compare_digest(Echo.begin(key, self.name).token, self.token)

    def address(self, own_address: str) -> str:
        """Return the address that a mail brings it back to."""
        return _tagged(own_address, f"{_ECHO}.{self.name}.{self.token}")

    @property
    def message_key(self) -> str:
        """What it is known by once it has come back."""
        return hashlib.sha256(f"{_ECHO}\0{self.name}".encode()).hexdigest()[:16]


Tag = Robotic | Secret | Echo | Claim
"""What a tag says: what it is for, a verification code, or whose answer a mail claims to be."""


def parse_tag(address: str, own_address: str) -> Tag | None:
    """Return what the tag of an address of ours says, in letters of either case; None for none."""
    if not is_same_address(address, own_address) or "+" not in address:
        return None
    tag = tag_of(address)
    match = _TAG.fullmatch(tag)
    if match:
        return Claim(_claimed(match["said"]), match["token"])
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
    token = _proof(key, "reply", "calendar", account.userid, "", account.password)
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
        """Return what proves this session and no other, as words."""
        return ("session", self.userid, _seconds(self.ends), self.name)

    @property
    def key(self) -> str:
        """What it is known by once it has been ended, written like a message key."""
        return hashlib.sha256("\0".join(self.parts()).encode()).hexdigest()[:16]


def form_token(session: SignIn, key: bytes, account: Account) -> str:
    """Return the token of the forms of a session: only a page that its player has got has it."""
    return _proof(key, "reply", "forms", *session.parts(), "", account.password)


def format_session(session: SignIn, key: bytes, account: Account) -> str:
    """Return a session as a browser keeps it."""
    words = session.userid, _seconds(session.ends), session.name
    return ".".join((*words, token_for(key, account, session)))


def parse_session(text: str) -> tuple[SignIn, str] | None:
    """Return the session that a browser names, which is not proved yet, and its token; or None."""
    match = _SESSION.fullmatch(text)
    if match is None:
        return None
    ends = datetime.fromtimestamp(int(match["ends"]), UTC)
    return SignIn(match["userid"], ends, match["name"]), match["token"]


def is_proved(session: SignIn, token: str, key: bytes, account: Account, now: datetime) -> bool:
    """Return whether a token proves a session that has not ended by itself.

    One that ends later than any that begins now was begun by a wrong clock.
    """
    is_on = now < session.ends <= now + SESSION_LIFETIME + AHEAD
    return is_on and is_token(token, key, account, session)


def _seconds(at: datetime) -> str:
    return str(int(at.timestamp()))
