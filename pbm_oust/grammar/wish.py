"""Actions on a board as words, `D4,E5#9` or `pass`, and suggestions of actions."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from pbm_oust.board import WISHED, Deed, Game, Place, Wish
from pbm_oust.board.notation import format_wish
from pbm_oust.board.reasons import AfterTurn, AgainstRules
from pbm_oust.grammar.form import MissingWord, SurplusWord
from pbm_oust.grammar.parts import Rest
from pbm_oust.grammar.values import read_guard
from pbm_oust.grammar.vocabulary import find_command_word, fold, in_english, probably_latin
from pbm_oust.refusal import Refusal, Unreadable, UnreadableReason
from pbm_oust.rules import Grid, Position, choices, suggestion
from pbm_oust.rules.grid import NoSuchCell

_PLACEMENT = re.compile(r"[a-z][1-9][0-9]?")

_TURNED = re.compile(r"([1-9][0-9]?)([a-z])")

_COLUMN_I = re.compile(r"i[1-9][0-9]?")

CELLS = re.compile(r"(?:[a-z][0-9]{1,3})+")
"""Pattern of cells in a text, on any board or none: `d4e5`."""
_CELL = re.compile(r"[a-z][0-9]{1,3}")
TURNED_CELL = re.compile(r"([0-9]{1,2})([a-z])")
"""Pattern of a cell with its number in front: `4d`."""

DEEDS = frozenset(deed.value for deed in WISHED)
"""The words for actions other than placements."""

WISH_SHOWN = ("PLACEMENTS[#N]", f"{'|'.join(deed.value for deed in WISHED)}[#N]")

Guarded = tuple[Wish, int | None]
"""A wish, and the record number after `#`, if any."""


class BadPlacement(UnreadableReason, frozen=True):
    """A word other than the name of a cell."""

    is_in_column_i: bool = False
    """Whether it names the column I, which no grid has."""


class NoTurn(UnreadableReason, frozen=True):
    """A word for no action that is possible here."""

    known: tuple[str, ...]
    """The possible actions."""


def read_wish(words: Sequence[str]) -> Guarded:
    """Return the wish in some words, and the record number after `#`, if any.

    Raises Unreadable.
    """
    wished, hash_sign, number = " ".join(words).partition("#")
    guard = read_guard(f"#{number.strip()}") if hash_sign else None
    parts = list(filter(None, re.split(r"[\s,;]+", wished)))
    if not parts:
        raise Unreadable(MissingWord(WISH_SHOWN))
    # A single letter is more likely a placement without its number than a deed.
    if len(parts) == 1 and parts[0].isalpha() and len(parts[0]) > 1:
        return Deed(find_command_word(parts[0], DEEDS)), guard
    if in_english(parts[0], DEEDS) in DEEDS:
        raise Unreadable(SurplusWord(), parts[1])
    return Place(tuple(map(_read_placement, parts))), guard


def rest_of_wish(shown: tuple[str, ...], read: Callable[[Sequence[str]], Guarded]) -> Rest:
    """Return the rest of a form that holds a wish. An answer to a letter needs no number."""

    def write(value: Guarded) -> list[str]:
        wish, guard = value
        return [format_wish(wish) if guard is None else f"{format_wish(wish)}#{guard}"]

    def write_answer(value: Guarded, _board: int) -> list[str]:
        return [format_wish(value[0])]

    return Rest(("wish", "guard"), shown, read, write, fixed=DEEDS, write_answer=write_answer)


def cells_in(part: str) -> list[str]:
    """Return the cells in a part of a folded line, as they are written.

    There are two in `d4e5`, and `4d` is one.
    """
    if TURNED_CELL.fullmatch(part):
        return [part]
    return _CELL.findall(part) if CELLS.fullmatch(part) else []


def _read_placement(word: str) -> str:
    folded = fold(word)
    if _COLUMN_I.fullmatch(folded):
        raise Unreadable(BadPlacement(is_in_column_i=True), word)
    if _PLACEMENT.fullmatch(folded):
        return folded.upper()
    like = probably_latin(folded)
    if _PLACEMENT.fullmatch(like):
        raise Unreadable(BadPlacement(right=like.upper()), word)
    turned = _TURNED.fullmatch(like)
    right = (turned[2] + turned[1]).upper() if turned else None
    raise Unreadable(BadPlacement(right=right), word)


def names_of(deeds: Iterable[Deed]) -> tuple[str, ...]:
    """Return the words for some deeds."""
    return tuple(deed.value for deed in deeds)


@lru_cache(maxsize=64)
def example(position: Position) -> str | None:
    """Return the name of a good placement for the side to move; None without any.

    The latest results are remembered, because a letter names its example in several places.
    """
    cell = suggestion(position, choices(position)[0])
    return position.grid.format_cell(cell) if cell else None


def next_wish(game: Game) -> Wish | None:
    """Return a possible action of the player to move; None if the game is over."""
    if game.result:
        return None
    cell = example(game.position)
    return Place((cell,)) if cell else Deed.PASS


def nearest(grid: Grid, cells: int, name: str) -> list[str]:
    """Return the names of a few of `cells`, nearest to the cell `name` first."""
    try:
        reached = grid.parse_cell(name)
    except NoSuchCell:
        return grid.names(cells)[:4]
    found: list[str] = []
    while len(found) < 4 and reached != grid.cells:
        ring = grid.neighbours(reached) & ~reached
        found += grid.names(ring & cells)
        reached |= ring
    return found[:4]


def legal_near(reason: AgainstRules, cell: str) -> list[str]:
    """Return a few legal placements near an illegal one, nearest first."""
    return nearest(reason.before.grid, reason.before.placements(), cell)


def possible_wish(game: Game, wish: Wish) -> Wish | None:
    """Return the wish if it is possible, or else another for the player to move."""
    try:
        game.act(game.to_move, wish, game.latest, key="")
    except Refusal as refusal:
        return wish_instead(game, refusal)
    return wish


def wish_instead(game: Game, refusal: Refusal) -> Wish | None:
    """Return an action to suggest in place of one that the rules refuse, or None."""
    match refusal.reason:
        case AfterTurn(played=played):
            return Place(played)
        case AgainstRules(played=played) as reason:
            grid, near = reason.before.grid, legal_near(reason, refusal.culprit)
            cell = suggestion(reason.before, sum(map(grid.parse_cell, near)))
            return Place((*played, *grid.names(cell)))
    return next_wish(game)
