"""A browser without a screen: it keeps cookies, follows redirects, and fills forms in."""

from dataclasses import dataclass, field
from html import unescape
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urljoin

from lxml.html import fromstring

from tests.support.website import Got, Site


@dataclass
class Form:
    """A form of a page, with the values that it has before anybody fills it in."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    words: str = ""
    """What it shows, its button too."""


@dataclass
class Browser:
    """A browser of one person."""

    site: Site
    language: str = "en"
    cookies: dict[str, str] = field(default_factory=dict)
    path: str = "/"
    got: Got = field(default_factory=lambda: Got(0, {}, b""))

    @property
    def text(self) -> str:
        """The page that is shown."""
        return unescape(self.got.text)

    def open(self, path: str) -> Got:
        """Open a page, wherever it leads to."""
        self.path = path
        self._take(self.site.get(path.partition("#")[0], **self._headers()))
        return self.got

    def form(self, words: str = "", **values: str) -> Form:
        """Return the one form of the page that shows some words and has some values."""
        (found,) = (
            form
            for form in self.forms()
            if words in form.words and values.items() <= form.fields.items()
        )
        return found

    def forms(self) -> list[Form]:
        """Return all forms of the page."""
        page: Any = fromstring(self.got.text)
        return [_form(each) for each in page.forms]

    def send(self, form: Form, **values: str) -> Got:
        """Fill a form in and send it, and open what that leads to."""
        self._take(self.sent(form, **values))
        return self.got

    def sent(self, form: Form, **values: str) -> Got:
        """Return the answer to a form, filled in; `option_size` stands for `option.size`."""
        filled = {name.replace("_", "."): value for name, value in values.items()}
        assert filled.keys() >= {name for name in form.required if not form.fields.get(name)}
        path = urljoin(self.path, form.action) if form.action else self.path
        self.path = path.partition("?")[0]
        body = urlencode(form.fields | filled)
        return self.site.post(path, body, sec_fetch_site="same-origin", **self._headers())

    def _headers(self) -> dict[str, str]:
        kept = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {"accept_language": self.language, **({"cookie": kept} if kept else {})}

    def _take(self, got: Got) -> None:
        for name, morsel in SimpleCookie(got.headers.get("set-cookie", "")).items():
            self.cookies[name] = morsel.value
            if not morsel.value:
                del self.cookies[name]
        self.got = got
        if got.status == 303:
            self.open(got.headers["location"])


def _is_box(control: Any) -> bool:
    """Return whether a control is ticked or not, and says nothing if it is not."""
    return control.get("type") in ("checkbox", "radio")


def _value_of(control: Any) -> str:
    return control.get("value", "on") if _is_box(control) else control.value or ""


def _form(form: Any) -> Form:
    """Return a form as lxml reads it."""
    assert form.method == "POST"
    controls = [each for each in form.inputs if each.name and (not _is_box(each) or each.checked)]
    fields = {each.name: _value_of(each) for each in reversed(controls)}  # the first counts
    required = {each.name for each in form.inputs if "required" in each.attrib}
    return Form(form.action or "", fields, required, form.text_content())
