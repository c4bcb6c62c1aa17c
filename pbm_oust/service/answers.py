"""Reading answers to letters: which of their lines say what to do, and what is for others."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import TypeGuard

from msgspec import Struct, structs

from pbm_oust.accounts.account import bare_userid
from pbm_oust.accounts.asks import ANY, Ask, Topic
from pbm_oust.accounts.password import NO_PASSWORD
from pbm_oust.board import Deed, Place, Wish
from pbm_oust.grammar import vocabulary, wording
from pbm_oust.grammar.form import AnsweredBy, Command, Line, Meant
from pbm_oust.grammar.notation import Text, place_in
from pbm_oust.grammar.wish import DEEDS, BadPlacement, cells_in, read_wish
from pbm_oust.languages import LANGUAGES, Language
from pbm_oust.play.notices import ParsedAnswer
from pbm_oust.play.unit_of_work import ForPlayer
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import KINDS
from pbm_oust.service import table

_KNOWN = frozenset(
    {*DEEDS, *table.KIND_TOPICS, *(form.topic for form in table.GENERAL_FORMS.values())}
)
"""The words by which a line of an answer may begin."""
_NO_PASSWORDS = frozenset(
    (NO_PASSWORD.text, *(place_in("PASSWORD", each) for each in LANGUAGES.values()))
)
"""Words in the place of a password that is not given."""
_SHORTEST_WORD = 4
"""Shorter beginnings of commands are more likely words of a letter: no, so, hi."""

MOST_MEANT = 3
"""How many moves to offer in place of a line that cannot be read."""


ENDS = ".!,;:"
"""Marks that people write behind a word."""


_MOST_LINES_BELOW = 10
"""How many lines below a move are looked at for a command."""


class Read(Struct, frozen=True):
    """A mail that was read: its command, as far as it is understood."""

    line: Line
    """The line that the command was read from."""
    command: Command | Unreadable
    """The command, or why there is none."""
    text: str = ""
    """The rest of the text that the sender wrote."""
    reply: Ask | None = None
    """The letter that is answered, if that takes the place of a password."""
    instead: Meant = ()
    """Commands that an unreadable answer may have meant."""
    words: str = ""
    """All that an answer says which is not clear, for the other player if its writer wants that."""
    is_whole: bool = False
    """Whether an answer is a whole command, as any mail may hold it, and needs no letter."""
    is_first: bool = False
    """Whether it names no command, and its writer is to be told how to begin."""
    is_worded: bool = False
    """Whether the command stands among other words, or below some."""
    meant: Line | None = None
    """The whole line that words alone stand for, if they are wrong."""
    choices: Meant = ()
    """Commands of which the sender has to say which is meant, the one above among them."""
    further: Command | None = None
    """A command that stands further down and is not done."""
    chosen: Language | None = None
    """The language of the answer, if that is what is asked for."""
    is_thanks: bool = False
    """Whether the mail only thanks or congratulates, and the command is the answer to that."""

    @property
    def heard(self) -> ParsedAnswer | None:
        """The reading of a move, if there is more than that."""
        if not is_move(self.command) or not (self.is_worded or self.further):
            return None
        return ParsedAnswer(self.command["wish"] if self.is_worded else None, self.further)

    @property
    def language(self) -> Language | None:
        """The language that is asked for, or that of the line's words if these are not English."""
        if self.chosen:
            return self.chosen
        spoken = vocabulary.language_of(self.line.words[: self.line.own_words or 1])
        wrong = self.command
        if (
            spoken
            or not isinstance(wrong, Unreadable)
            or not isinstance(wrong.reason, vocabulary.UnknownWord)
        ):
            return spoken
        return vocabulary.language_like(
            wrong.culprit, table.VOCABULARY.difference(vocabulary.ALIASES)
        )


def is_move(command: Command | Unreadable | None) -> TypeGuard[Command]:
    """Return whether a command is a move."""
    return isinstance(command, Command) and command.form is table.USUAL


def begins_whole(line: str) -> bool:
    """Return whether a line begins with the name of a game, as whole commands do."""
    return any(vocabulary.fold(word) in KINDS for word in vocabulary.first_words(line, 1))


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


def read_signed(line: str, text: str, ask: Ask) -> Read | None:
    """Return the command of a player that a line gives without their userid and password.

    A letter proves whose it is, as a sender does. A command that names another player is none. A
    letter about a board is good for no other, nor for anything else. None if the line gives no such
    command.
    """
    read = _read_unsigned(line, text, ask)
    return read if read and isinstance(read.command, Command) else None


def _read_unsigned(line: str, text: str, ask: Ask) -> Read | None:
    """Return what a line gives of such a command, as `read_signed` does, or why it is none."""
    shown, error = table.recognise(line)
    form = shown.form
    if error:
        return None
    if form is None or not isinstance(form.run, ForPlayer):
        return None
    places = [nth for nth, part in enumerate(form.parameters) if part.sets == "userid"]
    words, at = list(shown.arguments), places[0] if places else 0
    if not places or len(words) < at:
        return None
    if [bare_userid(vocabulary.fold(word)) for word in words[at : at + 1]] == [ask.userid]:
        is_blank = not _NO_PASSWORDS.isdisjoint(words[at + 1 : at + 2])
        del words[at : at + 1 + is_blank]
    try:
        command = form.read(words, shown.kind, {"userid": ask.userid, "password": ask})
    except Unreadable as error:
        return Read(shown, error, text, ask)
    own = (KINDS[ask.kind], ask.number) if ask.is_on_board else None
    if not form.by_letter and own not in (None, (shown.kind, command.get("board"))):
        return None
    return Read(shown, command, text, ask)


def any_of(userid: str) -> Ask:
    """Return what asks a player for any command."""
    return Ask(Topic.DO, (ANY,), userid)


def read_commanded(line: str, text: str, ask: Ask) -> Read | None:
    """Return a command of a player, signed or not, that is a line of an answer; None if none."""
    whole = read_whole(line, text)
    command = whole.command
    is_own = isinstance(command, Command) and command.get("userid") == ask.userid
    if is_own and _NO_PASSWORDS.isdisjoint(whole.line.words):
        return whole
    return read_signed(line, text, ask) or (whole if whole.is_whole else None)


def read_again(line: str, text: str, reply: Ask) -> Read | None:
    """Return the command that plays again or looks back, if a line is the name of one, or None.

    Greetings and the like may stand around it, and it may be a question.
    """
    names = [form.name for form in table.answering(reply, AnsweredBy.NAME)]
    said = wording.worded(line.replace("?", ""), names)
    if not said.is_clear or said.runs or len(said.words) != 1 or said.words[0] not in names:
        return None
    (name,) = said.words
    has_more = vocabulary.in_english(line.strip().rstrip(f"{ENDS}? ")) != name
    chat = "\n".join(filter(None, [line if has_more else "", text]))
    return _read_form(line, table.KIND_FORMS[name], [name], chat, reply)


def read_line(line: str, text: str, reply: Ask) -> Read:
    """Return what a line of an answer means."""
    try:
        words = vocabulary.split_words(line)
    except Unreadable:
        return _read_long(line, text, reply)
    shown = Line(words)
    if not words:
        return Read(shown, Unreadable(EmptyAnswer()))
    if table.NO_LETTER in line:
        return Read(shown, Unreadable(table.UnlabelledCharacter()))
    if begins_whole(line):
        return read_commanded(line, text, reply) or read_whole(line, text)
    try:
        return _read_own(line, text, reply)
    except Unreadable as error:
        return Read(shown, error, text, instead=_instead(error, words, reply))


def _read_long(line: str, text: str, reply: Ask) -> Read:
    """Return what a line means that is longer than any command: text, if it is for others."""
    words = line.split()
    name = vocabulary.in_english(words[0].rstrip(ENDS))
    if name in table.KIND_FORMS and table.KIND_FORMS[name].text is Text.CONTENT:
        return _read_form(line, table.KIND_FORMS[name], words, text, reply)
    return Read(table.recognise(line)[0], Unreadable(UnknownAnswer()), text)


def _read_own(line: str, text: str, reply: Ask) -> Read:
    """Return what a line means in an answer. Raises Unreadable."""
    words = vocabulary.split_words(line)
    return _read_placements(words, text, reply) or _read_word(line, words, text, reply)


def _read_placements(words: Sequence[str], text: str, reply: Ask) -> Read | None:
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


def _read_word(line: str, words: Sequence[str], text: str, reply: Ask) -> Read:
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
        if form and form.by_letter and bare_userid(vocabulary.fold(words[1])) != reply.userid:
            if signed := read_signed(line, text, reply):
                return signed
            raise _unknown(words, reply)
        if signed := read_commanded(line, text, reply):
            return signed
        unsigned = _read_unsigned(line, text, reply)
        if unsigned and bare_userid(vocabulary.fold(words[-1])) != reply.userid:
            return unsigned
        whole = read_whole(" ".join([name, *words[1:]]), text)
        return structs.replace(whole, line=structs.replace(whole.line, words=tuple(words)))
    second = vocabulary.in_english(words[1]) if len(words) > 1 else ""
    of_two = table.KIND_FORMS.get(f"{name} {second}")
    if of_two:
        return _read_form(line, of_two, words[1:], text, reply)
    return _read_form(line, table.KIND_FORMS[name], words, text, reply)


def _unknown(words: Sequence[str], reply: Ask, resembles: str | None = None) -> Unreadable:
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


def _read_deed(line: str, deed: Deed, words: Sequence[str], text: str, reply: Ask) -> Read:
    """Return a deed as a move, alone or with the number after `#`. Raises Unreadable."""
    rest = "".join(words[1:]).rstrip(ENDS)
    if rest and not rest.startswith("#"):
        general = read_whole(line, text)
        if general.is_whole:
            return general
        raise Unreadable(MoreThanDeed(right=deed.value, meant=(move_of(deed, None, reply),)))
    wish, guard = read_wish([deed.value, *([rest] if rest else [])])
    return Read(Line(tuple(words)), move_of(wish, guard, reply), text)


def move_of(wish: Wish, guard: int | None, reply: Ask) -> Command:
    """Return the move of the player who answers."""
    return table.USUAL.command(**reply.values, wish=wish, guard=guard)


def _placed_within(line: str, reply: Ask) -> Meant:
    """Return the moves whose placements stand in a folded line."""
    found = wording.runs_within(vocabulary.probably_latin(line))
    runs = dict.fromkeys(tuple(map(str.upper, run)) for run in found)
    return tuple(move_of(Place(run), None, reply) for run in list(runs)[:MOST_MEANT])


def _read_form(line: str, form: table.AnyForm, words: Sequence[str], text: str, reply: Ask) -> Read:
    """Return the command that a line gives, filled in with what the letter knows.

    Raises Unreadable.
    """
    rest = words[1:]
    if form.text is Text.CONTENT and rest and not _is_of(form, rest):
        _, _, behind = " ".join(line.split()).partition(" ")
        rest, text = [], "\n".join(filter(None, [behind, text]))
    if form.parameters and not (form.is_about_board or form.by_letter):
        return read_whole(" ".join([reply.kind, *words]), text)
    return Read(Line(tuple(words)), form.read_answer(rest, reply), text)


def _is_of(form: table.AnyForm, words: Sequence[str]) -> bool:
    """Return whether what follows a command is one of its own words, and not text."""
    return len(words) == 1 and vocabulary.in_english(words[0], form.words) in form.words


def _instead(error: Unreadable, words: Sequence[str], reply: Ask) -> Meant:
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


def read_worded(line: str, text: str, reply: Ask) -> Read:
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
    if only and only.form is table.USUAL and (said.runs or said.words[0] in _DONE):
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


def _found(said: wording.Wording, reply: Ask) -> Iterator[Command]:
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


def further_below(move: Command, text: str) -> Command | None:
    """Return the first command on a line of its own in the text below a move.

    It is not carried out. What passes the text on is none, and neither is the same move again.
    """
    reply = Ask.on_board(Topic.PLAY, move["kind"].name, move["board"], 0, move["userid"])
    for line in text.splitlines()[:_MOST_LINES_BELOW]:
        # It begins like a command, with a whole word or a placement.
        first = vocabulary.fold("".join(vocabulary.first_words(line, 1))).rstrip(ENDS)
        word = vocabulary.in_english(first.partition("#")[0])
        if not (word in DEEDS or word in KINDS or word in table.KIND_TOPICS or cells_in(first)):
            continue
        command = read_line(line, "", reply).command
        if isinstance(command, Unreadable) or command.form.text is Text.CONTENT:
            continue
        if not (is_move(command) and command["wish"] == move["wish"]):
            return command
    return None


def read_answer(subject: str, text: str, reply: Ask, unsure: str = "") -> Read:
    """Return what an answer says in the first line of its text, or in the player's own Subject.

    Greetings above that line are passed over. If it has both, the one that can be read counts; if
    they say different moves, nothing is done. An answer to chat is chat as a whole, unless it
    begins with a whole command or with the name of one that plays again. `unsure` is what may be
    quoted: it is never done.
    """
    own = [(subject, text)] if subject and not table.is_of_letter(subject) else []
    if reply.topic is Topic.CHAT:
        first, rest = _parted(text)
        return _read_chat([*own, *([(first, rest)] if first else [])], text, reply)
    answers = [read_worded(line, further, reply) for line, further in own]
    answers += [_read_text(text, reply)] if text.strip() else []
    moves = [each.command for each in answers if is_move(each.command)]
    if len({move["wish"] for move in moves}) > 1:
        two = Unreadable(TwoMoves())
        return structs.replace(answers[0], command=two, instead=tuple(moves), words=text)
    readable = (each for each in answers if not isinstance(each.command, Unreadable))
    if found := next(readable, None):
        return found
    nothing = Read(Line(()), Unreadable(UnsureAnswer() if unsure.strip() else EmptyAnswer()))
    wrong = answers[0] if answers else nothing
    meant = wrong.instead or tuple(_moves_in(f"{text}\n{unsure}", reply))
    return structs.replace(wrong, instead=meant, words=text.strip() or subject if answers else "")


def _read_chat(lines: Sequence[tuple[str, str]], text: str, reply: Ask) -> Read:
    """Return what an answer to chat says."""
    whole = (read_commanded(line, below, reply) for line, below in lines if begins_whole(line))
    meant = read_answer("", text, structs.replace(reply, topic=Topic.PLAY)).command
    wish = meant["wish"] if is_move(meant) else None
    begun = next(filter(None, whole), None)
    again = (read_again(line, further, reply) for line, further in lines)
    (form,) = table.answering(reply, AnsweredBy.TEXT)
    chat = Read(Line(()), form.command(**reply.values, meant=wish), text)
    return begun or next(filter(None, again), chat)


def _read_text(text: str, reply: Ask) -> Read:
    """Return what the text of an answer says; what else is in it is for the other player.

    Where a move stands among other words, all of them are. A further move below it makes it
    unclear which of them is meant.
    """
    above, below = without_courtesies(text)
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
    if begins_whole(text):
        return table.parted(text)
    lines = text.strip().split("\n")
    begun = list(takewhile(wording.is_placements, lines)) or lines[:1]
    return " ".join(begun), "\n".join(lines[len(begun) :]).strip("\n")


def without_courtesies(text: str) -> tuple[str, str]:
    """Return the greetings above the first other line of a text, and that line with the rest."""
    lines = text.strip().split("\n")
    for nth, line in enumerate(lines[:_MOST_LINES]):
        if wording.is_placements(line) or (line.strip() and not is_courtesy(line)):
            return "\n".join(lines[:nth]).strip("\n"), "\n".join(lines[nth:])
    return "", text


def _moves_in(text: str, reply: Ask) -> Iterator[Command]:
    """Yield the first few different moves that stand on a line of their own."""
    found: set[Wish] = set()
    lines = (line.lstrip(_MARKS) for line in text.splitlines()[:_MOST_LINES])
    for line in filter(None, lines):
        command = read_worded(line, "", reply).command
        if is_move(command) and command["wish"] not in found and len(found) < MOST_MEANT:
            found.add(command["wish"])
            yield command
