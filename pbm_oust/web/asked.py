"""What a request asks for: a game, a player, a page of a list.

What nothing can be found for is answered like a page that is not there.
"""

from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request

from pbm_oust.accounts.account import parse_userid
from pbm_oust.board.notation import LONGEST_USERID
from pbm_oust.play.pages import LAST_PAGE, MOST_LISTED, Page, part_of
from pbm_oust.play.request import Request as Asked
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store.index import Part
from pbm_oust.web.languages import language_of
from pbm_oust.web.sources import source_of

_DIGITS = len(str(LAST_PAGE))
_NOWHERE = "-"


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the form above a list of boards says."""

    kind: Kind | None
    """The game; None for all of them."""
    player: str
    """The userid of a player, who may not exist; empty for everybody."""
    page: int

    @property
    def kinds(self) -> list[Kind]:
        """The games whose boards are listed."""
        return [self.kind] if self.kind else list(KINDS.values())

    @property
    def query(self) -> dict[str, str]:
        """What the address says to choose the same of the whole list, without its page."""
        given = {"game": self.kind.name if self.kind else "", "player": self.player}
        return {name: value for name, value in given.items() if value}


def kind_asked(name: str) -> Kind:
    """Return the game with a name. Raises HTTPException."""
    if name not in KINDS:
        raise HTTPException(404)
    return KINDS[name]


def player_asked(word: str) -> str:
    """Return the userid that a word is. Raises HTTPException."""
    try:
        return parse_userid(word)
    except ValueError:
        raise HTTPException(404) from None


def page_asked(request: Request) -> int:
    """Return the number of the page of a list; the first if none is named. Raises HTTPException."""
    word = request.query_params.get("page", "1")
    number = int(word) if word.isascii() and word.isdigit() and len(word) <= _DIGITS else 0
    if not 1 <= number <= LAST_PAGE:
        raise HTTPException(404)
    return number


def chosen_in(request: Request) -> Chosen:
    """Return what the form above a list of boards says. Raises HTTPException.

    Of the boards of all games together there is one page, those on which something happened last.
    """
    game, player = (request.query_params.get(name, "").strip() for name in ("game", "player"))
    kind, page = kind_asked(game) if game else None, page_asked(request)
    if (page > 1 and not kind) or len(player) > LONGEST_USERID:
        raise HTTPException(404)
    return Chosen(kind, player.lower(), page)


def part_with(page: int) -> Part:
    """Return which part of a list a page has."""
    return part_of(page, MOST_LISTED)


def there(page: Page[object]) -> None:
    """Raise HTTPException if a list has fewer pages."""
    if page.is_beyond:
        raise HTTPException(404)


def asked_by_stranger(request: Request, identity: str, line: str = "") -> Asked:
    """Return the request of somebody who is not signed in.

    The host that it comes from stands for their address: the page tells them all there is to tell.
    """
    source = source_of(request)
    return Asked(
        line=line,
        chat="",
        sender=source or _NOWHERE,
        identity=f"web {identity}",
        source=source,
        language=language_of(request.headers.get("accept-language", "")),
    )
