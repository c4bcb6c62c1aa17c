"""The text of a history file and what it says. Pure.

    pbm_oust history 1
    Kind: oust
    ...

       1 x G7                        2026-11-20T15:40:02Z 4f0c1d2e9a8b7c6d
    # over: rrognlie won
    = x resign

A history can be written in exactly one way, so reading is strict: whatever `format_header`,
`format_record` and `format_result` would not have written is damage.
"""

from collections.abc import Iterator

from pbm_oust.board.course import Course, NotFollowed
from pbm_oust.board.game import Game
from pbm_oust.board.header import Header
from pbm_oust.board.notation import (
    FIRST_LINE,
    FROM,
    KEYS,
    NUMBER,
    USERID,
    format_record,
    format_result,
    parse_origin,
    parse_terms,
    parse_time,
)
from pbm_oust.board.origin import Origin, position_of
from pbm_oust.board.over import OVER, format_over
from dataclasses import dataclass, replace
import re
from pbm_oust.rules.grid import BadGrid, parse_grid
from pbm_oust.rules.kinds import KINDS

_HEADER = re.compile("\n".join([FIRST_LINE, *(f"{key}: (?P<{key}>.*)" for key in KEYS), "\n"]))
"""A header without a remark or an origin, and the empty line below it."""
_CHALLENGE = re.compile(r"# challenge [0-9a-f]{16}")
_SEEK = re.compile(rf"# seek {NUMBER.pattern}")


class BadHistory(ValueError):
    """The server cannot have written a history: `line` counts from 1, `reason` says why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class History:
    """What a history file says: the game, and whether the file is complete."""

    game: Game
    has_result_line: bool
    whole_length: int
    """Bytes up to the end of the last whole line. What follows does not count."""


def format_records(game: Game, since: int) -> str:
    """Return the lines of all records after the first `since`, and of the result."""
    lines = [format_record(record) for record in game.records[since:]]
    if game.result:
        lines += [format_over(game), format_result(game.result)]
    return "".join(f"{line}\n" for line in lines)


def read_history(data: bytes) -> History:
    """Return what a history file says; every record is checked against the rules.

    A last line without its newline is ignored. A result line may be missing at the very end, since
    it follows from the records. Raises BadHistory for anything the server would not have written.
    """
    whole_length = data.rfind(b"\n") + 1
    header, lines = _read_header(_decode(data[:whole_length]))
    course = Course(header)
    has_result_line = False
    keys: set[str] = set()
    for number, line in lines.rest:
        if has_result_line:
            raise BadHistory(number, "nothing follows a result")
        if line.startswith("="):
            has_result_line = _check_result(number, line, course.game())
            continue
        try:
            key = course.follow(line).message_key
        except NotFollowed as error:
            raise BadHistory(number, str(error)) from None
        if key in keys:
            raise BadHistory(number, f"an earlier record has the id {key}")
        keys.add(key)
    number, over = lines.over or (0, "")
    if over not in ("", format_over(course.game())):
        raise BadHistory(number, f"by the rules this remark is {format_over(course.game())!r}")
    return History(course.game(), has_result_line, whole_length)


def read_header(data: bytes) -> Header:
    """Return the header of a history file alone. Raises BadHistory if it cannot be read."""
    return _read_header(_decode(data[: data.rfind(b"\n") + 1]))[0]


class _Lines(Iterator[tuple[int, str]]):
    """The numbered lines of a history without its remarks."""

    def __init__(self, text: str, first: int = 1) -> None:
        """`first` is the number of the first line."""
        numbered = enumerate(text.split("\n")[:-1], first)
        self.rest = (
            each for each in numbered if not (each[1].startswith("#") and self._is_remark(*each))
        )
        self.last = 0
        self.over: tuple[int, str] | None = None
        """The remark that says who won, with its number."""

    def __next__(self) -> tuple[int, str]:
        self.last, line = next(self.rest)
        return self.last, line

    def expect(self, wanted: str) -> tuple[int, str]:
        """Return what follows some words on the next line, and its number. Raises BadHistory."""
        number, line = next(self, (self.last + 1, None))
        if line is None or not line.startswith(wanted):
            raise BadHistory(number, f"a line {wanted.strip()!r} belongs here")
        return number, line.removeprefix(wanted)

    def _is_remark(self, number: int, line: str) -> bool:
        """Return True for a remark. Raises BadHistory for one of ours without its value."""
        if line.startswith(OVER):
            self.over = number, line
        _check_remark(number, line)
        return True


def _check_remark(number: int, line: str) -> None:
    if line.startswith("# challenge") and not _CHALLENGE.fullmatch(line):
        raise BadHistory(number, "behind '# challenge' stands the id of a message")
    if line.startswith("# seek") and not _SEEK.fullmatch(line):
        raise BadHistory(number, "behind '# seek' stands the number of an open challenge")


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadHistory(line, "the text is not UTF-8") from None


def _read_header(text: str) -> tuple[Header, _Lines]:
    """Return the header of a history, and the lines below it. Raises BadHistory."""
    plain = _HEADER.match(text)
    if plain:
        found = {key: (number, plain[key]) for number, key in enumerate(KEYS, 2)}
        return _header_of(found), _Lines(text[plain.end() :], len(KEYS) + 3)
    lines = _Lines(text)
    header = _header_of(_read_keys(lines))
    number, rest = lines.expect("")
    if rest.startswith(f"{FROM}: "):
        header = replace(header, origin=_read_origin(number, rest, header))
        number, rest = lines.expect("")
    if rest:
        raise BadHistory(number, "an empty line ends the header")
    return header, lines


def _read_keys(lines: _Lines) -> dict[str, tuple[int, str]]:
    """Return what stands behind each key of a header, with the numbers of the lines."""
    number, rest = lines.expect(FIRST_LINE)
    if rest:
        raise BadHistory(number, f"the first line is {FIRST_LINE!r}")
    return {key: lines.expect(f"{key}: ") for key in KEYS}


def _header_of(found: dict[str, tuple[int, str]]) -> Header:
    """Return the header of which this was found behind its keys. Raises BadHistory."""
    kind = KINDS.get(found["Kind"][1])
    if kind is None:
        raise BadHistory(found["Kind"][0], f"the game {found['Kind'][1]!r} is not known")
    for key in ("X", "O"):
        if not USERID.fullmatch(found[key][1]):
            raise BadHistory(found[key][0], f"{found[key][1]!r} is no userid")
    if found["X"][1] == found["O"][1]:
        raise BadHistory(found["O"][0], "both sides have the same owner")
    board = found["Board"][1]
    if not NUMBER.fullmatch(board):
        raise BadHistory(found["Board"][0], f"{board!r} is no number of a board")
    try:
        key = "Grid"
        grid = parse_grid(found[key][1])
        if not kind.plays_on(grid):
            raise BadGrid(f"{kind.title} is not played on {grid}")
        key = "Options"
        terms = parse_terms(found[key][1])
        key = "Started"
        started = parse_time(found[key][1])
    except ValueError as error:
        raise BadHistory(found[key][0], str(error)) from None
    return Header(kind, int(board), grid, found["X"][1], found["O"][1], terms, started)


def _read_origin(number: int, line: str, header: Header) -> Origin:
    """Return where a board begins, checked against the rules. Raises BadHistory."""
    text = line.removeprefix(f"{FROM}: ")
    try:
        origin = parse_origin(text, header.kind.name)
        position_of(origin, header.kind, header.grid)
    except ValueError as error:
        raise BadHistory(number, str(error)) from None
    return origin


def _check_result(number: int, line: str, game: Game) -> bool:
    if game.result is None:
        raise BadHistory(number, "the game has not ended here")
    if line != format_result(game.result):
        raise BadHistory(number, f"by the rules the result is {format_result(game.result)!r}")
    return True
