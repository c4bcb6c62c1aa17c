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

import re
from collections.abc import Iterator

from msgspec import Struct, structs

from pbm_oust.board import notation
from pbm_oust.board.game import AHEAD, Game, placement_of
from pbm_oust.board.header import Header, Origin, position_of
from pbm_oust.board.reasons import AgainstRules
from pbm_oust.board.record import Deed, Record, Ruling, Verb
from pbm_oust.refusal import Refusal
from pbm_oust.rules import KINDS, How, Position, parse_grid
from pbm_oust.rules.grid import BadGrid
from pbm_oust.rules.position import IllegalPlacement


class NotFollowed(ValueError):
    """A line that is no record, or an illegal one; the message says why."""


class Course:
    """A game that grows record by record.

    Most records are placements. For runs of them only positions are computed, no games.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._position = game.position
        self._placed = list[Record]()
        """Placements that led from the game to the position."""
        self._following = game.next_number
        """The number of the next record."""
        self._latest = game.latest

    def game(self) -> Game:
        """Return the game so far."""
        if self._placed:
            self._game = self._game.with_placements(self._placed, self._position)
            self._placed = []
        return self._game

    def follow(self, line: str) -> Record:
        """Add the record on a line, and return it. Raises NotFollowed."""
        try:
            record = notation.parse_record(line)
        except ValueError as error:
            raise NotFollowed(str(error)) from None
        if record.number != self._following:
            raise NotFollowed(f"the next record is {self._following}, not {record.number}")
        if record.at < self._latest <= record.at + AHEAD:
            raise NotFollowed(f"the time lies before {notation.format_time(self._latest)}")
        followed = None if self._game.result else _placed(self._position, record)
        if followed:
            self._position, record = followed
            self._placed.append(record)
        else:
            self._game = _step(record, self.game())
            self._position = self._game.position
        self._following, self._latest = record.number + 1, record.at
        return record


def _placed(position: Position, record: Record) -> tuple[Position, Record] | None:
    """Return the position after a record, and the record with what it took; None for other records.

    Only legal placements are handled here; anything else is left to `Game`.
    """
    done, named = record.action, position.grid.named
    if not isinstance(done, tuple) or record.side is not position.to_move or position.result:
        return None
    action = done
    for nth, placement in enumerate(done):
        cell = named.get(placement.cell)
        if cell is None or (nth and not position.is_mid_turn):
            return None
        try:
            following = position.place(cell)
        except IllegalPlacement:
            return None
        taking = placement_of(placement.cell, position, following)
        if taking.took != placement.took:
            return None
        if taking.took:
            action = (*action[:nth], taking, *action[nth + 1 :])
        position = following
    if action is not done:
        record = Record(record.number, record.side, action, record.at, record.message_key)
    return position, record


def _step(record: Record, game: Game) -> Game:
    """Return the game after a record. Raises NotFollowed if the record is illegal."""
    try:
        following = game.redo(record)
    except Refusal as refusal:
        reason = (
            f"{notation.format_action(record.action)} by {record.by}: {_reason_in_words(refusal)}"
        )
        raise NotFollowed(reason) from None
    if following.records[-1] != record:
        played = notation.format_action(following.records[-1].action)
        raise NotFollowed(f"by the rules this record is {played}")
    return following


def _reason_in_words(refusal: Refusal) -> str:
    """Return a refusal's reason in words for an operator."""
    reason = refusal.reason
    word = reason.fault.word if isinstance(reason, AgainstRules) else str(refusal)
    words = word.replace("_", " ")
    return f"{refusal.culprit} is refused, {words}" if refusal.culprit else words


OVER = "# over"
"""The beginning of the remark on a finished game."""


def format_over(game: Game) -> str:
    """Return the remark on a finished game, without its newline; empty if it goes on."""
    return f"{OVER}: {_ending_in_words(game)}" if game.result else ""


def _ending_in_words(game: Game) -> str:
    result, latest = game.result, game.records[-1].action if game.records else None
    is_award = isinstance(latest, Ruling) and latest.verb is Verb.AWARD
    by_award = " by the operator's award" if is_award else ""
    if result and result.winner:
        return f"{game.owner(result.winner)} won{by_award}"
    if latest is Deed.DECLINE:
        return f"{game.actor} declined"
    return "never begun" if result and result.how is How.VOID else f"a draw{by_award}"


_CHALLENGE = re.compile(r"# challenge [0-9a-f]{16}")
_SEEK = re.compile(rf"# seek {notation.NUMBER.pattern}")


class BadHistory(ValueError):
    """A history that the server cannot have written: `line` counts from 1, `reason` says why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class History(Struct, frozen=True):
    """A parsed history file: the game, and whether the file is complete."""

    game: Game
    has_result_line: bool
    whole_length: int
    """The number of bytes up to the end of the last whole line. Anything after it is ignored."""


def format_records(game: Game, since: int) -> str:
    """Return the lines of all records after the first `since`, and of the result."""
    lines = [*map(notation.format_record, game.records[since:])]
    if game.result:
        lines += [format_over(game), notation.format_result(game.result)]
    return "\n".join([*lines, ""])


def read_history(data: bytes) -> History:
    """Return the parsed history, with every record checked against the rules.

    A last line without its newline is ignored. A result line may be missing at the very end, since
    it follows from the records. Raises BadHistory for anything the server would not have written.
    """
    whole_length = data.rfind(b"\n") + 1
    header, lines = _read_header(_decode(data[:whole_length]))
    return _read_on(Game.start(header), lines, whole_length)


def read_further(game: Game, data: bytes) -> History:
    """Return the history of a game that went on, from the lines below the records that it has.

    As `read_history`, but lines and bytes count from there.
    """
    whole_length = data.rfind(b"\n") + 1
    return _read_on(game, _Lines(_decode(data[:whole_length])), whole_length)


def _read_on(game: Game, lines: "_Lines", whole_length: int) -> History:
    """Return the history of a game and the lines that follow. Raises BadHistory."""
    course = Course(game)
    has_result_line = False
    keys = {record.message_key for record in game.records}
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

    def __init__(self, text: str) -> None:
        numbered = enumerate(text.split("\n")[:-1], 1)
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
        """Return the rest of the next line after `wanted`, and its number. Raises BadHistory."""
        number, line = next(self, (self.last + 1, None))
        if line is None or not line.startswith(wanted):
            raise BadHistory(number, f"a line {wanted.strip()!r} belongs here")
        return number, line.removeprefix(wanted)

    def _is_remark(self, number: int, line: str) -> bool:
        """Return whether a line is a remark. Raises BadHistory for one of ours without value."""
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
    lines = _Lines(text)
    header = _header_of(_read_keys(lines))
    number, rest = lines.expect("")
    if rest.startswith(f"{notation.FROM}: "):
        header = structs.replace(header, origin=_read_origin(number, rest, header))
        number, rest = lines.expect("")
    if rest:
        raise BadHistory(number, "an empty line ends the header")
    return header, lines


def _read_keys(lines: _Lines) -> dict[str, tuple[int, str]]:
    """Return the value of each key of a header, with its line number."""
    number, rest = lines.expect(notation.FIRST_LINE)
    if rest:
        raise BadHistory(number, f"the first line is {notation.FIRST_LINE!r}")
    return {key: lines.expect(f"{key}: ") for key in notation.KEYS}


def _header_of(found: dict[str, tuple[int, str]]) -> Header:
    """Return the header with these values. Raises BadHistory."""
    kind = KINDS.get(found["Kind"][1])
    if kind is None:
        raise BadHistory(found["Kind"][0], f"the game {found['Kind'][1]!r} is not known")
    for key in ("X", "O"):
        if not notation.USERID.fullmatch(found[key][1]):
            raise BadHistory(found[key][0], f"{found[key][1]!r} is no userid")
    if found["X"][1] == found["O"][1]:
        raise BadHistory(found["O"][0], "both sides have the same owner")
    board = found["Board"][1]
    if not notation.NUMBER.fullmatch(board):
        raise BadHistory(found["Board"][0], f"{board!r} is no number of a board")
    try:
        key = "Grid"
        grid = parse_grid(found[key][1])
        if not kind.plays_on(grid):
            raise BadGrid(f"{kind.title} is not played on {grid}")
        key = "Options"
        terms = notation.parse_terms(found[key][1])
        key = "Started"
        started = notation.parse_time(found[key][1])
    except ValueError as error:
        raise BadHistory(found[key][0], str(error)) from None
    return Header(kind, int(board), grid, found["X"][1], found["O"][1], terms, started)


def _read_origin(number: int, line: str, header: Header) -> Origin:
    """Return the origin on a line, checked against the rules. Raises BadHistory."""
    text = line.removeprefix(f"{notation.FROM}: ")
    try:
        origin = notation.parse_origin(text, header.kind.name)
        position_of(origin, header.kind, header.grid)
    except ValueError as error:
        raise BadHistory(number, str(error)) from None
    return origin


def _check_result(number: int, line: str, game: Game) -> bool:
    if game.result is None:
        raise BadHistory(number, "the game has not ended here")
    if line != notation.format_result(game.result):
        raise BadHistory(
            number, f"by the rules the result is {notation.format_result(game.result)!r}"
        )
    return True


_OWNER = re.compile(rb"^([XO]: )(.*)$", re.MULTILINE)
"""Pattern of a header line with the owner of a side."""
_NAMED = notation.USERID.pattern
_WON = re.compile(rf"^({OVER}: )({_NAMED})(?= (?:won|declined))".encode(), re.MULTILINE)
"""Pattern of the remark that names the winner, up to the name."""
_ADOPTS = re.compile(
    rf"^( *[0-9]+ \* )({Verb.ADOPT.value} [xo] )({_NAMED}) +(?=[0-9-]+T[0-9:]+Z )".encode(),
    re.MULTILINE,
)
"""Pattern of a record that hands a side over, up to the userid."""


def userids_in(data: bytes) -> frozenset[str]:
    """Return the userids in a history, damaged or not."""
    head, _, body = (b"\n" + data).partition(b"\n\n")
    found = [owner[2] for owner in _OWNER.finditer(head)]
    if f" {Verb.ADOPT.value} ".encode() in body:
        found += [adoption[3] for adoption in _ADOPTS.finditer(body)]
    return frozenset(userid.decode("utf-8", "surrogateescape") for userid in found)


def with_other_userid(data: bytes, old: str, new: str) -> bytes:
    """Return a history with one userid replaced by another, without replaying it."""
    before, after = old.encode(), new.encode()

    def renamed(found: re.Match[bytes]) -> bytes:
        return found[1] + after if found[2] == before else found[0]

    def adopted(found: re.Match[bytes]) -> bytes:
        action = (found[2] + after).ljust(notation.ACTION_WIDTH)
        return found[1] + action + b" " if found[3] == before else found[0]

    head, gap, body = (b"\n" + data).partition(b"\n\n")
    body = _ADOPTS.sub(adopted, _WON.sub(renamed, body))
    return (_OWNER.sub(renamed, head) + gap + body)[1:]
