"""Letters: notices as mail messages with the headers that mail programs and other robots heed."""

import hashlib
import textwrap
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime

from pbm_oust.actions.request import Request
from pbm_oust.game import Game
from pbm_oust.languages import Language
from pbm_oust.mail.automatic import unread_address
from pbm_oust.mail.phrases import WIDTH
from pbm_oust.mail.proving import reply_address
from pbm_oust.mail.words import Words
from pbm_oust.notices import (
    BoardNotice,
    BoardsNotice,
    GamesNotice,
    HelpNotice,
    Notice,
    RefusalNotice,
    Told,
    WelcomeNotice,
)

_POLICY = EmailPolicy(linesep="\n", max_line_length=76)

_KINDS: dict[type[Notice], str] = {
    BoardNotice: "board",
    BoardsNotice: "boards",
    GamesNotice: "games",
    WelcomeNotice: "welcome",
    HelpNotice: "help",
    RefusalNotice: "refusal",
}
"""What the header X-Pbm-Oust says, so that players can sort their mail by it."""

_NOT_ANSWERED = ("broadcast",)
"""Letters whose answers must not come back as commands."""
_LONGEST_LINE = 900
"""Mail may not hold lines of more than 998 characters (RFC 5322, section 2.1.1)."""


class Letters:
    """Writes letters from `address`, the address that takes commands."""

    def __init__(self, address: str, clock: Callable[[], datetime]) -> None:
        self._address = address
        self._clock = clock
        self._words: dict[Language, Words] = {}

    def write(self, notice: Notice, request: Request) -> list[bytes]:
        """Return the letters about a notice, one to each address of its reader.

        They are as they stand in the outbox: their lines end in LF.
        """
        if isinstance(notice, BoardNotice):
            notice = replace(notice, chat=_wrapped(notice.chat))
        subject, text = self._words_in(notice.reader.settings.language).of(notice)
        return [
            self._letter(notice, request, address, subject, text).as_bytes()
            for address in notice.reader.addresses
        ]

    def _words_in(self, language: Language) -> Words:
        """Return the words of a language, which are made ready when first needed."""
        if language not in self._words:
            self._words[language] = Words(self._address, language)
        return self._words[language]

    def _letter(
        self, notice: Notice, request: Request, address: str, subject: str, text: str
    ) -> EmailMessage:
        letter = EmailMessage(policy=_POLICY if address.isascii() else _POLICY.clone(utf8=True))
        letter["From"] = f"pbm_oust <{self._address}>"
        letter["To"] = address
        code = notice.facts.get("code") if isinstance(notice, Told) else None
        if code:
            letter["Reply-To"] = reply_address(self._address, code)
        letter["Subject"] = subject
        letter["Date"] = format_datetime(self._clock())
        letter["Message-ID"] = self._message_id(notice, request, address)
        asked = notice.reader.asked
        if asked and request.message_id:
            letter["In-Reply-To"] = request.message_id
        references = self._references(notice, request)
        if references:
            letter["References"] = " ".join(references)
        letter["Auto-Submitted"] = "auto-replied" if asked else "auto-generated"
        letter["X-Auto-Response-Suppress"] = "All"
        letter["X-Pbm-Oust"] = _kind_of(notice)
        if _kind_of(notice) in _NOT_ANSWERED:
            unread = unread_address(self._address)
            letter["Reply-To"] = f"Nobody reads answers <{unread}>"
        is_plain = text.isascii() and max(map(len, text.splitlines()), default=0) <= _LONGEST_LINE
        if isinstance(notice, BoardNotice) and len(notice.reader.addresses) > 1:
            letter["X-Pbm-Oust-Copies"] = str(len(notice.reader.addresses))
        letter.set_content(
            text,
            charset="us-ascii" if text.isascii() else "utf-8",
            cte="7bit" if is_plain else "quoted-printable",
        )
        letter["Content-Language"] = notice.reader.settings.language.code
        return letter

    def _message_id(self, notice: Notice, request: Request, address: str) -> str:
        """Return a Message-ID that is the same whenever the same letter is written again."""
        game = _game_of(notice)
        of = f"{game.name}.{len(game.records)}" if game else _kind_of(notice)
        if isinstance(notice, Told) and "part" in notice.facts:
            of = f"{of}.{notice.facts['part']}"
        parts = (request.identity, address, notice.reader.userid or "", of)
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
        return f"<{of.replace(' ', '.')}.{digest}@{self._host}>"

    def _references(self, notice: Notice, request: Request) -> list[str]:
        """Return what a letter belongs to: the thread of its board, and the mail it answers.

        The thread's own id is that of no letter; mail programs join what refers to it.
        """
        game = _game_of(notice)
        thread = [f"<{game.name.replace(' ', '.')}@{self._host}>"] if game else []
        asked = notice.reader.asked and request.message_id
        return [*thread, *([request.message_id] if asked else [])]

    @property
    def _host(self) -> str:
        return self._address.rpartition("@")[2]


def _kind_of(notice: Notice) -> str:
    return notice.about if isinstance(notice, Told) else _KINDS[type(notice)]


def _game_of(notice: Notice) -> Game | None:
    match notice:
        case BoardNotice():
            return notice.game
        case RefusalNotice():
            game = notice.refusal.facts.get("game")
        case Told():
            game = notice.facts.get("game")
        case _:
            return None
    return game if isinstance(game, Game) else None


def _wrapped(chat: str) -> str:
    lines = (textwrap.fill(line, WIDTH - 2, break_on_hyphens=False) for line in chat.splitlines())
    return "\n".join(lines)
