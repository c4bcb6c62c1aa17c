"""Answers to letters that show several boards: a line for each, `oust 17: D4`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from msgspec import structs

from pbm_oust.accounts.asks import Ask
from pbm_oust.board.notation import NUMBER
from pbm_oust.grammar import vocabulary
from pbm_oust.grammar.form import to_player
from pbm_oust.play.context import Context, Look, Outcome
from pbm_oust.play.request import Request
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import KINDS
from pbm_oust.service import table
from pbm_oust.service.answers import ENDS, any_of, read_answer, read_commanded
from pbm_oust.service.several import CarryOut, Subcommand, carry_out_all, look_at_all

_LABEL = re.compile(
    rf"\s*(?:(?P<kind>{'|'.join(KINDS)})\s*(?P<named>{NUMBER.pattern})(?:\s*[:.)=-]|(?=\s|$))"
    rf"|(?P<alone>{NUMBER.pattern})\s*[:.)])(?P<rest>.*)",
    re.IGNORECASE,
)
"""A line about one board: `oust 17: D4`, `oust 17 D4`, `17: D4`."""

MORE = "more"
"""Asks for what a letter had no room for."""
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
    """A part of an answer: for one board, or a whole command."""

    first: str
    """The first line, without the label."""
    label: re.Match[str] | None
    """The words that name the board; None for a whole command."""
    below: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The whole text for the board."""
        return "\n".join([self.first, *self.below]).strip()


def answer_sheet(on: Context, sheet: Ask, carry_out: CarryOut) -> Outcome | Request:
    """Carry out an answer to a letter that shows several boards.

    Returns the request that it amounts to, if it is not for several boards: an answer for the only
    board that it can be for, or a command like any other. Raises Unreadable.
    """
    if sheet.more and vocabulary.in_english(on.request.chat.strip(f" \n{ENDS}")) == MORE:
        return _without_letter(sheet.more, "", on.request)
    unread, parts = _parts_below(on.request.chat)
    if not parts:
        return _alone(on, sheet)
    if len(parts) == 1 and not parts[0].label and not unread:
        return _without_letter(parts[0].first, "\n".join(parts[0].below), on.request)
    if len(parts) > MOST_ANSWERS:
        raise Unreadable(TooManyAnswers(MOST_ANSWERS))
    look_at_all(on, (table.parse_line(part.first)[1] for part in parts if not part.label))
    left_out = table.without_passwords(on.request.lost)
    on = on.answering(structs.replace(on.request, left_out=left_out))
    tasks = [_task(on, part, sheet) for part in parts]
    return carry_out_all(on, tasks, carry_out, table.without_passwords(unread))


def _parts_below(text: str) -> tuple[str, list[_Part]]:
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
    for part in parts:
        if not part.label:
            part.first, below = table.parted(part.text)
            part.below = [below]
    return "\n".join(above).strip(), parts


def _is_whole(line: str) -> bool:
    """Return whether a line is a whole command, as any mail may hold it."""
    begun = {vocabulary.fold(word) for word in vocabulary.first_words(line, 1)}
    is_begun = bool(begun & {*KINDS, *table.GENERAL_FORMS})
    return is_begun and not isinstance(table.parse_line(line)[1], Unreadable)


def _alone(on: Look, sheet: Ask) -> Request:
    """Return an answer that names no board as one to a letter about the board it must be for.

    It may also be a command of its player that is about none.
    """
    request, general = on.request, any_of(sheet.userid)
    if not sheet.positions or _is_general(request.chat, general):
        return structs.replace(request, reply=general)
    waiting = sheet.positions if len(sheet.positions) == 1 else [*islice(_waiting(on, sheet), 2)]
    at = waiting[0] if waiting else sheet.positions[0]
    if len(waiting) != 1:
        said = read_answer("", request.chat, at).command
        if isinstance(said, Unreadable) or not said.form.by_letter:
            raise Unreadable(WhichBoard(tuple(each.name for each in sheet.positions)))
    return structs.replace(request, line="", reply=at)


def _is_general(text: str, general: Ask) -> bool:
    """Return whether a text begins with a command that needs no board, or names its own."""
    first, _ = table.parted(text) if text.strip() else ("", "")
    read = read_commanded(first, "", general)
    return read is not None and not (read.line.form and read.line.form.by_letter)


def _waiting(on: Look, sheet: Ask) -> Iterator[Ask]:
    """Yield the boards on which it is the player's turn."""
    for at in sheet.positions:
        game = on.game_if_any(KINDS[at.kind], at.number)
        if game and not game.result and game.player_to_move == at.userid:
            yield at


def _task(on: Look, part: _Part, sheet: Ask) -> Subcommand:
    """Return what carries a part out, or what refuses it."""
    shown = _shown(on, part)
    if not part.label:
        return Subcommand(
            shown, _without_letter(part.first, "\n".join(part.below), on.request), shown
        )
    number = int(_number(part.label))
    kind = vocabulary.fold(part.label["kind"] or "")
    found = [at for at in sheet.positions if at.number == number and kind in ("", at.kind)]
    if len(found) == 1:
        asked = structs.replace(on.request, line="", chat=part.text, unsure="", reply=found[0])
        return Subcommand(shown, asked, found[0].name)
    names = tuple(at.name for at in found)
    reason = SeveralBoards(names) if names else NotInLetter(f"{kind} {number}".strip())
    return Subcommand(shown, structs.replace(on.request, fault=reason), shown)


def _without_letter(line: str, text: str, request: Request) -> Request:
    """Return a command of an answer as a mail of its own, which still proves who wrote it."""
    sheet = request.reply
    said = "\n".join(filter(None, (line, text)))
    reply = any_of(sheet.userid) if sheet else None
    return structs.replace(request, line="", chat=said, unsure="", reply=reply, answered=sheet)


def _shown(on: Look, part: _Part) -> str:
    """Return the first line of a part as its answer shows it."""
    if not part.label:
        line, _ = table.parse_line(part.first)
        return line.shown(to_player(table.VOCABULARY, on.names_for_sender()))
    board = " ".join(filter(None, [vocabulary.fold(part.label["kind"] or ""), _number(part.label)]))
    said = table.without_passwords(part.first)
    ends = "..." if len(said) > _MOST_SHOWN else ""
    return f"{board}: {said[:_MOST_SHOWN]}{ends}".strip()


def _number(label: re.Match[str]) -> str:
    return label["named"] or label["alone"]
