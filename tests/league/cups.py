"""A year of cups and a ladder by mail: many players, and a server that is killed again and again.

What they should have come to is counted from the files of histories, without the program.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from random import Random
from smtplib import SMTP, SMTPException
from threading import Timer

from pbm_oust.board import Summary
from pbm_oust.board.notation import format_time
from pbm_oust.commands.ladder import is_absent
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.play.tournaments import open_cup, tables_of
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules import KINDS
from pbm_oust.store import ladders, tournaments
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, due_by, find_entry, names_of
from pbm_oust.store.tournaments import due_cups
from pbm_oust.tournaments.cup import Cup, State
from tests.league.clock import SetClock
from tests.league.count import (
    Played,
    Section,
    Stairs,
    challenges_in,
    most_at_once,
    placed,
    sections_in,
    winners,
    wrongly_played,
)
from tests.league.post import ADDRESS
from tests.league.verdict import of_command_line, run
from tests.support.accounts import change_account, make_account
from tests.support.server import ROOT, listening_port, stopped
from tests.support.sink import listening_sink
from tests.support.waiting import wait_until

CUPS = ((5, 2), (4, 1), (8, 1))
"""The cups of a year, in turn: how large a section is, and how often each pair plays."""
_TERMS = "swap rated binding nagtime=3 forfeittime=5"
_GRID = "square 3x3"
_SHARE_PLAYED = 0.35
"""The share of the boards on which something is done in a day."""
_SHARE_SWAPPED = 0.3
_SHARE_CLIMBING = 0.03
"""The share of the players who challenge somebody on the ladder in a day."""
_SHARE_RASH = 0.2
"""The share of those who challenge anybody, whether they may or not."""
_SHARE_WALKING = 0.002
"""The share of those who leave the ladder in a day, or join it again."""
_LADDER = ("tournaments", "ladder", "oust")
_AFTER = timedelta(days=6)
"""How long after it was opened one player leaves a cup, and the account of another is closed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How large a year is."""

    players: int = 40
    cups: int = 3
    days: int = 365
    kills: int = 60
    seed: int = 1

    @property
    def names(self) -> list[str]:
        """Who plays."""
        return [f"player{number}" for number in range(self.players)]

    @property
    def silent(self) -> frozenset[str]:
        """Who falls silent on each board after a placement."""
        return frozenset(self.names[-max(1, self.players // 12) :])


@dataclass
class Year:
    """A year that is being played, and the server that is killed in it."""

    plan: Plan
    home: Home
    clock: SetClock
    relay: int
    log: Path
    random: Random
    process: subprocess.Popen[str] | None = None
    port: int = 0
    mails: int = 0
    kills: int = 0
    open: set[BoardName] = field(default_factory=set)
    """The boards whose games go on."""
    known: int = 0
    """How many boards have been seen."""
    closed: dict[str, datetime] = field(default_factory=dict)
    """When whose account was closed."""
    walks: list[tuple[datetime, str]] = field(default_factory=list)
    """When who joined the ladder or left it, each of them in turn."""

    # The server

    def start(self) -> None:
        """Start the server, if it does not run."""
        if self.process and self.process.poll() is None:
            return
        if self.process:
            self.process.communicate()
        launcher = [sys.executable, "-m", "tests.league.launcher", str(self.home.path)]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [*launcher, str(self.clock.path), str(self.relay)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=ROOT,
            )
        self.port = listening_port(self.process)

    def kill_soon(self, within: float) -> None:
        """Kill the server at some moment within so many seconds."""
        assert self.process
        self.kills += 1
        Timer(self.random.uniform(0, within), self.process.kill).start()

    def send(self, userid: str, line: str) -> None:
        """Mail a command until the server has taken it: the same mail each time."""
        self.mails += 1
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = (
            f"{userid}@league.example",
            ADDRESS,
            line,
        )
        message["Message-ID"] = f"<cups.{self.mails}@league.example>"
        wait_until(lambda: self._is_taken(message), f"{line} to be taken")

    def _is_taken(self, message: EmailMessage) -> bool:
        self.start()
        try:
            with SMTP("127.0.0.1", self.port, local_hostname="localhost") as smtp:
                smtp.send_message(message)
        except (OSError, SMTPException):
            return False
        return True

    def settle(self) -> None:
        """Wait until the server has done what is due."""
        wait_until(self._is_settled, "nothing to be due")

    def _is_settled(self) -> bool:
        self.start()
        now, work = self.clock.now(), open_inbound(self.home, ADDRESS, self.clock.now).work
        with work.reading() as on:
            named = due_by(on.snapshot, now)
            games = (on.game(KINDS[name.kind], name.board) for name in named)
            return not (
                ladders.is_due(on.snapshot, "oust", now)
                or due_cups(on.snapshot, now)
                or any(not each.result and on.clock_of(each).ruling_due(now) for each in games)
            )

    # The year

    def play(self, show: Callable[[str], None]) -> None:
        """Play the year, day by day."""
        first, plan = self.clock.now(), self.plan
        killed = Counter(self.random.choices(range(1, plan.days), k=plan.kills))
        for name in plan.names:
            make_account(self.home, name, _password(name), f"{name}@league.example")
        run(self.home.path, *_LADDER, "--size", "3", "--nagtime", "3", "--forfeittime", "5")
        try:
            for day in range(plan.days):
                self.clock.set(first + timedelta(days=day))
                self._live(day, killed[day])
                show(f"day {day + 1}, {self.known} boards, {self.mails} mails, {self.kills} kills")
            self.settle()
        finally:
            if self.process:
                stopped(self.process)

    def _live(self, day: int, kills: int) -> None:
        """Play a day, in which the server is killed so many times."""
        self.start()
        for _ in range(kills):
            self.kill_soon(0.8)
            self.settle()
        self.settle()
        for each in DAILY:
            each(self, day)

    def password(self, name: str) -> str:
        """Return what a player writes behind a number: the userid and the password."""
        return f"{name} {_password(name)}"

    def boards(self) -> Iterator[Summary]:
        """Yield the boards whose games go on."""
        names = self.home.ask(names_of, "oust")
        self.open.update(names[self.known :])
        self.known = len(names)
        for name in sorted(self.open):
            board = self.home.ask(find_entry, name)
            if board is None or board.result:
                self.open.remove(name)
            else:
                yield board


def _password(name: str) -> str:
    return f"Pw-{name}-secret"


def open_cups(year: Year, day: int) -> None:
    """Open a cup, and let everybody enter it; let some leave it."""
    plan, now, names = year.plan, year.clock.now(), year.plan.names
    length = plan.days // plan.cups
    number, since = 1 + day // length, timedelta(days=day % length)
    if number > plan.cups:
        return
    if not since:
        section, games = CUPS[(number - 1) % len(CUPS)]
        cup = Cup(
            kind="oust",
            number=number,
            title=f"Cup {number}",
            grid_name=_GRID,
            terms_words=_TERMS,
            size=section,
            games=games,
            starts=now + timedelta(days=2),
        )
        work = open_inbound(year.home, ADDRESS, year.clock.now).work
        work.change(lambda on: open_cup(on, cup))
        for nth, name in enumerate(names):
            most = " 2" if nth % 4 == 3 else ""
            year.send(name, f"oust enter {number} {year.password(name)}{most}")
    if since == _AFTER:
        leaves, disabled = names[2 * number : 2 * number + 2]
        year.send(leaves, f"oust withdraw {number} {year.password(leaves)}")
        change_account(year.home, disabled, lambda account: account.with_disabled(now))
        year.closed[disabled] = now


def play_boards(year: Year, _day: int) -> None:
    """Play on some boards: each side places once, then somebody resigns."""
    silent = year.plan.silent
    for board in year.boards():
        if year.random.random() > _SHARE_PLAYED:
            continue
        mover, number = str(board.to_move), board.records
        if number == 0:
            words = "A1"
        elif number == 1:
            words = "swap" if year.random.random() < _SHARE_SWAPPED else "C3"
        else:
            mover, words = year.random.choice([board.x, board.o]), "resign"
        if number > 1 and silent & {mover, str(board.to_move)}:
            continue
        year.send(mover, f"oust move {board.board} {year.password(mover)} {words}")


def climb(year: Year, day: int) -> None:
    """Challenge others on the ladder; now and then somebody leaves it, or joins again."""
    names = [name for name in year.plan.names if name not in year.closed]
    for name in names:
        if not day or year.random.random() < _SHARE_WALKING:
            _walk(year, name)
    for name in names:
        if name in year.plan.silent or year.random.random() > _SHARE_CLIMBING:
            continue
        work = open_inbound(year.home, ADDRESS, year.clock.now).work
        with work.reading() as on:
            outlook = ladders.outlook(on.snapshot, "oust", name, on.now)
            others = [*outlook.free(partial(is_absent, on))]
        if year.random.random() < _SHARE_RASH:
            others = year.plan.names
        if others:
            other = year.random.choice(others)
            year.send(name, f"oust ladder challenge {year.password(name)} {other}")


def _walk(year: Year, name: str) -> None:
    """Join the ladder or leave it, at a minute at which nothing else happens there."""
    is_on = sum(userid == name for _, userid in year.walks) % 2
    year.clock.set(year.clock.now() + timedelta(minutes=1))
    year.walks.append((year.clock.now(), name))
    year.send(name, f"oust ladder {'leave' if is_on else 'join'} {year.password(name)}")
    year.clock.set(year.clock.now() + timedelta(minutes=1))


DAILY: list[Callable[[Year, int], None]] = [open_cups, play_boards, climb]
"""What is done each day, in turn."""


def faults(year: Year, stairs: Stairs) -> Iterator[str]:
    """Yield what is wrong after a year."""
    home = year.home
    commands = (
        ["games", "verify"],
        ["tournaments", "verify"],
        ["ratings", "--recompute"],
        ["doctor", "--all"],
    )
    yield from of_command_line(home, *commands)
    found, challenges = sections_in(home.path / "oust"), challenges_in(home.path / "oust")
    keys = Counter(board.key for boards in (*found.values(), challenges) for board in boards)
    yield from (f"{key} has started {number} boards" for key, number in keys.items() if number > 1)
    work = open_inbound(home, ADDRESS, year.clock.now).work
    for number in range(1, year.plan.cups + 1):
        cup = home.ask(tournaments.find, "oust", number)
        if cup is None or cup.state is not State.OVER:
            yield f"cup {number} is not over"
        else:
            yield from (f"{cup.name}: {each}" for each in _wrong(cup, work, found))
    yield from stairs.faults
    told = json.loads(run(home.path, *_LADDER, "--json").stdout)["players"]
    if [each["userid"] for each in told] != stairs.order:
        yield "the ladder differs"
    for line in year.log.read_text().splitlines():
        if re.search(r" ERROR |kept by the sender|Traceback", line):
            yield f"the log says: {line}"


def _wrong(cup: Cup, work: UnitOfWork, found: Mapping[Section, Sequence[Played]]) -> Iterator[str]:
    """Yield in what a cup that is over differs from what the files say."""
    home = work.home
    entries = home.ask(tournaments.entries, cup.kind, cup.number)
    out = {each.userid for each in entries if each.out}
    expected, boards = {each.userid for each in entries}, list[Played]()
    for round_ in range(1, cup.round + 1):
        tables = work.look(partial(tables_of, cup=cup, round_=round_))
        drawn = Counter(each for table in tables for each in table.section.players)
        if drawn != Counter(expected):
            yield f"round {round_} was drawn wrongly"
        expected = set()
        for table in tables:
            where, players = (
                f"round {round_} section {table.section.section}",
                table.section.players,
            )
            played = found.get((cup.number, round_, table.section.section), [])
            yield from (
                f"{where}: {each}" for each in wrongly_played(players, played, cup.games, out)
            )
            told = {
                each.userid: (each.place, (each.points, each.beaten_points, each.points_among))
                for each in table.scores
            }
            if told != placed(players, played):
                yield f"{where}: the table differs"
            ended = max((each.ended for each in played), default="")
            gone = {each.userid for each in entries if each.out and format_time(each.out) <= ended}
            if set(table.section.winners) != winners(players, played, gone):
                yield f"{where}: won by {sorted(table.section.winners)}"
            expected |= set(table.section.winners)
            boards += played
    if expected != set(cup.winners):
        yield f"it was won by {sorted(expected)}, not by {sorted(cup.winners)}"
    for entry in entries:
        if entry.most and most_at_once(boards, entry.userid) > entry.most:
            yield f"{entry.userid} has played on more than {entry.most} boards at once"


@dataclass(frozen=True, slots=True)
class Ending:
    """What came of a year."""

    mails: int
    kills: int
    boards: int
    letters: int
    rounds: Sequence[int]
    """How many rounds each cup had."""
    challenges: int
    """How many boards the ladder had."""
    climbs: int
    sunk: int
    """How often somebody sank on it."""
    endings: Counter[str]
    faults: tuple[str, ...]

    def report(self) -> str:
        """Return the outcome in words."""
        endings = ", ".join(f"{word} {number}" for word, number in self.endings.most_common())
        lines = [
            f"{self.mails} mails, {self.letters} letters, {self.boards} boards, {self.kills} kills",
            f"rounds: {', '.join(map(str, self.rounds))}",
            f"ladder: {self.challenges} boards, {self.climbs} climbs, {self.sunk} sank",
            f"endings: {endings}",
            *(self.faults or ["nothing is wrong"]),
        ]
        return "\n".join(lines)


def conduct(plan: Plan, place: Path, show: Callable[[str], None]) -> Ending:
    """Play a year in a folder. The clock ends today, so that no history is from the future."""
    start = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    clock, home = SetClock(place / "clock"), Home(place / "home")
    clock.set(start - timedelta(days=plan.days + 1))
    home.has_relay = True
    home.prepare()
    with listening_sink() as (sink, relay):
        sink.knows_everybody = True
        year = Year(plan, home, clock, relay.port, place / "log", Random(plan.seed))
        year.play(show)
        letters = len(sink.taken)
    cups = (home.ask(tournaments.find, "oust", 1 + number) for number in range(plan.cups))
    stairs, challenges = Stairs(year.closed), challenges_in(home.path / "oust")
    stairs.follow(year.walks, challenges, clock.now())
    boards = [home.ask(find_entry, name) for name in home.ask(names_of, "oust")]
    return Ending(
        mails=year.mails,
        kills=year.kills,
        boards=len(boards),
        letters=letters,
        challenges=len(challenges),
        climbs=stairs.climbs,
        sunk=stairs.sunk,
        rounds=[cup.round if cup else 0 for cup in cups],
        endings=Counter(each.result.how.value for each in boards if each and each.result),
        faults=tuple(faults(year, stairs)),
    )
