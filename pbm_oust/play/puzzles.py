"""Puzzles that are mailed: the one that a player tries, and the one of each day."""

from enum import Enum

from pbm_oust.accounts.asks import PUZZLES, Ask, Topic
from pbm_oust.accounts.vacations import away_at
from pbm_oust.board.notation import format_time
from pbm_oust.board.puzzle import Attempt, Puzzle, puzzle_of_day, puzzles_of
from pbm_oust.play.context import Context, Outcome, answered
from pbm_oust.play.notices import Notice, ShownBoard
from pbm_oust.play.request import Ending, id_of
from pbm_oust.refusal import Illegal


class PuzzleWord(Enum):
    """The questions about a puzzle, in place of a turn."""

    HINT = "hint"
    ANSWER = "answer"
    NEXT = "next"


class PuzzleNotice(Notice, frozen=True):
    """A puzzle, and what came of the turn that was tried."""

    puzzle: Puzzle
    """The one to solve; if the last one has just been solved, that."""
    attempt: Attempt | None = None
    """What was tried, on this puzzle or on the one before."""
    refusal: Illegal | None = None
    """Why that is not legal."""
    wanted: PuzzleWord | None = None
    left: int = 0
    """How many puzzles of the game the reader has not solved, as far as that is known."""
    solved: int = 0
    """How many the reader has solved."""
    days: int = 0
    """On how many days in a row the reader has solved puzzles, as far as that is known."""
    is_daily: bool = False
    """Whether it is the puzzle of the day, which the reader gets each morning."""

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the position."""
        return (ShownBoard(self.puzzle.game, is_now=False),)

    def ask(self) -> Ask:
        """Return that an answer tries to solve the puzzle, a guest's too."""
        puzzle = self.puzzle
        userid = self.reader.userid or ""
        return Ask.numbered(Topic.PUZZLE, puzzle.kind.name, puzzle.number, userid)

    def subscription(self) -> str:
        """Return the name of the letters that its reader may end: puzzles of the day."""
        return PUZZLES if self.is_daily else ""


def mail_puzzle_of_day(on: Context, userid: str) -> Outcome:
    """Mail a player the puzzle of their day, if it is due."""
    account = on.account(userid)
    due, puzzle = account.next_puzzle(), puzzle_of_day(account.all_settings.day_of(on.now))
    if due is None or due > on.now or away_at(account.vacations, on.now):
        return answered()
    on.save(account.with_puzzle_mailed(on.now))
    if puzzle is None:
        return answered()
    left = len(puzzles_of(puzzle.kind)) - len(account.solved_of(puzzle.kind.name))
    notice = PuzzleNotice(on.reader(account), puzzle, left=left, is_daily=True)
    identity = id_of("puzzle", userid, format_time(due))
    return Outcome(Ending.DONE, (notice,), identity=identity)
