"""The context of all pages: the home, the words of each language, and the cache of responses."""

import asyncio
import gzip
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property, partial
from hashlib import sha256
from importlib.resources import files
from ipaddress import ip_address
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from pbm_oust.board.puzzle import puzzles_of
from pbm_oust.experiments.advice import TRIED
from pbm_oust.languages import LANGUAGES, Language
from pbm_oust.letters.templates import html_templates
from pbm_oust.letters.translator import Translator
from pbm_oust.letters.words import Medium, words_in
from pbm_oust.mail.clients import source_at
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.play.notices import Reader
from pbm_oust.play.passwords import Passwords
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.render.svg import without_names
from pbm_oust.rules import KINDS, Kind, Side
from pbm_oust.store.boards import DamagedHistory, Latest
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from pbm_oust.store.limits import USUAL_LIMITS, Limits
from pbm_oust.web import addresses
from pbm_oust.web.live import Live
from pbm_oust.web.speaking import VARY, language_asked

T = TypeVar("T")

MOST_WAITING_OF_ONE = 8
"""How many pieces of costly work one host or network may wait for; all together, as many as there
may be connections."""
LATER: Mapping[str, str] = {"Retry-After": "60"}
"""Said with a 503 to whoever has to wait."""


class OneByOne:
    """Work that keeps one core busy, however many ask for it. It belongs to one event loop.

    Who asks for much waits for themselves: each host has one piece at most among those that are
    next.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._turns = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._waiting = defaultdict[str, int](int)

    @asynccontextmanager
    async def of(self, source: str) -> AsyncIterator[None]:
        """Wait until nobody else from the same host is within.

        Raises HTTPException if too many from there wait.
        """
        if self._waiting.get(source, 0) >= MOST_WAITING_OF_ONE:
            raise HTTPException(503, headers=LATER)
        self._waiting[source] += 1
        try:
            async with self._turns[source]:
                yield
        finally:
            self._waiting[source] -= 1
            if not self._waiting[source]:
                del self._waiting[source], self._turns[source]

    async def do_for(self, source: str, work: Callable[[], T]) -> T:
        """Do a piece of work for a host, as `of` and `do` say."""
        async with self.of(source):
            return await self.do(work)

    async def do(self, work: Callable[[], T]) -> T:
        """Do a piece of work in a thread, once it is its turn."""
        async with self._turn:
            return await asyncio.to_thread(work)


MOST_BYTES = 64 * 1024 * 1024
"""How much is kept in memory; what was asked for longest ago is dropped."""

HTML = "text/html; charset=utf-8"

CHECKED = "no-cache"
"""The header of a page that may change: a browser asks each time whether it has."""

KEPT_SECRET: Mapping[str, str] = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow"}
"""Said with every page that is one player's alone, or whose address is a proof."""


SOURCES = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'"
)
"""The sources and the forms of a page, as Content-Security-Policy says them."""
ELSEWHERE: Mapping[str, str] = {"Cross-Origin-Resource-Policy": "cross-origin"}
"""Said with what pages of others may show."""


_LEVEL, _LEAST = 6, 500
"""How hard gzip tries (more costs twice the time for one byte in a hundred), and from how many
bytes on."""
_COMPRESSED_ALREADY, _ACCEPTS = "image/png", "Accept-Encoding"


class Made:
    """The content of a response, compressed once for all; its checksum; how long it may be kept."""

    def __init__(self, content: bytes, keeping: str = CHECKED) -> None:
        self.content = content
        self.keeping = keeping

    @cached_property
    def etag(self) -> str:
        """The checksum, as a browser says which content it has."""
        return f'W/"{sha256(self.content).hexdigest()[:24]}"'

    @cached_property
    def _compressed(self) -> bytes:
        return gzip.compress(self.content, _LEVEL, mtime=0)

    def answer(self, request: Request, media_type: str, headers: Mapping[str, str]) -> Response:
        """Answer with this, or that the browser has it already.

        Source: RFC 9110, sections 8.8.3 and 13.1.2 (ETag and If-None-Match).
        """
        headers = {"ETag": self.etag, **headers}
        named = ",".join(request.headers.getlist("if-none-match")).split(",")
        if {_plain_tag(each) for each in named} & {_plain_tag(self.etag), "*"}:
            return Response(None, 304, headers)
        return self.response(request, media_type, headers)

    def response(
        self, request: Request, media_type: str, headers: Mapping[str, str], status: int = 200
    ) -> Response:
        """Return a response with the content, compressed for browsers that take gzip.

        Source: RFC 9110, sections 8.4.1 and 12.5.5 (Content-Encoding and Vary).
        """
        if len(self.content) < _LEAST or media_type == _COMPRESSED_ALREADY:
            return Response(self.content, status, headers, media_type)
        content, vary = self.content, ", ".join(filter(None, (headers.get("Vary"), _ACCEPTS)))
        headers = {**headers, "Vary": vary}
        if "gzip" in request.headers.get(_ACCEPTS, ""):
            content, headers = self._compressed, {**headers, "Content-Encoding": "gzip"}
        return Response(content, status, headers, media_type)


def json_page(request: Request, fields: object) -> Response:
    """Return a response with fields as JSON, as they are at present."""
    made = Made(bytes(JSONResponse(fields).body))
    return made.answer(request, "application/json", {"Cache-Control": made.keeping})


_ENCODED = re.compile(r"(?:(?:--?|;)(?:gzip|br|zstd|deflate|compress))+$")
"""The ending that web servers give an ETag when they compress, as Apache's mod_deflate does."""


def _plain_tag(tag: str) -> str:
    """Return an ETag as it is compared: weakly, and without quotes and what servers add."""
    return _ENCODED.sub("", tag.strip().removeprefix("W/").replace('"', ""))


KEY_BYTES = 2048
"""How much a response takes at most besides its content, which is there compressed as well:
strangers choose long addresses."""


class Cache:
    """Responses that were made lately, by what they were made from or by what was asked for."""

    def __init__(self) -> None:
        self._made = Latest[Hashable, tuple[Hashable, Made]](
            MOST_BYTES, lambda known: 2 * len(known[1].content) + KEY_BYTES
        )

    def get(self, key: Hashable, make: Callable[[], str], state: Hashable = None) -> Made:
        """Return the response for a key; make it unless it is cached for this state."""
        return self.find(key, state) or self.put(key, Made(make().encode()), state)

    def find(self, key: Hashable, state: Hashable = None) -> Made | None:
        """Return the response for a key, if it is cached for this state."""
        known = self._made.get(key)
        return known[1] if known and known[0] == state else None

    def put(self, key: Hashable, made: Made, state: Hashable = None) -> Made:
        """Cache the response for a key, right only in a state if one is given, and return it."""
        self._made.put(key, (state, made))
        return made


_TYPES = {
    "style.css": "text/css; charset=utf-8",
    "script.js": "text/javascript; charset=utf-8",
    "board.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "turn.svg": "image/svg+xml",
}
STATIC: dict[str, str] = {}
"""The paths of what pages load besides, which change with their contents, by the names of files."""
FOUND: dict[str, tuple[Made, str]] = {}
"""By path: what is there, and its media type."""
for _name, _type in _TYPES.items():
    _content = files(__package__).joinpath("static", _name).read_bytes()
    STATIC[_name] = f"/static/{sha256(_content).hexdigest()[:12]}/{_name}"
    FOUND[STATIC[_name]] = Made(_content), _type

ANYBODY = Reader((), "*")
"""The reader of a page: nobody whose userid stands in it."""


class Templates:
    """Pages in one language, and what their templates may ask for."""

    def __init__(self, language: Language, address: str, base: str, site: str) -> None:
        """`address` takes commands by mail; `base` is where the pages are found, if known.

        `site` is what they are called.
        """
        self.language = language
        self.translator = translator = Translator(language)
        self.words = words = words_in(language, address, Medium.PAGE)
        self._templates = html_templates(translator)
        self._templates.globals.update(
            **words.globals,
            addresses=addresses,
            base=base,
            site=site,
            language=language,
            kind_title=lambda name: KINDS[name].title,
            static=STATIC,
            anybody=ANYBODY,
            refused=(),
            others=[Translator(each) for each in LANGUAGES.values() if each is not language],
            turns=None,
            kept=lambda _form, _field, usual="": usual,
            puzzles_of=puzzles_of,
            advised=TRIED,
            sides=Side,
            without_names=without_names,
            moment_text=lambda at, zone=UTC: translator.moment_text(at, zone),
            date_in_list=translator.day_in_list,
            day_in_list=lambda at: translator.day_in_list(at.astimezone(UTC).date()),
        )

    def headers(self, keeping: str = CHECKED) -> dict[str, str]:
        """Return the headers of a response in the language, which a browser may keep so long."""
        code = self.language.code
        return {"Cache-Control": keeping, "Content-Language": code, "Vary": VARY}

    def fill(self, name: str, **given: object) -> str:
        """Fill in the template of a page, which is a file in `web/`."""
        return self._templates.get_template(f"web/{name}").render(given)


class Ground:
    """The context of every page: the home, the clock and the words of a server."""

    def __init__(
        self,
        home: Home,
        address: str,
        clock: Callable[[], datetime],
        base: str = "",
        limits: Limits = USUAL_LIMITS,
        site: str = "pbm_oust",
    ) -> None:
        """`address` takes commands by mail, and `site` is what the pages are called.

        `base` is where the pages are found from outside, such as https://games.example.org; empty
        if only they themselves know it.
        """
        self.home = home
        self.address = address
        self.clock = clock
        self.base = base
        self.live = Live(home)
        self.cache = Cache()
        self.drawing = OneByOne()
        self.hashing = OneByOne()
        self.replaying = OneByOne()
        self.thinking = OneByOne()
        self.limits = limits
        self._templates = {
            each: Templates(each, address, base, site) for each in LANGUAGES.values()
        }

    async def read_first(self, kind: Kind, number: int, request: Request) -> None:
        """Let a long board be read in its turn, so that a page has it at hand; others go on.

        Raises HTTPException if too many wait.
        """
        boards, name = self.home.boards, BoardName(kind.name, number)
        with self.home.database.read() as snapshot:
            if not boards.is_long(snapshot, name) or boards.is_remembered(snapshot, name):
                return
        with suppress(NotAllowed, DamagedHistory):
            read = partial(self.work.look, lambda on: on.board(kind, number))
            await self.replaying.do_for(source_of(request), read)

    @cached_property
    def work(self) -> UnitOfWork:
        """A unit of work to look with, and to carry out what players send from a page.

        Passwords are not hashed here, but by `forms.carry_out`.
        """
        given = self.home, self.address, self.clock, self.limits
        passwords = Passwords(at_once=False)
        return open_inbound(*given, passwords=passwords, web_address=self.base).work

    def templates_in(self, language: Language) -> Templates:
        """Return the templates of a language."""
        return self._templates[language]

    def templates_for(self, request: Request) -> Templates:
        """Return the templates of the language that the browser asks for."""
        return self._templates[language_asked(request)]

    def page(self, request: Request, template: str, status: int = 200, **given: object) -> Response:
        """Return a page in the language that the browser asks for."""
        templates = self.templates_for(request)
        made = Made(templates.fill(f"{template}.html", **given).encode())
        return made.response(request, HTML, templates.headers(), status)

    def secret_page(
        self,
        request: Request,
        language: Language,
        template: str,
        status: int = 200,
        **given: object,
    ) -> Response:
        """Return a page that no cache may keep: it is for one player, or its address is a proof.

        It is compressed only if it has no form: whoever could have a page asked for with words of
        their own in its address would learn tokens from its compressed length (BREACH).
        """
        templates = self.templates_in(language)
        headers = {**templates.headers(), **KEPT_SECRET}
        page = templates.fill(f"{template}.html", others=(), **given)
        if "<form" in page:
            return HTMLResponse(page, status, headers)
        return Made(page.encode()).response(request, HTML, headers, status)


def ground_of(request: Request) -> Ground:
    """Return the context of the pages of a request's application."""
    found: Ground = request.app.state.ground
    return found


def source_of(request: Request) -> str:
    """Return the host or network that a request comes from, as limits count it.

    Behind a web server of ours it is whom that names; empty if that is no address.
    """
    host = request.client.host if request.client else ""
    try:
        return str(source_at(ip_address(host.partition("%")[0])))
    except ValueError:
        return ""
