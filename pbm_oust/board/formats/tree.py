"""SGF as text: nodes of properties, escaped as the standard says. Pure.

Source: SGF FF[4], https://www.red-bean.com/sgf/sgf4.html, sections 2 and 3.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pbm_oust.board.formats.sheet import BadGame
from dataclasses import dataclass
import re

_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:[^\\\]]|\\.)*)\])", re.DOTALL)
_ESCAPED = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_BROKEN = re.compile(r"[ \t]*(?:\r?\n\r?[ \t]*)+")
_BEGINS = re.compile(r"\(\s*;\s*[A-Z][A-Za-z]*\s*\[")
"""How a game begins, in whatever text it stands."""
_MARKED = re.compile(r"^[>| \t]*[>|][>| \t]*", re.MULTILINE)
"""The marks of a quote."""
_SPECIAL = re.compile(r"[\\\]]")


@dataclass(frozen=True, slots=True)
class Value:
    """The text of a value, and the line on which it begins, counted from 1."""

    text: str
    line: int


@dataclass(slots=True)
class Node:
    """A node that was read: its properties, and the line on which it begins, counted from 1."""

    line: int
    properties: dict[str, list[Value]] = field(default_factory=dict)

    def values(self, name: str) -> list[Value]:
        """Return the values of a property; none if the node does not have it."""
        return self.properties.get(name, [])


def format_node(properties: Mapping[str, Sequence[str]]) -> str:
    """Return a node as text; properties without values are left out."""
    return ";" + "".join(
        name + "".join(f"[{_SPECIAL.sub(_escape, value)}]" for value in values)
        for name, values in properties.items()
        if values
    )


def format_tree(nodes: Iterable[str]) -> str:
    """Return a game whose nodes follow one another, each on its own line."""
    return "(" + "\n".join(nodes) + "\n)\n"


def has_tree(text: str) -> bool:
    """Return whether a game in SGF begins somewhere in a text."""
    return bool(_BEGINS.search(text))


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
    """Yield what stands in a text from a place on.

    That is where it ends, its line, a bracket or semicolon, a name, and a value; all but one of
    these three are empty. A line break in a value is a space, as in SimpleText.
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
    """Return what follows a backslash; the end of a line goes away with it."""
    return "" if found[1][0] in "\r\n" else found[1]
