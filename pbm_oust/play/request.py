"""A command as it came, who sent it, and what becomes of it."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.tags import Reply
from pbm_oust.board.reasons import MayHaveBoard
from pbm_oust.languages import ENGLISH, Language
from pbm_oust.play.notices import Notice
from pbm_oust.refusal import NotAllowedReason, UnreadableReason
from pbm_oust.store.letters import Draft


@dataclass(frozen=True, slots=True)
class Request:
    """One command as a mail brought it."""

    line: str
    chat: str
    """What the sender wrote besides, for the other player."""
    sender: str
    """The address that the answer goes to."""
    identity: str
    """What tells this mail from all others of its sender: its Message-ID, or its content."""
    message_id: str = ""
    """The Message-ID to answer to, where the mail has one."""
    language: Language = ENGLISH
    """What the sender is answered in where no account of theirs says it."""
    reply: Reply | None = None
    """Which letter the mail answers, where that proves whose it is; `line` is then a Subject of
    the sender's own, or empty, and `chat` all that they wrote."""
    code: Secret | None = None
    """The code that the mail brings back, by the address to which it went."""
    fault: UnreadableReason | None = None
    """Why nothing in the mail can be a command, where that is known before it is read as one."""

    def message_key(self, userid: str) -> str:
        """Return the message key of this mail from a player: the same whenever it comes again."""
        return hashlib.sha256(f"{userid}\0{self.identity}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class RefusedBefore(MayHaveBoard, NotAllowedReason):
    """The same mail came before and was refused then."""


@dataclass(frozen=True, slots=True)
class Actor:
    """The player whom the password of a command has proved, or the letter that it answers."""

    account: Account
    message_key: str
    """The message key of the mail from this player."""
    reply: Reply | None = None
    """The letter that is answered, where there is no password."""

    @property
    def userid(self) -> str:
        """The player's userid."""
        return self.account.userid


Write = Callable[[Notice, Request], list[Draft]]
"""Turns a notice into the letters that go into the outbox."""
