"""A home that a test talks to by mail: lines sent, and what comes back."""

import hashlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.message import Message
from itertools import count
from pathlib import Path

from pbm_oust.accounts.account_file import format_account, parse_account
from pbm_oust.mail.inbound import Envelope, Intake, open_intake
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.letters import page_of, text_letter
from tests.support.mails import mail

ADDRESS = "pbmserv@example.com"
ALICE, BOB, CAROL = "alice@example.org", "bob@example.net", "carol@example.com"
PASSWORDS = {"alice": "wonderland", "bob": "lookingglass", "carol": "rabbithole"}
_numbers = count()


def make_quick(home: Home, userid: str) -> None:
    """Store the password of a player anew in a way that takes no time to check."""
    password, salt = PASSWORDS[userid].encode(), b"saltsalt"
    derived = hashlib.scrypt(password, salt=salt, n=2, r=8, p=1, dklen=32)
    stored = f"scrypt 2 8 1 {salt.hex()} {derived.hex()}"
    account = replace(parse_account(home.read_player(userid)), password=stored)
    home.write_player(userid, format_account(account))


@dataclass
class Talk:
    """Sends mails to a home and sees which letters each of them leads to."""

    home: Home
    now: datetime = datetime(2026, 11, 20, 12, tzinfo=UTC)
    letters: list[Message] = field(default_factory=list)
    """The letters that the latest mail led to, as text alone."""
    written: list[bytes] = field(default_factory=list)
    """The same letters whole."""
    outcome: str = ""
    """What became of the latest mail."""
    own: str = ADDRESS
    """The address that takes commands."""

    @classmethod
    def begin(cls, path: Path, *senders: str) -> "Talk":
        """Return a talk with a new home in which these have signed up."""
        home = Home(path)
        home.prepare(tuple(KINDS))
        talk = cls(home)
        for sender in senders:
            userid = sender.partition("@")[0]
            make_account(home, userid, PASSWORDS[userid], sender)
            make_quick(home, userid)
        return talk

    @property
    def intake(self) -> Intake:
        return open_intake(self.home, self.own, lambda: self.now)

    def send(
        self,
        sender: str,
        line: str,
        text: str = "",
        *,
        to: str = "",
        number: int = 0,
        message_id: str = "",
    ) -> list[str]:
        """Send a mail, and return who gets letters about it, with their Subjects.

        Two mails of one sender are the same if they have the same number, and it is not 0.
        """
        before = set(self.home.outbox.letters())
        headers = (
            f"From: {sender}",
            f"Subject: {line}",
            f"Message-ID: {message_id}"
            if message_id
            else f"Message-ID: <{f'again-{number}' if number else next(_numbers)}@example.org>",
        )
        handled = self.intake.take(mail(*headers, text=text), Envelope(sender, (to or self.own,)))
        self.outcome = handled.outcome
        names = [name for name in self.home.outbox.letters() if name not in before]
        self.written = [self.home.outbox.read(name) for name in names]
        self.letters = [text_letter(data) for data in self.written]
        return [f"{letter['To']}: {letter['Subject']}" for letter in self.letters]

    def page_to(self, address: str) -> str:
        """Return the letter to an address as HTML; empty where it is text alone."""
        (data,) = (each for each in self.written if f"\nTo: {address}\n".encode() in each)
        return page_of(data)

    def text_to(self, address: str) -> str:
        """Return the text of the letter to an address that the latest mail led to."""
        (letter,) = (each for each in self.letters if each["To"] == address)
        data = letter.get_payload(decode=True)
        assert isinstance(data, bytes)
        return data.decode()
