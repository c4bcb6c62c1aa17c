"""Reading answers to letters: which of their lines say what to do, and what is for others.

A letter that shows several boards is answered by a line for each: `oust 17: D4`.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice, takewhile

from msgspec import structs

from pbm_oust.accounts.tags import AnswerPurpose, Reply, SheetReply
from pbm_oust.board import Deed, Place, Wish
from pbm_oust.board.notation import NUMBER
from pbm_oust.commands.general import Subcommand, carry_out_all, look_at_all
from pbm_oust.commands.play import MOVE
from pbm_oust.commands.talk import CHAT
from pbm_oust.grammar import vocabulary, wording
from pbm_oust.grammar.form import Command, Line, Meant, to_player
from pbm_oust.grammar.notation import Text
from pbm_oust.grammar.wish import DEEDS, BadPlacement, cells_in, read_wish
from pbm_oust.play.request import Handled, Request
from pbm_oust.play.unit_of_work import Service, UnitOfWork
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import KINDS
from pbm_oust.service import table
from pbm_oust.service.reading import ENDS, Read, begins_whole, further_below, is_move
from pbm_oust.store.open_boards import game_if_any

_KNOWN = frozenset(
    {*DEEDS, *table.KIND_TOPICS, *(form.topic for form in table.GENERAL_FORMS.values())}
)
"""The words by which a line of an answer may begin."""
_SHORTEST_WORD = 4
"""Shorter beginnings of commands are more likely words of a letter: no, so, hi."""

MOST_MEANT = 3
"""How many moves to offer in place of a line that cannot be read."""


class AnswerReason(UnreadableReason, frozen=True, kw_only=True):
    """Why an answer cannot be read."""

    meant: Meant = ()
    """What may have been meant, the likeliest first."""


class EmptyAnswer(AnswerReason, frozen=True):
    """The answer holds nothing that its writer wrote."""


class UnknownAnswer(AnswerReason, frozen=True):
    """The first line of an answer is not something that can be done on a board."""


class MoreThanPlacements(AnswerReason, frozen=True):
    """A line begins with placements and goes on with something else."""


class MoreThanDeed(AnswerReason, frozen=True):
    """A line begins with a word for a deed and goes on with something else."""


def read_whole(line: str, text: str) -> Read:
    """Return what a line means that any mail may hold."""
    read, command = table.parse_line(line)
    return Read(read, command, text, is_whole=not isinstance(command, Unreadable))


def read_again(line: str, text: str, reply: Reply) -> Read | None:
    """Return the command that plays again or looks back, if a line is the name of one, or None.

    Greetings and the like may stand around it, and it may be a question.
    """
    forms = table.KIND_FORMS.items()
    names = [name for name, form in forms if form.plays_again or form.looks_back]
    said = wording.worded(line.replace("?", ""), names)
    if not said.is_clear or said.runs or len(said.words) != 1 or said.words[0] not in names:
        return None
    (name,) = said.words
    has_more = vocabulary.in_english(line.strip().rstrip(f"{ENDS}? ")) != name
    chat = "\n".join(filter(None, [line if has_more else "", text]))
    return _read_form(line, table.KIND_FORMS[name], [name], chat, reply)


def read_line(line: str, text: str, reply: Reply) -> Read:
    """Return what a line of an answer means."""
    try:
        words = vocabulary.split_words(line)
    except Unreadable:
        return _read_long(line, text, reply)
    shown = Line(words)
    if not words:
        return Read(shown, Unreadable(EmptyAnswer()))
    if "\ufffd" in line:
        return Read(shown, Unreadable(table.UnlabelledCharacter()))
    if begins_whole(line):
        return read_whole(line, text)
    try:
        return _read_own(line, text, reply)
    except Unreadable as error:
        return Read(shown, error, text, instead=_instead(error, words, reply))


def _read_long(line: str, text: str, reply: Reply) -> Read:
    """Return what a line means that is longer than any command: text, if it is for others."""
    words = line.split()
    name = vocabulary.in_english(words[0].rstrip(ENDS))
    if name in table.KIND_FORMS and table.KIND_FORMS[name].text is Text.CONTENT:
        return _read_form(line, table.KIND_FORMS[name], words, text, reply)
    return Read(table.recognise(line)[0], Unreadable(UnknownAnswer()), text)


def _read_own(line: str, text: str, reply: Reply) -> Read:
    """Return what a line means in an answer. Raises Unreadable."""
    words = vocabulary.split_words(line)
    return _read_placements(words, text, reply) or _read_word(line, words, text, reply)


def _read_placements(words: Sequence[str], text: str, reply: Reply) -> Read | None:
    """Return the move of an answer that begins with a placement; None for other answers.

    Raises Unreadable if it goes on with something else.
    """
    wished, hash_sign, number = vocabulary.fold(" ".join(words)).partition("#")
    parts = wording.parts_of(wished)
    if not parts or not cells_in(parts[0]):
        return None
    begun = list(takewhile(cells_in, parts))
    cells = [cell for part in begun for cell in cells_in(part)]
    if len(begun) < len(parts):
        raise Unreadable(MoreThanPlacements(meant=_placed_within(wished, reply)))
    guard = f"{hash_sign}{number.strip(ENDS + ' ')}"
    wish, numbered = read_wish([",".join(cells), *([guard] if hash_sign else [])])
    return Read(Line(tuple(words)), move_of(wish, numbered, reply), text)


def _read_word(line: str, words: Sequence[str], text: str, reply: Reply) -> Read:
    """Return what a line that begins with a word of the commands means. Raises Unreadable."""
    first, hash_sign, number = words[0].partition("#")
    words = (first, *([hash_sign + number] if hash_sign else []), *words[1:])
    # In French, `aperçu : E5` has a space before the colon.
    while len(words) > 1 and not words[1].strip(ENDS):
        words = (first, *words[2:])
    first = vocabulary.in_english(first.rstrip(ENDS))
    if first == "if":
        queued = read_line(" ".join(["queue", *words]), "", reply).command
        raise Unreadable(UnknownAnswer(meant=(queued,) if isinstance(queued, Command) else ()))
    if len(first) < _SHORTEST_WORD and first not in _KNOWN:
        raise _unknown(words, reply)
    try:
        name = vocabulary.find_command_word(first, _KNOWN)
    except Unreadable as error:
        raise _unknown(words, reply, vocabulary.meant_by(error)) from None
    if name in DEEDS:
        return _read_deed(line, Deed(name), words, text, reply)
    if name not in table.KIND_FORMS:
        form = table.GENERAL_FORMS.get(name)
        if form and form.by_letter and len(words) == 1:
            return _read_form(line, form, words, text, reply)
        if form and form.by_letter and vocabulary.fold(words[1]) != reply.userid:
            raise _unknown(words, reply)
        whole = read_whole(" ".join([name, *words[1:]]), text)
        return structs.replace(whole, line=structs.replace(whole.line, words=tuple(words)))
    second = vocabulary.in_english(words[1]) if len(words) > 1 else ""
    of_two = table.KIND_FORMS.get(f"{name} {second}")
    if of_two:
        return _read_form(line, of_two, words[1:], text, reply)
    return _read_form(line, table.KIND_FORMS[name], words, text, reply)


def _unknown(words: Sequence[str], reply: Reply, resembles: str | None = None) -> Unreadable:
    """Return why a line cannot be read, with what it may have meant."""
    meant = _placed_within(vocabulary.fold(" ".join(words)), reply)
    if len(words) == 1 and resembles and not meant:
        is_deed = resembles in DEEDS
        meant = (
            move_of(Deed(resembles), None, reply)
            if is_deed
            else table.form_named(resembles).command(),
        )
    return Unreadable(UnknownAnswer(meant=meant))


def _read_deed(line: str, deed: Deed, words: Sequence[str], text: str, reply: Reply) -> Read:
    """Return a deed as a move, alone or with the number after `#`. Raises Unreadable."""
    rest = "".join(words[1:]).rstrip(ENDS)
    if rest and not rest.startswith("#"):
        general = read_whole(line, text)
        if general.is_whole:
            return general
        raise Unreadable(MoreThanDeed(right=deed.value, meant=(move_of(deed, None, reply),)))
    wish, guard = read_wish([deed.value, *([rest] if rest else [])])
    return Read(Line(tuple(words)), move_of(wish, guard, reply), text)


def move_of(wish: Wish, guard: int | None, reply: Reply) -> Command:
    """Return the move of the player who answers."""
    return MOVE.command(**_known(reply), wish=wish, guard=guard)


def _known(reply: Reply) -> dict[str, object]:
    """Return what a letter knows of a command that answers it."""
    known = {"kind": KINDS[reply.kind], "board": reply.board}
    return {**known, "userid": reply.userid, "password": reply}


def _placed_within(line: str, reply: Reply) -> Meant:
    """Return the moves whose placements stand in a folded line."""
    found = wording.runs_within(vocabulary.probably_latin(line))
    runs = dict.fromkeys(tuple(map(str.upper, run)) for run in found)
    return tuple(move_of(Place(run), None, reply) for run in list(runs)[:MOST_MEANT])


def _read_form(
    line: str, form: table.AnyForm, words: Sequence[str], text: str, reply: Reply
) -> Read:
    """Return the command that a line gives, filled in with what the letter knows.

    Raises Unreadable.
    """
    kind = KINDS[reply.kind]
    rest = words[1:]
    if form.text is Text.CONTENT and rest and not _is_of(form, rest):
        _, _, behind = " ".join(line.split()).partition(" ")
        rest, text = [], "\n".join(filter(None, [behind, text]))
    if form.parameters and not (form.is_about_board or form.by_letter):
        return read_whole(" ".join([kind.name, *words]), text)
    command = form.read_answer(rest, kind, reply.board, reply.userid, reply)
    return Read(Line(tuple(words)), command, text)


def _is_of(form: table.AnyForm, words: Sequence[str]) -> bool:
    """Return whether what follows a command is one of its own words, and not text."""
    return len(words) == 1 and vocabulary.in_english(words[0], form.words) in form.words


def _instead(error: Unreadable, words: Sequence[str], reply: Reply) -> Meant:
    """Return what an unreadable line may have meant."""
    reason = error.reason
    if isinstance(reason, AnswerReason):
        return reason.meant
    if isinstance(reason, BadPlacement) and reason.right:
        with suppress(Unreadable):
            turned = wording.turned_round(
                wording.parts_of(vocabulary.fold(" ".join(words)).partition("#")[0])
            )
            command = _read_own(turned, "", reply).command
            return () if isinstance(command, Unreadable) else (command,)
    return ()


_DONE = frozenset((Deed.PASS.value, Deed.SWAP.value))
"""Deeds that cost nobody a game, so that other words may stand around them."""


class SeveralReadings(AnswerReason, frozen=True):
    """An answer can be read in more than one way."""


def read_worded(line: str, text: str, reply: Reply) -> Read:
    """Return what a line of an answer means, also if a move stands there among other words.

    If it may mean several things, nothing is done, and each is in `instead`.
    """
    answer = read_line(line, text, reply)
    wrong = answer.command
    is_condition = vocabulary.in_english("".join(vocabulary.first_words(line, 1)), ["if"]) == "if"
    if is_condition or not (
        isinstance(wrong, Unreadable) and isinstance(wrong.reason, AnswerReason)
    ):
        return answer
    said = _said(line)
    found = tuple(_found(said, reply))
    only = found[0] if len(found) == 1 and said.is_clear else None
    if only and only.form is MOVE and (said.runs or said.words[0] in _DONE):
        return Read(answer.line, only, text, is_worded=True)
    first, second = (found, answer.instead) if said.is_sequence else (answer.instead, found)
    meant = (*first, *(each for each in second if each not in first))
    if len(meant) > 1:
        wrong = Unreadable(SeveralReadings())
    return structs.replace(answer, command=wrong, instead=meant[:MOST_MEANT])


def is_courtesy(line: str) -> bool:
    """Return whether a line is a greeting or the like, and nothing else."""
    return _said(line).is_courtesy


def _said(line: str) -> wording.Wording:
    try:
        return wording.worded(" ".join(vocabulary.split_words(line)), DEEDS)
    except Unreadable:
        return wording.Wording((), (), is_clear=False)


def _found(said: wording.Wording, reply: Reply) -> Iterator[Command]:
    """Yield what a line may ask for."""
    together = (tuple(cell for run in said.runs for cell in run),) if said.is_sequence else ()
    for run in (*together, *said.runs):
        yield move_of(Place(tuple(map(str.upper, run))), None, reply)
    for word in said.words:
        if word in DEEDS:
            yield move_of(Deed(word), None, reply)
        else:
            # Whoever writes stop may mean the mails or the game.
            yield table.form_named(word).command(userid=reply.userid)
            yield move_of(Deed.RESIGN, None, reply)


_MARKS = "|>}:%\u203a\u00bb\u2502\u2503 \t"
"""What may stand in front of a line that is quoted."""
_MOST_LINES = 10
"""How many lines to search for a move that may have been meant."""


class UnsureAnswer(AnswerReason, frozen=True):
    """All that the answer holds stands between quotes, or looks like a quote."""


class TwoMoves(AnswerReason, frozen=True):
    """The Subject of an answer says one move, and its text another one."""


def read_answer(subject: str, text: str, reply: Reply, unsure: str = "") -> Read:
    """Return what an answer says in the first line of its text, or in the player's own Subject.

    Greetings above that line are passed over. If it has both, the one that can be read counts; if
    they say different moves, nothing is done. An answer to chat is chat as a whole, unless it
    begins with a whole command or with the name of one that plays again. `unsure` is what may be
    quoted: it is never done.
    """
    own = [(subject, text)] if subject and not table.is_of_letter(subject) else []
    if reply.purpose is AnswerPurpose.CHAT:
        first, rest = _parted(text)
        return _read_chat([*own, *([(first, rest)] if first else [])], text, reply)
    answers = [read_worded(line, further, reply) for line, further in own]
    answers += [_read_text(text, reply)] if text.strip() else []
    moves = [each.command for each in answers if is_move(each.command)]
    if len({move["wish"] for move in moves}) > 1:
        return structs.replace(answers[0], command=Unreadable(TwoMoves()), instead=tuple(moves))
    readable = (each for each in answers if not isinstance(each.command, Unreadable))
    if found := next(readable, None):
        return found
    nothing = Read(Line(()), Unreadable(UnsureAnswer() if unsure.strip() else EmptyAnswer()))
    wrong = answers[0] if answers else nothing
    meant = wrong.instead or tuple(_moves_in(f"{text}\n{unsure}", reply))
    return structs.replace(wrong, instead=meant)


def _read_chat(lines: Sequence[tuple[str, str]], text: str, reply: Reply) -> Read:
    """Return what an answer to chat says."""
    whole = (read_whole(line, further) for line, further in lines if begins_whole(line))
    meant = read_answer("", text, structs.replace(reply, purpose=AnswerPurpose.PLAY)).command
    wish = meant["wish"] if is_move(meant) else None
    chat = CHAT.command(**_known(reply), meant=wish)
    begun = next((each for each in whole if each.is_whole), None)
    again = (read_again(line, further, reply) for line, further in lines)
    return begun or next(filter(None, again), Read(Line(()), chat, text))


def _read_text(text: str, reply: Reply) -> Read:
    """Return what the text of an answer says; what else is in it is for the other player.

    Where a move stands among other words, all of them are. A further move below it makes it
    unclear which of them is meant.
    """
    above, below = _without_courtesies(text)
    first, rest = _parted(below)
    others = "\n".join(filter(None, (above, rest)))
    answer = read_worded(first, others, reply)
    move = answer.command
    if not is_move(move):
        return answer
    if not answer.is_worded:
        return structs.replace(answer, is_worded=bool(above), further=further_below(move, rest))
    moves = tuple(each for each in _moves_in(rest, reply) if each["wish"] != move["wish"])
    if moves:
        several = Unreadable(SeveralReadings())
        return structs.replace(answer, command=several, instead=(move, *moves)[:MOST_MEANT])
    return structs.replace(answer, text=text)


def _parted(text: str) -> tuple[str, str]:
    """Return the first line of a text, and what is below it.

    Lines that hold only placements are joined to the placements right above them.
    """
    lines = text.strip().split("\n")
    begun = list(takewhile(wording.is_placements, lines)) or lines[:1]
    return " ".join(begun), "\n".join(lines[len(begun) :]).strip("\n")


def _without_courtesies(text: str) -> tuple[str, str]:
    """Return the greetings above the first other line of a text, and that line with the rest."""
    lines = text.strip().split("\n")
    for nth, line in enumerate(lines[:_MOST_LINES]):
        if wording.is_placements(line) or (line.strip() and not is_courtesy(line)):
            return "\n".join(lines[:nth]).strip("\n"), "\n".join(lines[nth:])
    return "", text


def _moves_in(text: str, reply: Reply) -> Iterator[Command]:
    """Yield the first few different moves that stand on a line of their own."""
    found: set[Wish] = set()
    lines = (line.lstrip(_MARKS) for line in text.splitlines()[:_MOST_LINES])
    for line in filter(None, lines):
        command = read_worded(line, "", reply).command
        if is_move(command) and command["wish"] not in found and len(found) < MOST_MEANT:
            found.add(command["wish"])
            yield command


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


def answer_sheet(sheet: SheetReply, work: UnitOfWork, service: Service) -> Handled | Request:
    """Carry out an answer to a letter that shows several boards.

    Returns the request that it amounts to, if it is not for several boards: an answer for the only
    board that it can be for, or a command like any other. Raises Unreadable.
    """
    unread, parts = _parts_below(work.request.chat)
    if not parts:
        return _alone(sheet, work)
    if len(parts) == 1 and not parts[0].label and not unread:
        return _without_letter(parts[0].first, "\n".join(parts[0].below), work.request)
    if len(parts) > MOST_ANSWERS:
        raise Unreadable(TooManyAnswers(MOST_ANSWERS))
    look_at_all((table.parse_line(part.first)[1] for part in parts if not part.label), work)
    left_out = table.without_passwords(work.request.lost)
    work = work.answering(structs.replace(work.request, left_out=left_out))
    tasks = [_task(part, sheet, work) for part in parts]
    return carry_out_all(tasks, work, service, table.without_passwords(unread))


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
    return "\n".join(above).strip(), parts


def _is_whole(line: str) -> bool:
    """Return whether a line is a whole command, as any mail may hold it."""
    begun = {vocabulary.fold(word) for word in vocabulary.first_words(line, 1)}
    is_begun = bool(begun & {*KINDS, *table.GENERAL_FORMS})
    return is_begun and not isinstance(table.parse_line(line)[1], Unreadable)


def _alone(sheet: SheetReply, work: UnitOfWork) -> Request:
    """Return an answer that names no board as one to a letter about the board it must be for.

    That is any of them for a command that is about none: `next`.
    """
    waiting = sheet.positions if len(sheet.positions) == 1 else [*islice(_waiting(sheet, work), 2)]
    at = waiting[0] if waiting else sheet.positions[0]
    if len(waiting) != 1:
        said = read_answer("", work.request.chat, at).command
        if isinstance(said, Unreadable) or not said.form.by_letter:
            raise Unreadable(WhichBoard(tuple(each.name for each in sheet.positions)))
    return structs.replace(work.request, line="", reply=at)


def _waiting(sheet: SheetReply, work: UnitOfWork) -> Iterator[Reply]:
    """Yield the boards on which it is the player's turn."""
    for at in sheet.positions:
        game = game_if_any(work.home, KINDS[at.kind], at.board)
        if game and not game.result and game.player_to_move == at.userid:
            yield at


def _task(part: _Part, sheet: SheetReply, work: UnitOfWork) -> Subcommand:
    """Return what carries a part out, or what refuses it."""
    shown = _shown(part, work)
    if not part.label:
        return Subcommand(
            shown, _without_letter(part.first, "\n".join(part.below), work.request), shown
        )
    number = int(_number(part.label))
    kind = vocabulary.fold(part.label["kind"] or "")
    found = [at for at in sheet.positions if at.board == number and kind in ("", at.kind)]
    if len(found) == 1:
        asked = structs.replace(work.request, line="", chat=part.text, unsure="", reply=found[0])
        return Subcommand(shown, asked, found[0].name)
    names = tuple(at.name for at in found)
    reason = SeveralBoards(names) if names else NotInLetter(f"{kind} {number}".strip())
    return Subcommand(shown, structs.replace(work.request, fault=reason), shown)


def _without_letter(line: str, text: str, request: Request) -> Request:
    """Return a whole command of an answer as a mail of its own, which still proves who wrote it."""
    return structs.replace(
        request, line=line, chat=text, unsure="", reply=None, answered=request.reply
    )


def _shown(part: _Part, work: UnitOfWork) -> str:
    """Return the first line of a part as its answer shows it."""
    if not part.label:
        line, _ = table.parse_line(part.first)
        return line.shown(to_player(table.VOCABULARY, work.names_for_sender()))
    board = " ".join(filter(None, [vocabulary.fold(part.label["kind"] or ""), _number(part.label)]))
    said = table.without_passwords(part.first)
    ends = "..." if len(said) > _MOST_SHOWN else ""
    return f"{board}: {said[:_MOST_SHOWN]}{ends}".strip()


def _number(label: re.Match[str]) -> str:
    return label["named"] or label["alone"]
