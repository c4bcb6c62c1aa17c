"""The work of the house: which boards wait, how they share its time, and what it does there.

It acts by the same service as everybody, and does each thing once. When nothing waits, it analyses
games that are over, keeps that in the home, and mails it to those who wait for it.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from functools import partial
from logging import getLogger
from math import inf
from random import Random

from msgspec import Struct

from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.clock import read_clock
from pbm_oust.board import Deed, Game, Summary, Wish, has_counted
from pbm_oust.board.notation import format_wish
from pbm_oust.play.context import Context, Outcome
from pbm_oust.play.notices import AnalysisNotice
from pbm_oust.play.request import Ending, Handled, Request, id_of
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.render.entry import LogEntry
from pbm_oust.robot import analysis as analyses
from pbm_oust.robot.judging import judged
from pbm_oust.robot.levels import HOUSE, Level, level_of
from pbm_oust.robot.player import Decision, Stopwatch, decide, takes_draw
from pbm_oust.robot.search import Trees, can_search
from pbm_oust.rules import KINDS, Kind
from pbm_oust.service.service import handle
from pbm_oust.store import index
from pbm_oust.store.accounts import whole_account
from pbm_oust.store.analyses import all_wanted, forget_waiting, has_text, keep, kept, waiting_for
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.database import Snapshot
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game
from pbm_oust.store.tallies import Tallied, Tallies


class Waiting(Struct, frozen=True):
    """A board that waits for a house player."""

    game: Game
    userid: str
    of_five: bool
    """Whether it has moved there when there were five house players: it goes on as strong."""

    @property
    def level(self) -> Level:
        """The level of the house player on this board."""
        return level_of(self.userid, of_five=self.of_five)

    @property
    def is_offered(self) -> bool:
        """Whether the other player's offer is what waits."""
        return self.game.is_offered_to(self.game.side_of(self.userid))

    def seconds_left(self, now: datetime) -> float:
        """Return how many seconds there are until the deadline of the board."""
        # Only players who have a mail address go on vacation, and the turn is not theirs.
        return (read_clock(self.game, {}, now).deadline - now).total_seconds()


def identity_of(game: Game, userid: str, number: int, *, of_five: bool = False) -> str:
    """Return what sets a record of a house player apart, who is one of five or, today, of eight."""
    return f"{userid} {game.name} #{number}" if of_five else f"{userid}: {game.name} #{number}"


def _has_met_the_five(game: Game, userid: str) -> bool:
    """Return whether a house player first moved on a board when there were five of them."""
    for record in game.records:
        for of_five in (True, False):
            identity = identity_of(game, userid, record.number, of_five=of_five)
            if record.message_key in Request("", "", "", identity).message_keys(userid):
                return of_five
    return False


class HouseBoards:
    """The boards of the house in a home, and what is known of them."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._progress: object = None
        self._seen: dict[index.BoardName, tuple[int, Waiting | None]] = {}
        """How many records boards had when they were looked at, and how they waited then."""

    @property
    def names(self) -> frozenset[str]:
        """The names of the boards that went on when they were looked at last."""
        return frozenset(map(str, self._seen))

    def have_changed(self, snapshot: Snapshot) -> bool:
        """Return whether anything has happened on boards of the house since this was asked."""
        before, self._progress = self._progress, index.progress_of(snapshot, HOUSE)
        return before != self._progress

    def waiting(self) -> Iterator[Waiting]:
        """Yield the boards that wait, those first that have waited longest."""
        active = self._home.ask(self._active)
        names = list(map(index.BoardName.of, active))
        self._seen = {name: self._seen[name] for name in names if name in self._seen}
        for name, board in zip(names, active, strict=True):
            records, waits = self._seen.get(name, (-1, None))
            if records != board.records:
                waits = self._home.ask(self._look, name)
                self._seen[name] = board.records, waits
            if waits:
                yield waits

    def settle(self, name: index.BoardName, records: int) -> None:
        """Leave a board alone until it has more records."""
        self._seen[name] = records, None

    def _active(self, snapshot: Snapshot) -> list[Summary]:
        """Return all boards of the house that go on, those first where least happened lately."""
        found = [entry for each in HOUSE for entry in index.boards_of_player(snapshot, each)]
        return sorted(found, key=lambda entry: entry.latest)

    def _look(self, snapshot: Snapshot, name: index.BoardName) -> Waiting | None:
        """Return a board as it waits for the house; None if it does not, or cannot be read."""
        with suppress(DamagedHistory, NotAllowed):
            game = self._home.boards.read(snapshot, KINDS[name.kind], name.board).game
            accounts = [whole_account(snapshot, each) for each in (game.x, game.o)]
            players = [each.userid for each in accounts if each and each.is_house]
            for userid in players if not game.result else ():
                waits = Waiting(game, userid, _has_met_the_five(game, userid))
                if waits.is_offered or game.player_to_move == userid:
                    return waits
        return None


MOST_LOOKED_AT = 50
"""How many games of a kind are looked at: those that ended last."""


class Finished:
    """The games of a home that are over, as far as they are to be analysed."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._seen: object = None

    def have_changed(self, snapshot: Snapshot) -> bool:
        """Return whether games have ended, or analyses were asked for, since this was asked."""
        before, over = self._seen, index.BoardState.OVER
        numbers = [index.count_in(snapshot, kind, over) for kind in KINDS]
        self._seen = numbers, all_wanted(snapshot)
        return before != self._seen

    def waiting(self, most_cells: int, *, only_wanted: bool = False) -> Iterator[Game]:
        """Yield the games that wait for an analysis, on boards of at most so many cells.

        They are those that can be searched. Those come first for which somebody waits, then, unless
        only they are meant, those without an analysis; of each kind those that ended last.
        """
        for name in self._home.ask(all_wanted):
            yield from self._read(KINDS[name.kind], name.board, most_cells)
        part = index.Window(MOST_LOOKED_AT)
        for kind in () if only_wanted else KINDS:
            boards, _ = self._home.ask(index.boards_in, [kind], [index.BoardState.OVER], part)
            for board in boards:
                if self._is_wanted(board, most_cells):
                    yield from self._read(board.kind, board.board, most_cells)

    def _is_wanted(self, board: Summary, most_cells: int) -> bool:
        is_due = has_counted(board) and can_search(board.kind.name, board.grid, most_cells)
        return is_due and not self._home.ask(has_text, index.BoardName.of(board))

    def _read(self, kind: Kind, board: int, most_cells: int) -> Iterator[Game]:
        """Yield the game of a board, if it can be read, counts as over, and can be searched."""
        with suppress(DamagedHistory, NotAllowed):
            game = read_game(self._home, kind, board)
            if has_counted(game) and can_search(kind.name, game.header.grid, most_cells):
                yield game


def _publish(on: Context, game: Game, analysis: analyses.Analysis) -> Outcome:
    """Keep an analysis that has been made, and mail it to those who wait for it."""
    name = index.BoardName.of(game.header)
    keep(on.transaction, game, analysis)
    waiting = map(on.account_if_any, waiting_for(on.snapshot, name))
    told = tuple(AnalysisNotice.of(on.reader(each), game, analysis) for each in waiting if each)
    forget_waiting(on.transaction, name)
    return Outcome(Ending.DONE, told, identity=id_of("analysis", analysis.identity, on.now))


def wishes_on(
    waiting: Waiting, seconds: float, clock: Stopwatch, trees: Trees
) -> tuple[tuple[Wish, ...], Decision | None]:
    """Return what a house player does on a board, after thinking for at most some seconds.

    If that is a turn of its own, how it was decided comes with it.
    """
    game, level = waiting.game, waiting.level
    rng = Random(f"{game.name} {game.next_number}")  # a game # noqa: S311 # nosec B311
    if not waiting.is_offered or game.offer is None:
        decision = decide(game, seconds, rng, clock, trees, level)
        wishes = (decision.wish, Deed.PROPOSE) if decision.offers_draw else (decision.wish,)
        return wishes, decision
    if game.offer.action is Deed.PROPOSE:
        is_taken = takes_draw(game, seconds, rng, clock, level)
    else:
        is_taken = not game.header.terms.rated
    return (Deed.ACCEPT if is_taken else Deed.REJECT,), None


def act(waiting: Waiting, wish: Wish, number: int, work: UnitOfWork) -> Handled:
    """Do what a house player wishes as record `number`, unless the board has gone on.

    It is done once, however many processes ask for it.
    """
    game, userid = waiting.game, waiting.userid
    reply = Ask.on_board(Topic.PLAY, game.header.kind.name, game.header.board, number, userid)
    identity = identity_of(game, userid, number, of_five=waiting.of_five)
    return handle(Request("", format_wish(wish), "", identity, reply=reply), work)


LEAST_SECONDS = 0.2
"""How long a board is thought about, however many wait, as long as none of them is in a hurry."""

HURRY_SECONDS = 3600.0
"""A board whose deadline is nearer than this comes before all that have more time."""


class Wanted(Struct, frozen=True):
    """A turn that a board asks of the house."""

    seconds: float
    """How long its player thinks about a turn."""
    left: float
    """How many seconds there are until the deadline of the board."""

    @property
    def is_hurried(self) -> bool:
        """Whether the deadline is near."""
        return self.left < HURRY_SECONDS

    @property
    def place(self) -> tuple[bool, float]:
        """What comes first has the least.

        Boards in a hurry come first, in the order of their deadlines, then the players who think
        least.
        """
        return not self.is_hurried, self.left if self.is_hurried else self.seconds


SLOWEST = 5.0
"""On a busy machine, thinking takes so many times as long at most as on an idle one."""


class Allowed(Struct, frozen=True):
    """The time for which a board may be thought about, in seconds."""

    seconds: float
    """In processor time."""
    wall: float
    """Altogether, whatever else the machine does."""


def time_for(first: Wanted, boards: Sequence[Wanted]) -> Allowed:
    """Return how long to think about the board that comes first.

    All have an equal share of the time. Half of what is left until the nearest deadline is enough
    for all of them.
    """
    number = len(boards)
    left = max(0.0, min(board.left for board in boards)) / 2 / number
    seconds = max(LEAST_SECONDS, first.seconds / number)
    return Allowed(min(seconds, left), min(SLOWEST * seconds, left))


class Timer:
    """Tells the seconds of processor time that this thread has spent; the core searches in it.

    Where others have the processor, it goes faster, so that all of the time altogether is enough.
    """

    def __init__(self, allowed: Allowed) -> None:
        self._pace = allowed.seconds / allowed.wall if allowed.wall else 1.0
        self._used = time.thread_time()
        self._begun = time.perf_counter()

    @property
    def seconds(self) -> float:
        """The seconds since it began, without pauses."""
        used, passed = time.thread_time() - self._used, time.perf_counter() - self._begun
        return max(used, self._pace * passed)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stand still meanwhile."""
        used, begun = time.thread_time(), time.perf_counter()
        yield
        self._used += time.thread_time() - used
        self._begun += time.perf_counter() - begun


log = getLogger("pbm_oust")

LOOK_SECONDS = 0.5
"""How often those who think long look for boards that wait for those who think less."""

ELSEWHERE_SECONDS = 2.0
"""How long a board is left to the host that thinks about it, until it is asked for again."""


class Worker:
    """Plays for the house in one home, until it is told that the work is over.

    While it writes, nobody else can. So that is done in a thread that is begun here, and does not
    step back with the one that thinks.
    """

    def __init__(
        self,
        boards: HouseBoards,
        work: UnitOfWork,
        is_over: Callable[[], bool],
        tallies: Tallies | None = None,
    ) -> None:
        """`tallies` count turns and analyses."""
        self._boards = boards
        self._work = work
        self._is_over = is_over
        self._tallies = tallies
        self._trees = Trees()
        self._writing = ThreadPoolExecutor(1)
        self._writing.submit(int)
        self._played = set[str]()
        """The boards that go on and that it has thought about."""
        self._elsewhere: dict[str, float] = {}
        """Until when boards are left to other hosts, by the clock of the process."""

    @property
    def knows_boards(self) -> bool:
        """Whether it would know more of some board than a process that begins."""
        return bool(self._played)

    def play_all(self, faster_than: float = inf) -> None:
        """Do what waits for the house, until nothing does or the work is over.

        Of the players, only those play who think less than so many seconds. Other hosts take other
        boards; one that dies leaves its own to us.
        """
        while not self._is_over():
            now, begun = self._work.now(), time.monotonic()
            wanted = [
                (Wanted(seconds, waiting.seconds_left(now)), waiting)
                for waiting in self._boards.waiting()
                if self._elsewhere.get(waiting.game.name, begun) <= begun
                if (seconds := waiting.level.seconds) < faster_than
            ]
            if not wanted and faster_than == inf and self._is_any_elsewhere():
                time.sleep(LOOK_SECONDS)
                continue
            if not wanted:
                break
            first, waiting = min(wanted, key=lambda each: each[0].place)
            allowed = time_for(first, [each for each, _ in wanted])
            with self._leased(waiting.game) as is_ours:
                if not is_ours:
                    self._elsewhere[waiting.game.name] = time.monotonic() + ELSEWHERE_SECONDS
                elif self._still_waits(waiting):
                    clock = self._clock(first, allowed)
                    self._play(waiting, allowed.seconds, clock)
        active = self._boards.names
        self._played &= active
        self._trees.keep_only(active)

    def _is_any_elsewhere(self) -> bool:
        """Return whether boards that wait are left to other hosts."""
        waiting = {each.game.name for each in self._boards.waiting()}
        self._elsewhere = {
            name: until for name, until in self._elsewhere.items() if name in waiting
        }
        return bool(self._elsewhere)

    def _still_waits(self, waiting: Waiting) -> bool:
        """Return whether a board is as it was; another host may just have played there."""
        if not self._work.home.is_on_server:
            return True
        return any(each is waiting for each in self._boards.waiting())

    def _play(self, waiting: Waiting, seconds: float, clock: Stopwatch) -> None:
        """Think about a board, do what comes of it, and keep the tree for the next turn."""
        wishes, decision = wishes_on(waiting, seconds, clock, self._trees)
        if self._is_over():
            return
        is_done = self._do(waiting, wishes)
        self._played.add(waiting.game.name)
        if is_done and decision and decision.root:
            self._trees.keep(waiting.game, decision.root, decision.cells)

    def analyse_all(self, finished: Iterable[Game]) -> None:
        """Analyse games that are over, until all of them are or the work is over.

        Whatever waits for the house comes first, even in the middle of an analysis.
        """
        wanted = Wanted(seconds=inf, left=inf)
        clock = self._clock(wanted, Allowed(analyses.SECONDS, SLOWEST * analyses.SECONDS))
        for game in finished:
            with self._leased(game) as is_ours:
                if not is_ours:
                    continue
                begun = time.perf_counter()
                analysis = self._work.home.ask(kept, game) or self._analysed(game, clock)
                if not analysis:
                    return
                deed = partial(_publish, game=game, analysis=analysis)
                self._writing.submit(self._work.carry_out, deed).result()
                seconds = time.perf_counter() - begun
                if self._tallies:
                    self._tallies.count(Tallied.ANALYSES)
                log.info("%s", LogEntry(house="analysis", board=game.name, s=round(seconds)))

    def _analysed(self, game: Game, clock: Stopwatch) -> analyses.Analysis | None:
        """Return the analysis of a game; None if that was broken off."""
        evaluations = list[analyses.Evaluation]()
        for evaluation in judged(game, analyses.SECONDS, clock):
            if self._is_over():
                return None
            evaluations.append(evaluation)
        return analyses.Analysis.of(game, analyses.SECONDS, evaluations)

    def _leased(self, game: Game) -> AbstractContextManager[frozenset[str]]:
        """Give the board of a game, unless another host thinks about it, and keep others off."""
        return self._work.home.database.leased([f"house: {game.name}"])

    def _clock(self, wanted: Wanted, allowed: Allowed) -> Stopwatch:
        """Return a clock to think by, whose seconds are those that a board is allowed.

        It stands still while those who think less are playing, so nobody waits for those who think
        long. It runs out when the work is over.
        """
        timer, looked = Timer(allowed), time.perf_counter()

        def clock() -> float:
            nonlocal looked
            if self._is_over():
                return inf
            if time.perf_counter() - looked > LOOK_SECONDS and not wanted.is_hurried:
                with timer.paused():
                    if self._work.home.ask(self._boards.have_changed):
                        self.play_all(faster_than=wanted.seconds)
                looked = time.perf_counter()
            return timer.seconds

        return clock

    def _do(self, waiting: Waiting, wishes: Sequence[Wish]) -> bool:
        """Do what a house player wishes, one after the other, as long as nothing comes between.

        Returns whether all of it was done.
        """
        game = waiting.game
        for number, wish in enumerate(wishes, game.next_number):
            begun = time.perf_counter()
            handled = self._writing.submit(act, waiting, wish, number, self._work).result()
            milliseconds = (time.perf_counter() - begun) * 1000
            entry = LogEntry(
                house=waiting.userid,
                board=game.name,
                record=number,
                outcome=handled.ending.value,
                ms=round(milliseconds),
            )
            log.info("%s", entry)
            if handled.ending is Ending.DONE:
                if self._tallies:
                    self._tallies.count(Tallied.TURNS)
            else:
                # The board has gone on, or something is wrong with it: nothing is tried twice.
                self._boards.settle(index.BoardName.of(game.header), number - 1)
                return False
        return True
