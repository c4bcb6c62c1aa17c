"""Answers in which people write more than a move: what they say, or may mean. Pure."""

from collections.abc import Iterator

from pbm_oust.accounts.answered import Reply
from pbm_oust.board.record import Deed, Place
from pbm_oust.commands.play import Move
from dataclasses import dataclass, replace
from pbm_oust.grammar.aliases import in_english
from pbm_oust.grammar.command import Command, Partial
from pbm_oust.grammar.wish import DEEDS
from pbm_oust.grammar.wording import Wording, worded
from pbm_oust.grammar.words import first_words, fold, split_words
from pbm_oust.refusal import Unreadable
from pbm_oust.service.answer_lines import (
    MOST_MEANT,
    Answer,
    AnswerReason,
    move_of,
    read_line,
)
from pbm_oust.service.table import form_named

_DONE = frozenset((Deed.PASS.value, Deed.SWAP.value))
"""Deeds that cost nobody a game, so that other words may stand around them."""


@dataclass(frozen=True, slots=True)
class SeveralReadings(AnswerReason):
    """An answer can be read in more than one way."""


def read_worded(line: str, text: str, reply: Reply) -> Answer:
    """Return what a line of an answer means, also if a move stands there among other words.

    If it may mean several things, nothing is done, and each is in `instead`.
    """
    answer = read_line(line, text, reply)
    wrong = answer.command
    is_condition = in_english(fold("".join(first_words(line, 1))), ["if"]) == "if"
    if is_condition or not (
        isinstance(wrong, Unreadable) and isinstance(wrong.reason, AnswerReason)
    ):
        return answer
    said = _said(line)
    found = tuple(_found(said, reply))
    only = found[0] if len(found) == 1 and said.is_clear else None
    if isinstance(only, Move) and (said.runs or said.words[0] in _DONE):
        return Answer(answer.line, only, text, is_worded=True)
    first, second = (found, answer.instead) if said.is_sequence else (answer.instead, found)
    meant = (*first, *(each for each in second if each not in first))
    if len(meant) > 1:
        wrong = Unreadable(SeveralReadings())
    return replace(answer, command=wrong, instead=meant[:MOST_MEANT])


def is_courtesy(line: str) -> bool:
    """Return whether a line is a greeting or the like, and nothing else."""
    return _said(line).is_courtesy


def _said(line: str) -> Wording:
    try:
        return worded(" ".join(split_words(line)), DEEDS)
    except Unreadable:
        return Wording((), (), is_clear=False)


def _found(said: Wording, reply: Reply) -> Iterator[Command | Partial]:
    """Yield what a line may ask for."""
    together = (tuple(cell for run in said.runs for cell in run),) if said.is_sequence else ()
    for run in (*together, *said.runs):
        yield move_of(Place(tuple(map(str.upper, run))), None, reply)
    for word in said.words:
        if word in DEEDS:
            yield move_of(Deed(word), None, reply)
        else:
            # Whoever writes stop may mean the mails or the game.
            yield form_named(word).partial(userid=reply.userid)
            yield move_of(Deed.RESIGN, None, reply)
