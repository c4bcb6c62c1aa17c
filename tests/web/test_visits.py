"""Visits as people can read them, in `visits/`: what is done on pages and by mail, and what comes.

A file begins with who has signed up and with lines that come before each of its visits; a line
`== ..` begins a visit. A line is one of these, or one of `tests/support/conversation.py`:

    alice opens /boards         a page; a reader whose name is a language has a browser of that one
    alice signs in              by a link that comes by mail
    alice sends BUTTON          the form that shows these words; `BUTTON [name=value]` is the one
                                with this value
      = NAME: VALUE             a field of the form above, filled in; '' takes away what is in it
    alice asks GET /boards      for a page without going where it leads; POST sends its fields
      : NAME: VALUE             a header of it; ETAG is that of the page before, and TAG that one
                                without its quotes and marks
    alice got NAME: WORDS       words in a header of the answer; `got no NAME` where there is none
    alice is sent to /me        where the answer to that leads
    alice is at /me             where that leads, and `status 404` what is answered
    alice sees: WORDS           words of the page; `sees not` those that are not there
    alice finds: TEXT           the page as it is written; `finds not` what is not there

Visits in `looks/` change nothing: those in one file share a home and its pages.
In a path, LINK(alice) is the page that the latest letter to alice names, PLAY(alice) the one for
the address to which it is answered, and CODE(alice) the one for the code in it; PLAY(alice)[x=y]
is one that somebody has changed.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pbm_oust.accounts.tags import tag_of
from tests.support.browsing import Browser
from tests.support.conversation import Conversation, address_of
from tests.support.mails import grown
from tests.support.outbox import Letter, letters
from tests.support.tables import scripted
from tests.web.signed_in import Place, place

VISITS, LOOKS = (Path(__file__).with_name(name) for name in ("visits", "looks"))
OPENS = re.compile(r"(\S+) opens (\S+)")
SENDS = re.compile(r"(\S+) sends ?(.*?) ?(?:\[(\w+)=(.*)\])?")
SHOWS = re.compile(r"(\S+) (sees|finds)( not)?: (.+)")
ASKS = re.compile(r"(\S+) asks ([A-Z]+) (\S+)")
GOT = re.compile(r"(\S+) got (no )?([\w-]+)(?:: (.+))?")
IN_PATH = re.compile(r"(LINK|PLAY|CODE)\((\S+?)\)(?:\[(\S+)=(\S+)\])?")


@dataclass
class VisitToPages(Conversation):
    """A visit to the pages of a home that goes on line by line."""

    here: Place = field(kw_only=True)
    browsers: dict[str, Browser] = field(default_factory=dict)

    def take(self, line: str, further: list[str]) -> None:
        """Do what a line says on a page, or in a conversation."""
        before = {letter.name for letter in letters(self.talk.home)}
        name = line.partition(" ")[0]
        browser = self.browser_of(name)
        if opens := OPENS.fullmatch(line):
            browser.open(IN_PATH.sub(self.path_meant, opens[2]))
        elif asks := ASKS.fullmatch(line):
            self.ask(browser, asks[2], IN_PATH.sub(self.path_meant, asks[3]), further)
        elif line == f"{name} signs in":
            self.browsers[name] = self.here.signed_in(address_of(name))
        elif sends := SENDS.fullmatch(line):
            _, words, field_name, value = sends.groups()
            form = browser.form(words, **({field_name: value} if field_name else {}))
            fields = dict(each.removeprefix("  = ").split(": ", 1) for each in further)
            browser.send(form, **{name: value.strip("'") for name, value in fields.items()})
        elif shows := SHOWS.fullmatch(line):
            page = browser.text if shows[2] == "finds" else words_of(browser)
            assert (shows[4] in page) is not bool(shows[3]), page
            return
        elif got := GOT.fullmatch(line):
            value = browser.got.headers.get(got[3].lower())
            assert value is None if got[2] else value and (got[4] or "") in value, value
            return
        elif line.startswith(f"{name} is sent to "):
            wanted = IN_PATH.sub(self.path_meant, line.removeprefix(f"{name} is sent to "))
            assert browser.got.headers["location"] == wanted
            return
        elif line.startswith(f"{name} is at "):
            assert browser.path == line.removeprefix(f"{name} is at "), browser.text
            return
        elif line.startswith(f"{name} status "):
            assert browser.got.status == int(line.rpartition(" ")[2])
            assert browser.got.status != 304 or not browser.got.content
            return
        else:
            super().take(line, further)
            return
        self.got(letters(self.talk.home, but=before))

    def browser_of(self, name: str) -> Browser:
        """Return the browser of a reader."""
        made = Browser(self.here.site, name if name == "fr" else "en")
        return self.browsers.setdefault(name, made)

    def ask(self, browser: Browser, method: str, path: str, further: list[str]) -> None:
        """Ask for a page as it is, with headers and the fields of a form."""
        site, headers = self.here.site, {"accept-language": browser.language}
        tag = browser.got.headers.get("etag", "")
        bare = tag.removeprefix("W/").strip('"')
        for line in further:
            if line[2] == ":":
                name, _, value = line.removeprefix("  : ").partition(": ")
                headers[name.lower()] = value.replace("ETAG", tag).replace("TAG", bare)
        given = [line.removeprefix("  = ").split(": ", 1) for line in further if line[2] == "="]
        form = urlencode({name: grown(value) for name, value in given})
        if method == "POST":
            browser.got = site.post(path, form, **headers)
        else:
            browser.got = site.get(path, method, **headers)

    def path_meant(self, found: re.Match[str]) -> str:
        """Return the path that a letter leads to."""
        letter: Letter = self.latest[address_of(found[2])]
        if found[1] == "LINK":
            return self.here.link_in(letter)
        tag = tag_of(str(letter["Reply-To"]))
        path = f"/play/{tag}" if found[1] == "PLAY" else f"/code/{tag.partition('.')[2]}"
        return path.replace(found[3], found[4]) if found[3] else path


def words_of(browser: Browser) -> str:
    """Return what a page shows, in one line."""
    return " ".join(re.sub(r"<[^>]*>", " ", browser.text).split())


@scripted(VISITS)
def test_a_visit_goes_as_it_is_written(
    players: Sequence[str], before: Sequence[str], lines: Sequence[str], tmp_path: Path
) -> None:
    with place(tmp_path / "home", *map(address_of, players)) as here:
        VisitToPages(here.talk, here=here).say([*before, *lines])


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Place]]:
    """Return what serves the pages of a home, in which something has happened, once."""
    with ExitStack() as opened:

        @cache
        def served(players: Sequence[str], before: Sequence[str]) -> Place:
            path = tmp_path_factory.mktemp("looks") / "home"
            here = opened.enter_context(place(path, *map(address_of, players)))
            VisitToPages(here.talk, here=here).say(before)
            return here

        yield served


@scripted(LOOKS)
def test_whoever_looks_sees_what_is_written(
    players: Sequence[str],
    before: Sequence[str],
    lines: Sequence[str],
    begun: Callable[..., Place],
) -> None:
    here = begun(players, before)
    VisitToPages(here.talk, here=here).say(lines)
