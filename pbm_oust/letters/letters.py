"""Letters: notices as mail messages, in text and, if they show boards, also in HTML."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from pbm_oust.accounts.settings import SubjectForm
from pbm_oust.accounts.tags import Purpose, Reply
from pbm_oust.board.game import Game
from pbm_oust.commands.talk import TalkNotice
from pbm_oust.frozen import frozen
from pbm_oust.letters.body import LARGEST, Part, body, part
from pbm_oust.letters.headers import Headers
from pbm_oust.letters.words import words_in
from pbm_oust.play.notices import BoardNotice, Notice, turn_on
from pbm_oust.play.request import Request
from pbm_oust.store.letters import About, Draft, Head


@frozen
class _Content:
    """What all letters say that go to addresses of one sort: the reader's own, or others."""

    subject: str
    parts: tuple[Part, ...]
    """The text and, if there is any, the same as HTML."""
    answers: str | None
    """Where answers go, if that is not the address that the letter comes from."""


class Letters:
    """Writes letters from `address`, the address that takes commands."""

    def __init__(
        self, address: str, clock: Callable[[], datetime], key: Callable[[], bytes]
    ) -> None:
        """`key` returns the secret of the home, from which reply tokens are made."""
        self._address = address
        self._clock = clock
        self._headers = Headers(address, clock, key)

    def write(self, notice: Notice, request: Request) -> list[Draft]:
        """Return the letters about a notice, one to each address of its reader.

        They are as the outbox keeps them: their lines end in LF. Raises OSError if the key of the
        home cannot be read.
        """
        account, meaning = notice.reader.account, notice.answer()
        contents: dict[bool, _Content] = {}
        letters = []
        for address in notice.reader.addresses:
            is_own = account is not None and account.has_exactly(address)
            reply = meaning if is_own and isinstance(meaning, Reply) else None
            if is_own not in contents:
                contents[is_own] = self._content(notice, reply, is_own=is_own)
            letters.append(self._letter(notice, request, address, contents[is_own], reply))
        return letters

    def _content(self, notice: Notice, reply: Reply | None, *, is_own: bool) -> _Content:
        """Return what a letter says; answers to it mean `reply`.

        `is_own`: whether it goes to an address of its reader's account.
        """
        words = words_in(notice.reader.settings.language, self._address)
        written = words.of(notice, reply.purpose if reply else None)
        about, reader = notice.board(), notice.reader
        if about and reader.settings.subject is SubjectForm.BOARD:
            subject = f"{about.name}: {about.header.x} - {about.header.o}"
            written = replace(written, subject=subject)

        own = self._headers.reply_address(reader.account, reply)

        def moves_at(game: Game) -> str | None:
            if about:
                is_play = reply and (reply.purpose is Purpose.PLAY or written.again)
                return own if about is game and is_play else None
            if not is_own or not reader.userid:
                return None
            return self._headers.reply_address(reader.account, turn_on(game, reader.userid))

        text = part(written.text, "plain")
        page = words.pages.of(written, reader, moves_at, LARGEST - text.size)
        answers = self._headers.answers_to(notice, own)
        return _Content(written.subject, (text, page) if page else (text,), answers)

    def _letter(
        self,
        notice: Notice,
        request: Request,
        address: str,
        content: _Content,
        reply: Reply | None,
    ) -> Draft:
        message_id = self._headers.message_id(notice, request, address, reply)
        head = _head_of(notice, address, message_id, content.subject)
        fields = "".join(self._headers.of(notice, request, head, content.answers))
        boundary = hashlib.sha256(message_id.encode()).hexdigest()[:24]
        # RFC 2045, section 6.7: quoted-printable never holds =_
        said = body(content.parts, notice.reader.settings.language.code, f"=_{boundary}")
        return Draft(head, (fields + said).encode(), self._clock())


def _head_of(notice: Notice, address: str, message_id: str, subject: str) -> Head:
    """Return what the outbox knows of a letter besides its content."""
    reader, game = notice.reader, notice.board()
    about = None
    if isinstance(notice, BoardNotice) and game:
        about = About(game.header.kind.name, game.header.board, len(game.records))
    return Head(
        recipient=address,
        message_id=message_id,
        subject=subject,
        userid=reader.userid if reader.account else None,
        about=about,
        copies=len(reader.addresses) if about else 1,
        is_answer=reader.asked,
        may_show_any_board=reader.asked or not isinstance(notice, BoardNotice | TalkNotice),
    )
