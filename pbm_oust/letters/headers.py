"""The headers of letters, for mail programs and robots: threads, and where answers go."""

import hashlib
from collections.abc import Callable, Iterator
from datetime import datetime
from email.utils import format_datetime
from functools import lru_cache

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.answered import Answered, Unsubscribing
from pbm_oust.accounts.tags import (
    letter_id,
    reply_address,
    tag_of,
    token_for,
    unread_address,
    verification_address,
)
from dataclasses import dataclass
from pbm_oust.letters.fields import field, text_field
from pbm_oust.play.meanings import Unheard, Verification
from pbm_oust.play.notices import BoardNotice, Notice
from pbm_oust.play.request import Request
from pbm_oust.store.letters import Head

OFF_PATH = "/off"
"""Where the pages are found that end letters of one sort."""


@lru_cache(1)
def _date_text(second: datetime) -> str:
    """Return a second as a Date has it; many letters have the same."""
    return format_datetime(second)


@dataclass(frozen=True, slots=True)
class Headers:
    """Writes the headers of letters from `own`, the address that takes commands."""

    own: str
    clock: Callable[[], datetime]
    key: Callable[[], bytes]
    """Returns the secret of the home, from which reply tokens are made."""
    web_address: str = ""
    """Where pages are found, if there are any."""

    def of(
        self, notice: Notice, request: Request, head: Head, answers: str | None
    ) -> Iterator[str]:
        """Yield the header fields of a letter, except those about its body.

        `head` is what the outbox knows of it, and `answers` the address where answers go, if that
        is not the one that the letter comes from.
        """
        reader = notice.reader
        yield field("From", f"pbm_oust <{self.own}>")
        yield field("To", head.recipient)
        if answers:
            yield field("Reply-To", answers)
        is_utf8 = not (self.own + head.recipient).isascii()
        yield text_field("Subject", head.subject, is_utf8=is_utf8)
        yield field("Date", _date_text(self.clock().replace(microsecond=0)))
        yield field("Message-ID", head.message_id)
        answered = request.message_id if reader.asked else ""
        if answered:
            yield field("In-Reply-To", answered)
        thread = self._thread_of(notice)
        if thread or answered:
            yield field("References", " ".join(filter(None, [thread, answered])))
        yield field("Auto-Submitted", "auto-replied" if reader.asked else "auto-generated")
        yield from self._ways_out(notice)
        # All but NDR, without which Exchange would not tell that a mailbox is gone (MS-OXCMAIL).
        yield field("X-Auto-Response-Suppress", "DR, RN, NRN, OOF, AutoReply")
        yield field("X-Loop", self.own)
        yield field("X-Pbm-Oust", notice.template)
        if isinstance(notice, BoardNotice) and len(reader.addresses) > 1:
            yield field("X-Pbm-Oust-Copies", str(len(reader.addresses)))

    def _ways_out(self, notice: Notice) -> Iterator[str]:
        """Yield how a mail program ends letters like this one (RFC 2369, RFC 8058)."""
        account, what = notice.reader.account, notice.subscription()
        if not (account and what):
            return
        address = self.reply_address(account, Unsubscribing(account.userid, what))
        if address is None:
            return
        ways = [f"<mailto:{address}?subject=unsubscribe>"]
        if self.web_address:
            ways.insert(0, f"<{self.web_address}{OFF_PATH}/{tag_of(address)}>")
        yield field("List-Unsubscribe", ", ".join(ways))
        if self.web_address:
            yield field("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")

    def reply_address(self, account: Account | None, answered: Answered | None) -> str | None:
        """Return the address where an answer counts as the player's, if there is one."""
        if answered is None or account is None:
            return None
        token = token_for(self.key(), account, answered)
        return reply_address(self.own, answered, token) or None

    def answers_to(self, notice: Notice, own: str | None) -> str | None:
        """Return where answers go, if that is not the address the letter comes from.

        `own` is the address where they count as the reader's, if there is one.
        """
        match notice.answer():
            case Verification(code):
                return verification_address(self.own, code.text)
            case Unheard():
                return f"Nobody reads answers <{unread_address(self.own)}>"
            case _:
                return own

    def message_id(
        self, notice: Notice, request: Request, address: str, answered: Answered | None
    ) -> str:
        """Return a Message-ID; if answers to the letter need no password, it cannot be guessed.

        A mail that comes again is answered by another letter each time.
        """
        topic, reader = notice.topic(), notice.reader
        at = self.clock().isoformat()
        parts = [request.identity, address, reader.userid or "", topic, at]
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        if answered and reader.account:
            name = digest[:12]
            token = token_for(self.key(), reader.account, answered, name)
            return letter_id(self._host, answered, name, token)
        return f"<{topic.replace(' ', '.')}.{digest[:16]}@{self._host}>"

    def _thread_of(self, notice: Notice) -> str:
        """Return the id of the thread of a letter's board; empty if it has no board.

        No letter has that id; mail programs join the letters that refer to it.
        """
        game = notice.board()
        return f"<{game.name.replace(' ', '.')}@{self._host}>" if game else ""

    @property
    def _host(self) -> str:
        return self.own.rpartition("@")[2]
