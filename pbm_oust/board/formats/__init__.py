"""A board in other formats, which carry all that its history says. Pure."""

from pbm_oust.board.formats.sgf import has_tree, parse_sgf
from pbm_oust.board.formats.sheet import BadGame, Piece, UncheckedSheet
from pbm_oust.board.formats.structured import parse_structured
from pbm_oust.board.notation import FIRST_LINE


def parse_any(text: str) -> UncheckedSheet:
    """Return the history in a text; the beginning of the text shows its format.

    A history file is taken as it is. Raises BadGame if the format is unknown or the text is not
    what it seems.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        return parse_structured(text)
    lines = text.split("\n")
    if FIRST_LINE in lines:
        whole = lines if lines[-1] else lines[:-1]
        return UncheckedSheet(
            tuple(Piece(line, f"line {nth}") for nth, line in enumerate(whole, 1))
        )
    if has_tree(text) or text.lstrip().startswith("("):
        return parse_sgf(text)
    raise BadGame("the text", "this is no SGF, no JSON, and no history")
