"""What boards of cups and ladders come to, counted from their files without the program."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import combinations
from pathlib import Path

_BELONGS = re.compile(r"^# tournament (\d+) round (\d+) section (\d+)$", re.MULTILINE)
_LADDER = re.compile(r"^# ladder (\d+)$", re.MULTILINE)
_OWNER = re.compile(r"^([XO]): (\S+)$", re.MULTILINE)
_STARTED = re.compile(r"^Started: (\S+)$", re.MULTILINE)
_KEY = re.compile(r"^# challenge (\w+)$", re.MULTILINE)
_RECORD = re.compile(r"^ *\d+ [xo*] (.*?) +(\S+Z) \w+$", re.MULTILINE)
_RESULT = re.compile(r"^= (x|o|draw) (\w+)$", re.MULTILINE)

Section = tuple[int, int, int]
"""A cup, a round, and the number of a section."""
PAUSE, IDLE, MOST_DEFENCES = timedelta(days=14), timedelta(days=60), 3
"""How long the same player cannot be challenged again, and without a game one keeps a place.

And how many challenges one defends at a time.
"""
NEVER = datetime.max.replace(tzinfo=UTC)
Merit = tuple[int, int, int]
"""Points, points of those who were beaten, and points among those who are equal in that."""


@dataclass(frozen=True)
class Played:
    """A board of a cup or a ladder, as its file says."""

    number: int
    key: str
    first: str
    """Who owned x as it began."""
    players: frozenset[str]
    place: int
    """The place of the defender on the ladder; 0 for a board of a cup."""
    started: str
    ended: str
    """When its game ended; empty while it goes on."""
    winner: str
    """Empty for a draw."""
    is_void: bool

    def points(self, userid: str) -> int:
        """Return the points of a player of it."""
        if self.is_void or not self.ended:
            return 0
        return 2 if self.winner == userid else 0 if self.winner else 1


def sections_in(folder: Path) -> Mapping[Section, Sequence[Played]]:
    """Return the boards of all sections, from the files of a folder."""
    found = defaultdict[Section, list[Played]](list)
    for number, text in _histories(folder):
        if belongs := _BELONGS.search(text):
            cup, round_, section = map(int, belongs.groups())
            found[cup, round_, section].append(_played(number, text))
    return found


def challenges_in(folder: Path) -> list[Played]:
    """Return the boards of a ladder, from the files of a folder."""
    return [_played(number, text) for number, text in _histories(folder) if _LADDER.search(text)]


def _histories(folder: Path) -> Iterator[tuple[int, str]]:
    for path in sorted(folder.glob("[0-9]*.txt"), key=lambda path: int(path.stem)):
        yield int(path.stem), path.read_text()


def _played(number: int, text: str) -> Played:
    (_, x), (_, o) = _OWNER.findall(text)
    records, result = _RECORD.findall(text), _RESULT.search(text)
    swaps = sum(action == "swap" for action, _ in records)
    owners = {"x": o, "o": x} if swaps else {"x": x, "o": o}
    ladder = _LADDER.search(text)
    (key,), (started,) = _KEY.findall(text), _STARTED.findall(text)
    return Played(
        number=number,
        key=key,
        first=x,
        place=int(ladder[1]) if ladder else 0,
        players=frozenset((x, o)),
        started=started,
        ended=records[-1][1] if result else "",
        winner=owners.get(result[1], "") if result else "",
        is_void=bool(result and result[2] == "void"),
    )


def merits(players: Collection[str], boards: Iterable[Played]) -> dict[str, Merit]:
    """Return what each player of a section has achieved."""
    over = [each for each in boards if each.ended and not each.is_void]
    points = {one: sum(b.points(one) for b in over if one in b.players) for one in players}
    beaten = {
        one: sum(points[other] for b in over if b.winner == one for other in b.players - {one})
        for one in players
    }
    equal = {
        one: {
            other
            for other in players
            if (points[one], beaten[one]) == (points[other], beaten[other])
        }
        for one in players
    }
    among = {
        one: sum(b.points(one) for b in over if one in b.players and b.players <= equal[one])
        for one in players
    }
    return {one: (points[one], beaten[one], among[one]) for one in players}


def placed(players: Collection[str], boards: Iterable[Played]) -> dict[str, tuple[int, Merit]]:
    """Return the place of each player of a section, and how it came about."""
    found = merits(players, boards)
    return {
        one: (1 + sum(other > merit for other in found.values()), merit)
        for one, merit in found.items()
    }


def winners(players: Collection[str], boards: Iterable[Played], out: Collection[str]) -> set[str]:
    """Return who plays on from a section."""
    left = {one: place for one, (place, _) in placed(players, boards).items() if one not in out}
    return {one for one, place in left.items() if place == min(left.values())}


def wrongly_played(
    players: Collection[str], boards: Sequence[Played], games: int, out: Collection[str]
) -> Iterator[str]:
    """Yield which pairs of a section have not played each other as often as they should."""
    often = Counter(each.players for each in boards)
    for pair in map(frozenset, combinations(players, 2)):
        number = often.pop(pair, 0)
        if number > games or (number < games and not pair & set(out)):
            yield f"{' and '.join(sorted(pair))} have played {number} times, not {games}"
    yield from (f"{' and '.join(sorted(pair))} should not have played" for pair in often)


def most_at_once(boards: Iterable[Played], userid: str) -> int:
    """Return on how many of some boards a player has played at the same time."""
    own = [each for each in boards if userid in each.players]
    return max(
        (
            sum(
                b.started <= each.started and not (b.ended and b.ended <= each.started) for b in own
            )
            for each in own
        ),
        default=0,
    )


@dataclass
class Stairs:
    """A ladder by hand: its players from the top, and what breaks its rules on the way."""

    absent: Mapping[str, datetime]
    """Since when nobody can challenge a player."""
    order: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    climbs: int = 0
    sunk: int = 0
    _since: dict[str, datetime] = field(default_factory=dict)
    _begun: list[Played] = field(default_factory=list)
    _open: list[Played] = field(default_factory=list)

    def follow(
        self, walks: Iterable[tuple[datetime, str]], boards: Iterable[Played], until: datetime
    ) -> None:
        """Follow who joined or left, each of them in turn, and all challenges, until a moment."""
        events: list[tuple[datetime, int, Callable[[datetime], None]]] = [
            (at, 0, partial(self._walk, userid)) for at, userid in walks
        ]
        for each in boards:
            events.append((_moment(each.started), each.number, partial(self._begin, each)))
            if each.ended:
                events.append((_moment(each.ended), each.number, partial(self._end, each)))
        for at, _, do in sorted(events, key=lambda event: event[:2]):
            self._sink(at)
            do(at)
        self._sink(until)

    def _walk(self, userid: str, at: datetime) -> None:
        if userid in self.order:
            self.order.remove(userid)
        else:
            self._step_on(userid, at)

    def _step_on(self, userid: str, at: datetime) -> None:
        if userid not in self.order:
            self.order.append(userid)
            self._since[userid] = at

    def _begin(self, board: Played, at: datetime) -> None:
        (defender,) = board.players - {board.first}
        self.faults += (f"board {board.number}: {each}" for each in self._breaches(board, at))
        for each in (defender, board.first):
            self._step_on(each, at)
        self._begun.append(board)
        self._open.append(board)

    def _breaches(self, board: Played, at: datetime) -> Iterator[str]:
        """Yield which rules a challenge breaks."""
        (defender,) = board.players - {board.first}
        if not board.players <= set(self.order):
            yield "a player is not on the ladder"
            return
        here, there = self.order.index(board.first), self.order.index(defender)
        if there + 1 != board.place:
            yield f"{defender} is in place {there + 1}"
        present = [each for each in self.order[there:here] if at < self.absent.get(each, NEVER)]
        if not (defender in present and len(present) <= max(3, len(self.order) // 10)):
            yield f"{board.first} in place {here + 1} may not challenge {defender}"
        latest = [
            each
            for each in self._begun
            if each.first == board.first and each.players == board.players
        ]
        if any(each in self._open or _moment(each.started) > at - PAUSE for each in latest):
            yield f"{board.first} challenges {defender} too soon"
        if sum(defender in each.players - {each.first} for each in self._open) >= MOST_DEFENCES:
            yield f"{defender} defends too often"

    def _end(self, board: Played, at: datetime) -> None:
        (defender,) = board.players - {board.first}
        self._open.remove(board)
        if board.is_void:
            return
        self._since |= dict.fromkeys(board.players, at)
        if board.winner == board.first and board.players <= set(self.order):
            here, there = self.order.index(board.first), self.order.index(defender)
            if there < here:
                self.order.insert(there, self.order.pop(here))
                self.climbs += 1

    def _sink(self, until: datetime) -> None:
        """Let who has been idle for long sink, who has been so longest first."""
        playing = {userid for board in self._open for userid in board.players}
        while idle := [
            (self._since[each], nth, each)
            for nth, each in enumerate(self.order)
            if each not in playing and self._since[each] < until - IDLE
        ]:
            since, _, userid = min(idle)
            self.order.remove(userid)
            self.order.append(userid)
            self._since[userid] = since + IDLE
            self.sunk += 1


def _moment(words: str) -> datetime:
    return datetime.fromisoformat(words)
