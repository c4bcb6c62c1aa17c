"""The command puzzle: positions to solve by mail, one after the other."""

from collections.abc import Sequence
from enum import Enum

from pbm_oust.accounts.account import Solved
from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.board import Place
from pbm_oust.board.puzzle import Attempt, Puzzle, puzzles_of
from pbm_oust.grammar.form import AnsweredBy, Form
from pbm_oust.grammar.notation import Heading, Text
from pbm_oust.grammar.parts import Rest
from pbm_oust.grammar.values import read_number
from pbm_oust.grammar.vocabulary import find_command_word
from pbm_oust.grammar.wish import read_wish
from pbm_oust.play.context import Context, Outcome, answered
from pbm_oust.play.notices import Notice, ShownBoard
from pbm_oust.play.request import Ending
from pbm_oust.play.unit_of_work import ForAnybody
from pbm_oust.refusal import Illegal, NotAllowed, NotAllowedReason
from pbm_oust.rules import Kind

HEADING = Heading.GENERAL


class NoSuchPuzzle(NotAllowedReason, frozen=True):
    """The game has fewer puzzles."""

    kind: Kind
    count: int


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

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the position."""
        return (ShownBoard(self.puzzle.game, is_now=False),)

    def ask(self) -> Ask:
        """Return that an answer tries to solve the puzzle, a guest's too."""
        puzzle = self.puzzle
        userid = self.reader.userid or ""
        return Ask.numbered(Topic.PUZZLE, puzzle.kind.name, puzzle.number, userid)


Tried = tuple[str, ...] | PuzzleWord | None
"""The cells of a turn, or what is asked."""


def give_puzzle(on: Context, kind: Kind, number: int | None, tried: Tried) -> Outcome:
    """Mail a puzzle, judge a turn, or tell how it is solved.

    What a player solves is kept if something proves whose the request is.
    """
    reader, known = on.as_owner(on.asker()), puzzles_of(kind)
    solved = reader.account.solved_of(kind.name) if reader.account else frozenset()
    puzzle = _numbered(kind, number) if number else _after(kind, 0, solved)
    attempt = refusal = None
    if tried is PuzzleWord.NEXT:
        puzzle, tried = _after(kind, puzzle.number, solved), None
    elif isinstance(tried, tuple):
        attempt, refusal = puzzle.tried_as_far(tried)
    wanted = tried if isinstance(tried, PuzzleWord) else None
    if not attempt or refusal or not attempt.is_reached:
        left = len(known) - len(solved)
        return answered(PuzzleNotice(reader, puzzle, attempt, refusal, wanted, left))
    solved |= {puzzle.number}
    following = _after(kind, puzzle.number, solved)
    notice = PuzzleNotice(reader, following, attempt, left=len(known) - len(solved))
    if on.request.writer:
        account = on.account(on.request.writer)
        on.save(account.with_solved(Solved(kind.name, puzzle.number)))
    return Outcome(Ending.DONE, (notice,))


def _numbered(kind: Kind, number: int) -> Puzzle:
    """Return the puzzle with a number. Raises NotAllowed."""
    known = puzzles_of(kind)
    if number > len(known):
        raise NotAllowed(NoSuchPuzzle(kind, len(known)), str(number))
    return known[number - 1]


def _after(kind: Kind, number: int, solved: frozenset[int]) -> Puzzle:
    """Return the first puzzle behind a number that is not solved, or else before it.

    It is the next one, or the first, if all are solved. Raises NotAllowed if there are none.
    """
    known = puzzles_of(kind)
    in_turn = [*known[number:], *known[:number]]
    if not in_turn:
        raise NotAllowed(NoSuchPuzzle(kind, 0))
    return next((each for each in in_turn if each.number not in solved), in_turn[0])


def _read(words: Sequence[str]) -> tuple[int | None, Tried]:
    """Return the number of a puzzle, if one is named, and what follows it. Raises Unreadable."""
    number = None
    if words and words[0].isdecimal():
        number, words = read_number(words[0]), words[1:]
    if not words:
        return number, None
    if len(words) == 1 and words[0].isalpha():
        return number, PuzzleWord(find_command_word(words[0], _WANTED))
    wish, _ = read_wish(words)
    return number, wish.cells if isinstance(wish, Place) else None


def _write(asked: tuple[int | None, Tried]) -> list[str]:
    number, tried = asked
    said = tried.value if isinstance(tried, PuzzleWord) else ",".join(tried or ())
    return [*([str(number)] if number else []), *([said] if said else [])]


_WANTED = frozenset(each.value for each in PuzzleWord)

PUZZLE = Form(
    "puzzle",
    rest=Rest(
        ("number", "tried"),
        (f"[NUMBER] [PLACEMENTS|{'|'.join(each.value for each in PuzzleWord)}]",),
        _read,
        _write,
        least=0,
        fixed=_WANTED,
    ),
    text=Text.UNSEEN,
    answers={Topic.PUZZLE: AnsweredBy.WORDS},
    implied={"number": None, "tried": None},
    run=ForAnybody(give_puzzle),
)
FORMS = (PUZZLE,)
