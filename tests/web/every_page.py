"""A home with something on every page, and one path for each kind of page."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbm_oust.accounts.asks import BROADCASTS, Ask, Topic, reply_address, token_for
from pbm_oust.accounts.tags import tag_of
from pbm_oust.board import Deed
from pbm_oust.robot.analysis import Analysis, Evaluation
from pbm_oust.rules import KINDS
from pbm_oust.store.analyses import keep
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game
from pbm_oust.tournaments.cup import State
from tests.support import tables
from tests.support.accounts import account_of
from tests.support.cups import lay_cup
from tests.support.home_by_mail import ALICE, BOB
from tests.web.signed_in import Place, place

STRANGERS_PAGES = ("/", "/sign-in", "{code}")
"""What only somebody sees who is not signed in; `{code}` is the link that signs them in."""
PAGES = tuple(tables.words(__file__, "pages"))
"""What a player who is signed in can look at; `{play}` is the link in a letter, `{off}`
the one that ends mails to everybody, and `{join}` that of an invitation."""
MISSING_PAGES = ("/nowhere", "/play/wrong")
"""What is answered with the reason why there is no page."""

_LINES = tables.of(__file__)["what has happened"]


@contextmanager
def furnished(path: Path, language: str, title: str = "Cup") -> Iterator[Place]:
    """Serve the pages of a home with boards, an open challenge, tournaments, and two players."""
    with place(path) as here:
        for sender, userid, password in (
            (ALICE, "alice", "wonderland"),
            (BOB, "bob", "lookingglass"),
        ):
            here.talk.send(sender, f"settings {userid} {password} language {language}")
        for sender, line in _LINES:
            here.talk.send(sender, line)
        _analyse(here.talk.home)
        lay_cup(here.talk.home, 1, ("alice", "bob", "carol", "dave"), (2, 0), size=2, title=title)
        lay_cup(here.talk.home, 2, ("alice", "carol"), title=title)
        lay_cup(
            here.talk.home,
            3,
            ("alice", "bob"),
            (1,),
            state=State.OVER,
            winners=("bob",),
            title=title,
        )
        yield here


def _analyse(home: Home) -> None:
    """Keep an analysis of board 2, which is over, with a turning point."""
    game = read_game(home, KINDS["oust"], 2)
    rates = (0.5, 0.7, 0.7)
    evaluations = (Evaluation(rate, is_certain=False, line=(Deed.SWAP,)) for rate in rates)
    home.do(keep, game, Analysis.of(game, 1, evaluations))


def play_link(here: Place) -> str:
    """Return the path of the page that plays, from the latest letter about board 1."""
    return f"/play/{tag_of(str(here.talk.letter_to(ALICE)['Reply-To']))}"


def join_link(here: Place) -> str:
    """Return the path of the page to which the link of an invitation by alice leads."""
    here.talk.answer(here.talk.letter_to(ALICE), "invite", ALICE)
    (found,) = re.findall(r"(/join/\S+)", here.talk.text_to(ALICE))
    return str(found)


def off_link(here: Place) -> str:
    """Return the path of the page that ends mails to everybody for alice."""
    asked = Ask(Topic.OFF, (BROADCASTS,), "alice")
    token = token_for(here.talk.home.key(), account_of(here.talk.home, "alice"), asked)
    return f"/off/{tag_of(reply_address(here.talk.own, asked, token))}"
