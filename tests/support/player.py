"""Players who have only a mail program, and games that they play with it."""

import mailbox
import re
import smtplib
from collections.abc import Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import make_msgid
from pathlib import Path
from typing import Protocol

from tests.support.letters import text_of
from tests.support.waiting import wait_until

Letters = dict[str, EmailMessage]
"""Letters by a key that stays the same, oldest first."""


class Post(Protocol):
    """What a mail program is connected to."""

    @property
    def port(self) -> int:
        """Where mail is sent to, by SMTP."""

    @property
    def commands(self) -> str:
        """The address that takes commands."""

    def letters_to(self, address: str) -> Letters:
        """Return all letters that have come for an address."""


@dataclass
class Player:
    """Somebody with an address who mails commands and reads the answers."""

    userid: str
    password: str
    post: Post
    read: set[str] = field(default_factory=set)

    @property
    def address(self) -> str:
        """The player's address."""
        return f"{self.userid}@example.org"

    def send(self, subject: str, text: str = "", to: str = "") -> None:
        """Mail a command, to the address that takes commands or to a tagged form of it."""
        message = EmailMessage()
        message["From"] = self.address
        message["To"] = to or self.post.commands
        message["Subject"] = subject
        message["Message-ID"] = make_msgid(domain="example.org")
        message.set_content(text)
        with smtplib.SMTP("127.0.0.1", self.post.port, local_hostname="localhost") as smtp:
            smtp.send_message(message)

    def new_mail(self) -> list[EmailMessage]:
        """Return the letters that the player has not read, oldest first."""
        letters = self.post.letters_to(self.address)
        new = [key for key in letters if key not in self.read]
        self.read.update(new)
        return [letters[key] for key in new]

    def wait_for_mail(self) -> list[EmailMessage]:
        """Wait for letters that the player has not read, and return them."""
        return wait_until(self.new_mail, f"mail for {self.userid}")

    def sign_up(self) -> None:
        """Make the account: sign up, and answer the mail with the code as mail programs do."""
        self.send(f"signup {self.userid} {self.password}")
        (code,) = self.wait_for_mail()
        assert str(code["Subject"]).startswith("please confirm ")
        self.send(f"Re: {code['Subject']}", "Yes.\n\nThat is me.", to=str(code["Reply-To"]))
        (welcome,) = self.wait_for_mail()
        assert welcome["Subject"] == f"welcome, {self.userid}"

    def answer(self, mail: EmailMessage, text: str, to: str = "") -> None:
        """Answer a letter as mail programs do, with the player's text above the quote."""
        message = EmailMessage()
        message["From"] = self.address
        message["To"] = to or str(mail["Reply-To"])
        message["Subject"] = f"Re: {mail['Subject']}"
        message["Message-ID"] = make_msgid(domain="example.org")
        message["In-Reply-To"] = str(mail["Message-ID"])
        quoted = "".join(f"> {line}\n" for line in text_of(mail).splitlines())
        message.set_content(f"{text}\n\nOn Friday, {mail['From']} wrote:\n{quoted}")
        with smtplib.SMTP("127.0.0.1", self.post.port, local_hostname="localhost") as smtp:
            smtp.send_message(message)

    def answer_with_example(self, mail: EmailMessage) -> None:
        """Answer a board mail with its example."""
        example = re.search(r"^Answer this mail with.*:  (\S+)$", text_of(mail), re.MULTILINE)
        assert example, text_of(mail)
        self.answer(mail, example[1])

    def follow_example(self, mail: EmailMessage) -> None:
        """Send the line that a board mail gives as an example."""
        line = re.search(r"  (\w+ move .*)$", text_of(mail), re.MULTILINE)
        assert line, text_of(mail)
        self.send(line[1].replace("PASSWORD", self.password))


def latest_mail(players: Sequence[Player]) -> Letters:
    """Wait until each player has mail, and return the latest letter of each by userid."""
    return {player.userid: player.wait_for_mail()[-1] for player in players}


def mover_of(players: Sequence[Player], latest: Letters) -> Player:
    """Return the player whose letter says that it is their turn."""
    (mover,) = [
        player
        for player in players
        if f"your turn, {player.userid}" in str(latest[player.userid]["Subject"])
    ]
    return mover


def play_to_the_end(
    players: Sequence[Player], latest: Letters, by_answers: bool = False
) -> Letters:
    """Follow the examples in board mails until the game is over, and return the last letters.

    By answers, no password is sent: each move is the text of an answer to the latest mail.
    """
    for _ in range(200):
        if all("over" in str(mail["Subject"]) for mail in latest.values()):
            return latest
        mover = mover_of(players, latest)
        mail = latest[mover.userid]
        follow = mover.answer_with_example if by_answers else mover.follow_example
        follow(mail)
        latest = latest_mail(players)
    raise AssertionError("the game does not end")


def read_maildir(path: Path) -> Letters:
    """Return the letters of a Maildir, as a mail program reads it."""
    box = mailbox.Maildir(str(path), create=False)
    found: Letters = {}
    for key in sorted(box.keys()):
        message = message_from_bytes(box.get_bytes(key), policy=default)
        assert isinstance(message, EmailMessage)
        found[key] = message
    return found
