"""Letters: notices as mail messages, in text and, if they show boards, also in HTML."""

import hashlib
import logging
from collections.abc import Callable
from datetime import datetime
from email.utils import format_datetime

from msgspec import Struct, structs

from pbm_oust.accounts import asks, tags
from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import ascii_address
from pbm_oust.accounts.asks import ANY, Ask, Topic
from pbm_oust.accounts.settings import SubjectForm
from pbm_oust.board import Game
from pbm_oust.commands.begin import StartNotice
from pbm_oust.commands.general import HelpNotice, taught_in
from pbm_oust.commands.invite import InvitationNotice
from pbm_oust.letters import body
from pbm_oust.letters.html import has_page
from pbm_oust.letters.words import words_in
from pbm_oust.play.context import Look
from pbm_oust.play.news import NoRecord, head_of, restored
from pbm_oust.play.notices import (
    AnalysisNotice,
    BoardNotice,
    Meaning,
    Notice,
    Reader,
    Unheard,
    Verification,
    turn_on,
)
from pbm_oust.play.request import Request
from pbm_oust.play.verification import CodeNotice, UnconfirmedNotice
from pbm_oust.rules import KINDS
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.faults import ValueDamaged
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head, Letter
from pbm_oust.store.outbox import CannotWrite
from pbm_oust.store.verifications import keep_sheet

log = logging.getLogger("pbm_oust")

OFF_PATH = "/off"
"""Where the pages are found that end letters of one sort."""
PLAY_PATH = "/play"
"""Where the pages are found that play by the link of a letter."""
CODE_PATH = "/code"
"""Where the pages are found that bring a code back."""
RULES_PATH = "/rules"
"""Where the rules of games are found, step by step."""
TRY_PATH = "/try"
"""Where anybody can play a first game."""


class _Content(Struct, frozen=True):
    """The content of all letters to addresses of one sort: the reader's own, or others."""

    subject: str
    parts: tuple[body.Part, ...]
    """The text and, if there is any, the same as HTML."""
    files: tuple[body.Part, ...]
    """What is attached."""
    answers: str | None
    """The address of answers to the notice's ask; None if answers need a proof of their own."""
    is_whole: bool
    """Whether it has all parts that its reader wants."""
    has_room: bool
    """Whether all parts together take no more bytes than a letter may have."""


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
        self._host = address.rpartition("@")[2]
        self._web_address = web_address
        self._clock = clock
        self._key = key
        self._from = body.field("From", f"pbm_oust <{address}>")
        # All but NDR, without which Exchange would not tell that a mailbox is gone (MS-OXCMAIL).
        self._signs = "X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply\n" + body.field(
            "X-Loop", address
        )

    def write(self, notice: Notice, request: Request) -> list[Draft]:
        """Return the letters about a notice, one to each address of its reader.

        They are as the outbox keeps them: their lines end in LF. Raises OSError if the key of the
        home cannot be read.
        """
        now = self._clock()
        contents: dict[bool, _Content] = {}
        return [
            self._draft(notice, request, address, now, contents)
            for address in notice.reader.addresses
        ]

    def write_one(self, notice: Notice, request: Request, address: str, now: datetime) -> Draft:
        """Return the letter about a notice to one address, written at a moment, as `write` does."""
        return self._draft(notice, request, address, now, {})

    def _draft(
        self,
        notice: Notice,
        request: Request,
        address: str,
        now: datetime,
        contents: dict[bool, _Content],
    ) -> Draft:
        """Return the letter to an address; `contents` has those of the notice's other letters.

        These are by whether they go to an address of the reader's account.
        """
        account, meaning = notice.reader.account, notice.ask()
        is_own = account is not None and account.has_exactly(address)
        ask = meaning if is_own and isinstance(meaning, Ask) else None
        carried = _carried(meaning, notice.reader, now, is_own=is_own)
        carried = carried.fitting(self._address) if carried else None
        proved_by = account if carried and carried.userid and account else address
        if is_own not in contents:
            begins = not account and isinstance(meaning, Ask)
            first = self._answers_to(meaning, carried, proved_by) if begins else ""
            contents[is_own] = self._content(notice, ask, first, is_own=is_own)
        content = contents[is_own]
        message_id = self._message_id(notice, request, address, carried, proved_by, now)
        head = head_of(notice, ascii_address(address), message_id, content.subject)
        # RFC 2045, section 6.7: quoted-printable never holds =_
        boundary = f"=_{hashlib.sha256(message_id.encode()).hexdigest()[:24]}"
        language = notice.reader.settings.language.code
        answers = content.answers if carried and carried == ask else None
        answers = answers or self._answers_to(meaning, carried, proved_by)
        fields = self._fields(notice, request, head, answers, now)
        said = body.body(content.parts, language, boundary, content.files)
        kept = carried if carried and carried.kept else None
        return Draft(head, (fields + said).encode(), now, kept)

    def _content(
        self, notice: Notice, answered: Ask | None, first: str, *, is_own: bool
    ) -> _Content:
        """Return what a letter says, with no more bytes than a letter may have.

        Answers to it mean `answered`. `first` is where a stranger answers whom it asks to begin.
        `is_own`: whether it goes to an address of its reader's account.
        """
        tried = list[_Content]()
        for enclosure in body.enclosures(notice):
            content = self._carrying(enclosure, notice, answered, first, is_own=is_own)
            # The moves of a game matter more than the same text with a picture.
            is_enough = content.is_whole or enclosure is body.Enclosure.MOVES
            if is_enough and content.has_room:
                return content
            tried.append(content)
        for content in tried:
            if content.has_room:
                return content
        # As much of the text alone as there is room for.
        last, words = tried[-1], words_in(notice.reader.settings.language, self._address)
        parts = (body.beginning(last.parts[0].content, body.LARGEST, words.left_out),)
        return structs.replace(last, parts=parts, files=())

    def _carrying(
        self,
        enclosure: body.Enclosure,
        notice: Notice,
        answered: Ask | None,
        first: str,
        *,
        is_own: bool,
    ) -> _Content:
        """Return what a letter says that carries the records of a game in some way."""
        reader, about = notice.reader, notice.board()
        words = words_in(reader.settings.language, self._address)
        own = self._reply_address(reader.account, answered)
        is_play = answered is not None and answered.topic is Topic.PLAY
        link = self._link(notice, own if is_play else "")
        written = words.of(notice, answered, enclosure, link, self._web_address)
        if about and reader.settings.subject is SubjectForm.BOARD:
            subject = f"{about.name}: {about.header.x} - {about.header.o}"
            written = structs.replace(written, subject=subject)

        def answered_at(game: Game | Ask) -> str | None:
            if isinstance(game, Ask):
                return self._reply_address(reader.account, game) if is_own else None
            if about:
                return own if about is game and (is_play or written.again) else None
            if first:
                return first
            if not is_own or not reader.userid:
                return None
            return self._reply_address(reader.account, turn_on(game, reader.userid))

        text = body.part(written.text, "plain")
        files = body.files_of(about, enclosure) if about else ()
        room = body.LARGEST - text.size
        for each in files:
            room -= each.size
        page = words.pages.of(written, reader, answered_at, room)
        return _Content(
            written.subject,
            (text, page) if page else (text,),
            files,
            own,
            is_whole=bool(page) or not has_page(written, reader),
            has_room=room >= 0,
        )

    def _link(self, notice: Notice, playing: str | None) -> str:
        """Return the page that does what a letter tells of; empty if there is none.

        `playing` is the address of answers that play, if there is one.
        """
        if not self._web_address:
            return ""
        if isinstance(notice, UnconfirmedNotice) and len(notice.choices) > 1:
            return ""
        if isinstance(notice, CodeNotice | UnconfirmedNotice):
            return f"{self._web_address}{CODE_PATH}/{notice.code.text}"
        if isinstance(notice, StartNotice):
            return f"{self._web_address}{TRY_PATH}" if notice.has_house else ""
        if isinstance(notice, HelpNotice):
            taught = next(filter(None, map(taught_in, notice.subjects)), None)
            return f"{self._web_address}{RULES_PATH}/{taught.name}" if taught else ""
        if isinstance(notice, AnalysisNotice):
            return f"{self._web_address}/{notice.game.name.replace(' ', '/')}"
        return play_address(self._web_address, playing) if playing else ""

    def _reply_address(self, account: Account | None, answered: Ask | None) -> str | None:
        """Return the address where an answer counts as the player's, if there is one."""
        if answered is None or account is None:
            return None
        token = asks.token_for(self._key(), account, answered)
        return asks.reply_address(self._address, answered, token) or None

    def _answers_to(
        self, meaning: Meaning | None, carried: Ask | None, proved_by: Account | str
    ) -> str:
        """Return where answers to a letter go that carries an ask, or that means something else."""
        if isinstance(meaning, Verification):
            return tags.verification_address(self._address, meaning.code.text)
        if carried is None:
            return f"Nobody reads answers <{tags.unread_address(self._address)}>"
        token = asks.token_for(self._key(), proved_by, carried)
        return asks.reply_address(self._address, carried, token)

    def _message_id(
        self,
        notice: Notice,
        request: Request,
        address: str,
        carried: Ask | None,
        proved_by: Account | str,
        now: datetime,
    ) -> str:
        """Return the Message-ID of a letter, which cannot be guessed if it carries an ask.

        It has the short id of the mail that led to the letter. A mail that comes again is answered
        by another letter each time.
        """
        topic, reader = notice.topic(), notice.reader
        parts = (request.identity, address, reader.userid or "", topic, now.isoformat())
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        if carried:
            name = f"{request.mail_id}{digest[:4]}"
            token = asks.token_for(self._key(), proved_by, carried, name)
            return asks.letter_id(self._host, carried, name, token)
        return f"<{topic.replace(' ', '.')}.{request.mail_id}{digest[:8]}@{self._host}>"

    def _fields(
        self, notice: Notice, request: Request, head: Head, answers: str, now: datetime
    ) -> str:
        """Return the header fields of a letter, except those about its body.

        `head` is what the outbox knows of it, and `answers` the address where answers go.
        """
        reader, game = notice.reader, notice.board()
        is_utf8 = not (self._address + head.recipient).isascii()
        fields = [
            self._from,
            body.field("To", head.recipient),
            *([body.field("Reply-To", answers)] if answers else []),
            body.text_field("Subject", head.subject, is_utf8=is_utf8),
            f"Date: {format_datetime(now.replace(microsecond=0))}\n",
            body.field("Message-ID", head.message_id),
        ]
        answered = request.message_id if reader.asked else ""
        if answered:
            fields.append(body.field("In-Reply-To", answered))
        # No letter has this id; mail programs join the letters that refer to it.
        thread = f"<{game.name.replace(' ', '.')}@{self._host}>" if game else ""
        if thread or answered:
            fields.append(body.field("References", f"{thread} {answered}".strip()))
        fields += (
            f"Auto-Submitted: {'auto-replied' if reader.asked else 'auto-generated'}\n",
            self._ways_out(notice, head.recipient, now),
            self._signs,
            f"X-Pbm-Oust: {notice.template}\n",
        )
        if isinstance(notice, BoardNotice) and len(reader.addresses) > 1:
            fields.append(f"X-Pbm-Oust-Copies: {len(reader.addresses)}\n")
        return "".join(fields)

    def _ways_out(self, notice: Notice, recipient: str, now: datetime) -> str:
        """Return how a mail program ends letters like this one (RFC 2369, RFC 8058)."""
        account, what = notice.reader.account, notice.subscription()
        address: str | None = None
        if isinstance(notice, InvitationNotice):
            name = asks.invited(self._key(), recipient)
            off = Ask(Topic.OFF, (name,)).on_day(now.date())
            token = asks.token_for(self._key(), "", off)
            address = asks.reply_address(self._address, off, token)
        elif account and what:
            off = Ask(Topic.OFF, tuple(what.split()), account.userid)
            address = self._reply_address(account, off)
        if not address:
            return ""
        by_mail = f"<mailto:{address}?subject=unsubscribe>"
        if not self._web_address:
            return body.field("List-Unsubscribe", by_mail)
        page = f"<{self._web_address}{OFF_PATH}/{tags.tag_of(address)}>"
        return (
            body.field("List-Unsubscribe", f"{page}, {by_mail}")
            + "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n"
        )


class LetterWriter:
    """Writes the letters that the outbox of a home keeps as data."""

    def __init__(self, home: Home, letters: Letters) -> None:
        self._home = home
        self._letters = letters

    def write(self, letter: Letter, content: bytes) -> tuple[Letter, bytes]:
        """Return a letter and its content, written from what the outbox keeps of it.

        It is the same each time, as long as board and account are. What it is answered by is kept
        if no address has room for it. Raises CannotWrite, and OSError for what is no fault of this
        letter.
        """
        posted, address = letter.posted, letter.head.recipient
        try:
            with self._home.database.read() as snapshot:
                on = Look(snapshot, self._home, posted)
                notice, request, moment = restored(on, letter, content)
            draft = self._letters.write_one(notice, request, address, moment)
        except ValueDamaged as fault:
            raise CannotWrite(str(fault)) from fault
        except OSError:
            raise
        except (DamagedHistory, NoRecord) as fault:
            raise CannotWrite(str(fault)) from fault
        except Exception as fault:
            log.exception("a fault in the program")
            raise CannotWrite(f"{type(fault).__name__}: {fault}") from fault
        if draft.kept:
            self._home.do(keep_sheet, draft.kept, posted)
        return structs.replace(letter, head=draft.head), draft.content


def _carried(meaning: Meaning | None, reader: Reader, now: datetime, *, is_own: bool) -> Ask | None:
    """Return the ask that a letter carries; None if nobody reads answers.

    `is_own`: whether it goes to an address of its reader's account. Only such a letter proves
    whose an answer is; others are those of a guest.
    """
    account = reader.account
    if isinstance(meaning, Unheard):
        return None
    if isinstance(meaning, Verification):
        return Ask(Topic.VERIFY, (tags.name_of(meaning.code),)).on_day(now.date())
    if account and is_own:
        return meaning or Ask(Topic.DO, (ANY,), account.userid)
    guest = meaning if meaning and meaning.is_of_guest else None
    if guest is None:
        first = Ask(Topic.BEGIN, (next(iter(KINDS)),))
        guest = Ask(Topic.DO, (ANY,)) if account else first
    return guest.in_language(reader.settings.language).on_day(now.date())


def play_address(web_address: str, reply_address: str) -> str:
    """Return where the page is found that plays as an answer to an address does."""
    return f"{web_address}{PLAY_PATH}/{tags.tag_of(reply_address)}"
