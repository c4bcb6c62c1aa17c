"""Visits as people can read them, in `visits/`: what is done on pages and by mail, and what comes.

A file begins with who has signed up and with lines that come before each of its visits; a line
`== ..` begins a visit. A line is one of these, or one of `tests/support/conversation.py`:

    alice opens /boards         a page; a reader whose name is a language has a browser of that one
    alice signs in              by a link that comes by mail
    alice sends BUTTON          the form that shows these words; `BUTTON [name=value]` is the one
                                with this value
      = NAME: VALUE             a field of the form above, filled in
    alice is at /me             where that leads, and `status 404` what is answered
    alice sees: WORDS           words of the page; `sees not` those that are not there
    alice finds: TEXT           the page as it is written; `finds not` what is not there

In a path, LINK(alice) is the page that the latest letter to alice names, PLAY(alice) the one for
the address to which it is answered, and CODE(alice) the one for the code in it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pbm_oust.accounts.tags import tag_of
from tests.support.browsing import Browser
from tests.support.conversation import Conversation, address_of
from tests.support.outbox import Letter, letters
from tests.support.tables import scripted
from tests.web.signed_in import Place, place

FOLDER = Path(__file__).parent / "visits"
OPENS = re.compile(r"(\S+) opens (\S+)")
SENDS = re.compile(r"(\S+) sends ?(.*?) ?(?:\[(\w+)=(.*)\])?")
SHOWS = re.compile(r"(\S+) (sees|finds)( not)?: (.+)")
IN_PATH = re.compile(r"(LINK|PLAY|CODE)\((\S+?)\)")


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
        elif line == f"{name} signs in":
            self.browsers[name] = self.here.signed_in(address_of(name))
        elif sends := SENDS.fullmatch(line):
            _, words, field_name, value = sends.groups()
            form = browser.form(words, **({field_name: value} if field_name else {}))
            fields = dict(each.removeprefix("  = ").split(": ", 1) for each in further)
            browser.send(form, **fields)
        elif shows := SHOWS.fullmatch(line):
            page = browser.text if shows[2] == "finds" else words_of(browser)
            assert (shows[4] in page) is not bool(shows[3]), page
            return
        elif line.startswith(f"{name} is at "):
            assert browser.path == line.removeprefix(f"{name} is at "), browser.text
            return
        elif line.startswith(f"{name} status "):
            assert browser.got.status == int(line.rpartition(" ")[2])
            return
        else:
            super().take(line, further)
            return
        self.got(letters(self.talk.home, but=before))

    def browser_of(self, name: str) -> Browser:
        """Return the browser of a reader."""
        made = Browser(self.here.site, name if name == "fr" else "en")
        return self.browsers.setdefault(name, made)

    def path_meant(self, found: re.Match[str]) -> str:
        """Return the path that a letter leads to."""
        letter: Letter = self.latest[address_of(found[2])]
        if found[1] == "LINK":
            return self.here.link_in(letter)
        tag = tag_of(str(letter["Reply-To"]))
        return f"/play/{tag}" if found[1] == "PLAY" else f"/code/{tag.partition('.')[2]}"


def words_of(browser: Browser) -> str:
    """Return what a page shows, in one line."""
    return " ".join(re.sub(r"<[^>]*>", " ", browser.text).split())


@scripted(FOLDER)
def test_a_visit_goes_as_it_is_written(
    players: Sequence[str], before: Sequence[str], lines: Sequence[str], tmp_path: Path
) -> None:
    with place(tmp_path / "home", *map(address_of, players)) as here:
        VisitToPages(here.talk, here=here).say([*before, *lines])
