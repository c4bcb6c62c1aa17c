"""Letters that show boards as HTML: the blocks of a letter, its boards drawn with links."""

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from markupsafe import escape

from pbm_oust.accounts.asks import Ask
from pbm_oust.accounts.settings import BoardForm
from pbm_oust.board import Deed, Game
from pbm_oust.commands.play import suggested
from pbm_oust.grammar.wish import example
from pbm_oust.letters.body import Part, part
from pbm_oust.letters.layout import Appearance, Block, Offers, PageLink, Paragraph, Written, wrapped
from pbm_oust.letters.lists import joining_line
from pbm_oust.letters.pictures import Picture
from pbm_oust.letters.templates import html_templates
from pbm_oust.letters.translator import Translator
from pbm_oust.play.notices import Reader, ShownBoard
from pbm_oust.render.html import LOOKS, Marks, Taps, board_html, draw_html, marks_of
from pbm_oust.render.text import REMEMBERED, cells_text
from pbm_oust.rules import Kind, Position, Side, choices

ReplyTo = Callable[[Game | Ask], str | None]
"""Returns where the reader of a letter can move on a board, or join a challenge, by a mere mail.

None if there is no such address; then nothing can be tapped.
"""

_BELOW = "\n</div>\n"
_END, _BREAK, _BREAK_WITHIN = "\n", "<br>\n", "<br\n>"
_SPACES, _KEPT_SPACES = "   ", "&#160; &#160;"
_ADDRESS = re.compile(r"^(https?://[^\s<>\"']+)$", re.MULTILINE)
_LONG = 4
"""How many lines are scrolled rather than wrapped."""
_WRAPPED, _SCROLLED = "pre-wrap", "pre;overflow-x:auto"


class Links(Enum):
    """The ways in which free points of boards become links, from the most bytes to the fewest."""

    WIDE = "wide"
    """With some room around them."""
    SLIM = "slim"
    """In as few bytes as it takes."""
    NONE = "none"
    BARE = "bare"
    """Not at all, and stones are letters alone."""


_TAPPED = (Links.WIDE, Links.SLIM)
"""With these there are links."""


def has_page(written: Written, reader: Reader) -> bool:
    """Return whether a letter is also written as HTML: one with boards or links, if wanted."""
    if reader.settings.board is BoardForm.TEXT:
        return False
    return not {ShownBoard, Offers, Picture}.isdisjoint(map(type, written.blocks))


class Pages:
    """Writes letters as HTML, in one language."""

    def __init__(
        self, translator: Translator, counted: Callable[[Kind, tuple[int, ...]], str]
    ) -> None:
        """Prepare the words; `counted` says how many stones a side has."""
        words: Any = html_templates(translator).get_template("html/letter.html").module
        self._translator = translator
        self._language = translator.language
        self._beginning = str(words.beginning(self._language.code))
        self._body = str(words.body())
        # Words are said once; what stands in them is put in for each letter, and needs no escaping.
        self._headline = str(words.headline("{}")).format
        self._seats = {
            side: str(words.seat(LOOKS[side], side.value, "{}", "{}")).format for side in Side
        }
        self._counted = counted
        # Both players of a board get the same of these.
        self._seat = lru_cache(REMEMBERED)(self._seat_of)
        self._position = lru_cache(REMEMBERED)(self._position_of)
        self._above = str(words.above("{}")).format
        self._pictured = str(words.pictured())
        self._latest = str(words.latest("{}")).format
        self._taken = str(words.taken("{}")).format
        self._no_stones = str(words.no_stones())
        self._tapped: Callable[..., str] = lru_cache(REMEMBERED)(words.tapped)
        self._button = str(words.button("{}", "{}")).format
        self._again: Callable[[list[tuple[str, str]]], str] = words.again
        self._offers: Callable[[list[tuple[str, str]]], str] = words.offers
        self._ending = str(words.ending())

    def of(self, written: Written, reader: Reader, reply_to: ReplyTo, room: int) -> Part | None:
        """Return the page of a letter that says the same as its text, in ASCII.

        None if it has none, or if there is not room for it, in bytes, even without links.
        """
        if room <= 0 or not has_page(written, reader):
            return None
        for links in Links:
            page = "".join(self._pieces(written, reader, reply_to, links))
            if not page.isascii():
                page = page.encode("ascii", "xmlcharrefreplace").decode()
            drawn = part(page, "html")
            if drawn.size <= room:
                return drawn
        return None

    def _pieces(
        self, written: Written, reader: Reader, reply_to: ReplyTo, links: Links
    ) -> list[str]:
        """Return the pieces of a page. The list of the last board's cells ends the letter."""
        headline = written.headline
        pieces = [self._beginning, escape(written.subject), self._body]
        if headline:
            pieces.append(self._headline(escape(headline)))
        blocks: Iterable[Block] = written.blocks
        if written.is_board_first:
            blocks = sorted(blocks, key=_place)
        last = next(
            (each for each in reversed(written.blocks) if isinstance(each, ShownBoard)), None
        )
        ending = ""
        for block in blocks:
            if isinstance(block, Paragraph):
                further = _beyond(headline, block) if headline else block
                pieces.append(paragraph_html(further) if further.lines else "")
            elif isinstance(block, Offers):
                if links in _TAPPED:
                    pieces.append(self._joining(block, reply_to))
            elif isinstance(block, Picture):
                x, o, latest = block.stones
                is_bare = links is Links.BARE
                board = draw_html(block.cells, x, o, latest, 0, is_bare, block.marked)
                pieces += (self._pictured, *board, _BELOW)
            elif isinstance(block, PageLink):
                pieces.append(self._button(escape(block.address), escape(block.label)))
            else:
                game, marks = block.game, marks_of(block.game)
                pieces += self._board(block, marks, written, reader, reply_to, links)
                cells = self._position(game.position, marks, game.x, game.o)
                if block is last:
                    ending = cells
                else:
                    pieces.append(cells)
        return [*pieces, ending, self._ending]

    def _board(
        self,
        shown: ShownBoard,
        marks: Marks,
        written: Written,
        reader: Reader,
        reply_to: ReplyTo,
        links: Links,
    ) -> Iterator[str]:
        """Yield a board between its players, and what can be tapped.

        There are links if its reader can move there.
        """
        game, position = shown.game, shown.game.position
        own = game.side_of(reader.userid or "") or Side.X
        yield self._seat(game.header.kind, position, own.other, game.owner(own.other))
        yield self._above(game.name)
        # A stranger is not named yet on the board that the first letter offers.
        who = reader.userid or game.x
        is_mine = shown.is_now and not game.result and game.player_to_move == who
        address = reply_to(game) if is_mine else None
        if not address or links not in _TAPPED:
            hint = example(position) if address and written.answering else None
            drawn = board_html(position, marks, is_bare=links is Links.BARE)
            below = self._tapped(False, False, "", "", hint or "")
        else:
            placements, capturing = choices(position)
            taps = Taps(mail_link(address, ""), capturing, links is Links.SLIM)

            def link(deed: Deed) -> str:
                move = suggested(game, game.player_to_move, deed)
                return taps.link + quote(move.answer(language=self._language), safe="")

            passing = "" if placements else link(Deed.PASS)
            swapping = link(Deed.SWAP) if game.can_swap else ""
            drawn = board_html(position, marks, taps)
            below = self._tapped(bool(placements), bool(capturing), passing, swapping, "")
        yield drawn
        yield _BELOW
        yield self._seat(game.header.kind, position, own, game.owner(own))
        yield below
        if written.again:
            yield self._next_game(written, game, reply_to)

    def _seat_of(self, kind: Kind, position: Position, side: Side, userid: str) -> str:
        """Return a player with their stones in words."""
        return self._seats[side](escape(userid), self._counted(kind, position.tally(side)))

    def _next_game(self, written: Written, game: Game, reply_to: ReplyTo) -> str:
        """Return the words that start the next game, each with its link."""
        address = reply_to(game)
        if not address:
            return ""
        words = [each.answer(language=self._language) for each in written.again]
        return self._again([(word, mail_link(address, word)) for word in words])

    def _joining(self, offers: Offers, reply_to: ReplyTo) -> str:
        """Return the lines that join open challenges, each with its link."""
        lines = [
            (joining_line(self._translator, each.kind, each.number), reply_to(each))
            for each in offers.challenges
        ]
        return self._offers([(line, mail_link(to, line)) for line, to in lines if to])

    def _position_of(self, position: Position, marks: Marks, x: str, o: str) -> str:
        """Return a board as lists of cells: for screen readers, and where fonts do not align it."""
        grid, lines = position.grid, ['<p style="font-size:small">']
        for side, userid in ((Side.X, x), (Side.O, o)):
            cells = cells_text(grid, position.stones(side)) or self._no_stones
            who = f"{side.value}, {escape(userid)}" if userid != side.value else userid
            lines.append(f"{who}: {cells}<br>")
        if marks.latest:
            lines.append(f"{self._latest(cells_text(grid, marks.latest))}<br>")
        if marks.taken:
            lines.append(f"{self._taken(cells_text(grid, marks.taken))}<br>")
        return "\n".join([*lines, "</p>"])


def _place(block: Block) -> int:
    """Return where a block stands if the board comes first, and what leads to pages second."""
    return 2 if isinstance(block, Paragraph) else int(isinstance(block, PageLink))


def _beyond(headline: str, paragraph: Paragraph) -> Paragraph:
    """Return a paragraph of ours without the lines that a headline says already."""
    if paragraph.look is not Appearance.PROSE:
        return paragraph
    further = [
        line.removeprefix(headline).lstrip()
        for line in paragraph.lines
        if not headline.startswith(line)
    ]
    return Paragraph(Appearance.PROSE, tuple(further))


def paragraph_html(paragraph: Paragraph) -> str:
    """Return a paragraph as HTML.

    Line ends stand within tags where a program that shows them would show one too many.
    """
    look = paragraph.look
    lines = without_margin(paragraph).lines if look is Appearance.LINES else paragraph.lines
    text = str(escape("\n".join(lines)))
    if look is Appearance.PROSE:
        return f"<p>{text.replace(_SPACES, _KEPT_SPACES).replace(_END, _BREAK)}</p>\n"
    style = "white-space:pre-wrap"
    if look is Appearance.LINES:
        style = f"font-family:monospace;white-space:{_WRAPPED if len(lines) < _LONG else _SCROLLED}"
        text = _ADDRESS.sub(r'<a href="\1">\1</a>', text)
    return f'<p style="margin-left:1em;{style}">{text.replace(_END, _BREAK_WITHIN)}</p>\n'


def without_margin(paragraph: Paragraph) -> Paragraph:
    """Return lines of ours without the indentation that they share; others as they are."""
    if paragraph.look is not Appearance.LINES:
        return paragraph
    lines = wrapped(paragraph.lines).split("\n")
    margin = min([len(line) - len(line.lstrip()) for line in lines])
    return Paragraph(Appearance.LINES, tuple([line[margin:].rstrip() for line in lines]))


def mail_link(address: str, subject: str) -> str:
    """Return the link that begins a mail to an address with a Subject; it needs no escaping.

    Everything possible is percent-encoded, even `+`, which some programs take for a space in a
    link and others drop along with what is before it.
    """
    local, _, host = address.rpartition("@")
    return (
        f"mailto:{quote(local, safe='')}@{quote(host, safe='')}?subject={quote(subject, safe='')}"
    )
