"""A command as it came, who sent it, and what became of it."""

import hashlib
from collections.abc import Callable
from enum import Enum

from msgspec import Struct

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.asks import Ask, Credential, mail_id
from pbm_oust.accounts.password import Secret
from pbm_oust.board.reasons import MayHaveBoard
from pbm_oust.languages import ENGLISH, Language
from pbm_oust.play.notices import Notice, ParsedAnswer
from pbm_oust.refusal import NotAllowedReason, Reason, UnreadableReason
from pbm_oust.store.accounts import whole
from pbm_oust.store.letters import Draft


class Ending(Enum):
    """The ways in which a request ends, or a mail that is none."""

    DONE = "done"
    DONE_IN_PART = "done in part"
    """Several commands were carried out, up to one that was refused."""
    DONE_BEFORE = "done before"
    """The same mail has come again."""
    ASKED = "asked back"
    """Nothing is done until its player says that they wrote it."""
    ANSWERED = "answered"
    """There was nothing to change."""
    REFUSED = "refused"
    SILENT = "silent"
    """Nobody gets an answer."""
    RETURNED = "returned"
    """A letter of ours has come back."""
    UNREADABLE = "unreadable"
    """The mail would cost too much to read, or cannot be taken apart."""
    KEPT = "kept by the sender"
    """A fault on our side keeps the mail with its sender."""


class Silence(Enum):
    """Why nobody gets an answer."""

    TOO_MANY_CODES = "too many codes to an address"
    TOO_MANY_EQUAL_REFUSALS = "the same refusal again and again"
    TOO_MANY_WAIT = "too many commands of a player wait for a yes"
    WAITS_FOR_A_YES = "the same command waits for a yes"
    GREETED = "told how to begin twice today"
    LIMIT = "the limit"
    ANSWERS_BROADCAST = "an answer to a mail that went to everybody"
    ECHO = "an operator tries whether mail arrives"
    FORGED = "its From is forged"
    NO_REPORT = "no report of a failed letter"


class Handled(Struct, frozen=True):
    """The end of a request. It holds no word of the mail."""

    ending: Ending
    board: str = ""
    """The name of the board that it is about."""
    record: int = 0
    """The number of the record that it made; the last one if it made several."""
    command: str = ""
    """The name of the command, if one was read."""
    why: Reason | Silence | str = ""
    """The reason for a refusal or for silence, or the fault."""
    limit: str = ""
    """The limit that was reached, if it gets no answer because of one."""
    player: str = ""
    """The userid of the player, if one has signed the command."""
    is_proved: bool = False
    """Whether it proved whose it is."""
    is_guess: bool = False
    """Whether it came with a wrong password."""
    mail_id: str = ""
    """The short id of the mail."""


def silent(why: Silence | str) -> Handled:
    """Return that nobody gets an answer."""
    return Handled(Ending.SILENT, why=why)


def outcome_text(handled: Handled) -> str:
    """Return the outcome of a mail as the log has it: `done`, `refused: wrong_password`."""
    why = handled.why
    text = why.word() if isinstance(why, Reason) else why.value if isinstance(why, Silence) else why
    text = f"{text} {handled.limit}".strip()
    return f"{handled.ending.value}: {text}" if text else handled.ending.value


class Request(Struct, frozen=True):
    """One command as a mail brought it."""

    line: str
    chat: str
    """What the sender also wrote, for the other player."""
    sender: str
    """The address that the answer goes to."""
    identity: str
    """What sets this mail apart from all others of its sender: its Message-ID, or its content."""
    source: str = ""
    """The host or network that it comes from; empty if that is ours, or not known."""
    name: str = ""
    """The name beside the address of the sender, if there is one."""
    message_id: str = ""
    """The Message-ID to answer, if the mail has one."""
    language: Language = ENGLISH
    """The language of the answer, if no account of the sender sets it."""
    spoken: Language | None = None
    """The language of the words of its command, if they are not English."""
    reply: Ask | None = None
    """The letter that the mail answers, if that proves who sent it. `line` is then the sender's
    own Subject, or empty, and `chat` is all that they wrote."""
    guest: Ask | None = None
    """The letter that the mail answers, if that went to somebody who has no account."""
    code: Secret | None = None
    """The code that the mail brings back, if the address that it was sent to holds one."""
    answered: Ask | None = None
    """The letter that the mail answers, if that proves who sent it, also if its command is a whole
    line and needs no letter."""
    signed_in: str = ""
    """The userid of the player who is signed in at the pages, if the command comes from these."""
    is_verified: bool = False
    """Whether it is certain that the mail comes from its sender."""
    doubt: Silence | str | None = None
    """Why it counts only if something else proves whose it is, and gets no answer otherwise: its
    From is forged, or nobody reads at its address."""
    mark: str | None = None
    """The header that robots have too: what names no command and proves nothing gets no answer."""
    is_of_owner: bool = False
    """Whether whoever owns the home has handed it in."""
    confirmed: "Actor | None" = None
    """The player who has confirmed the command with a code, and the message key of the mail that
    brought the command."""
    heard: ParsedAnswer | None = None
    """How the command was found, if there is something to tell of that."""
    is_thanks: bool = False
    """Whether it says no command, but thanks for a letter or congratulates."""
    unsure: str = ""
    """What may be a text that the sender quotes: it is passed on, but no command is read there."""
    left_out: str = ""
    """The first line of what the sender may have written, and nobody is told."""
    unread: str = ""
    """The first line of what is passed on in which letters could not be read; often empty."""
    fault: UnreadableReason | None = None
    """Why nothing in the mail can be a command, if that is known before it is read."""
    former: tuple[str, ...] = ()
    """What set this mail apart in earlier versions of the program."""

    @property
    def mail_id(self) -> str:
        """The short id of the mail, by which it can be followed through the log."""
        return mail_id(self.message_id, self.identity)

    @property
    def lost(self) -> str:
        """What `left_out` is if `unsure` is not passed on either."""
        return self.left_out or self.unsure.strip().partition("\n")[0]

    @property
    def is_proved(self) -> bool:
        """Whether something besides a password proves whose it is.

        A verified address does not: anybody may have as many of these as they like.
        """
        return bool(self.reply or self.writer or self.confirmed or self.is_of_owner)

    @property
    def writer(self) -> str:
        """The userid of the player whose it is, if a session or the letter it answers proves it."""
        return self.signed_in or (self.answered.userid if self.answered else "")

    def is_verified_by(self, account: Account) -> bool:
        """Return whether it is certain that the mail comes from exactly an address of an account.

        What follows a + may make it the address of somebody else.
        """
        return self.is_verified and account.has_exactly(self.sender)

    def message_keys(self, userid: str) -> list[str]:
        """Return the message key of this mail from a player, and those of earlier versions."""
        return [
            hashlib.sha256(f"{userid}\0{identity}".encode()).hexdigest()[:16]
            for identity in (self.identity, *self.former)
        ]


def id_of(*parts: object) -> str:
    """Return the message key of something that the server does: the same for the same parts."""
    return hashlib.sha256("\0".join(map(str, ("server", *parts))).encode()).hexdigest()[:16]


def request_of(key: str) -> Request:
    """Return a request that stands for a mail when the server does something by itself."""
    return Request(line="", chat="", sender="", identity=key)


UNASKED = Request("", "", "", "")
"""Nothing was asked: the server does something by itself, or only looks."""


class RefusedBefore(MayHaveBoard, NotAllowedReason, frozen=True):
    """The same mail came before, and was refused."""


class Actor(Struct, frozen=True):
    """The player of a command, as proved by a password or by the letter that it answers.

    Raises AccountDamaged if a part of the account cannot be read.
    """

    account: Account
    message_key: str
    """The message key of the mail from this player."""
    proof: Credential | None = None
    """The password of the command or the letter that it answers, if it needs one of them."""
    is_proved: bool = True
    """Whether that is so; else the mail only says that it comes from an address of theirs."""

    def __post_init__(self) -> None:
        whole(self.account)

    @property
    def userid(self) -> str:
        """The player's userid."""
        return self.account.userid


Write = Callable[[Notice, Request], list[Draft]]
"""Turns a notice into the letters that go into the outbox."""
