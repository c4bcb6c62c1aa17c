"""The ledger: every mail that was sent, what it has to lead to, and what was counted on the way."""

import smtplib
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP
from enum import Enum

from pbm_oust.mail.reading import read_mail
from pbm_oust.play.request import Request


class Failure(Enum):
    """What happens; the value stands in the report."""

    KILLED = "servers killed"
    RESTARTED = "databases started again"
    CRASHED = "databases killed"
    FIRST_KILLED = "first processes of databases killed"
    FAILED_OVER = "failovers to the standby"
    CUT_OFF = "hosts cut off"
    STANDBY_SILENT = "standbys silent"


class Broken(Exception):
    """The trial cannot go on; the message says why."""


class Kind(Enum):
    """What a mail is, by what it has to lead to."""

    SIGNUP = "signups"
    VERIFY = "codes answered"
    CHALLENGE = "challenges"
    MOVE = "moves"
    LOOK = "help, show and games"
    WRONG = "wrong commands"


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody who plays by a script."""

    userid: str
    password: str

    @property
    def address(self) -> str:
        """The address that mails come from."""
        return f"{self.userid}@example.org"


@dataclass(slots=True)
class Mail:
    """A mail, and how often it was acknowledged."""

    kind: Kind
    sender: Player
    other: Player
    """Who has to be told besides the sender, where somebody has."""
    subject: str
    message_id: str
    marker: str
    """A word of the text that the other player has to read."""
    text: str = ""
    board: str = ""
    """The board of a move, as `oust 17`."""
    done: str = ""
    """What the record of a move has to say, without the counts of taken stones."""
    acknowledged: int = 0

    @property
    def id(self) -> str:
        """The id that stands in a history, whatever address the mail is sent to."""
        identity = read_mail(self.to("")).identity
        return Request("", "", "", identity).message_keys(self.sender.userid)[0]

    def to(self, address: str) -> bytes:
        """Return the mail as it is sent to an address, always the same bytes."""
        message = EmailMessage(policy=SMTP)
        message["From"] = self.sender.address
        message["To"] = address
        message["Subject"] = self.subject
        message["Message-ID"] = self.message_id
        message.set_content(f"{self.text}\n{self.marker}\n", cte="quoted-printable")
        return message.as_bytes()


class Enough(Exception):
    """No more mails are wanted."""


@dataclass(slots=True)
class Ledger:
    """The mails of a trial. `wanted` is how many there are to be; any thread may use it."""

    wanted: int
    mails: list[Mail] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    _late: Callable[[int], bool] = lambda _acknowledged: False
    _begun: int = 0
    _acknowledged: int = 0
    _is_over: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def hold_back_when(self, late: Callable[[int], bool]) -> None:
        """Let no mail begin while `late` is true of the number of mails acknowledged."""
        self._late = late

    def begin(self) -> None:
        """Count a mail that is about to be sent. Raises Enough."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or not self._late(self._acknowledged))
            if self._is_over or self._begun >= self.wanted:
                raise Enough
            self._begun += 1

    def enter(self, mail: Mail) -> None:
        """Enter a mail before it is sent for the first time."""
        with self._changed:
            self.mails.append(mail)

    def acknowledge(self, mail: Mail) -> None:
        """Note that a mail was answered 250."""
        with self._changed:
            mail.acknowledged += 1
            self._acknowledged += mail.acknowledged == 1
            self._changed.notify_all()

    def count(self, what: str, times: int = 1) -> None:
        """Count something that happened."""
        with self._changed:
            self.counts[what] += times
            self._changed.notify_all()

    def end(self) -> None:
        """Let no mail begin and none be tried again."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def reopen(self) -> None:
        """Let mails be tried again after all."""
        self._is_over = False

    def tell(self) -> None:
        """Let those look again who are held back."""
        with self._changed:
            self._changed.notify_all()

    def wait(self, acknowledged: int, seconds: float) -> bool:
        """Wait until so many mails are acknowledged; return whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: self._acknowledged >= acknowledged, seconds)

    @property
    def is_over(self) -> bool:
        """Whether no mail is to be tried again."""
        return self._is_over

    @property
    def acknowledged(self) -> int:
        """How many mails were acknowledged at least once."""
        return self._acknowledged


def greeted(smtp: smtplib.SMTP, greeting: tuple[int, bytes], host: str) -> smtplib.SMTP:
    """Return a connection if it was greeted by a host. Raises OSError."""
    if host.encode() not in greeting[1]:
        smtp.close()
        raise ConnectionError(f"{greeting[1]!r} is not from {host}")
    return smtp
