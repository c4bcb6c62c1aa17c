"""The command puzzle: positions to solve by mail, one after the other, and the one of each day."""

from collections.abc import Sequence
from itertools import chain

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.asks import Topic
from pbm_oust.board import Place
from pbm_oust.board.puzzle import Puzzle, puzzles_of
from pbm_oust.grammar.form import AnsweredBy, Form
from pbm_oust.grammar.notation import Heading, Text
from pbm_oust.grammar.parts import Rest
from pbm_oust.grammar.values import read_number
from pbm_oust.grammar.vocabulary import find_command_word
from pbm_oust.grammar.wish import read_wish
from pbm_oust.play.context import Context, Outcome, answered
from pbm_oust.play.puzzles import PuzzleNotice, PuzzleWord
from pbm_oust.play.request import Ending
from pbm_oust.play.unit_of_work import ForAnybody
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules import Kind
from pbm_oust.store.puzzles import note_try

HEADING = Heading.GENERAL


class NoSuchPuzzle(NotAllowedReason, frozen=True):
    """The game has fewer puzzles."""

    kind: Kind
    count: int


Tried = tuple[str, ...] | PuzzleWord | None
"""The cells of a turn, or what is asked."""


def give_puzzle(on: Context, kind: Kind, number: int | None, tried: Tried) -> Outcome:
    """Mail a puzzle, judge a turn, or tell how it is solved.

    What a player solves, or fails to solve at first, is kept if something proves whose the request
    is.
    """
    reader, known = on.as_owner(on.asker()), puzzles_of(kind)
    solved = reader.account.solved_of(kind.name) if reader.account else ()
    puzzle = _numbered(kind, number) if number else _after(kind, 0, solved)
    attempt = refusal = None
    if tried is PuzzleWord.NEXT:
        puzzle, tried = _after(kind, puzzle.number, solved), None
    elif isinstance(tried, tuple):
        attempt, refusal = puzzle.tried_as_far(tried)
    wanted = tried if isinstance(tried, PuzzleWord) else None
    is_solved = attempt is not None and not refusal and attempt.is_reached
    own = on.account(on.request.writer) if on.request.writer else None
    if own and attempt and not refusal and (is_solved or attempt.is_over):
        own = _kept(on, own, puzzle, is_solved=is_solved)
    if not is_solved:
        left = len(known) - len(solved)
        return answered(PuzzleNotice(reader, puzzle, attempt, refusal, wanted, left))
    solved = [*(each for each in solved if each != puzzle.number), puzzle.number]
    following = _after(kind, puzzle.number, solved)
    days = own.streak_on(own.all_settings.day_of(on.now)) if own else 0
    left, count = len(known) - len(solved), len(solved)
    notice = PuzzleNotice(reader, following, attempt, left=left, solved=count, days=days)
    return Outcome(Ending.DONE, (notice,))


def _kept(on: Context, account: Account, puzzle: Puzzle, *, is_solved: bool) -> Account:
    """Keep what came of a player's turn, count it if it is their first try; return the account."""
    kind, number = puzzle.kind.name, puzzle.number
    is_first = not account.has_tried(kind, number)
    if is_first:
        note_try(on.transaction, kind, number, is_failed=not is_solved)
    if is_solved:
        day = account.all_settings.day_of(on.now)
        return on.save(account.with_solved(kind, number, day))
    return on.save(account.with_missed(kind, number)) if is_first else account


def _numbered(kind: Kind, number: int) -> Puzzle:
    """Return the puzzle with a number. Raises NotAllowed."""
    known = puzzles_of(kind)
    if number > len(known):
        raise NotAllowed(NoSuchPuzzle(kind, len(known)), str(number))
    return known[number - 1]


def _after(kind: Kind, number: int, solved: Sequence[int]) -> Puzzle:
    """Return the first puzzle behind a number that is not solved, or else before it.

    If all are solved, it is the one of the others that was solved longest ago. Raises NotAllowed if
    there are none.
    """
    known = puzzles_of(kind)
    in_turn = [*known[number:], *known[:number]]
    if not in_turn:
        raise NotAllowed(NoSuchPuzzle(kind, 0))
    left = (each for each in in_turn if each.number not in solved)
    again = (known[each - 1] for each in solved if each != number and each <= len(known))
    return next(chain(left, again), in_turn[0])


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
