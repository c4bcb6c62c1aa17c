"""Letters: notices as mail messages, in text and, if they show boards, also in HTML."""

import hashlib
from collections.abc import Callable
from datetime import datetime

from pbm_oust.accounts.address import ascii_address
from pbm_oust.accounts.answered import Answered, Joining, Purpose, Reply, Sheet
from pbm_oust.accounts.settings import SubjectForm
from pbm_oust.accounts.tags import tag_of
from pbm_oust.board.game import Game
from pbm_oust.commands.talk import TalkNotice
from dataclasses import dataclass, replace
from pbm_oust.letters.body import LARGEST, Part, beginning, body, part
from pbm_oust.letters.headers import Headers
from pbm_oust.letters.html import has_page
from pbm_oust.letters.records import Carriage, carriages, files_of
from pbm_oust.letters.words import Words, words_in
from pbm_oust.play.confirming import UnconfirmedNotice
from pbm_oust.play.meanings import turn_on
from pbm_oust.play.notices import BoardNotice, Notice
from pbm_oust.play.request import Request
from pbm_oust.play.verification import CodeNotice
from pbm_oust.store.letters import About, Draft, Head


@dataclass(frozen=True, slots=True)
class _Content:
    """What all letters say that go to addresses of one sort: the reader's own, or others."""

    subject: str
    parts: tuple[Part, ...]
    """The text and, if there is any, the same as HTML."""
    files: tuple[Part, ...]
    """What is attached."""
    answers: str | None
    """Where answers go, if that is not the address that the letter comes from."""
    is_whole: bool
    """Whether it has all parts that its reader wants."""

    @property
    def size(self) -> int:
        """The number of bytes of all parts as they are sent."""
        return sum(each.size for each in (*self.parts, *self.files))


class Letters:
    """Writes letters from `address`, the address that takes commands."""

    def __init__(
        self,
        address: str,
        clock: Callable[[], datetime],
        key: Callable[[], bytes],
        web_address: str = "",
    ) -> None:
        """`key` returns the secret of the home, from which reply tokens are made.

        `web_address` is where pages are found; without it letters have no links to them.
        """
        self._address = address
        self._web_address = web_address
        self._clock = clock
        self._headers = Headers(address, clock, key, web_address)

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
            answered = meaning if is_own and isinstance(meaning, Answered) else None
            if is_own not in contents:
                contents[is_own] = self._content(notice, answered, is_own=is_own)
            letters.append(self._letter(notice, request, address, contents[is_own], answered))
        return letters

    def _content(self, notice: Notice, answered: Answered | None, *, is_own: bool) -> _Content:
        """Return what a letter says, with no more bytes than a letter may have.

        Answers to it mean `answered`. `is_own`: whether it goes to an address of its reader's
        account.
        """
        tried = list[_Content]()
        for carriage in carriages(notice):
            content = self._carrying(carriage, notice, answered, is_own=is_own)
            if content.is_whole and content.size <= LARGEST:
                return content
            tried.append(content)
        fitting = (content for content in tried if content.size <= LARGEST)
        return next(fitting, None) or self._shortened(tried[-1], notice)

    def _carrying(
        self, carriage: Carriage, notice: Notice, answered: Answered | None, *, is_own: bool
    ) -> _Content:
        """Return what a letter says that carries the records of a game in some way."""
        words, reader = self._words_for(notice), notice.reader
        reply = answered if isinstance(answered, Reply) else None
        own = self._headers.reply_address(reader.account, answered)
        is_play = reply is not None and reply.purpose is Purpose.PLAY
        link = self._link(notice, own if is_play else "")
        written = words.of(notice, answered, carriage, link)
        about = notice.board()
        if about and reader.settings.subject is SubjectForm.BOARD:
            subject = f"{about.name}: {about.header.x} - {about.header.o}"
            written = replace(written, subject=subject)

        def answered_at(game: Game | Joining) -> str | None:
            if isinstance(game, Joining):
                return self._headers.reply_address(reader.account, game) if is_own else None
            if about:
                return own if about is game and (is_play or written.again) else None
            if not is_own or not reader.userid:
                return None
            return self._headers.reply_address(reader.account, turn_on(game, reader.userid))

        text, files = part(written.text, "plain"), files_of(about, carriage) if about else ()
        room = LARGEST - sum(each.size for each in (text, *files))
        page = words.pages.of(written, reader, answered_at, room)
        return _Content(
            written.subject,
            (text, page) if page else (text,),
            files,
            self._headers.answers_to(notice, own),
            is_whole=bool(page) or not has_page(written, reader),
        )

    def _link(self, notice: Notice, playing: str | None) -> str:
        """Return the page that does what an answer to a letter does; empty if there is none.

        `playing` is the address of answers that play, if there is one.
        """
        if not self._web_address:
            return ""
        if isinstance(notice, CodeNotice | UnconfirmedNotice):
            return f"{self._web_address}{CODE_PATH}/{notice.code.text}"
        return play_address(self._web_address, playing) if playing else ""

    def _shortened(self, content: _Content, notice: Notice) -> _Content:
        """Return what a letter says that is too large, as text alone and without its last lines."""
        text = content.parts[0].content
        parts = (beginning(text, LARGEST, self._words_for(notice).left_out),)
        return replace(content, parts=parts, files=())

    def _words_for(self, notice: Notice) -> Words:
        return words_in(notice.reader.settings.language, self._address)

    def _letter(
        self,
        notice: Notice,
        request: Request,
        address: str,
        content: _Content,
        answered: Answered | None,
    ) -> Draft:
        message_id = self._headers.message_id(notice, request, address, answered)
        head = _head_of(notice, ascii_address(address), message_id, content.subject)
        fields = "".join(self._headers.of(notice, request, head, content.answers))
        boundary = hashlib.sha256(message_id.encode()).hexdigest()[:24]
        # RFC 2045, section 6.7: quoted-printable never holds =_
        language = notice.reader.settings.language.code
        said = body(content.parts, language, f"=_{boundary}", content.files)
        sheet = answered if isinstance(answered, Sheet) else None
        return Draft(head, (fields + said).encode(), self._clock(), sheet)


PLAY_PATH = "/play"
"""Where the pages are found that play by the link of a letter."""
CODE_PATH = "/code"
"""Where the pages are found that bring a code back."""


def play_address(web_address: str, reply_address: str) -> str:
    """Return where the page is found that plays as an answer to an address does."""
    return f"{web_address}{PLAY_PATH}/{tag_of(reply_address)}"


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
