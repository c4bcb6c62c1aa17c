"""Letters that show boards as HTML: the finished text of a letter, its boards drawn with links."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import takewhile
from urllib.parse import quote

from jinja2 import Environment

from pbm_oust.accounts.settings import BoardForm, format_setting
from pbm_oust.board.game import Game
from pbm_oust.board.record import Deed
from pbm_oust.commands.show import BoardsNotice
from pbm_oust.grammar.suggest import example
from pbm_oust.letters.body import LARGEST, size_of
from pbm_oust.letters.layout import Paragraph, paragraphs
from pbm_oust.play.notices import BoardNotice, Notice, Reader
from pbm_oust.render.html import board_html, font_size
from pbm_oust.render.text import board_text
from pbm_oust.rules.position import Side

ReplyTo = Callable[[Game], str | None]
"""Returns the address at which a letter's reader moves on a board without his password.

None where there is no such address; then nothing can be tapped.
"""


class Links(Enum):
    """How the free points of boards are linked."""

    WIDE = "wide"
    """With some room around them."""
    SLIM = "slim"
    """In as few bytes as it takes."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Shown:
    """A board that stands in a text."""

    game: Game
    is_now: bool
    """Whether the board is as it is at this time, so that its player can act on it."""
    begin: int
    end: int
    """Where in the text it stands, without the names of its players."""


@dataclass(frozen=True, slots=True)
class BoardPiece:
    """A board."""

    game: Game
    lines: str
    """The inside of its `<pre>`."""
    font_size: float
    is_linked: bool = False
    """Whether placements can be tapped."""
    passing: str = ""
    """The link that passes, for a player who must."""
    swapping: str = ""
    """The link that swaps, for a player who can."""
    example: str = ""
    """A placement to answer with, where there was no room for links."""
    template: str = "html/board.html"


@dataclass(frozen=True, slots=True)
class PositionPiece:
    """The same board as lists of cells, for screen readers and for fonts in which it is askew."""

    sides: tuple[tuple[str, str, list[str]], ...]
    """The letter of each side, its owner, and its stones."""
    latest: list[str]
    took: int
    """How many stones the latest turn has taken off the board so far."""
    template: str = "html/position.html"


@dataclass(frozen=True, slots=True)
class ParagraphPiece:
    """A part of the text."""

    paragraph: Paragraph
    template: str = "html/paragraph.html"


Piece = BoardPiece | PositionPiece | ParagraphPiece


class Pages:
    """Writes letters as HTML, by templates that escape what they are given."""

    def __init__(self, templates: Environment) -> None:
        self._templates = templates

    def of(self, notice: Notice, subject: str, text: str, reply_to: ReplyTo) -> str | None:
        """Return the page of a letter that says the same as its text, in ASCII.

        None where the letter shows no board, where its reader wants text alone, and where both
        together would be too large. Links that would make them so are left out.
        """
        shown = list(shown_in(text, notice))
        if not shown or notice.reader.settings.board is BoardForm.TEXT:
            return None
        template = self._templates.get_template("html/letter.html")
        for links in Links:
            page = template.render(
                language=format_setting(notice.reader.settings, "language"),
                subject=subject,
                pieces=list(_pieces(notice, text, shown, reply_to, links)),
            )
            page = page.encode("ascii", "xmlcharrefreplace").decode()
            if size_of(text) + size_of(page) <= LARGEST:
                return page
        return None


def turn_took(game: Game) -> int:
    """Return how many stones the latest turn has taken off the board so far."""
    side = game.line[-1].side if game.line else None
    turn = takewhile(lambda each: each.side is side, reversed(game.line))
    actions = (record.action for record in turn)
    return sum(done.took for each in actions if isinstance(each, tuple) for done in each)


def _pieces(
    notice: Notice, text: str, shown: list[Shown], reply_to: ReplyTo, links: Links
) -> Iterator[Piece]:
    said = _said_in(notice)
    done = 0
    for each in shown:
        yield from map(ParagraphPiece, paragraphs(text[done : each.begin], said))
        is_mine = each.is_now and each.game.player_to_move == notice.reader.userid
        address = reply_to(each.game) if is_mine and not each.game.result else None
        yield _board_piece(each.game, address, links, notice.reader)
        if each is not shown[-1]:
            yield _position_piece(each.game)
        done = each.end
    yield from map(ParagraphPiece, paragraphs(text[done:], said))
    yield _position_piece(shown[-1].game)


def _said_in(notice: Notice) -> tuple[str, ...]:
    """Return what players wrote that stands in a letter."""
    match notice:
        case BoardNotice():
            return notice.chat, notice.note
        case BoardsNotice():
            return tuple(notice.notes.values())
        case _:
            return ()


def _board_piece(game: Game, address: str | None, links: Links, reader: Reader) -> BoardPiece:
    position, latest = game.position, game.latest_stones()
    size = font_size(position)
    if not address or links is Links.NONE:
        hint = example(position) if address and reader.answering else None
        return BoardPiece(game, board_html(position, latest), size, example=hint or "")
    grid = position.grid
    targets = {
        cell: mail_link(address, grid.format_cell(cell))
        for cell in grid.each(position.placements())
    }
    return BoardPiece(
        game,
        board_html(position, latest, targets, is_slim=links is Links.SLIM),
        size,
        is_linked=bool(targets),
        passing=mail_link(address, Deed.PASS.value) if game.must_pass else "",
        swapping=mail_link(address, Deed.SWAP.value) if game.can_swap else "",
    )


def _position_piece(game: Game) -> PositionPiece:
    grid, position = game.header.grid, game.position
    sides = ((side.value, game.owner(side), grid.names(position.stones(side))) for side in Side)
    return PositionPiece(tuple(sides), grid.names(game.latest_stones()), turn_took(game))


def mail_link(address: str, subject: str) -> str:
    """Return the link that begins a mail to an address with a Subject; it needs no escaping.

    Everything is percent-encoded that may be, also `+`, which some programs take for a space in a
    link and others drop with what stands before it.
    """
    local, _, host = address.rpartition("@")
    return (
        f"mailto:{quote(local, safe='')}@{quote(host, safe='')}?subject={quote(subject, safe='')}"
    )


def shown_in(text: str, notice: Notice) -> Iterator[Shown]:
    """Yield the boards that stand in the text of the letter about a notice, in order."""
    done = 0
    for board in notice.shows():
        game = board.game
        lines = f"\n{board_text(game.position, game.latest_stones())}\n"
        found = text.find(lines, done)
        if found >= 0:
            done = found + len(lines) - 1
            yield Shown(game, board.is_now, found + 1, done)
