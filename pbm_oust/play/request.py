"""A command as it came, and who sent it."""

import hashlib
from collections.abc import Callable

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.answered import Answered, Reply
from pbm_oust.accounts.password import Secret
from pbm_oust.board.reasons import MayHaveBoard
from dataclasses import dataclass
from pbm_oust.languages import ENGLISH, Language
from pbm_oust.play.notices import Heard, Notice
from pbm_oust.play.outcome import Silence
from pbm_oust.refusal import NotAllowedReason, UnreadableReason
from pbm_oust.store.accounts import whole
from pbm_oust.store.letters import Draft


def message_key(userid: str, identity: str) -> str:
    """Return the message key of a player's mail, which `identity` sets apart from all others."""
    return hashlib.sha256(f"{userid}\0{identity}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Request:
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
    message_id: str = ""
    """The Message-ID to answer, if the mail has one."""
    language: Language = ENGLISH
    """The language of the answer, if no account of the sender sets it."""
    spoken: Language | None = None
    """The language of the words of its command, if they are not English."""
    reply: Answered | None = None
    """The letter that the mail answers, if that proves who sent it. `line` is then the sender's
    own Subject, or empty, and `chat` is all that they wrote."""
    code: Secret | None = None
    """The code that the mail brings back, if the address that it was sent to holds one."""
    answered: Answered | None = None
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
    heard: Heard | None = None
    """How the command was found, if there is something to tell of that."""
    unsure: str = ""
    """What may be a text that the sender quotes: it is passed on, but no command is read there."""
    left_out: str = ""
    """The first line of what the sender may have written, and nobody is told."""
    fault: UnreadableReason | None = None
    """Why nothing in the mail can be a command, if that is known before it is read."""

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

    def message_key(self, userid: str) -> str:
        """Return the message key of this mail from a player: the same each time it comes."""
        return message_key(userid, self.identity)


@dataclass(frozen=True, slots=True)
class RefusedBefore(MayHaveBoard, NotAllowedReason):
    """The same mail came before, and was refused."""


@dataclass(frozen=True, slots=True)
class Actor:
    """The player of a command, as proved by a password or by the letter that it answers.

    Raises AccountDamaged if a part of the account cannot be read.
    """

    account: Account
    message_key: str
    """The message key of the mail from this player."""
    reply: Reply | None = None
    """The letter that is answered, if there is no password."""
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
