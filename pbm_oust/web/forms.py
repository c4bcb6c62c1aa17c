"""Forms that browsers send: read within bounds, carried out as a mail is, answered on the page.

Only forms from pages of ours are taken. Each is a line of a command, put together from its fields,
which have the names of its parts:

    command=challenge kind=oust userid1=alice userid2=bob option.size=11

What follows the parameters is `rest`, or has the names that the help gives its words. A field that
is empty is as if it were not there.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

from msgspec import Struct, structs
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.accounts.password import NO_PASSWORD
from pbm_oust.board.header import NO_BOARD
from pbm_oust.board.reasons import SamePlayer
from pbm_oust.commands.account import WelcomeNotice
from pbm_oust.commands.challenge import UnusableGrid
from pbm_oust.commands.invite import NotInvited, OwnAddress
from pbm_oust.commands.settings import BadZone
from pbm_oust.commands.talk import NothingWritten
from pbm_oust.commands.vacation import BadDate, BadDays, VacationFar, VacationPast
from pbm_oust.grammar.parts import BadOptionValue, Option
from pbm_oust.languages import Language
from pbm_oust.letters.layout import Block, Paragraph
from pbm_oust.mail.clients import Patience, note_guess
from pbm_oust.mail.reading.charsets import NO_TEXT
from pbm_oust.play.authentication import SenderNotEnough, TooMuch, WrongPassword
from pbm_oust.play.context import NoSuchPlayer
from pbm_oust.play.notices import BoardNotice, Notice, Reader, RefusalNotice, ShownBoard
from pbm_oust.play.passwords import NotDerived
from pbm_oust.play.request import Ending, Handled
from pbm_oust.play.request import Request as Asked
from pbm_oust.play.starting import HouseBoardTooLarge, HouseBusy, HouseOff
from pbm_oust.refusal import NotAllowed, Reason, Refusal, Unreadable
from pbm_oust.render.html import marks_of
from pbm_oust.render.svg import board_svg
from pbm_oust.rules import KINDS, Kind
from pbm_oust.service.service import handle
from pbm_oust.service.table import form_named
from pbm_oust.store.letters import Draft
from pbm_oust.web import addresses
from pbm_oust.web.ground import KEPT_SECRET, Ground, ground_of, source_of

DONE = "done"
"""The field of an address with what was done."""
LARGEST_FORM = 64 * 1024
"""The most bytes of a form."""
_MOST_FIELDS = 40
_FROM_HERE = ("same-origin", "none")
"""The values of Sec-Fetch-Site of a form that is one of ours."""
_UNSAID = ("", "null")
"""The values of an Origin that names nobody. Ours is null, as our pages tell no referrer."""
_PLACE = re.compile("[A-Z]+[0-9]?")
"""The name of a word in the help."""
_SET = "on"
"""The value of a box that is ticked."""
_FIELDS: Mapping[type[Reason], tuple[str, ...]] = {
    UnusableGrid: ("size", "board"),
    HouseBoardTooLarge: ("size", "board"),
    HouseOff: ("named", "opponent"),
    NotInvited: ("named", "address"),
    OwnAddress: ("named", "address"),
    HouseBusy: ("named", "opponent"),
    SamePlayer: ("named", "opponent"),
    NoSuchPlayer: ("named", "opponent", "rest"),
    SenderNotEnough: ("auth",),
    WrongPassword: ("password",),
    BadZone: ("zone",),
    BadDate: ("date",),
    BadDays: ("days",),
    VacationPast: ("date",),
    VacationFar: ("date",),
    NothingWritten: ("text",),
}
"""The fields that may be at fault where a refusal does not name what is typed there."""
_MAILED_TOO = BoardNotice, WelcomeNotice
"""Answers that also go by mail: further mails answer them."""


async def form_of(request: Request) -> Mapping[str, str]:
    """Return the fields of a form, each with its first value.

    Raises HTTPException if it comes from another site, is too large, or is none.
    """
    if not _is_from_here(request):
        raise HTTPException(403)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_FORM:
            raise HTTPException(413)
    try:
        found = parse_qs(body.decode(), strict_parsing=bool(body), max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise HTTPException(400) from None
    return {name: _text_of(values[0]) for name, values in found.items()}


class Mistake(Struct, frozen=True):
    """Why a form was refused, which is shown once more."""

    said: Sequence[Block]
    field: str = ""
    """The name of the field at fault; empty if it is none, or if nobody knows which."""

    @classmethod
    def of(cls, refusal: Refusal, form: Mapping[str, str], said: Sequence[Block]) -> "Mistake":
        """Return the mistake in a form that was refused; the field at fault holds its culprit."""
        culprit = _squeezed(refusal.culprit)
        holding = [name for name, value in form.items() if culprit == _squeezed(value) != ""]
        named = _FIELDS.get(type(refusal.reason), ())
        return cls(said, next((name for name in (*holding, *named) if name in form), ""))


def _squeezed(text: str) -> str:
    return "".join(text.split()).lower()


def filled(name: str, form: Mapping[str, str], fault: Mistake | None = None) -> dict[str, Any]:
    """Return the values by which templates show the form of a name once more, as it was typed.

    There is `kept` as `kept_from` returns it; `fault`, which returns what is wrong with a field;
    `refused`, what is wrong and belongs to no field; and `is_refused`, whether anything is wrong.
    """

    def at(form_name: str, field: str) -> Sequence[Block]:
        is_at_fault = fault is not None and (name, fault.field) == (form_name, field)
        return fault.said if fault and is_at_fault else ()

    refused = fault.said if fault and not fault.field else ()
    kept, is_refused = kept_from(form, name), fault is not None
    return {"kept": kept, "fault": at, "refused": refused, "is_refused": is_refused}


def kept_from(form: Mapping[str, str], form_name: str) -> Callable[..., str]:
    """Return a function that fills fields in anew: with the words typed in a form, or the usual."""

    def kept(name: str, field: str, usual: str = "") -> str:
        return form.get(field, usual) if name == form_name else usual

    return kept


def text_in(form: Mapping[str, str]) -> str:
    """Return the text for the other player in a form."""
    return form.get("text", "").strip()


def _is_from_here(request: Request) -> bool:
    """Return whether nothing that the browser says about a form names another site.

    Old browsers, and all of them without TLS, say less: then the hosts count that they name.
    """
    site = request.headers.get("sec-fetch-site", "")
    if site:
        return site in _FROM_HERE
    here = {_host_in(ground_of(request).base), _host_in(f"//{request.headers.get('host', '')}")}
    said = (request.headers.get(name, "") for name in ("origin", "referer"))
    return all(each in _UNSAID or _host_in(each) in here - {""} for each in said)


def _host_in(address: str) -> str:
    """Return the host in an address, with its port unless that is a usual one; empty if none."""
    try:
        host = urlsplit(address.lower()).netloc.rpartition("@")[2]
    except ValueError:
        return ""
    return host.removesuffix(":80").removesuffix(":443")


def _text_of(value: str) -> str:
    """Return the value of a field as the text of a mail is read: without what is no text."""
    return value.replace("\r\n", "\n").translate(NO_TEXT)


def line_of(name: str, fields: Mapping[str, str], userid: str = "") -> str:
    """Return the line of a command, as its player would write it.

    The player who is signed in need not say who they are. Raises KeyError for no command, and
    Refusal for a field that is not what it is for: none is two words of a line.
    """
    form = form_named(name)
    own = {"userid": userid, "password": NO_PASSWORD.text} if userid else {}
    words = [fields.get("kind", "") if form.is_of_kind else "", form.name]
    for part in form.parameters:
        word = fields.get(part.name.lower(), "").strip()
        if word:
            part.read(word)
            if word.split() != [word]:  # only of a password is that not said yet
                raise NotAllowed(WrongPassword())
        words.append(word or own.get(part.name.lower(), ""))
    places = _PLACE.findall(form.rest.shown[0]) if form.rest else ()
    words += (fields.get(name.lower(), "") for name in ("rest", *places))
    for option in form.options:
        typed = fields.get(f"option.{option.name}", "").strip()
        if typed:
            value = typed if typed == _SET else _value_of(option, KINDS[fields["kind"]], typed)
            words.append(f"-{option.name}" if value == _SET else f"-{option.name}={value}")
    return " ".join(" ".join(words).split())


def _value_of(option: Option, kind: Kind, typed: str) -> str:
    """Return the value of an option as a line has it. Raises Unreadable."""
    value = "".join(typed.lower().split())
    try:
        option.read(kind, value)
    except ValueError:
        takes = option.takes or kind.own_shape.value
        raise Unreadable(BadOptionValue(option.forms(kind), takes), typed) from None
    return value


class Carried(Struct, frozen=True):
    """The outcome of a request, and the notices that the page tells."""

    handled: Handled
    told: tuple[Notice, ...]

    def fault(self, form: Mapping[str, str], said: Sequence[Block]) -> Mistake:
        """Return the mistake in the form from which the request came."""
        refusals = (each.refusal for each in self.told if isinstance(each, RefusalNotice))
        refusal = next(refusals, None)
        return Mistake.of(refusal, form, said) if refusal else Mistake(said)

    @property
    def limit(self) -> str:
        """The name of the limit that keeps it from being done; empty if none does."""
        why = self.handled.why
        return why.limit if isinstance(why, TooMuch) else self.handled.limit

    @property
    def is_refused(self) -> bool:
        """Whether nothing was done, because something was wrong with it."""
        return self.handled.ending is Ending.REFUSED

    @property
    def is_asked(self) -> bool:
        """Whether a mail asks for the yes of its player."""
        return self.handled.ending is Ending.ASKED

    @property
    def is_done(self) -> bool:
        """Whether what was asked for is done, perhaps since before."""
        return self.handled.ending in (Ending.DONE, Ending.DONE_BEFORE, Ending.DONE_IN_PART)

    def leads_to(self, path: str) -> Response:
        """Lead to a page that says what is done.

        Its address names the number of the record that was made, or else the command.
        """
        done = {DONE: str(self.handled.record or self.handled.command)}
        return RedirectResponse(addresses.asking(path, done), 303, KEPT_SECRET)


def asked_of(
    request: Request, identity: str, sender: str, *, line: str = "", chat: str = "", **given: Any
) -> Asked:
    """Return the request of a form, as a mail of the sender that says the same would make it."""
    source = source_of(request)
    return Asked(line, chat, sender, f"web {identity}", source, **given)


async def carry_out(request: Asked, ground: Ground) -> Carried:
    """Carry out a request from a page; its answers are told there, all else goes by mail.

    Passwords are hashed one after another. Those that come from one host wait for one another, and
    the answer to a wrong one as long as by mail. Raises HTTPException if too many wait.
    """
    async with AsyncExitStack() as turn:
        has_turn = False
        while True:
            try:
                carried = await run_in_threadpool(_carry_out, request, ground)
            except NotDerived as password:
                if not has_turn:
                    await turn.enter_async_context(ground.hashing.of(request.source))
                    has_turn = True
                await ground.hashing.do(partial(ground.work.passwords.derive, password.needed))
                continue
            if carried.handled.is_guess:
                note_guess("password", request.source)
                await asyncio.sleep(Patience().wrong_password)
            return carried


def _carry_out(request: Asked, ground: Ground) -> Carried:
    work = ground.work
    told: dict[tuple[str, str], Notice] = {}  # a deed that is tried again tells the same again

    def write(notice: Notice, asked: Asked) -> list[Draft]:
        if not notice.is_answer:
            return work.write(notice, asked)
        told[notice.template, notice.topic()] = notice
        return work.write(notice, asked) if isinstance(notice, _MAILED_TOO) else []

    handled = handle(request, structs.replace(work, write=write))
    return Carried(handled, tuple(told.values()))


def said(notices: Iterable[Notice], ground: Ground, *, is_line: bool = False) -> Iterator[Block]:
    """Yield what notices say, as their letters would; of a refusal, the reason alone.

    `is_line` says that a whole line was written, which may be put right.
    """
    for notice in notices:
        words = ground.templates_in(notice.reader.settings.language).words
        if isinstance(notice, RefusalNotice):
            yield from words.reason(notice, is_line=is_line)
        else:
            yield from words.of(notice).blocks


def reason_of(refusal: Refusal, reader: Reader, ground: Ground) -> list[Block]:
    """Return the reason for which a form was refused before the service was asked."""
    notice = RefusalNotice(
        reader, refusal, "", culprit=refusal.culprit, culprit_at=0, correction=None
    )
    return list(said([notice], ground))


def answer_page(request: Request, carried: Carried, language: Language, *, back: str) -> Response:
    """Return a page with what came of a request; `back` is the path that it leads back to."""
    ground = ground_of(request)
    translator = ground.templates_in(language).translator
    parts: list[Paragraph | Mapping[str, str]] = []
    for block in said(carried.told, ground, is_line=True):
        if isinstance(block, ShownBoard):
            game, prefix = block.game, f"b{len(parts)}"
            title = translator.gettext("Board %(name)s", name=game.name)
            words = translator.gettext
            svg = board_svg(game.position, marks_of(game), title, words, prefix=prefix)
            path = "" if game.header.board == NO_BOARD else addresses.of_board(game.name)
            parts.append({"name": game.name, "path": path, "svg": svg})
        elif isinstance(block, Paragraph):
            parts.append(block)
    return ground.secret_page(
        request, language, "answer", answers=parts, back=back, carried=carried
    )
