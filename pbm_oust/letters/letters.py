"""Letters: notices as mail messages with the headers that mail programs and other robots heed."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime

from pbm_oust.accounts import tags
from pbm_oust.accounts.settings import SubjectForm
from pbm_oust.accounts.tags import (
    Purpose,
    Reply,
    letter_id,
    token_for,
    unread_address,
    verification_address,
)
from pbm_oust.board.game import Game
from pbm_oust.commands.talk import TalkNotice
from pbm_oust.letters.body import LONGEST_LINE, fill
from pbm_oust.letters.words import words_in
from pbm_oust.play.notices import BoardNotice, Notice, Unheard, Verification, turn_on
from pbm_oust.play.request import Request
from pbm_oust.store.letters import About, Draft, Head

_POLICY = EmailPolicy(linesep="\n", max_line_length=76)


@dataclass(frozen=True, slots=True)
class _Content:
    subject: str
    text: str
    page: str | None
    """The same as HTML, where there is that."""


class Letters:
    """Writes letters from `address`, the address that takes commands."""

    def __init__(
        self, address: str, clock: Callable[[], datetime], key: Callable[[], bytes]
    ) -> None:
        """`key` returns the secret of the home, from which the tokens of answers are made."""
        self._address = address
        self._clock = clock
        self._key = key

    def write(self, notice: Notice, request: Request) -> list[Draft]:
        """Return the letters about a notice, one to each address of its reader.

        They are as they stand in the outbox: their lines end in LF. Raises OSError where the key
        of the home cannot be read.
        """
        contents: dict[bool, _Content] = {}
        letters = []
        for address in notice.reader.addresses:
            account, meaning = notice.reader.account, notice.answer()
            is_own = account is not None and account.has_exactly(address)
            reply = meaning if is_own and isinstance(meaning, Reply) else None
            if is_own not in contents:
                contents[is_own] = self._content(notice, reply, is_own=is_own)
            content = contents[is_own]
            letter = self._letter(notice, request, address, content, reply)
            boundary = hashlib.sha256(letter["Message-ID"].encode()).hexdigest()[:24]
            # RFC 2045, section 6.7: quoted-printable never holds =_
            fill(letter, content.text, content.page, f"=_{boundary}")
            letter["Content-Language"] = notice.reader.settings.language.code
            # A Message-ID that is folded, or even encoded, is understood by few.
            unfolded = letter.policy.clone(max_line_length=LONGEST_LINE)
            head = _head_of(notice, letter)
            letters.append(Draft(head, letter.as_bytes(policy=unfolded), self._clock()))
        return letters

    def _content(self, notice: Notice, reply: Reply | None, *, is_own: bool) -> _Content:
        """Return what a letter says, whose answers come back as `reply` says.

        `is_own` tells whether it goes to an address of its reader's account.
        """
        words = words_in(notice.reader.settings.language, self._address)
        written = words.of(notice, reply.purpose if reply else None)
        subject = written.subject
        about, reader = notice.board(), notice.reader
        if about and reader.settings.subject is SubjectForm.BOARD:
            subject = f"{about.name}: {about.header.x} - {about.header.o}"

        def moves_at(game: Game) -> str | None:
            if about:
                is_play = reply and (reply.purpose is Purpose.PLAY or written.again)
                return self._answers_at(notice, reply) if about is game and is_play else None
            if not is_own or not reader.userid:
                return None
            return self._answers_at(notice, turn_on(game, reader.userid))

        written = replace(written, subject=subject)
        return _Content(subject, written.text, words.pages.of(written, reader, moves_at))

    def _answers_at(self, notice: Notice, reply: Reply | None) -> str | None:
        """Return the address at which an answer counts as its reader's, if there is one."""
        account = notice.reader.account
        if reply is None or account is None:
            return None
        token = token_for(self._key(), account, reply)
        return tags.reply_address(self._address, reply, token) or None

    def _letter(
        self,
        notice: Notice,
        request: Request,
        address: str,
        content: _Content,
        reply: Reply | None,
    ) -> EmailMessage:
        letter = EmailMessage(policy=_POLICY if address.isascii() else _POLICY.clone(utf8=True))
        letter["From"] = f"pbm_oust <{self._address}>"
        letter["To"] = address
        meaning = notice.answer()
        if isinstance(meaning, Verification):
            letter["Reply-To"] = verification_address(self._address, meaning.code.text)
        answers = self._answers_at(notice, reply)
        if answers:
            letter["Reply-To"] = answers
        letter["Subject"] = content.subject
        letter["Date"] = format_datetime(self._clock())
        letter["Message-ID"] = self._message_id(notice, request, address, reply)
        asked = notice.reader.asked
        if asked and request.message_id:
            letter["In-Reply-To"] = request.message_id
        references = self._references(notice, request)
        if references:
            letter["References"] = " ".join(references)
        letter["Auto-Submitted"] = "auto-replied" if asked else "auto-generated"
        letter["X-Auto-Response-Suppress"] = "All"
        letter["X-Pbm-Oust"] = notice.template
        if isinstance(meaning, Unheard):
            unread = unread_address(self._address)
            letter["Reply-To"] = f"Nobody reads answers <{unread}>"
        if isinstance(notice, BoardNotice) and len(notice.reader.addresses) > 1:
            letter["X-Pbm-Oust-Copies"] = str(len(notice.reader.addresses))
        return letter

    def _message_id(
        self, notice: Notice, request: Request, address: str, reply: Reply | None
    ) -> str:
        """Return a Message-ID that is the same whenever the same letter is written again.

        That of a letter whose answer counts as its reader's cannot be guessed.
        """
        topic = notice.topic()
        parts = (request.identity, address, notice.reader.userid or "", topic)
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        if reply and notice.reader.account:
            name = digest[:12]
            token = token_for(self._key(), notice.reader.account, reply, name)
            return letter_id(self._host, reply, name, token)
        return f"<{topic.replace(' ', '.')}.{digest[:16]}@{self._host}>"

    def _references(self, notice: Notice, request: Request) -> list[str]:
        """Return what a letter belongs to: the thread of its board, and the mail it answers.

        The thread's own id is that of no letter; mail programs join what refers to it.
        """
        game = notice.board()
        thread = [f"<{game.name.replace(' ', '.')}@{self._host}>"] if game else []
        asked = notice.reader.asked and request.message_id
        return [*thread, *([request.message_id] if asked else [])]

    @property
    def _host(self) -> str:
        return self._address.rpartition("@")[2]


def _head_of(notice: Notice, letter: EmailMessage) -> Head:
    """Return what the outbox knows of a letter besides its content."""
    reader, game = notice.reader, notice.board()
    about = None
    if isinstance(notice, BoardNotice) and game:
        about = About(game.header.kind.name, game.header.board, len(game.records))
    return Head(
        recipient=str(letter["To"]),
        message_id=str(letter["Message-ID"]),
        subject=str(letter["Subject"]),
        userid=reader.userid if reader.account else None,
        about=about,
        copies=len(reader.addresses) if about else 1,
        is_answer=reader.asked,
        may_show_any_board=reader.asked or not isinstance(notice, BoardNotice | TalkNotice),
    )
