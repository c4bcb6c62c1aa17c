"""Notations of a history: a `format_x` and a `parse_x` for each part. Pure."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from pbm_oust.board.header import Header, Origin, Step, Terms
from pbm_oust.board.record import SERVER, Action, Deed, Place, Placement, Record, Ruling, Verb, Wish
from pbm_oust.rules import How, Kind, Result, Side

FIRST_LINE = "pbm_oust history 1"
KEYS = ("Kind", "Board", "Grid", "X", "O", "Options", "Started")

FROM = "From"
"""The key of the line with the origin of a continued board."""

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_AHEAD = timedelta(days=1)
"""The tolerance for the clock of another host."""
ACTION_WIDTH = 25
"""The least width of the column with actions."""
_RECORD = re.compile(
    r"(   [1-9]|  [1-9][0-9]| [1-9][0-9]{2}|[1-9][0-9]{3,8}) ([xo*])"
    rf" (\S.{{{ACTION_WIDTH - 1},}}?) ({_TIME.pattern}) ([0-9a-f]{{16}})",
    re.ASCII,
)
_PLACEMENT = re.compile(r"([A-Z][1-9][0-9]?)(?:\*([1-9][0-9]{0,2}))?")
_CELL = re.compile(r"[A-Z][1-9][0-9]?")
LONGEST_USERID = 20
USERID = re.compile(rf"[a-z][a-z0-9_-]{{0,{LONGEST_USERID - 1}}}")
NUMBER = re.compile(r"[1-9][0-9]{0,8}")
"""The number of a board or of a record."""
HIGHEST = 999_999_999
"""The highest number of a board or of a record."""
MOST_GIVEN = 99_999_999
"""The highest number for something from elsewhere. Our own numbers go on from there."""
_STEP = re.compile(r" ([xo]) ((?:[A-Z][0-9*]+ ?)+|pass)(?= [xo] |$)")
_ORIGIN = re.compile(rf"([a-z]+) ({NUMBER.pattern})#(0|{NUMBER.pattern})((?: \S+)*)")
MESSAGE_KEY = re.compile(r"[0-9a-f]{16}")
"""A message key."""
DRAW = "draw"
"""Replaces the winning side in the result of a draw."""
_BY_PLAYERS = frozenset(how.value for how in How)
_DEEDS = {deed.value: deed for deed in Deed}
_VERBS = {verb.value for verb in Verb}
_SIDES: dict[str, Side | None] = {SERVER: None, **{side.value: side for side in Side}}
MOST_REMEMBERED = 4096
"""The number of parsed words that are remembered, since most come again and again."""
_DAYS = re.compile(r"(0|[1-9][0-9]{0,4})")
_LONGER = re.compile(r"[1-9][0-9]{0,3}d")


def format_time(at: datetime) -> str:
    """Return a time as histories write it: in UTC, to the second."""
    return f"{at.astimezone(UTC).isoformat()[:19]}Z"


def parse_time(text: str) -> datetime:
    """Return the time in the notation of histories. Raises ValueError for any other form."""
    try:
        if _TIME.fullmatch(text):
            return datetime.fromisoformat(text)
    except ValueError:
        pass  # a time that no calendar has
    raise ValueError(f"{text!r} is no time like 2026-11-20T15:36:00Z")


def check_time(at: datetime, now: datetime) -> None:
    """Raise ValueError for an impossible time: in the future, or long ago."""
    if not _FIRST <= at <= now + _AHEAD:
        raise ValueError(f"{format_time(at)} is no time at which it can have happened")


_ON = ("swap", "rated", "binding")
"""The words of an Options line for what is on."""


def format_terms(terms: Terms) -> str:
    """Return the words of the Options line: those for what is on, and the times in days."""
    words = [name for name in _ON if getattr(terms, name)]
    words += [f"nagtime={terms.nagtime}", f"forfeittime={terms.forfeittime}"]
    if terms.totaltime:
        words.append(f"totaltime={terms.totaltime}")
    if terms.maxtime:
        words.append(f"maxtime={terms.maxtime}")
    return " ".join(words)


@lru_cache(maxsize=MOST_REMEMBERED)
def parse_terms(text: str) -> Terms:
    """Return the terms of an Options line. Raises ValueError for unknown words."""
    words = text.split()
    given: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if name not in Terms.__struct_fields__:
            raise ValueError(f"the option {word!r} is not known")
        if equals and not _DAYS.fullmatch(value):
            raise ValueError(f"the option {word!r} has no whole number of days")
        if equals:
            given[name] = int(value)
    terms = Terms(**given, **{name: name in words for name in _ON})
    if format_terms(terms) != text:
        raise ValueError(f"these options are written {format_terms(terms)!r}")
    return terms


def format_action(action: Action) -> str:
    """Return the action words of a record: `swap`, `forfeit x`, or placements like `G6*1 D5`."""
    if isinstance(action, Deed):
        return action.value
    if isinstance(action, Ruling):
        return format_ruling(action)
    return " ".join(f"{done.cell}*{done.took}" if done.took else done.cell for done in action)


@lru_cache(maxsize=MOST_REMEMBERED)
def parse_action(text: str) -> Action:
    """Return the action in the words of a record. Raises ValueError for other words."""
    if deed := _DEEDS.get(text):
        return deed
    words = text.split(" ")
    if words[0] in _VERBS:
        return parse_ruling(text)
    placements = []
    for word in words:
        match = _PLACEMENT.fullmatch(word)
        if not match:
            raise ValueError(f"{word!r} is no action")
        placements.append(Placement(match[1], int(match[2] or 0)))
    return tuple(placements)


def format_wish(wish: Wish) -> str:
    """Return the word for a wish: `D4,E5` or `pass`."""
    return wish.value if isinstance(wish, Deed) else ",".join(wish.cells)


def parse_wish(text: str) -> Wish:
    """Return the wish in a word. Raises ValueError for other words."""
    if deed := _DEEDS.get(text):
        return deed
    cells = tuple(text.split(","))
    if not all(_CELL.fullmatch(cell) for cell in cells):
        raise ValueError(f"{text!r} is neither placements nor a deed")
    return Place(cells)


def format_ruling(ruling: Ruling) -> str:
    """Return the words for a ruling: `void`, `adopt x carol`, `extend o 3d`."""
    side = ruling.side.value if ruling.side else DRAW if ruling.verb is Verb.AWARD else ""
    days = f"{ruling.days}d" if ruling.verb is Verb.EXTEND else ""
    back_to = str(ruling.back_to) if ruling.verb is Verb.UNDO else ""
    return " ".join(filter(None, [ruling.verb.value, side, ruling.userid, days, back_to]))


def parse_ruling(text: str) -> Ruling:
    """Return the ruling in some words. Raises ValueError for other words."""
    match text.split(" "):
        case ["void"]:
            return Ruling(Verb.VOID)
        case ["award", "draw"]:
            return Ruling(Verb.AWARD)
        case ["award" | "forfeit" | "remind" as verb, "x" | "o" as side]:
            return Ruling(Verb(verb), Side(side))
        case ["adopt", "x" | "o" as side, userid] if USERID.fullmatch(userid):
            return Ruling(Verb.ADOPT, Side(side), userid)
        case ["extend", "x" | "o" as side, time] if _LONGER.fullmatch(time):
            return Ruling(Verb.EXTEND, Side(side), days=int(time[:-1]))
        case ["undo", number] if number == "0" or NUMBER.fullmatch(number):
            return Ruling(Verb.UNDO, back_to=int(number))
    raise ValueError(f"{text!r} is no action")


def format_outcome(result: Result) -> str:
    """Return the words of a result: `x resign`."""
    return f"{result.winner.value if result.winner else DRAW} {result.how.value}"


def parse_outcome(kind: Kind, text: str) -> Result:
    """Return the result in some words: `x resign`. Raises ValueError for other words."""
    winner, _, how = text.partition(" ")
    ending = How(how) if how in _BY_PLAYERS else kind.endings(how)
    return Result(None if winner == DRAW else Side(winner), ending)


def format_result(result: Result) -> str:
    """Return the line of a result, without its newline: `= x resign`."""
    return f"= {format_outcome(result)}"


def format_origin(origin: Origin, kind: str) -> str:
    """Return the words for an origin: `oust 17#5 x D4 o E5*1 F6 x pass`."""
    steps = (
        f" {step.side.value} {format_action(step.placements or Deed.PASS)}" for step in origin.steps
    )
    return f"{kind} {origin.board}#{origin.number}{''.join(steps)}"


def parse_origin(text: str, kind: str) -> Origin:
    """Return the origin in some words. Raises ValueError for other words."""
    match = _ORIGIN.fullmatch(text)
    if not match or match[1] != kind:
        raise ValueError(f"it is not written '{kind} BOARD#NUMBER x MOVE o MOVE ..'")
    steps = []
    for side, words in _STEP.findall(match[4]):
        done = parse_action(words)
        if not isinstance(done, tuple) and done is not Deed.PASS:
            raise ValueError(f"{words!r} is no move that counts for a position")
        steps.append(Step(Side(side), done if isinstance(done, tuple) else ()))
    origin = Origin(int(match[2]), int(match[3]), tuple(steps))
    if format_origin(origin, kind) != text:
        raise ValueError(f"the server would have written {format_origin(origin, kind)!r}")
    return origin


def format_header(header: Header) -> str:
    """Return the beginning of a history, including the empty line before the records."""
    values = (
        header.kind.name,
        str(header.board),
        str(header.grid),
        header.x,
        header.o,
        format_terms(header.terms),
        format_time(header.started),
    )
    lines = [FIRST_LINE, *(f"{key}: {value}" for key, value in zip(KEYS, values, strict=True))]
    if header.origin:
        lines.append(f"{FROM}: {format_origin(header.origin, header.kind.name)}")
    return "\n".join(lines) + "\n\n"


def format_record(record: Record) -> str:
    """Return the line of a record, without its newline."""
    action, at = format_action(record.action), format_time(record.at)
    return record_line(str(record.number), record.by, action, at, record.message_key)


def record_line(number: str, by: str, action: str, at: str, key: str) -> str:
    """Return the line of a record with these parts, which are not checked."""
    return f"{number:>4} {by} {action:<{ACTION_WIDTH}} {at} {key}"


def parse_record(text: str) -> Record:
    """Return the record on a line. Raises ValueError for a line that is not a record."""
    match = _RECORD.fullmatch(text)
    if match is None:
        return _read_record(text)
    number, by, padded, at, key = match.groups()
    action = padded.rstrip(" ")
    if len(padded) > ACTION_WIDTH and len(padded) > len(action):
        return _read_record(text)
    try:
        side, done, time = _SIDES[by], parse_action(action), datetime.fromisoformat(at)
    except ValueError:
        return _read_record(text)  # an unknown action, or a time that no calendar has
    if isinstance(done, Ruling) is not (side is None):
        return _read_record(text)
    return Record(int(number), side, done, time, key)


def _read_record(text: str) -> Record:
    """Return the record on a line, if its words are in place. Raises ValueError."""
    words = text.split()
    if len(words) < 5:
        raise ValueError("a record has a number, a side, an action, a time and an id")
    number, by, *action, at, key = words
    if by not in _SIDES:
        raise ValueError(f"{by!r} is no side")
    if not NUMBER.fullmatch(number):
        raise ValueError(f"{number!r} is no number of a record")
    if not MESSAGE_KEY.fullmatch(key):
        raise ValueError(f"{key!r} is no id of a message")
    side, done, time = _SIDES[by], parse_action(" ".join(action)), parse_time(at)
    if isinstance(done, Ruling) is not (side is None):
        raise ValueError(f"{by} cannot do {format_action(done)!r}")
    record = Record(int(number), side, done, time, key)
    if format_record(record) != text:
        raise ValueError(f"the server would have written {format_record(record).strip()!r}")
    return record
