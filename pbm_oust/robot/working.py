"""The work of the house: boards that wait are thought about, one after the other."""

import time
from collections.abc import Callable
from logging import getLogger
from math import inf

from pbm_oust.board.record import Wish
from pbm_oust.play.outcome import Outcome
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.robot.acting import act, level_of, wish_on
from pbm_oust.robot.boards import Boards, Waiting
from pbm_oust.store.waiting import BoardName

log = getLogger("pbm_oust")

LEAST_SECONDS = 0.2
"""How long a board is thought about at least, however many wait."""


def work_once(boards: Boards, work: UnitOfWork, is_over: Callable[[], bool]) -> int:
    """Do what waits for the house, until nothing does or the work is over; return how much it was.

    Those who play fast answer first. The more boards wait, the less time each one has.
    """
    done = 0
    while not is_over():
        waiting = list(boards.waiting())
        if not waiting:
            break
        first = min(waiting, key=lambda each: level_of(each.userid).seconds)
        seconds = max(LEAST_SECONDS, level_of(first.userid).seconds / len(waiting))
        wish = wish_on(first, seconds, lambda: inf if is_over() else time.perf_counter())
        if is_over():
            break
        _play(first, wish, boards, work)
        done += 1
    return done


def _play(waiting: Waiting, wish: Wish, boards: Boards, work: UnitOfWork) -> None:
    game, header = waiting.game, waiting.game.header
    begun = time.perf_counter()
    handled = act(waiting, wish, work)
    milliseconds = (time.perf_counter() - begun) * 1000
    log.info(
        'house=%s board="%s" record=%d outcome="%s" ms=%.0f',
        waiting.userid,
        game.name,
        game.next_number,
        handled.outcome.value,
        milliseconds,
    )
    if handled.outcome is not Outcome.DONE:
        # The board has gone on, or something is wrong with it: nothing is tried twice.
        boards.settle(BoardName(header.kind.name, header.board), len(game.records))
