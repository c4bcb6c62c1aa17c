"""Homes that tests talk to by mail: players, lines that they send, and what comes back."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.play.request import Ending, Handled, outcome_text
from pbm_oust.service.sweep import sweep
from pbm_oust.store.home import Home
from pbm_oust.store.limits import USUAL_LIMITS, Limits
from tests.support.accounts import make_account
from tests.support.mails import mail
from tests.support.outbox import Letter, letters

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ADDRESS = "pbmserv@example.com"
AUTHSERV_ID = "mx.example.org"
"""The name under which our mail server says what it has found."""
ALICE, BOB, CAROL = "alice@example.org", "bob@example.net", "carol@example.com"
PASSWORDS = {"alice": "wonderland", "bob": "lookingglass", "carol": "rabbithole"}
_numbers = count()


def home_of(
    path: Path, *addresses: str, mails: Iterable[tuple[str, ...]] = (), at: datetime = NOON
) -> Home:
    """Return a new home with players at these addresses, to which these mails have been sent.

    A server beside it lets what is due come due, so its home begins now.
    """
    home = Home(path)
    home.prepare()
    for address in addresses:
        userid = address.partition("@")[0]
        make_account(home, userid, PASSWORDS[userid], address)
    for sender, line in mails:
        mailed(home, sender, line, at=at)
    return home


def copy_of(home: Home, path: Path) -> Home:
    """Return a copy of a home at a path."""
    home.database.close()
    return Home(shutil.copytree(home.path, path, dirs_exist_ok=True))


def outcome_of(handled: Handled) -> str:
    """Return what became of a mail as the log has it, with the command that was done."""
    text = outcome_text(handled)
    return f"{text}: {handled.command}" if handled.ending is Ending.DONE else text


def taken(
    home: Home,
    data: bytes,
    envelope: Envelope,
    at: datetime = NOON,
    own: str = ADDRESS,
    limits: Limits = USUAL_LIMITS,
) -> tuple[str, list[Letter]]:
    """Hand in a mail; return what became of it, and the letters about it, oldest first."""
    before = set(home.outbox.letters())
    handled = open_inbound(home, own, lambda: at, limits, AUTHSERV_ID).take(data, envelope)
    return outcome_of(handled), letters(home, but=before)


def mailed(
    home: Home,
    sender: str,
    line: str,
    text: str = "",
    *,
    at: datetime = NOON,
    number: int = 0,
    headers: Iterable[str] | None = None,
) -> list[Letter]:
    """Send a line as the Subject of a mail, and return the letters about it, oldest first.

    Two mails of one sender are the same if they have the same number, and it is not 0. Given
    headers replace the Message-ID.
    """
    given = [new_id(number)] if headers is None else headers
    data = mail(f"From: {sender}", f"Subject: {line}", *given, text=text)
    return taken(home, data, Envelope(sender, (ADDRESS,)), at)[1]


def new_id(number: int = 0) -> str:
    """Return a Message-ID header: the one with a number, or one that no mail has had."""
    return f"Message-ID: <{f'again-{number}' if number else next(_numbers)}@example.org>"


@dataclass
class Talk:
    """Sends mails to a home and sees which letters each of them leads to."""

    home: Home
    now: datetime = NOON
    letters: list[Letter] = field(default_factory=list)
    """The letters that the latest mail led to."""
    outcome: str = ""
    """What became of the latest mail."""
    swept: list[str] = field(default_factory=list)
    """What the latest sweep did: `oust 1: remind x`."""
    own: str = ADDRESS
    """The address that takes commands."""
    limits: Limits = USUAL_LIMITS

    @classmethod
    def begin(cls, path: Path, *senders: str) -> "Talk":
        """Return a talk with a new home where these senders have signed up."""
        return cls(home_of(path, *senders))

    def send(
        self,
        sender: str,
        line: str,
        text: str = "",
        *,
        to: str = "",
        number: int = 0,
        headers: Iterable[str] | None = None,
    ) -> list[str]:
        """Send a mail, and return who gets letters about it, with their Subjects.

        Two mails of one sender are the same if they have the same number, and it is not 0. Given
        headers replace the Message-ID.
        """
        given = [new_id(number)] if headers is None else headers
        data = mail(f"From: {sender}", f"Subject: {line}", *given, text=text)
        return self.hand_in(data, sender, to or self.own)

    def answer(
        self, letter: Letter, text: str, sender: str = ALICE, *, to: str = "", number: int = 0
    ) -> list[str]:
        """Send an answer to a letter; where no address is named, to its Reply-To."""
        headers = f"Re: {letter['Subject']}\r\nIn-Reply-To: {letter['Message-ID']}"
        return self.send(sender, headers, text, to=to or str(letter["Reply-To"]), number=number)

    def hand_in(self, data: bytes, sender: str, to: str, is_ours: bool = False) -> list[str]:
        """Hand in a mail as it is, and return who gets letters about it, with their Subjects.

        If it is ours, it comes from our own mail server.
        """
        envelope = Envelope(sender, (to,), is_of_mail_server=is_ours)
        self.outcome, self.letters = taken(
            self.home, data, envelope, self.now, self.own, self.limits
        )
        return [f"{letter.to}: {letter.subject}" for letter in self.letters]

    def sweep(self) -> None:
        """Let the server do what is due."""
        before = set(self.home.outbox.letters())
        swept = sweep(open_inbound(self.home, self.own, lambda: self.now).work)
        self.swept = [f"{deed.about}: {deed.what}" for deed in swept.done]
        self.letters = letters(self.home, but=before)

    def letter_to(self, address: str) -> Letter:
        """Return the one letter to an address that the latest mail led to."""
        (letter,) = (each for each in self.letters if each.to == address)
        return letter

    def page_to(self, address: str) -> str:
        """Return the letter to an address as HTML; empty if it is text alone."""
        return self.letter_to(address).page

    def text_to(self, address: str) -> str:
        """Return the text of the letter to an address that the latest mail led to."""
        return self.letter_to(address).text
