"""What the boards of a cup come to, counted from the files of histories without the program."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

_BELONGS = re.compile(r"^# tournament (\d+) round (\d+) section (\d+)$", re.MULTILINE)
_OWNER = re.compile(r"^([XO]): (\S+)$", re.MULTILINE)
_STARTED = re.compile(r"^Started: (\S+)$", re.MULTILINE)
_KEY = re.compile(r"^# challenge (\w+)$", re.MULTILINE)
_RECORD = re.compile(r"^ *\d+ [xo*] (.*?) +(\S+Z) \w+$", re.MULTILINE)
_RESULT = re.compile(r"^= (x|o|draw) (\w+)$", re.MULTILINE)

Section = tuple[int, int, int]
"""A cup, a round, and the number of a section."""
Merit = tuple[int, int, int]
"""Points, points of those who were beaten, and points among those who are equal in that."""


@dataclass(frozen=True)
class Played:
    """A board of a cup, as its file says."""

    number: int
    key: str
    players: frozenset[str]
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
    for path in sorted(folder.glob("[0-9]*.txt"), key=lambda path: int(path.stem)):
        text = path.read_text()
        if belongs := _BELONGS.search(text):
            cup, round_, section = map(int, belongs.groups())
            found[cup, round_, section].append(_played(int(path.stem), text))
    return found


def _played(number: int, text: str) -> Played:
    (_, x), (_, o) = _OWNER.findall(text)
    records, result = _RECORD.findall(text), _RESULT.search(text)
    swaps = sum(action == "swap" for action, _ in records)
    owners = {"x": o, "o": x} if swaps else {"x": x, "o": o}
    (key,), (started,) = _KEY.findall(text), _STARTED.findall(text)
    return Played(
        number=number,
        key=key,
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
