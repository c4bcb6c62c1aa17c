"""What players and operators write is shown as they wrote it, on every page and in every letter."""

from pathlib import Path
from urllib.parse import quote

import pytest
from lxml.html import fromstring

from tests.support.home_by_mail import ALICE, BOB
from tests.support.outbox import letters
from tests.support.rings import first_is_fast
from tests.web.every_page import (
    MISSING_PAGES,
    PAGES,
    STRANGERS_PAGES,
    furnished,
    join_link,
    off_link,
    play_link,
)

WORDS = """\"><zq zq='1'>&lt;zq&"""
"""Would be an element of HTML, and end an attribute, wherever it is not escaped."""
TYPED = quote(WORDS)
REFLECTED = (
    f"/search?player={TYPED}&opening={TYPED}&size={TYPED}",
    f"/history?player={TYPED}",
    f"/puzzles/oust/1?moves={TYPED}",
    f"/me/oust/1?turn={TYPED}",
    f"/me/oust/1?ask={TYPED}",
    f"/me/challenge?opponent={TYPED}",
    f"/try/oust/7/{TYPED}",
    f"/players/{TYPED}",
    f"/help/{TYPED}",
    f"/{TYPED}",
)
"""Pages that tell of what stands in their address."""


def faults(html: str) -> list[str]:
    """Return the elements and attributes that the words have become."""
    found = [each for each in fromstring(html).iter() if isinstance(each.tag, str)]
    return [str(each.tag) for each in found if each.tag == "zq" or "zq" in each.attrib]


@pytest.mark.parametrize("language", first_is_fast(["en", "fr"]))
def test_no_text_of_somebody_becomes_a_part_of_a_page_or_a_letter(
    language: str, tmp_path: Path
) -> None:
    with furnished(tmp_path / "home", "en", title=WORDS) as here:
        browser = here.signed_in(ALICE)
        browser.language = language
        here.talk.send(ALICE, f"settings alice wonderland language {language}")
        links = {"play": play_link(here), "join": join_link(here), "off": off_link(here)}
        links |= {"code": "/code/wrong"}
        for kind, number in (("oust", 1), ("churn", 1), ("oust", 2)):
            here.talk.send(BOB, f"{kind} chat {number} bob lookingglass", WORDS)
            here.talk.send(ALICE, f"{kind} note {number} alice wonderland", WORDS)
            here.talk.send(ALICE, f"{kind} show {number} alice wonderland", WORDS)
            here.talk.send(ALICE, f"{kind} showas {number} alice wonderland", WORDS)
        here.talk.send(BOB, "message bob lookingglass alice", WORDS)
        here.talk.send(BOB, "broadcast bob lookingglass", WORDS)
        here.talk.send(ALICE, "tournaments")
        for line in (
            "table 1",
            "table 3",
            "enter 2 alice wonderland",
            "withdraw 2 alice wonderland",
        ):
            here.talk.send(ALICE, f"oust {line}")
        here.talk.sweep()
        shown = 0
        for path in (*PAGES, *MISSING_PAGES, *STRANGERS_PAGES, *REFLECTED):
            page = browser.open(path.format(**links)).text
            assert not (page and faults(page)), path
            shown += WORDS in browser.text
        assert shown > 10
        here.talk.send(ALICE, "oust withdraw 1 alice wonderland")
        here.talk.sweep()
        told = [each.page for each in letters(here.talk.home) if each.page]
        assert any(
            WORDS in " ".join("".join(map(str, fromstring(page).itertext())).split())
            for page in told
        )
        assert not [fault for page in told for fault in faults(page)]
