"""Reading answers to board mails: which of their lines say what to do, and what is for others."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from pbm_oust.accounts.answered import Purpose, Reply
from pbm_oust.board.record import Wish
from pbm_oust.commands.play import Move
from pbm_oust.commands.talk import Chat
from dataclasses import dataclass, replace
from pbm_oust.grammar.cells import is_placements
from pbm_oust.grammar.command import Command
from pbm_oust.grammar.line import Line
from pbm_oust.refusal import Unreadable
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.answer_lines import (
    MOST_MEANT,
    Answer,
    AnswerReason,
    EmptyAnswer,
    begins_whole,
    is_text,
    may_be_command,
    read_again,
    read_line,
    read_whole,
)
from pbm_oust.service.table import is_of_letter
from pbm_oust.service.worded_answers import SeveralReadings, is_courtesy, read_worded

_MARKS = "|>}:%\u203a\u00bb\u2502\u2503 \t"
"""What may stand in front of a line that is quoted."""
_MOST_LINES = 10
"""How many lines to search for a move that may have been meant."""


@dataclass(frozen=True, slots=True)
class UnsureAnswer(AnswerReason):
    """All that the answer holds stands between quotes, or looks like a quote."""


@dataclass(frozen=True, slots=True)
class TwoMoves(AnswerReason):
    """The Subject of an answer says one move, and its text another one."""


def read_answer(subject: str, text: str, reply: Reply, unsure: str = "") -> Answer:
    """Return what an answer says in the first line of its text, or in the player's own Subject.

    Greetings above that line are passed over. If it has both, the one that can be read counts; if
    they say different moves, nothing is done. An answer to chat is chat as a whole, unless it
    begins with a whole command or with the name of one that plays again. `unsure` is what may be
    quoted: it is never done.
    """
    own = [(subject, text)] if subject and not is_of_letter(subject) else []
    if reply.purpose is Purpose.CHAT:
        first, rest = _parted(text)
        return _read_chat([*own, *([(first, rest)] if first else [])], text, reply)
    answers = [read_worded(line, further, reply) for line, further in own]
    answers += [_read_text(text, reply)] if text.strip() else []
    moves = [each.command for each in answers if isinstance(each.command, Move)]
    if len({move.wish for move in moves}) > 1:
        return replace(answers[0], command=Unreadable(TwoMoves()), instead=tuple(moves))
    readable = (each for each in answers if not isinstance(each.command, Unreadable))
    if found := next(readable, None):
        return found
    nothing = Answer(Line(()), Unreadable(UnsureAnswer() if unsure.strip() else EmptyAnswer()))
    wrong = answers[0] if answers else nothing
    meant = wrong.instead or tuple(_moves_in(f"{text}\n{unsure}", reply))
    return replace(wrong, instead=meant)


def _read_chat(lines: Sequence[tuple[str, str]], text: str, reply: Reply) -> Answer:
    """Return what an answer to chat says."""
    whole = (read_whole(line, further) for line, further in lines if begins_whole(line))
    meant = read_answer("", text, replace(reply, purpose=Purpose.PLAY)).command
    wish = meant.wish if isinstance(meant, Move) else None
    chat = Chat(KINDS[reply.kind], reply.board, reply.userid, reply, wish)
    begun = next((each for each in whole if each.is_whole), None)
    again = (read_again(line, further, reply) for line, further in lines)
    return begun or next(filter(None, again), Answer(Line(()), chat, text))


def _read_text(text: str, reply: Reply) -> Answer:
    """Return what the text of an answer says; what else is in it is for the other player.

    Where a move stands among other words, all of them are. A further move below it makes it
    unclear which of them is meant.
    """
    above, below = _without_courtesies(text)
    first, rest = _parted(below)
    others = "\n".join(filter(None, (above, rest)))
    answer = read_worded(first, others, reply)
    if not isinstance(answer.command, Move):
        return answer
    if not answer.is_worded:
        return replace(answer, is_worded=bool(above), further=further_below(answer.command, rest))
    moves = tuple(each for each in _moves_in(rest, reply) if each.wish != answer.command.wish)
    if moves:
        several = Unreadable(SeveralReadings())
        return replace(answer, command=several, instead=(answer.command, *moves)[:MOST_MEANT])
    return replace(answer, text=text)


def _parted(text: str) -> tuple[str, str]:
    """Return the first line of a text, and what is below it.

    Lines that hold only placements are joined to the placements right above them.
    """
    lines = text.strip().split("\n")
    begun = list(takewhile(is_placements, lines)) or lines[:1]
    return " ".join(begun), "\n".join(lines[len(begun) :]).strip("\n")


def _without_courtesies(text: str) -> tuple[str, str]:
    """Return the greetings above the first other line of a text, and that line with the rest."""
    lines = text.strip().split("\n")
    for nth, line in enumerate(lines[:_MOST_LINES]):
        if is_placements(line) or (line.strip() and not is_courtesy(line)):
            return "\n".join(lines[:nth]).strip("\n"), "\n".join(lines[nth:])
    return "", text


def _moves_in(text: str, reply: Reply) -> Iterator[Move]:
    """Yield the first few different moves that stand on a line of their own."""
    found: set[Wish] = set()
    lines = (line.lstrip(_MARKS) for line in text.splitlines()[:_MOST_LINES])
    for line in filter(None, lines):
        command = read_worded(line, "", reply).command
        if isinstance(command, Move) and command.wish not in found and len(found) < MOST_MEANT:
            found.add(command.wish)
            yield command


def further_below(move: Move, text: str) -> Command | None:
    """Return the first command on a line of its own in the text below a move.

    What passes the text on is none, and neither is the same move again.
    """
    reply = Reply(Purpose.PLAY, move.kind.name, move.board, 0, move.userid)
    for line in filter(may_be_command, text.splitlines()[:_MOST_LINES]):
        command = read_line(line, "", reply).command
        is_same = isinstance(command, Move) and command.wish == move.wish
        if not (isinstance(command, Unreadable) or is_text(command) or is_same):
            return command
    return None
