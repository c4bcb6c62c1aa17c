"""A game as SGF, the form that programs for Go read. Pure.

Source: SGF FF[4], https://www.red-bean.com/sgf/. The standard has no number for Oust or Churn, so
GM is left out and programs take the game for Go. Where they would then draw a wrong board, a node
corrects the stones. What the standard has no word for is in properties that begin with PBM: the
lines of the header, the remarks, each record and the result.
"""

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from msgspec import Struct

from pbm_oust import __version__
from pbm_oust.board.game import Game
from pbm_oust.board.notation import NUMBER, format_action, format_record, parse_action, record_line
from pbm_oust.board.record import Deed, Record
from pbm_oust.board.sheet import BadGame, Piece, Sheet, UncheckedSheet, draft
from pbm_oust.rules import Grid, How, Position, Result, Shape, Side, parse_grid
from pbm_oust.rules.grid import NoSuchCell, square

_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:[^\\\]]|\\.)*)\])", re.DOTALL)
_ESCAPED = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_BROKEN = re.compile(r"[ \t]*(?:\r?\n\r?[ \t]*)+")
_BEGINS = re.compile(r"\(\s*;\s*[A-Z][A-Za-z]*\s*\[")
"""Pattern of the beginning of a game in any text."""
_MARKED = re.compile(r"^[>| \t]*[>|][>| \t]*", re.MULTILINE)
"""Pattern of quote marks at the beginning of a line."""
_SPECIAL = re.compile(r"[\\\]]")


class Value(Struct, frozen=True):
    """The text of a property's value, and its line, counted from 1."""

    text: str
    line: int


@dataclass(slots=True)
class Node:
    """A parsed node: its properties, and its line, counted from 1."""

    line: int
    properties: dict[str, list[Value]] = field(default_factory=dict)

    def values(self, name: str) -> list[Value]:
        """Return the values of a property; none if it is missing."""
        return self.properties.get(name, [])


def format_node(properties: Mapping[str, Sequence[str]]) -> str:
    """Return a node as text; properties without values are left out."""
    return ";" + "".join(
        name + "".join(f"[{_SPECIAL.sub(_escape, value)}]" for value in values)
        for name, values in properties.items()
        if values
    )


def format_tree(nodes: Iterable[str]) -> str:
    """Return a game of these nodes in sequence, each on its own line."""
    return "(" + "\n".join(nodes) + "\n)\n"


def has_tree(text: str) -> bool:
    """Return whether a game in SGF begins somewhere in a text."""
    return bool(_BEGINS.search(text))


_BEGINS_IN_BYTES = re.compile(_BEGINS.pattern.encode())
_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([^\]]{1,40}?)\s*\]")
_MARKED_AS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16"}
_MARKED_AS |= {codecs.BOM_UTF16_BE: "utf-16"}
"""Charsets by the byte order mark of a file."""
_NO_CHARSETS = ("idna", "punycode", "raw-unicode-escape", "unicode-escape")
"""Codecs of Python that are no charsets."""


def decoded(data: bytes) -> str | None:
    """Return the text of a file with a game in SGF; None if there is no game.

    Its byte order mark or its property CA names the charset; else it is UTF-8 or, as the standard
    has it, ISO-8859-1. Bytes that do not fit stand there as half characters, which do no harm in
    comments.
    """
    plain = data.replace(b"\0", b"")
    if not (begins := _BEGINS_IN_BYTES.search(plain)):
        return None
    named = _CHARSET.search(plain, begins.start())
    marked = (name for mark, name in _MARKED_AS.items() if data.startswith(mark))
    said = next(marked, named[1].decode("latin-1") if named else "")
    for charset, errors in ((said, "surrogateescape"), ("utf-8", "strict"), ("latin-1", "strict")):
        try:
            if codecs.lookup(charset).name not in _NO_CHARSETS:
                text = data.decode(charset, errors)
                if has_tree(text):
                    return text
        except (LookupError, ValueError):
            continue  # a charset that nobody knows, or that it is not
    return None


def read_main_line(text: str) -> list[Node]:
    """Return the nodes of the main line of the only game; variations are ignored.

    Text before and after the game is passed over, and so are the marks of a quote: a game may come
    in a mail. Raises BadGame for a text that is not SGF, or for a second game.
    """
    begins = _BEGINS.search(text)
    if begins and _MARKED.match(text, text.rfind("\n", 0, begins.start()) + 1):
        text = _MARKED.sub("", text)
        begins = _BEGINS.search(text)
    nodes = list[Node]()
    depth, name, is_main, end = 0, "", True, 0
    for place, line, mark, word, value in _tokens(text, begins.start() if begins else 0):
        if mark == "(":
            depth += 1
        elif not depth:
            raise BadGame(f"line {line}", "a game begins with (")
        elif mark == ")":
            depth, is_main = depth - 1, False
            if not depth:
                end = place
                break
        elif mark == ";":
            nodes += [Node(line)] if is_main else []
        elif word:
            if not nodes:
                raise BadGame(f"line {line}", "a node begins with ;")
            name = "".join(filter(str.isupper, word)) or word
        elif not name:
            raise BadGame(f"line {line}", "a value stands behind the name of a property")
        elif is_main:
            nodes[-1].properties.setdefault(name, []).append(Value(value, line))
    if depth or not nodes:
        raise BadGame("the end", "a ) is missing" if nodes else "there is no game")
    if other := _BEGINS.search(text, end):
        line = text.count("\n", 0, other.start()) + 1
        raise BadGame(f"line {line}", "a second game begins; give one at a time")
    return nodes


def _tokens(text: str, place: int) -> Iterator[tuple[int, int, str, str, str]]:
    """Yield the tokens of a text from a place on.

    A token is its end, its line, a bracket or semicolon, a name, and a value; all but one of the
    last three are empty. A line break in a value is a space, as in SimpleText.
    """
    line = text.count("\n", 0, place) + 1
    end = len(text.rstrip())
    while place < end:
        token = _TOKEN.match(text, place)
        if not token:
            raise BadGame(f"line {line}", f"{text[place : place + 20].strip()!r} is no SGF")
        begins = token.start(token.lastindex or 0)
        line += text.count("\n", place, begins)
        value = _ESCAPED.sub(_unescape, token[3] or "")
        value = _BROKEN.sub(" ", value).strip() if _BROKEN.search(value) else value
        yield token.end(), line, token[1] or "", token[2] or "", value
        line += text.count("\n", begins, token.end())
        place = token.end()


def _escape(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


def _unescape(found: re.Match[str]) -> str:
    """Return the replacement for a backslash and a character; an escaped line end is removed."""
    return "" if found[1][0] in "\r\n" else found[1]


HEADER, RECORD, RESULT, REMARK = "PBMHEADER", "PBMRECORD", "PBMRESULT", "PBMREMARK"
_OWN = (HEADER, RECORD, RESULT, REMARK)
COLOURS = {Side.X: "B", Side.O: "W"}
"""The colours of the sides. x is B, since x places first as Black does in Go."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

Properties = dict[str, list[str]]
Notes = Mapping[int, Properties]
"""Properties to add to a position, by the number of its record; 0 is the start.

A comment (`C`) stands below the comment that the node has anyway.
"""


def format_sgf(sheet: Sheet, notes: Notes = MappingProxyType({})) -> str:
    """Return a game as SGF, with notes."""
    return format_tree(map(format_node, _nodes(sheet, notes)))


def format_bare_sgf(game: Game) -> str:
    """Return a game as short, standard SGF, without our own properties.

    Of all dates it has the first and the last one.
    """
    root, *nodes = _nodes(Sheet(game), {})
    first, *later = root["DT"][0].split(",")
    root["DT"] = [",".join([first, *later[-1:]])]
    bare = (
        {name: values for name, values in node.items() if name not in _OWN}
        for node in (root, *nodes)
    )
    return format_tree(map(format_node, bare))


def _nodes(sheet: Sheet, notes: Notes) -> Iterator[Properties]:
    """Yield the nodes of a game; a note stands in the last one of its record."""
    game = Game.start(sheet.game.header)
    screen = _Screen(game.header.grid)
    yield _noted(_root(sheet), notes.get(0, {}))
    for record in sheet.game.records:
        following = game.redo(record)
        *nodes, last = _record_nodes(game.position, following.position, record, screen)
        yield from nodes
        yield _noted(last, notes.get(record.number, {}))
        game = following


def _noted(node: Properties, note: Properties) -> Properties:
    """Return a node with the properties of a note added."""
    comment = [*node.get("C", []), *note.get("C", [])]
    return {**node, **note, "C": ["\n".join(comment)] if comment else []}


def parse_sgf(text: str) -> UncheckedSheet:
    """Return the history in SGF from `format_sgf`, to which variations may have been added.

    Raises BadGame, also if the moves are not those of the records.
    """
    root, *nodes = read_main_line(text)
    header = [_piece(value, value.text) for value in root.values(HEADER)]
    if not header:
        raise BadGame(f"line {root.line}", f"there is no {HEADER}, so pbm_oust did not write this")
    grid = _grid(header)
    records = [_read_record(value, moves, grid) for value, moves in _by_record(nodes)]
    result = [_piece(value, f"= {value.text}") for value in root.values(RESULT)]
    return draft(header, records + result, [_read_remark(each) for each in root.values(REMARK)])


def point(grid: Grid, cell: int) -> str:
    """Return a cell in SGF's notation: a letter for the column and one for the row from the top."""
    column, row = grid.place_of(cell)
    return _LETTERS[column - 1] + _LETTERS[len(grid.rows) - row]


_HOW: dict[Enum, str] = {How.RESIGN: "R", How.FORFEIT: "T"}
"""The endings that SGF has words for."""


def _root(sheet: Sheet) -> Properties:
    game = sheet.game
    header, grid = game.header, game.header.grid
    columns, rows = grid.stride - 1, len(grid.rows)
    days = (header.started, *(record.at for record in game.records))
    return {
        "FF": ["4"],
        "CA": ["UTF-8"],
        "AP": [f"pbm_oust:{__version__}"],
        "SZ": [f"{columns}" if columns == rows else f"{columns}:{rows}"],
        "VW": [point(grid, cell) for cell in grid.each(grid.cells)] * (grid.shape is Shape.HEX),
        "GN": [game.name],
        "RU": [header.kind.title],
        "PB": [game.x],
        "PW": [game.o],
        "DT": [",".join(dict.fromkeys(at.date().isoformat() for at in days))],
        "RE": [_result(game.result)] if game.result else [],
        HEADER: [f"{key}: {value}" for key, value in sheet.header],
        RESULT: [sheet.result] if sheet.result else [],
        REMARK: [f"{remark.line} {remark.text}" for remark in sheet.remarks],
    }


def _result(result: Result) -> str:
    if result.how is How.VOID:
        return "Void"
    if result.winner is None:
        return "0"
    how = _HOW.get(result.how, "")
    return f"{COLOURS[result.winner]}+{how}"


def _record_nodes(
    before: Position, after: Position, record: Record, screen: "_Screen"
) -> Iterator[Properties]:
    """Yield the nodes of a record; the first one holds the record itself."""
    grid, said = before.grid, {RECORD: [" ".join(format_record(record).split())]}
    if not isinstance(record.action, tuple) or not record.side:
        passes = {COLOURS[record.side]: [""]} if record.side and record.action is Deed.PASS else {}
        yield passes | {"C": [f"{record.by} {format_action(record.action)}"]} | said
        yield from screen.set_right(after)
        return
    for done in record.action:
        cell = grid.parse_cell(done.cell)
        own, before = before.stones(record.side), before.place(cell)
        word = "loses" if own & ~before.stones(record.side) else "takes"
        takes = {"C": [f"{word} {done.took}"]} if done.took else {}
        yield {COLOURS[record.side]: [point(grid, cell)]} | takes | said
        said = {}
        screen.place(record.side, cell)
        yield from screen.set_right(before)


class _Screen:
    """The board as programs for Go compute it, on the square that holds the grid."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._square = square(grid.stride - 1, len(grid.rows))
        self._stones = dict.fromkeys(Side, 0)

    def place(self, side: Side, cell: int) -> None:
        """Place a stone and remove what the rules of Go remove."""
        self._stones[side] |= cell
        for owner, near in ((side.other, self._square.neighbours(cell)), (side, cell)):
            left = near & self._stones[owner]
            while left:
                group = self._square.flood(left & -left, self._stones[owner])
                left &= ~group
                if not self._liberties(group):
                    self._stones[owner] &= ~group

    def set_right(self, position: Position) -> Iterator[Properties]:
        """Yield a node that corrects the stones, if one is needed."""
        shown, real = self._stones, {side: position.stones(side) for side in Side}
        if shown != real:
            gone = sum(shown.values()) & ~sum(real.values())
            yield {
                "AB": self._points(real[Side.X] & ~shown[Side.X]),
                "AW": self._points(real[Side.O] & ~shown[Side.O]),
                "AE": self._points(gone),
                "PL": [COLOURS[position.to_move]],
            }
            self._stones = real

    def _liberties(self, group: int) -> int:
        return self._square.neighbours(group) & ~sum(self._stones.values())

    def _points(self, cells: int) -> list[str]:
        return [point(self._grid, cell) for cell in self._grid.each(cells)]


def _by_record(nodes: Sequence[Node]) -> list[tuple[Value, list[str]]]:
    """Return each record with the moves of its nodes."""
    found = list[tuple[Value, list[str]]]()
    for node in nodes:
        found += [(value, []) for value in node.values(RECORD)]
        for colour in COLOURS.values():
            for value in node.values(colour):
                if not found:
                    raise BadGame(f"line {value.line}", f"a move stands before any {RECORD}")
                found[-1][1].append(f"{colour}{''.join(value.text.split())}")
    return found


def _read_record(said: Value, moves: list[str], grid: Grid) -> Piece:
    words = said.text.split()
    if len(words) < 5:
        reason = "a record has a number, a side, an action, a time and an id"
        raise BadGame(f"line {said.line}", reason)
    number, by, *action, at, key = words
    if _moves(by, " ".join(action), grid) not in (None, moves):
        reason = f"the moves are not those of {said.text!r}: {' '.join(moves) or 'none'}"
        raise BadGame(f"line {said.line}", reason)
    return _piece(said, record_line(number, by, " ".join(action), at, key))


def _moves(by: str, words: str, grid: Grid) -> list[str] | None:
    """Return the moves of a record; None if the rules will refuse it anyway."""
    try:
        side, action = Side(by), parse_action(words)
        placed = action if isinstance(action, tuple) else ()
        cells = [point(grid, grid.parse_cell(done.cell)) for done in placed]
    except (NoSuchCell, ValueError):
        return [] if by == "*" else None
    return [COLOURS[side] + each for each in ([""] if action is Deed.PASS else cells)]


def _read_remark(value: Value) -> tuple[int, Piece]:
    number, _, text = value.text.partition(" ")
    if not NUMBER.fullmatch(number):
        raise BadGame(f"line {value.line}", f"{number!r} is no number of a line")
    return int(number), _piece(value, text)


def _piece(value: Value, text: str) -> Piece:
    return Piece(text, f"line {value.line}")


def _grid(header: Sequence[Piece]) -> Grid:
    for piece in header:
        if piece.text.startswith("Grid: "):
            try:
                return parse_grid(piece.text.removeprefix("Grid: "))
            except ValueError as error:
                raise BadGame(piece.where, str(error)) from None
    raise BadGame(header[-1].where, "a line 'Grid:' belongs here")
