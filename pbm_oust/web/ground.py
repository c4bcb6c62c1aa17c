"""What pages stand on: the home, the words of each language, and the address of the server."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from functools import cached_property
from ipaddress import ip_address
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from pbm_oust.languages import LANGUAGES, Language
from pbm_oust.mail.clients import source_at
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.play.unit_of_work import Passwords, UnitOfWork
from pbm_oust.store.home import Home
from pbm_oust.store.limits import USUAL_LIMITS, Limits
from pbm_oust.web.cache import KEPT_SECRET, Cache, headers_in
from pbm_oust.web.live import Live
from pbm_oust.web.templates import Templates, language_of

MOST_WAITING = 100
"""How many pieces of costly work may be waited for at once."""
MOST_WAITING_OF_ONE = 8
"""How many of them one host or network may wait for."""
LATER: Mapping[str, str] = {"Retry-After": "60"}
"""Said with a 503 to whoever has to wait."""

T = TypeVar("T")


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

        Raises HTTPException if too many wait.
        """
        is_full = sum(self._waiting.values()) >= MOST_WAITING
        if is_full or self._waiting[source] >= MOST_WAITING_OF_ONE:
            raise HTTPException(503, headers=LATER)
        self._waiting[source] += 1
        try:
            async with self._turns[source]:
                yield
        finally:
            self._waiting[source] -= 1
            if not self._waiting[source]:
                del self._waiting[source], self._turns[source]

    async def do(self, work: Callable[[], T]) -> T:
        """Do a piece of work in a thread, once it is its turn."""
        async with self._turn:
            return await asyncio.to_thread(work)


class Ground:
    """What every page needs of a server: its home, its clock and its words."""

    def __init__(
        self,
        home: Home,
        address: str,
        clock: Callable[[], datetime],
        base: str = "",
        limits: Limits = USUAL_LIMITS,
    ) -> None:
        """`address` takes commands by mail.

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
        self.limits = limits
        self._templates = {each: Templates(each, address, base) for each in LANGUAGES.values()}

    @cached_property
    def work(self) -> UnitOfWork:
        """A unit of work to look with, and to carry out what players send from a page.

        It hashes no password; `forms.carry_out` does.
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

    def page(
        self, request: Request, template: str, status: int = 200, **given: object
    ) -> HTMLResponse:
        """Return a page in the language that the browser asks for."""
        return self._page(self.templates_for(request), template, status, given)

    def secret_page(
        self, language: Language, template: str, status: int = 200, **given: object
    ) -> HTMLResponse:
        """Return a page in a language that is one player's alone, or whose address is a proof."""
        page = self._page(self.templates_in(language), template, status, given)
        page.headers.update(KEPT_SECRET)
        return page

    def _page(
        self, templates: Templates, template: str, status: int, given: Mapping[str, object]
    ) -> HTMLResponse:
        content = templates.fill(template, **given)
        return HTMLResponse(content, status, headers_in(templates.language))


def ground_of(request: Request) -> Ground:
    """Return what the pages of a request's application stand on."""
    found: Ground = request.app.state.ground
    return found


def language_asked(request: Request) -> Language:
    """Return the language that the browser asks for."""
    return language_of(request.headers.get("accept-language", ""))


def source_of(request: Request) -> str:
    """Return the host or network that a request comes from, as limits count it.

    Behind a web server of ours it is whom that names; empty if that is no address.
    """
    host = request.client.host if request.client else ""
    try:
        return str(source_at(ip_address(host.partition("%")[0])))
    except ValueError:
        return ""
