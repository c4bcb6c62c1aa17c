"""The earliest moment at which the clock of a board can ask for something. Pure."""

from datetime import datetime

from pbm_oust.board.game import Game
from pbm_oust.play.clock import LAST_REMINDER_FROM, read_clock, three_quarters


def earliest_ruling(game: Game) -> datetime | None:
    """Return the moment before which nothing is due on a board, whatever vacations there are.

    None for a board that is over. Vacations only make a clock later, with one exception: those
    before a reminder can leave so much time behind it that there is a second one.
    """
    if game.result:
        return None
    clock = read_clock(game, {}, game.latest)
    if not clock.reminders:
        return clock.next_reminder
    if len(clock.reminders) == 1:
        return min(clock.deadline, clock.reminders[0] + three_quarters(LAST_REMINDER_FROM))
    return clock.deadline
