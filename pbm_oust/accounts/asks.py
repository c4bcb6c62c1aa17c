"""Asks: what a letter asks of its reader, and the tokens that prove an answer to it. Pure.

    pbmserv+oust.17.12.alice.TOKEN@HOST          <oust.17.11.alice.NAME.TOKEN@HOST>
    pbmserv+sheet.ID.alice.TOKEN@HOST            <sheet.ID.alice.NAME.TOKEN@HOST>
    pbmserv+to.bob.alice.TOKEN@HOST              <to.bob.alice.NAME.TOKEN@HOST>
    pbmserv+join.oust.3.alice.TOKEN@HOST
    pbmserv+puzzle.oust.7.alice.TOKEN@HOST       <puzzle.oust.7.alice.NAME.TOKEN@HOST>
    pbmserv+tournament.oust.3.alice.TOKEN@HOST   <tournament.oust.3.alice.NAME.TOKEN@HOST>
    pbmserv+ladder.oust.1.alice.TOKEN@HOST       <ladder.oust.1.alice.NAME.TOKEN@HOST>
    pbmserv+off.broadcasts.alice.TOKEN@HOST
    pbmserv+do.any.alice.TOKEN@HOST              <do.any.alice.NAME.TOKEN@HOST>
    pbmserv+begin.oust.20785.TOKEN@HOST          <begin.oust.20785.NAME.TOKEN@HOST>
    pbmserv+begin.oust.fr.20785.TOKEN@HOST
    pbmserv+from.alice.20785.TOKEN@HOST          <from.alice.20785.NAME.TOKEN@HOST>
    pbmserv+off.INVITED.20785.TOKEN@HOST

The Reply-To and the Message-ID of a letter carry its ask: the topic, what it is about, and who may
answer. A letter about a board leaves the topic out: its token tells whether an answer plays there
or is chat. Its address names the record that the answer may make, and its Message-ID the one before
that, which is the last that the letter shows. What a sheet is about is kept by the home;
so is an ask that an address has no room for.

A token is made from the ask, and from the player's password as it is stored, so that a new password
ends all earlier tokens. A guest has no account: in place of a userid stands the day of the letter,
and in place of the password the address that the letter goes to. The token of a guest proves that
the letter was answered, and nothing about whose the answer is. A letter in another language than
English names that, too, so that its answer is answered in it.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from enum import Enum
from typing import Self

from msgspec import Struct, structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import ascii_address, normal_address
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.settings import MailWhen, Switch
from pbm_oust.board.notation import NUMBER, USERID
from pbm_oust.languages import ENGLISH, LANGUAGES, Language
from pbm_oust.rules import KINDS

TOKEN = re.compile(r"[a-z2-7]{16}")
LONGEST_LOCAL_PART = 64
"""RFC 5321, section 4.5.3.1.1."""
BROADCASTS, DIGEST, PUZZLES = "broadcasts", "digest", "puzzles"
"""Letters to everybody, the letter of each day about boards, and the one with a puzzle."""


class Topic(Enum):
    """The topic of a letter: the word that its address begins with, by what an answer is for."""

    PLAY = "play"
    """An answer plays on the board."""
    CHAT = "chat"
    """The text of an answer goes to the other player of the board."""
    SHEET = "sheet"
    """An answer has a line for each of several boards."""
    TO = "to"
    """An answer goes to a player who has written to this one."""
    JOIN = "join"
    """An answer joins an open challenge; a link in a letter that lists it begins the answer."""
    PUZZLE = "puzzle"
    TOURNAMENT = "tournament"
    """An answer enters a tournament or leaves it."""
    LADDER = "ladder"
    """An answer enters a ladder or leaves it; each game has one, its number 1."""
    OFF = "off"
    """An answer ends letters of one sort, whatever it says, for programs write it."""
    DO = "do"
    """An answer is any command of its player, or the words of a certain one."""
    BEGIN = "begin"
    """An answer begins a game, for somebody who has no account."""
    INVITATION = "from"
    """An answer begins a game with the player who has invited the reader to one."""
    VERIFY = "verify"
    """An answer brings a code back; addresses hold the code itself, and Message-IDs its name."""


_KIND, _NUMBER = "[a-z]{1,16}", NUMBER.pattern
_NUMBERED = rf"{_KIND}\.{_NUMBER}"
_POSITION = rf"{_NUMBERED}\.(?:0|{_NUMBER})"
_ABOUT: Mapping[Topic, str] = {
    Topic.SHEET: "[a-z2-7]{8}",
    Topic.TO: USERID.pattern,
    Topic.JOIN: _NUMBERED,
    Topic.PUZZLE: _NUMBERED,
    Topic.TOURNAMENT: _NUMBERED,
    Topic.LADDER: _NUMBERED,
    Topic.OFF: rf"{BROADCASTS}|{DIGEST}|{PUZZLES}|{_NUMBERED}|{TOKEN.pattern}",
    Topic.DO: "[a-z]{1,16}",
    Topic.BEGIN: rf"{_KIND}(?:\.[a-z]{{2}})?",
    Topic.INVITATION: rf"{USERID.pattern}(?:\.[a-z]{{2}})?",
    Topic.VERIFY: "[0-9a-f]{16}",
}
"""The form of the words between a topic and its player."""
ANY = "any"
"""Stands in place of the name of a command in an ask for any."""
GUEST_LIFETIME = timedelta(days=28)
"""How long a guest may answer. Message keys are kept longer."""
_ON_BOARD = (Topic.PLAY, Topic.CHAT)
_BEGINNING = (Topic.BEGIN, Topic.INVITATION)
_OF_KIND = frozenset(
    (*_ON_BOARD, Topic.OFF, Topic.JOIN, Topic.PUZZLE, Topic.TOURNAMENT, Topic.LADDER)
)
"""What they are about is a number in a game."""
_ENDED = {
    BROADCASTS: ("broadcasts", Switch.OFF.value),
    DIGEST: ("mail", MailWhen.OFF.value),
    PUZZLES: ("puzzles", Switch.OFF.value),
}
"""The setting that ends letters of a sort."""


class Ask(Struct, frozen=True):
    """A question that a letter puts to a player, or to a guest.

    A player's that comes with a mail has been verified; it stands where a command has its password.
    """

    topic: Topic
    about: tuple[str, ...]
    """The subject: a userid, the ID of a sheet, the name of an address that was invited, or a game,
    a number there and a record."""
    userid: str = ""
    """The userid of whoever may answer; empty for a guest."""
    kept: str = ""
    """The text that the home keeps of a sheet: its positions, `oust.17.12 churn.3.5`, and the
    command for what comes next behind a mark, or an ask behind another one."""
    day: str = ""
    """The day of a guest's letter, counted from 1970 on."""

    @classmethod
    def on_board(cls, topic: Topic, kind: str, number: int, record: int, userid: str) -> Self:
        """Ask about a board; `record` is the number of the one that an answer may make."""
        return cls(topic, (kind, str(number), str(record)), userid)

    @classmethod
    def numbered(cls, topic: Topic, kind: str, number: int, userid: str) -> Self:
        """Ask about a challenge, a puzzle, a tournament or a ladder."""
        return cls(topic, (kind, str(number)), userid)

    @classmethod
    def sheet(cls, userid: str, positions: Iterable["Ask"], more: str = "") -> Self:
        """Ask about several boards, in the order of the letter that shows them.

        `more` is the line that asks for what the letter has no room for.
        """
        kept = " ".join(".".join(at.about) for at in positions)
        return cls._kept(userid, f"{kept}{_MORE}{more}" if more else kept)

    @classmethod
    def _kept(cls, userid: str, kept: str) -> Self:
        digest = hashlib.sha256("\0".join((Topic.SHEET.value, userid, kept)).encode()).digest()
        return cls(Topic.SHEET, (_letters(digest[:5]),), userid, kept)

    @property
    def is_on_board(self) -> bool:
        """Whether it is about one board."""
        return self.topic in _ON_BOARD

    @property
    def kind(self) -> str:
        """The name of the game."""
        return self.about[0]

    @property
    def number(self) -> int:
        """The number of the board, challenge, puzzle, tournament or ladder."""
        return int(self.about[1])

    @property
    def record(self) -> int:
        """The number of the record that the answer may make."""
        return int(self.about[2])

    @property
    def name(self) -> str:
        """The name of what it is about, without a record: `oust 17`, `broadcasts`."""
        return " ".join(self.about[:2])

    @property
    def values(self) -> dict[str, object]:
        """The values of a command that an answer need not say, by their names."""
        who = {"userid": self.userid, "password": self}
        if self.topic is Topic.TO:
            return {"to": self.about, **who}
        if self.topic is Topic.OFF and self.name in _ENDED:
            return {"changes": (_ENDED[self.name],), **who}
        if self.topic not in _OF_KIND or self.ends_invitations:
            return who
        number = "board" if self.topic in (*_ON_BOARD, Topic.OFF) else "number"
        return {"kind": KINDS[self.kind], number: self.number, **who}

    @property
    def positions(self) -> tuple["Ask", ...]:
        """The asks of the boards of a sheet, in their order."""
        each = (tuple(at.split(".")) for at in self.kept.partition(_MORE)[0].split())
        return tuple(Ask(Topic.PLAY, at, self.userid) for at in each if at[0] in KINDS)

    @property
    def more(self) -> str:
        """The line that asks for what the letter of a sheet has no room for; often empty."""
        return self.kept.partition(_MORE)[2]

    @property
    def language(self) -> Language:
        """The language of the letter that a guest got."""
        code = self.about[1] if self.topic in _BEGINNING and len(self.about) > 1 else ""
        return LANGUAGES.get(code, ENGLISH)

    @property
    def is_of_guest(self) -> bool:
        """Whether it is one of somebody who has no account."""
        return not self.userid

    @property
    def ends_invitations(self) -> bool:
        """Whether an answer keeps invitations away from an address, which it names by `invited`."""
        return self.topic is Topic.OFF and self.is_of_guest

    @property
    def tag(self) -> str:
        """The ask as an address has it, without its token."""
        word = () if self.is_on_board else (self.topic.value,)
        return ".".join((*word, *self.about, self.userid or self.day))

    def words(self) -> tuple[str, ...]:
        """Return the words that a token is made from, in the order that letters already have."""
        topic = self.topic.value
        if self.is_on_board:
            return (topic, *self.about, self.userid)
        if self.topic is Topic.SHEET:
            return (topic, self.userid, self.kept)
        if self.topic is Topic.OFF:
            return (topic, self.userid, self.name)
        if self.is_of_guest:
            return (topic, *self.about, self.day)
        return (topic, self.userid, *self.about)

    def in_language(self, language: Language) -> Self:
        """Name the language of a guest's letter, unless it is English."""
        if self.topic not in _BEGINNING or language == ENGLISH:
            return self
        return structs.replace(self, about=(self.about[0], language.code))

    def on_day(self, day: date) -> Self:
        """Name the day of a guest's letter."""
        return structs.replace(self, day=str((day - _FIRST_DAY).days))

    def is_answered_on(self, day: date) -> bool:
        """Return whether a guest may still answer on a day."""
        asked = _FIRST_DAY + timedelta(days=int(self.day))
        return asked <= day <= asked + GUEST_LIFETIME

    def fitting(self, own_address: str) -> Self:
        """Return the ask; or one that is kept, if an address has no room for it."""
        if _fits(tagged(own_address, f"{self.tag}.{'a' * 16}")):
            return self
        return self._kept(self.userid, _WHOLE + ".".join((self.topic.value, *self.about)))

    def at_record(self, record: int) -> Self:
        """Name another record of the board."""
        return structs.replace(self, about=(*self.about[:2], str(record)))


_FIRST_DAY = date(1970, 1, 1)
_MORE, _WHOLE = " > ", "= "
"""Marks in a kept text: before the line for what comes next, and before an ask."""


Credential = Secret | Ask
"""A proof whose command it is: a password, the letter that is answered, or a link in one."""


class Claim(Struct, frozen=True):
    """An ask that an address or a Message-ID names, which is not proved yet."""

    ask: Ask
    token: str
    letter: str = ""
    """The name of a letter among others like it; empty in an address."""


def is_kept(text: str) -> bool:
    """Return whether a text can be what the home keeps of a sheet."""
    if text.startswith(_WHOLE):
        return _WHOLE_ASK.fullmatch(text) is not None
    return all(re.fullmatch(_POSITION, at) for at in text.partition(_MORE)[0].split())


def _letters(digest: bytes) -> str:
    return base64.b32encode(digest).decode().lower()


def proof(key: bytes, *parts: str) -> str:
    """Make 16 letters and digits that only the key and some words lead to."""
    words = "\0".join(parts).encode("utf-8", "replace")
    return _letters(hmac.digest(key, words, hashlib.sha256)[:10])


def token_for(key: bytes, reader: Account | str, ask: Ask, letter: str = "") -> str:
    """Make the token of an ask, or of the letter that carries it in its Message-ID.

    `reader` is the address of a guest.
    """
    if isinstance(reader, Account):
        return proof(key, "letter" if letter else "reply", *ask.words(), letter, reader.password)
    guest = "guest letter" if letter else "guest"
    return proof(key, guest, *ask.words(), letter, ascii_address(reader).lower())


def invited(key: bytes, address: str) -> str:
    """Return the name of an address that was invited; only the key leads from one to the other."""
    return proof(key, "invited", normal_address(address))


def reply_address(own_address: str, ask: Ask, token: str) -> str:
    """Format the address of answers; an empty text where its local part would be too long."""
    address = tagged(own_address, f"{ask.tag}.{token}")
    return address if _fits(address) else ""


def _fits(address: str) -> bool:
    return len(address.rpartition("@")[0]) <= LONGEST_LOCAL_PART


def tagged(own_address: str, tag: str) -> str:
    """Return our address with a tag."""
    local, _, host = own_address.rpartition("@")
    return f"{local}+{tag}@{host}"


def mail_id(message_id: str, identity: str = "") -> str:
    """Return the short id of a mail from its Message-ID, or from what else sets it apart.

    It is 8 hex digits. Several commands of a mail have one, whatever is added behind a NUL.
    """
    text, _, _ = (message_id or identity).partition("\0")
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def mail_told(message_id: str) -> str:
    """Return the short id of the mail that led to a letter of ours; empty for other letters."""
    found = _TOLD.search(message_id)
    return found[1] if found else ""


def letter_id(host: str, ask: Ask, letter: str, token: str) -> str:
    """Format the Message-ID of a letter; `letter` tells it from others, 12 hex digits.

    The first 8 of these are the short id of the mail that led to it.
    """
    shown = ask.at_record(ask.record - 1) if ask.is_on_board else ask
    return f"<{shown.tag}.{letter}.{token}@{host}>"


_TOPICS = "|".join(rf"{topic.value}\.(?:{about})" for topic, about in _ABOUT.items())
_WHOLE_ASK = re.compile(rf"{_WHOLE}(?:(?:play|chat)\.{_POSITION}|{_TOPICS})")
ASK = rf"(?P<ask>(?:{_POSITION}|{_TOPICS})\.(?:{USERID.pattern}|[1-9][0-9]{{4}}))"
"""An ask as an address has it."""
LETTER = "[0-9a-f]{12}"
_TAG = re.compile(rf"{ASK}\.(?P<token>{TOKEN.pattern})")
_LETTER_ID = re.compile(rf"(?<![a-z0-9.]){ASK}\.(?P<letter>{LETTER})\.(?P<token>{TOKEN.pattern})@")
"""The Message-ID of a letter with an ask, without its brackets and host."""
_GOES_ON = re.compile(r"[\w-]|\.\w")
"""Letters behind a host that make it part of another one."""
_OTHER_ID = re.compile(r"<[a-z0-9_.-]+\.[0-9a-f]{16}")
"""The Message-ID of a letter that no answer refers to, without its host."""
_TOLD = re.compile(rf"\.([0-9a-f]{{8}})(?:[0-9a-f]{{4}}\.{TOKEN.pattern}|[0-9a-f]{{8}})@")
"""The part of a letter's Message-ID that has the short id, behind the words of either form."""


def _parse_ask(text: str) -> Ask:
    """Read an ask from the text that `ASK` has found; chat is told from play by the token."""
    first, *rest, who = text.split(".")
    userid, day = ("", who) if who.isdigit() else (who, "")
    if first in (topic.value for topic in _ABOUT):
        return Ask(Topic(first), tuple(rest), userid, day=day)
    return Ask(Topic.PLAY, (first, *rest), userid, day=day)


def parse_claim(tag: str) -> Claim | None:
    """Read the ask that a tag in small letters carries; None for other tags."""
    match = _TAG.fullmatch(tag)
    return Claim(_parse_ask(match["ask"]), match["token"]) if match else None


def letters_named(text: str, host: str) -> list[Claim]:
    """Read the asks that the Message-IDs of ours in a text carry, in letters of either case.

    They are found whatever stands around them, and though lines are broken within them.
    """
    words, host = text.lower().split(), host.lower()
    joined = "".join(words)
    if host not in joined:
        return []
    return _letters_in(" ".join(words), host) or _letters_in(joined, host)


def _letters_in(text: str, host: str) -> list[Claim]:
    found = []
    for match in _LETTER_ID.finditer(text):
        end = match.end()
        if text.startswith(host, end) and not _GOES_ON.match(text, end + len(host)):
            ask = _parse_ask(match["ask"])
            ask = ask.at_record(ask.record + 1) if ask.is_on_board else ask
            found.append(Claim(ask, match["token"], match["letter"]))
    return found


def is_own_id(message_id: str, host: str) -> bool:
    """Return whether a Message-ID has one of the forms that our letters have."""
    begun = message_id.lower().removesuffix(f"@{host.lower()}>")
    return bool(_OTHER_ID.fullmatch(begun) or letters_named(message_id, host))


def has_token(message_id: str) -> bool:
    """Return whether a Message-ID may be that of a letter of ours, which proves its answers."""
    return _LETTER_ID.search(message_id.lower()) is not None


def verified(claim: Claim, key: bytes, reader: Account | str, kept: str = "") -> Ask | None:
    """Check what a claim says against the account that it names; return its ask, or None.

    `kept` is what the home keeps of a sheet with its ID. `reader` is the address of a guest.
    """
    ask = structs.replace(claim.ask, kept=kept)
    userid = reader.userid if isinstance(reader, Account) else ""
    meant = [structs.replace(ask, topic=each) for each in _ON_BOARD] if ask.is_on_board else [ask]
    for proving in reader.proving if isinstance(reader, Account) else (reader,):
        for each in meant:
            right = token_for(key, proving, each, claim.letter)
            if userid == each.userid and hmac.compare_digest(right, claim.token):
                return _whole(each)
    return None


def _whole(ask: Ask) -> Ask:
    """Return what an ask is that the home keeps as a whole; others as they are."""
    if not ask.kept.startswith(_WHOLE):
        return ask
    topic, *about = ask.kept.removeprefix(_WHOLE).split(".")
    return Ask(Topic(topic), tuple(about), ask.userid)
