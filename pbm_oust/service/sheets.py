"""Reading answers to letters that show several boards: a line for each, `oust 17: D4`."""

import re
from dataclasses import dataclass, field, replace

from pbm_oust.accounts.tags import Reply, Sheet
from pbm_oust.board.notation import NUMBER
from pbm_oust.commands.general import Task, carry_out_all, look_at_all
from pbm_oust.grammar.form import to_player
from pbm_oust.grammar.words import first_words, fold
from pbm_oust.play.forms import Service
from pbm_oust.play.request import Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.table import GENERAL_FORMS, VOCABULARY, parse_line, without_passwords
from pbm_oust.store.open_boards import game_if_any

_LABEL = re.compile(
    rf"\s*(?:(?P<kind>{'|'.join(KINDS)})\s*(?P<named>{NUMBER.pattern})(?:\s*[:.)=-]|(?=\s|$))"
    rf"|(?P<alone>{NUMBER.pattern})\s*[:.)])(?P<rest>.*)",
    re.IGNORECASE,
)
"""A line about one board: `oust 17: D4`, `oust 17 D4`, `17: D4`."""

MOST_ANSWERS = 50
"""For how many boards one mail may be."""
_MOST_SHOWN = 60
"""How many characters of a line are shown again."""


class WhichBoard(UnreadableReason, frozen=True):
    """An answer to a letter that shows several boards does not say for which one it is."""

    boards: tuple[str, ...]
    """The names of the boards."""


class NotInLetter(UnreadableReason, frozen=True):
    """An answer names a board that the letter does not show, or on which its reader has no part."""

    board: str


class SeveralBoards(UnreadableReason, frozen=True):
    """An answer gives a number that boards of several games in the letter have."""

    boards: tuple[str, ...]


class TooManyAnswers(UnreadableReason, frozen=True):
    """An answer has lines for more boards than one mail may have."""

    most: int


@dataclass
class _Part:
    """What an answer says for one board, or a whole command."""

    first: str
    """Its first line, without the label."""
    label: re.Match[str] | None
    """What says for which board it is; None for a whole command."""
    below: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that is written for the board."""
        return "\n".join([self.first, *self.below]).strip()


def answer_sheet(
    sheet: Sheet, request: Request, work: UnitOfWork, service: Service
) -> Handled | Request:
    """Carry out an answer to a letter that shows several boards.

    Returns the request that it amounts to, if it is not for several boards: an answer for the only
    board that it can be for, or a command like any other. Raises Unreadable.
    """
    unread, parts = _parted(request.chat)
    if not parts:
        return _alone(sheet, request, work)
    if len(parts) == 1 and not parts[0].label and not unread:
        return _without_letter(parts[0].first, "\n".join(parts[0].below), request)
    if len(parts) > MOST_ANSWERS:
        raise Unreadable(TooManyAnswers(MOST_ANSWERS))
    look_at_all([service.see(part.first) for part in parts if not part.label], work)
    request = replace(request, left_out=without_passwords(request.lost))
    tasks = [_task(part, sheet, request, work) for part in parts]
    return carry_out_all(tasks, request, work, service, without_passwords(unread))


def _parted(text: str) -> tuple[str, list[_Part]]:
    """Return what stands above the first line for a board, and the parts that follow."""
    above: list[str] = []
    parts: list[_Part] = []
    for line in text.strip().split("\n"):
        label = _LABEL.fullmatch(line)
        if label:
            parts.append(_Part(label["rest"].strip(), label))
        elif _is_whole(line):
            parts.append(_Part(line.strip(), None))
        else:
            (parts[-1].below if parts else above).append(line)
    return "\n".join(above).strip(), parts


def _is_whole(line: str) -> bool:
    """Return whether a line is a whole command, as any mail may hold it."""
    begun = {fold(word) for word in first_words(line, 1)}
    is_begun = bool(begun & {*KINDS, *GENERAL_FORMS})
    return is_begun and not isinstance(parse_line(line)[1], Unreadable)


def _alone(sheet: Sheet, request: Request, work: UnitOfWork) -> Request:
    """Return an answer that names no board as one to a letter about the board it must be for."""
    waiting = sheet.positions if len(sheet.positions) == 1 else _waiting(sheet, work)
    if len(waiting) != 1:
        raise Unreadable(WhichBoard(tuple(at.name for at in sheet.positions)))
    return replace(request, line="", reply=waiting[0])


def _waiting(sheet: Sheet, work: UnitOfWork) -> list[Reply]:
    """Return up to two of the boards on which it is the player's turn."""
    found: list[Reply] = []
    for at in sheet.positions:
        if _waits(at, work):
            found.append(at)
        if len(found) > 1:
            break
    return found


def _waits(at: Reply, work: UnitOfWork) -> bool:
    game = game_if_any(work.home, KINDS[at.kind], at.board)
    return game is not None and not game.result and game.player_to_move == at.userid


def _task(part: _Part, sheet: Sheet, request: Request, work: UnitOfWork) -> Task:
    """Return what carries a part out, or what refuses it."""
    shown = _shown(part, work, request)
    if not part.label:
        return Task(shown, _without_letter(part.first, "\n".join(part.below), request), shown)
    number = int(_number(part.label))
    kind = fold(part.label["kind"] or "")
    found = [at for at in sheet.positions if at.board == number and kind in ("", at.kind)]
    if len(found) == 1:
        asked = replace(request, line="", chat=part.text, unsure="", reply=found[0])
        return Task(shown, asked, found[0].name)
    names = tuple(at.name for at in found)
    reason = SeveralBoards(names) if names else NotInLetter(f"{kind} {number}".strip())
    return Task(shown, replace(request, fault=reason), shown)


def _without_letter(line: str, text: str, request: Request) -> Request:
    """Return a whole command of an answer as a mail of its own, which still proves who wrote it."""
    return replace(request, line=line, chat=text, unsure="", reply=None, answered=request.reply)


def _shown(part: _Part, work: UnitOfWork, request: Request) -> str:
    """Return the first line of a part as its answer shows it."""
    if not part.label:
        line, _ = parse_line(part.first)
        return line.shown(to_player(VOCABULARY, work.names_for(request)))
    board = " ".join(filter(None, [fold(part.label["kind"] or ""), _number(part.label)]))
    said = without_passwords(part.first)
    ends = "..." if len(said) > _MOST_SHOWN else ""
    return f"{board}: {said[:_MOST_SHOWN]}{ends}".strip()


def _number(label: re.Match[str]) -> str:
    return label["named"] or label["alone"]
