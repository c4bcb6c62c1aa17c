"""A browser without a screen: it keeps cookies, follows redirects, and fills forms in."""

from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urljoin

from tests.support.website import Got, Website


@dataclass
class Form:
    """A form of a page, with the values that it has before anybody fills it in."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    words: str = ""
    """What it shows, its button too."""


class _Forms(HTMLParser):
    """Takes the forms of a page apart."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._form: Form | None = None
        self._select = self._area = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            assert given["method"] == "post"
            self._form = Form(given["action"])
            self.forms.append(self._form)
        if self._form is None:
            return
        name = given.get("name", "")
        if "required" in given:
            self._form.required.add(name)
        if tag == "input" and given.get("type") != "checkbox":
            self._form.fields[name] = given.get("value", "")
        if tag == "select":
            self._select = name
        if tag == "option" and (self._select not in self._form.fields or "selected" in given):
            self._form.fields[self._select] = given["value"]
        if tag == "textarea":
            self._area = name
            self._form.fields[name] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        if tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._form and self._area:
            self._form.fields[self._area] += data
        elif self._form:
            self._form.words += data


@dataclass
class Browser:
    """A browser of one person."""

    site: Website
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
        self._take(self.site.get(path, **self._headers()))
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
        return _Forms(self.got.text).forms

    def send(self, form: Form, **values: str) -> Got:
        """Fill a form in and send it; `option_size` stands for the field `option.size`."""
        filled = {name.replace("_", "."): value for name, value in values.items()}
        assert filled.keys() >= {name for name in form.required if not form.fields.get(name)}
        path = urljoin(self.path, form.action) if form.action else self.path
        self.path = path.partition("?")[0]
        body = urlencode(form.fields | filled)
        self._take(self.site.post(path, body, sec_fetch_site="same-origin", **self._headers()))
        return self.got

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
