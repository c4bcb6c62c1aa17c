"""Letters that show boards as HTML: the blocks of a letter, its boards drawn with links."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from markupsafe import escape

from pbm_oust.accounts.account import HOUSE
from pbm_oust.accounts.items import Seek
from pbm_oust.accounts.settings import BoardForm, format_setting
from pbm_oust.accounts.tags import Joining
from pbm_oust.board.game import Game, Summary, taken_in_turn
from pbm_oust.board.header import Terms
from pbm_oust.board.notation import format_terms
from pbm_oust.board.ratings import Standing
from pbm_oust.board.record import Deed
from pbm_oust.commands.play import suggested
from pbm_oust.grammar.wish import example
from pbm_oust.languages import Language, Section
from pbm_oust.letters.body import Part, part
from pbm_oust.letters.layout import Look, Offers, Paragraph, Written, wrapped
from pbm_oust.letters.templates import html_templates
from pbm_oust.letters.translator import Translator, to_translate
from pbm_oust.play.notices import Reader, Shown
from pbm_oust.render.html import Marks, Taps, board_html
from pbm_oust.render.text import REMEMBERED, cells_text, in_columns
from pbm_oust.rules.position import How, Kind, Side, choices
from pbm_oust.service.table import format_answer

_HEAD = (
    "",
    to_translate("player"),
    to_translate("rating"),
    to_translate("games"),
    to_translate("won"),
    to_translate("lost"),
    to_translate("drawn"),
)
_AWARD = to_translate("award")
_TERMS = {"swap": to_translate("swap"), "rated": to_translate("rated")}
EndedBy = Callable[[Kind, str], str]
"""Returns the word for an ending that is a game's own."""

_ENDED: dict[Enum, str] = {
    How.RESIGN: to_translate("resign"),
    How.FORFEIT: to_translate("forfeit"),
}
"""The ways in which a player may end any game, in a word."""


def seek_rows(translator: Translator, seeks: Iterable[tuple[Seek, str]]) -> list[str]:
    """Return a line for each open challenge: what joins it, who made it, and what is offered."""
    return in_columns(
        (
            joining_line(translator, seek.kind, seek.number),
            translator.gettext("%(userid)s as %(side)s", userid=userid, side=seek.side.value)
            if seek.side
            else userid,
            translator.grid_text(seek.grid),
            _offer(translator, seek.terms),
        )
        for seek, userid in seeks
    )


def joining_line(translator: Translator, kind: str, number: int) -> str:
    """Return the first words of the line that joins an open challenge: `oust join 3`."""
    return f"{kind} {translator.word('join')} {number}"


def _offer(translator: Translator, terms: Terms) -> str:
    """Return the terms of a board, of the times only those that are not the usual ones."""
    usual = format_terms(Terms()).split()
    words = format_terms(terms).split()
    shown = (word for word in words if "=" not in word or word not in usual)
    return ", ".join(_term(translator, word) for word in shown)


def _term(translator: Translator, word: str) -> str:
    name, equals, days = word.partition("=")
    if not equals:
        return translator.gettext(_TERMS[name])
    return f"{translator.word(name, Section.OPTIONS)}={days}"


def name_of(translator: Translator, userid: str) -> str:
    """Return a userid as lists have it: house players are marked as machines."""
    return translator.gettext("%(userid)s (machine)", userid=userid) if userid in HOUSE else userid


def _players(translator: Translator, board: Summary) -> str:
    return f"{name_of(translator, board.x)} (x) - {name_of(translator, board.o)} (o)"


def board_row(translator: Translator, board: Summary, outcome: str) -> tuple[str, ...]:
    """Return the columns of a board in a list."""
    return (
        board.name,
        translator.grid_text(board.grid),
        translator.gettext("over") if board.result else f"#{board.records + 1}",
        _players(translator, board),
        outcome,
    )


def past_rows(translator: Translator, ended_by: EndedBy, boards: Iterable[Summary]) -> list[str]:
    """Return a line for each finished board: when, who played, and how it ended."""
    return in_columns(
        (
            translator.day_in_list(board.latest.date()),
            board.name,
            translator.grid_text(board.grid),
            _players(translator, board),
            how_ended(translator, ended_by, board),
        )
        for board in boards
    )


def standing_rows(
    translator: Translator, standings: Iterable[Standing], first: int = 1
) -> list[str]:
    """Return a line for each player: place, rating, and games won, lost and drawn."""
    head = tuple(translator.gettext(title) if title else "" for title in _HEAD)
    rows = (
        (
            f"{place}.",
            name_of(translator, standing.userid),
            f"{standing.rating:.0f}{'?' if standing.is_provisional else ''}",
            standing.games,
            standing.wins,
            standing.losses,
            standing.draws,
        )
        for place, standing in enumerate(standings, first)
    )
    return in_columns([head, *rows])


def how_ended(translator: Translator, ended_by: EndedBy, board: Summary) -> str:
    """Return who won and how, or that nobody did: dave capture, carol award, draw, never begun."""
    if board.result is None:
        return ""
    ending, winner = board.result.how, board.winner
    if ending is How.VOID:
        return translator.gettext("never begun")
    if ending is How.AGREED:
        # Players agree on draws alone, and the operator may award one as well.
        award = translator.gettext(_AWARD)
        return f"{winner} {award}" if winner else translator.gettext("draw")
    known = _ENDED.get(ending)
    how = translator.gettext(known) if known else ended_by(board.kind, ending.value)
    return f"{winner or translator.gettext('draw')} {how}"


ReplyTo = Callable[[Game | Joining], str | None]
"""Returns where the reader of a letter can move on a board, or join a challenge, by a mere mail.

None if there is no such address; then nothing can be tapped.
"""

Linked = tuple[tuple[str, str], ...]
"""Words with their links."""

_END, _BREAK, _BREAK_WITHIN = "\n", "<br>\n", "<br\n>"
_SPACES, _KEPT_SPACES = "   ", "&#160; &#160;"
_ADDRESS = re.compile(r"^(https?://[^\s<>\"']+)$", re.MULTILINE)
_LONG = 4
"""How many lines are scrolled rather than wrapped."""
_WRAPPED, _SCROLLED = "pre-wrap", "pre;overflow-x:auto"


class Links(Enum):
    """How the free points of boards become links, from the most bytes to the fewest."""

    WIDE = "wide"
    """With some room around them."""
    SLIM = "slim"
    """In as few bytes as it takes."""
    NONE = "none"
    BARE = "bare"
    """Not at all, and stones are letters alone."""

    @property
    def can_be_tapped(self) -> bool:
        """Whether there are links."""
        return self in (Links.WIDE, Links.SLIM)


@dataclass(frozen=True, slots=True)
class Below:
    """What stands below a board."""

    is_linked: bool = False
    """Whether placements can be tapped."""
    captures: bool = False
    """Whether some of them take stones."""
    passing: str = ""
    """The link that passes, for a player who must."""
    swapping: str = ""
    """The link that swaps, for a player who can."""
    example: str = ""
    """A placement to answer with, if there was no room for links."""


def has_page(written: Written, reader: Reader) -> bool:
    """Return whether a letter is also written as HTML, for a reader who wants boards so.

    It is if it has a board, or links.
    """
    has_more = any(isinstance(block, Shown | Offers) for block in written.blocks)
    return has_more and reader.settings.board is not BoardForm.TEXT


class Pages:
    """Writes letters as HTML, in one language."""

    def __init__(self, translator: Translator) -> None:
        templates = html_templates(translator)
        words: Any = templates.get_template("html/letter.html").module
        self._translator = translator
        self._words = words
        self._lists: Callable[..., str] = lru_cache(REMEMBERED)(words.position)
        self._above: Callable[[str], str] = lru_cache(REMEMBERED)(words.above)
        self._below: Callable[[Below], str] = lru_cache(REMEMBERED)(words.below)
        self._again: Callable[[Linked], str] = words.again
        self._offers: Callable[[Linked], str] = words.offers
        self._ending = str(words.ending())

    def of(self, written: Written, reader: Reader, reply_to: ReplyTo, room: int) -> Part | None:
        """Return the page of a letter that says the same as its text, in ASCII.

        None if it has none, or if there is not room for it, in bytes, even without links.
        """
        if room <= 0 or not has_page(written, reader):
            return None
        language = format_setting(reader.settings, "language")
        for links in Links:
            beginning = self._words.beginning(language, written.subject)
            pieces = self._pieces(written, reader, reply_to, links)
            drawn = part(_in_ascii("".join((beginning, *pieces, self._ending))), "html")
            if drawn.size <= room:
                return drawn
        return None

    def _pieces(
        self, written: Written, reader: Reader, reply_to: ReplyTo, links: Links
    ) -> Iterator[str]:
        """Yield the pieces of a page. The list of the last board's cells ends the letter."""
        last = [block for block in written.blocks if isinstance(block, Shown)][-1:]
        ending = again = ""
        for block in written.blocks:
            if isinstance(block, Paragraph):
                yield paragraph_html(block)
                # The paragraph below a board that is over says who won.
                yield again
                again = ""
                continue
            if isinstance(block, Offers):
                if links.can_be_tapped:
                    yield self._offers(self._joining(block, reply_to))
                continue
            game = block.game
            marks = Marks(game.latest_stones(), taken_in_turn(game))
            is_mine = block.is_now and game.player_to_move == reader.userid
            address = reply_to(game) if is_mine and not game.result else None
            is_crowded = address and written.answering and not links.can_be_tapped
            hint = example(game.position) if is_crowded else None
            language = reader.settings.language
            next_game = _again(written, reply_to, game, language)
            again = self._again(next_game) if next_game else ""
            drawn, below = _board(game, marks, address, links, hint or "", language)
            lists = self._position(game, marks)
            yield from (self._above(game.name), drawn, self._below(below))
            if block in last:
                ending = lists
            else:
                yield lists
        yield again + ending

    def _joining(self, offers: Offers, reply_to: ReplyTo) -> Linked:
        """Return what joins open challenges, each with its link."""
        lines = (
            (joining_line(self._translator, each.kind, each.number), reply_to(each))
            for each in offers.challenges
        )
        return tuple((line, mail_link(address, line)) for line, address in lines if address)

    def _position(self, game: Game, marks: Marks) -> str:
        """Return a board as lists of cells: for screen readers, and where fonts do not align it."""
        grid, position = game.header.grid, game.position
        sides = tuple(
            (side.value, game.owner(side), cells_text(grid, position.stones(side))) for side in Side
        )
        latest, taken = cells_text(grid, marks.latest), cells_text(grid, marks.taken)
        return self._lists(sides, latest, taken)


def _in_ascii(page: str) -> str:
    return page if page.isascii() else page.encode("ascii", "xmlcharrefreplace").decode()


def paragraph_html(paragraph: Paragraph) -> str:
    """Return a paragraph as HTML.

    Line ends stand within tags where a program that shows them would show one too many.
    """
    lines = without_margin(paragraph).lines
    text = str(escape("\n".join(lines)))
    match paragraph.look:
        case Look.PROSE:
            return f"<p>{text.replace(_SPACES, _KEPT_SPACES).replace(_END, _BREAK)}</p>\n"
        case Look.SAID:
            style = "white-space:pre-wrap"
        case Look.LINES:
            is_short = len(lines) < _LONG
            style = f"font-family:monospace;white-space:{_WRAPPED if is_short else _SCROLLED}"
            text = _ADDRESS.sub(r'<a href="\1">\1</a>', text)
    return f'<p style="margin-left:1em;{style}">{text.replace(_END, _BREAK_WITHIN)}</p>\n'


def without_margin(paragraph: Paragraph) -> Paragraph:
    """Return a paragraph of ours without the indentation that its lines share."""
    if paragraph.look is not Look.LINES:
        return paragraph
    lines = [line for each in paragraph.lines for line in wrapped(each).split("\n")]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return Paragraph(Look.LINES, tuple(line[margin:].rstrip() for line in lines))


def _board(
    game: Game,
    marks: Marks,
    address: str | None,
    links: Links,
    hint: str,
    language: Language,
) -> tuple[str, Below]:
    """Return a board and what stands below it.

    `hint` is a placement to answer with if nothing is linked.
    """
    position = game.position
    if not address or not links.can_be_tapped:
        drawn = board_html(position, marks, is_bare=links is Links.BARE)
        return drawn, Below(example=hint)

    def link(deed: Deed) -> str:
        move = suggested(game, game.player_to_move, deed)
        return mail_link(address, format_answer(move, language=language))

    (_, capturing), must_pass = choices(position), game.must_pass
    taps = Taps(mail_link(address, ""), capturing, links is Links.SLIM)
    return board_html(position, marks, taps), Below(
        is_linked=not must_pass,
        captures=bool(capturing),
        passing=link(Deed.PASS) if must_pass else "",
        swapping=link(Deed.SWAP) if game.can_swap else "",
    )


def _again(written: Written, reply_to: ReplyTo, game: Game, language: Language) -> Linked:
    """Return what starts the next game, each word with its link."""
    address = reply_to(game) if written.again else None
    words = [format_answer(each, language=language) for each in written.again if address]
    return tuple((word, mail_link(address or "", word)) for word in words)


def mail_link(address: str, subject: str) -> str:
    """Return the link that begins a mail to an address with a Subject; it needs no escaping.

    Everything possible is percent-encoded, even `+`, which some programs take for a space in a
    link and others drop along with what is before it.
    """
    local, _, host = address.rpartition("@")
    return (
        f"mailto:{quote(local, safe='')}@{quote(host, safe='')}?subject={quote(subject, safe='')}"
    )
