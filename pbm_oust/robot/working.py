"""The work of the house: boards that wait are thought about, one after the other."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from logging import getLogger
from math import inf

from pbm_oust.board.game import Game
from pbm_oust.board.record import Wish
from pbm_oust.play.request import Outcome
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.robot.acting import act, level_of, wishes_on
from pbm_oust.robot.analyses import keep
from pbm_oust.robot.analysis import SECONDS, Analysis, Verdict, judged
from pbm_oust.robot.boards import Boards, Waiting
from pbm_oust.robot.player import Clock
from pbm_oust.robot.sharing import Wanted, first_of, seconds_for
from pbm_oust.robot.trees import Trees
from pbm_oust.store.index import BoardName

log = getLogger("pbm_oust")

LOOK_SECONDS = 0.5
"""How often those who think long look for boards that wait for those who think less."""

ELSEWHERE_SECONDS = 2.0
"""How long a board is left to the host that thinks about it, until it is asked for again."""


class Worker:
    """Plays for the house in one home, until it is told that the work is over."""

    def __init__(self, boards: Boards, work: UnitOfWork, is_over: Callable[[], bool]) -> None:
        self._boards = boards
        self._work = work
        self._is_over = is_over
        self._trees = Trees()
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
                if (seconds := level_of(waiting.userid).seconds) < faster_than
            ]
            if not wanted and faster_than == inf and self._is_any_elsewhere():
                time.sleep(LOOK_SECONDS)
                continue
            if not wanted:
                break
            boards = [each for each, _ in wanted]
            first, waiting = wanted[first_of(boards)]
            seconds = seconds_for(first, boards)
            with self._leased(waiting.game) as is_ours:
                if not is_ours:
                    self._elsewhere[waiting.game.name] = time.monotonic() + ELSEWHERE_SECONDS
                elif self._still_waits(waiting):
                    self._play(waiting, seconds, self._clock(first))
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

    def _play(self, waiting: Waiting, seconds: float, clock: Clock) -> None:
        """Think about a board, do what comes of it, and keep the tree for the next turn."""
        wishes, decision = wishes_on(waiting, seconds, clock, self._trees)
        if self._is_over():
            return
        is_done = self._do(waiting, wishes)
        self._played.add(waiting.game.name)
        if is_done and decision and decision.root:
            self._trees.keep(waiting.game, decision.root, decision.cells)

    def analyse_all(self, finished: Iterator[Game]) -> None:
        """Analyse games that are over, until all of them are or the work is over.

        Whatever waits for the house comes first, even in the middle of an analysis.
        """
        clock = self._clock(Wanted(seconds=inf, left=inf))
        for game in finished:
            with self._leased(game) as is_ours:
                if is_ours and not self._analysed(game, clock):
                    return

    def _analysed(self, game: Game, clock: Clock) -> bool:
        """Analyse a game, and return whether that was not broken off."""
        begun, verdicts = time.perf_counter(), list[Verdict]()
        for verdict in judged(game, SECONDS, clock):
            if self._is_over():
                return False
            verdicts.append(verdict)
        keep(self._work.home, game, Analysis.of(game, SECONDS, verdicts))
        log.info('house=analysis board="%s" s=%.0f', game.name, time.perf_counter() - begun)
        return True

    def _leased(self, game: Game) -> AbstractContextManager[frozenset[str]]:
        """Give the board of a game, unless another host thinks about it, and keep others off."""
        return self._work.home.database.leased([f"house: {game.name}"])

    def _clock(self, wanted: Wanted) -> Clock:
        """Return a clock to think by: it stands still while those who think less are playing.

        So nobody waits for those who think long. It runs out when the work is over.
        """
        others, looked = 0.0, time.perf_counter()

        def clock() -> float:
            nonlocal others, looked
            if self._is_over():
                return inf
            now = time.perf_counter()
            if now - looked > LOOK_SECONDS and not wanted.is_hurried:
                if self._boards.have_changed():
                    self.play_all(faster_than=wanted.seconds)
                looked = time.perf_counter()
                others, now = others + looked - now, looked
            return now - others

        return clock

    def _do(self, waiting: Waiting, wishes: Sequence[Wish]) -> bool:
        """Do what a house player wishes, one after the other, as long as nothing comes between.

        Returns whether all of it was done.
        """
        game, header = waiting.game, waiting.game.header
        for number, wish in enumerate(wishes, game.next_number):
            begun = time.perf_counter()
            handled = act(waiting, wish, number, self._work)
            milliseconds = (time.perf_counter() - begun) * 1000
            log.info(
                'house=%s board="%s" record=%d outcome="%s" ms=%.0f',
                waiting.userid,
                game.name,
                number,
                handled.outcome.value,
                milliseconds,
            )
            if handled.outcome is not Outcome.DONE:
                # The board has gone on, or something is wrong with it: nothing is tried twice.
                self._boards.settle(BoardName(header.kind.name, header.board), number - 1)
                return False
        return True
