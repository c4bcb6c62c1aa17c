"""What pages stand on: the home, the words of each language, and the address of the server."""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property

from starlette.requests import Request
from starlette.responses import HTMLResponse

from pbm_oust.languages import LANGUAGES, Language
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.play.unit_of_work import Passwords, UnitOfWork
from pbm_oust.store.home import Home
from pbm_oust.store.limits import USUAL_LIMITS, Limits
from pbm_oust.web.drawing import Drawing, OneByOne
from pbm_oust.web.fresh import Fresh
from pbm_oust.web.health import Health
from pbm_oust.web.kept import Kept, headers_in
from pbm_oust.web.languages import language_of
from pbm_oust.web.live import Live
from pbm_oust.web.templates import Templates


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
        self.health = Health(home)
        self.kept = Kept()
        self.fresh = Fresh(home)
        self.drawing = Drawing()
        self.hashing = OneByOne()
        self.replaying = OneByOne()
        self.limits = limits
        self._templates = {each: Templates(each, address, base) for each in LANGUAGES.values()}

    @cached_property
    def work(self) -> UnitOfWork:
        """A unit of work to look with, and to carry out what players send from a page.

        It hashes no password; `carrying.py` does.
        """
        given = self.home, self.address, self.clock, self.limits
        passwords = Passwords(at_once=False)
        return open_inbound(*given, passwords=passwords, web_address=self.base).work

    def templates_in(self, language: Language) -> Templates:
        """Return the templates of a language."""
        return self._templates[language]

    def templates_for(self, request: Request) -> Templates:
        """Return the templates of the language that the browser asks for."""
        return self._templates[language_of(request.headers.get("accept-language", ""))]

    def page(
        self,
        request: Request,
        template: str,
        status: int = 200,
        templates: Templates | None = None,
        **given: object,
    ) -> HTMLResponse:
        """Return a page by these templates, or in the language that the browser asks for."""
        templates = templates or self.templates_for(request)
        content = templates.fill(template, **given)
        return HTMLResponse(content, status, headers_in(templates.language))


def ground_of(request: Request) -> Ground:
    """Return what the pages of a request's application stand on."""
    found: Ground = request.app.state.ground
    return found
