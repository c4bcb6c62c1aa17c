"""Clients that keep a mail until it is acknowledged, as mail servers do, and send some twice."""

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import TYPE_CHECKING

from tests.chaos.ledger import Enough, Ledger, Mail
from tests.support.waiting import PATIENCE

if TYPE_CHECKING:
    from tests.chaos.running import Stage

ANSWERED_WITHIN = 20
"""Seconds that a client waits for an answer."""
MOST_PUT_OFF = 40
"""How often a mail may be put off, one time after the other, before its client gives it up, at the
earliest after `PUT_OFF_FOR`."""
PUT_OFF_FOR = 60
"""Seconds for which something may keep a mail away: longer than a failover takes."""


class Way(Enum):
    """How a mail comes a second time."""

    DROPPED = "sent again, no answer read"
    AGAIN = "sent again at once"
    LATE = "sent again much later"
    BEFORE = "by deliver before"
    BESIDE = "by deliver at the same time"
    BEHIND = "by deliver afterwards"
    TWICE = "at two hosts at the same time"


WAYS = {Way.DROPPED: 7, Way.AGAIN: 7, Way.BEFORE: 8, Way.BESIDE: 3, Way.BEHIND: 2}
"""How many of a hundred mails come a second time, and how; the players choose those for LATE."""
WAYS_OF_HOSTS = {Way.TWICE: 20}
"""The same, besides, where there are several hosts."""


class GivenUp(Exception):
    """A mail that is put off again and again, or refused for good."""


class Answer(Enum):
    """How a mail was answered that was handed over."""

    DONE = "answered 250"
    SENT = "sent, no answer read"
    PUT_OFF = "answered 451"
    GONE = "no answer"
    REFUSED = "answered 5xx"


@dataclass(slots=True)
class Tries:
    """How often a mail was put off, one time after the other, and since when."""

    _number: int = 0
    _since: float = 0.0

    def are_enough(self, put_off: bool) -> bool:
        """Count one more; return whether the mail is to be given up."""
        if not put_off:
            self._number = 0
            return False
        if not self._number:
            self._since = time.monotonic()
        self._number += 1
        return self._number > MOST_PUT_OFF and time.monotonic() > self._since + PUT_OFF_FOR


@dataclass(slots=True)
class Client:
    """Sends mails to the server on trial; every choice comes from `random`."""

    stage: "Stage"
    ledger: Ledger
    random: Random

    def send(self, mail: Mail, certainly_twice: bool = False) -> None:
        """Send a mail until it is acknowledged, and sometimes once more.

        Raises Enough when the trial is over before that, and GivenUp.
        """
        self.ledger.enter(mail)
        ways = WAYS | (WAYS_OF_HOSTS if self.stage.hosts > 1 else {})
        way = self.random.choices((None, *ways), (100 - sum(ways.values()), *ways.values()))[0]
        fuse = self.random.uniform(0.1, 0.9) if self.random.random() < 0.7 else None
        pause = self.random.uniform(0.05, 0.25)
        if way is Way.DROPPED and self._hand_over(mail, reads_answer=False) is Answer.SENT:
            self.ledger.count(way.value)
        if way is Way.BEFORE and self._deliver(mail, fuse) == os.EX_OK:
            self.ledger.count(way.value)
        if way is Way.BESIDE:
            with self._delivering(mail, fuse):
                time.sleep(pause)
                self._insist(mail)
        elif way is Way.TWICE:
            self._insist_at_two(mail)
        else:
            self._insist(mail)
        if way is Way.BEHIND:
            self._insist_on_delivery(mail, fuse, way)
        if certainly_twice or way is Way.AGAIN:
            self.send_again(mail, Way.AGAIN)

    def send_again(self, mail: Mail, way: Way) -> None:
        """Send a mail that was acknowledged before. Raises Enough and GivenUp."""
        self._insist(mail)
        self.ledger.count(way.value)

    def _insist_at_two(self, mail: Mail) -> None:
        """Hand a mail to two hosts at the same moment, until both have taken it."""
        one, other = self.random.sample(range(self.stage.hosts), 2)
        both = threading.Barrier(2)

        def insist() -> None:
            both.wait(PATIENCE)
            self._insist(mail, other)

        with ThreadPoolExecutor(1) as pool:
            beside = pool.submit(insist)
            both.wait(PATIENCE)
            self._insist(mail, one)
            beside.result()
        self.ledger.count(Way.TWICE.value)

    def _insist(self, mail: Mail, first: int | None = None) -> None:
        """Hand a mail over again and again until that succeeds, first to the host with a number."""
        tries, host = Tries(), first
        while (answer := self._hand_over(mail, host=host)) is not Answer.DONE:
            host = None
            self.ledger.count(answer.value)
            is_enough = tries.are_enough(put_off=answer is Answer.PUT_OFF)
            if answer is Answer.REFUSED or is_enough:
                raise GivenUp(f"the server does not take {mail.subject!r}")
            self._wait()
        self.ledger.acknowledge(mail)

    def _hand_over(
        self, mail: Mail, *, reads_answer: bool = True, host: int | None = None
    ) -> Answer:
        """Hand a mail to a host, whichever it is, or go away when all of it has been sent."""
        if host is None:
            host = self.random.randrange(self.stage.hosts)
        try:
            while (smtp := self.stage.connect(host, ANSWERED_WITHIN)) is None:
                self._wait()
        except OSError:
            return Answer.GONE
        try:
            smtp.ehlo()
            smtp.mail(mail.sender.address)
            code, _ = smtp.rcpt(self.stage.address)
            data = mail.to(self.stage.address)
            if code == 250 and reads_answer:
                code, _ = smtp.data(data)
            elif code == 250 and smtp.docmd("DATA")[0] == 354:
                smtp.send(data + b".\r\n")
                return Answer.SENT
        except OSError:
            return Answer.GONE
        finally:
            with suppress(OSError):
                smtp.close()
        if code == 250:
            return Answer.DONE
        return Answer.PUT_OFF if code < 500 else Answer.REFUSED

    @contextmanager
    def _delivering(self, mail: Mail, fuse: float | None) -> Iterator[None]:
        """Hand a mail to `deliver` at the same time. Raises GivenUp."""
        with ThreadPoolExecutor(1) as pool:
            delivering = pool.submit(self._insist_on_delivery, mail, fuse, Way.BESIDE)
            yield
        delivering.result()

    def _insist_on_delivery(self, mail: Mail, fuse: float | None, way: Way) -> None:
        """Hand a mail to processes of `deliver` until one has done it; the first may be killed.

        Raises GivenUp.
        """
        tries = Tries()
        while not self.ledger.is_over:
            status = self._deliver(mail, fuse)
            if status == os.EX_OK:
                self.ledger.count(way.value)
                return
            if tries.are_enough(put_off=status == os.EX_TEMPFAIL):
                raise GivenUp(f"deliver does not take {mail.subject!r}")
            fuse = None

    def _deliver(self, mail: Mail, fuse: float | None) -> int:
        """Hand a mail to a process of `deliver`, and return its exit status."""
        data = mail.to(self.stage.address)
        status = self.stage.deliver(mail.sender.address, data, fuse)
        if status == os.EX_OK:
            self.ledger.acknowledge(mail)
        elif status == os.EX_TEMPFAIL:
            self.ledger.count(Answer.PUT_OFF.value)
        return status

    def _wait(self) -> None:
        if self.ledger.is_over:
            raise Enough
        time.sleep(0.03)
