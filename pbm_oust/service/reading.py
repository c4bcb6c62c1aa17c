"""Reading of mails: the command in a line, in an answer to a letter, or of a code."""

from contextlib import suppress

from msgspec import structs

from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.password import Secret
from pbm_oust.board import Place
from pbm_oust.grammar import vocabulary, wording
from pbm_oust.grammar.form import AnsweredBy, Command, Line
from pbm_oust.grammar.habits import FIRST_STEPS, praises, said_plainly
from pbm_oust.grammar.notation import Text
from pbm_oust.languages import language_named
from pbm_oust.play.request import Request
from pbm_oust.play.verification import NotConfirmed
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import KINDS
from pbm_oust.service import table
from pbm_oust.service.answers import (
    ENDS,
    EmptyAnswer,
    Read,
    UnsureAnswer,
    begins_whole,
    further_below,
    is_move,
    read_answer,
    read_commanded,
    without_courtesies,
)

_OF_GUEST = table.Empty, table.AnswerToBoard, vocabulary.NoneOfThese
"""Why what somebody without an account answers is no command, but is for the letter."""
_MOST_RESEMBLING = 3
"""How many words a line has that may be a misspelt command without parameters."""
_MOST_CHOSEN = 3
"""How many words an answer has at most that chooses one of several things: `oust 17 alice`."""
_MOST_ALONE = 2
"""How many words a value has with its name."""


class NoSolution(UnreadableReason, frozen=True):
    """An answer to a puzzle is neither a turn nor a word that is understood there."""


def read_request(request: Request, *, is_whole_mail: bool = True) -> Read:
    """Return what a request asks for.

    Only a whole mail may ask for it in plain words, and none with a header that robots have too.
    """
    if request.guest and not request.mark:
        request = _below_greeting(request)
    is_known = request.code or request.reply or request.guest or request.mark
    wish = table.granted(request.line) if is_whole_mail and not is_known else ""
    read = _with_lines_below(_read(structs.replace(request, line=wish) if wish else request))
    if wish and isinstance(read.command, Command):
        read = structs.replace(read, is_first=read.command == _first_steps())
    command, unsure = read.command, request.unsure
    form = command.form if isinstance(command, Command) else None
    if (form and form.text is Text.UNSEEN) or not unsure.strip():
        return read
    return structs.replace(read, text="\n".join(filter(None, (read.text, unsure))).strip("\n"))


def _below_greeting(request: Request) -> Request:
    """Return a guest's answer without the greeting above its command, if it has both."""
    _, below = without_courtesies(f"{request.line}\n{request.chat}")
    first, rest = table.parted(below) if below.strip() else ("", "")
    if first in ("", request.line) or table.recognise(first)[1]:
        return request
    return structs.replace(request, line=first, chat=rest)


def _read(request: Request) -> Read:
    """Return what a request asks for, without the text that may be quoted."""
    ask = request.reply
    if ask and ask.topic is Topic.OFF:
        return Read(Line(()), _ending(ask), "", ask)
    if request.fault:
        return Read(Line(()), Unreadable(request.fault), request.chat, ask)
    if ask and ask.is_on_board:
        answer = read_answer(request.line, request.chat, ask, request.unsure)
        return structs.replace(answer, reply=None if answer.is_whole else answer.reply or ask)
    if ask and ask.topic is Topic.PUZZLE:
        return _read_solving(request, ask)
    if ask:
        return _read_letter(request, ask)
    line = request.line
    if request.code:
        found = _line_with(request.code, request.line, request.chat)
        if found is None and (wording.refuses(request.line) or wording.refuses(request.chat)):
            no = table.OF_CODE.command(code=request.code, new=None, is_agreed=False)
            return Read(Line((table.OF_CODE.name,)), no, request.chat)
        if found is None:
            chosen = _chosen_in(request.chat)
            meant = table.OF_CODE.command(code=request.code, new=None, chosen=chosen)
            wrong = Unreadable(NotConfirmed())
            return Read(Line(()), meant if chosen else wrong, request.chat)
        line = found
    if not line.strip() and request.unsure.strip():
        return Read(Line(()), Unreadable(UnsureAnswer()))
    guest = None if request.mark else request.guest
    if guest and (of_guest := _read_guest(line, request.chat, guest)):
        return of_guest
    shown, command = table.parse_line(line)
    is_asked = line == request.line and ":" not in line
    asked = command if is_asked else table.parse_line(request.line.partition(":")[0])[1]
    if tried := _tried_by_subject(asked, request.chat):
        return Read(shown, tried)
    further = further_below(command, request.chat) if is_move(command) else None
    return Read(shown, command, request.chat, further=further)


def _read_guest(line: str, text: str, ask: Ask) -> Read | None:
    """Return what somebody without an account answers; None for a command like any other.

    What is no command is for the letter: a turn of a puzzle, or how to begin. What may be a
    misspelt command is not.
    """
    whole = "\n".join(filter(None, (line, text)))
    if ask.topic is Topic.PUZZLE:
        return _solution_in(whole, ask)
    shown, command = table.parse_line(line)
    if isinstance(command, Command):
        return None
    with suppress(ValueError):
        chosen = language_named(vocabulary.without_accents(whole.strip(f"{ENDS} ").lower()))
        return Read(shown, _first_steps(), chosen=chosen)
    wish = table.granted(line)
    if begun := _begun(whole, ask, may_be_name=not wish):
        return begun
    if wish and wish != FIRST_STEPS:
        return Read(*table.parse_line(wish), text)
    is_misspelt = vocabulary.meant_by(command) or not isinstance(command.reason, _OF_GUEST)
    return None if is_misspelt else first_steps(shown)


def _begun(whole: str, ask: Ask, *, may_be_name: bool) -> Read | None:
    """Return the command that an answer to the first letter or an invitation says, or None.

    A point may stand among other words, as in an answer to a letter about a board. `may_be_name`:
    whether a single word can be the userid that is wanted.
    """
    if ask.topic not in (Topic.BEGIN, Topic.INVITATION):
        return None
    read = read_answer("", whole, Ask.on_board(Topic.PLAY, next(iter(KINDS)), 1, 0, ""))
    if is_move(read.command) and isinstance(read.command["wish"], Place):
        words = [",".join(read.command["wish"].cells)]
    else:
        _, below = without_courtesies(whole)
        line, _, rest = (below.strip() or whole).partition("\n")
        words = list(vocabulary.first_words(line.rstrip(f"{ENDS} "), vocabulary.MOST_WORDS))
        is_name = len(words) == 1 and not wording.agrees(line)
        if not words or (is_name and (rest.strip() or not may_be_name)):
            return None
    for form in table.answering(ask, AnsweredBy.WORDS):
        with suppress(Unreadable):
            return Read(Line(tuple(words)), form.read_answer(words, ask))
    return None


def first_steps(line: Line) -> Read:
    """Return that a line is no command, and that its writer is to be told how to begin."""
    return Read(line, _first_steps(), is_first=True)


def names_no_command(read: Read, line: str) -> bool:
    """Return whether a line that was read is no command, and resembles none.

    A sentence that begins with something like a word without any words behind it resembles none.
    """
    error, form = read.command, read.line.form
    if not isinstance(error, Unreadable):
        return False
    if isinstance(error.reason, table.WhichGame):
        return not any(isinstance(table.parse_line(f"{kind} {line}")[1], Command) for kind in KINDS)
    is_bare = form is None or not form.parameters
    is_sentence = is_bare and len(line.split()) > _MOST_RESEMBLING
    if vocabulary.meant_by(error) and not is_sentence:
        return False
    return is_bare and (form is None or is_sentence or Topic.BEGIN in form.answers)


def _first_steps() -> Command | Unreadable:
    return table.parse_line(FIRST_STEPS)[1]


def _read_letter(request: Request, ask: Ask) -> Read:
    """Return what an answer to a letter says that asks for no turn.

    It says what the letter asks for, or any other command of its reader, or a plain sentence. A
    Subject counts only if it is a whole command of theirs, or if a link has begun it.
    """
    for form in table.answering(ask, AnsweredBy.TEXT):
        return _read_content(form, request.chat, ask)
    for form in table.answering(ask, AnsweredBy.LINK):
        begun = [vocabulary.in_english(word) for word in vocabulary.first_words(request.line, 3)]
        if begun == [ask.kind, form.name, str(ask.number)]:
            line = table.recognise(request.line)[0]
            return Read(line, form.command(**form.known_to(ask)), request.chat, ask)
    above, below = without_courtesies(request.chat)
    first, rest = table.parted(below) if below.strip() else ("", "")
    text = "\n".join(filter(None, (above, rest)))
    alone = _read_words_alone(first, text, ask)
    if alone and isinstance(alone.command, Command):
        return alone
    if found := _read_named(first, text, ask) or read_commanded(first, text, ask):
        return found
    if praises(request.chat):
        for form in table.FORMS:
            if form.thanked_on is ask.topic:
                thanked = form.command(**form.known_to(ask))
                return Read(Line(()), thanked, request.chat, ask, is_thanks=True)
    if wish := table.granted(first):
        return Read(*table.parse_line(wish), text)
    line, command = table.parse_line(request.line)
    if isinstance(command, Command) and (command.get("userid") == ask.userid or not first):
        return Read(line, command, request.chat)
    if not first:
        return Read(line, Unreadable(UnsureAnswer() if request.unsure else EmptyAnswer()), "", ask)
    return alone or Read(*table.parse_line(first), text, ask)


def _read_content(form: table.AnyForm, text: str, ask: Ask) -> Read:
    """Return the command whose content a text is; or the whole command with which it begins.

    The first line of that begins with the name of a game and can be read.
    """
    first, rest = table.parted(text)
    if begins_whole(first) and (found := read_commanded(first, rest, ask)):
        return found
    return Read(Line(()), form.command(**form.known_to(ask)), text, ask)


def _read_named(line: str, text: str, ask: Ask) -> Read | None:
    """Return what a line says that begins with the name of a command the letter asks for.

    It needs no more than that name, and what follows its parameters. None for other lines.
    """
    words = vocabulary.first_words(line, vocabulary.MOST_WORDS)
    if len(words) > 1 and vocabulary.in_english(words[0]) == ask.topic.value:
        words = words[1:]
    name = vocabulary.in_english(words[0].strip(ENDS)) if words else ""
    forms = table.answering(ask, AnsweredBy.NAME)
    form = next((each for each in forms if name in (each.name, each.name.split()[-1])), None)
    if form is None:
        return None
    try:
        return Read(Line(tuple(words)), form.read_answer(words[1:], ask), text, ask)
    except Unreadable as error:
        return Read(Line(tuple(words)), error, text, ask)


def _read_words_alone(line: str, text: str, ask: Ask) -> Read | None:
    """Return the command that a letter names, with the words of a line behind it.

    It cannot be read if a value is wrong. None for other lines.
    """
    form = next(iter(table.answering(ask, AnsweredBy.WORDS)), None)
    words = vocabulary.first_words(line, vocabulary.MOST_WORDS)
    if form is None or not words or begins_command(line) or said_plainly(line):
        return None
    whole = Line((form.name, ask.userid, "?", *words), form, own_words=1)
    try:
        command = form.read_answer(words, ask)
    except Unreadable as error:
        # Long lines are sentences, unless they begin as what is asked for.
        is_meant = len(words) <= _MOST_ALONE or vocabulary.is_of(form.words, words[0])
        is_other = table.recognise(line)[0].form is not None
        if not is_meant or (is_other and words[0] == error.culprit):
            return None
        return Read(Line(tuple(words)), error, text, ask, meant=whole)
    return Read(Line((form.name, *words), form, own_words=1), command, text, ask)


def _with_lines_below(read: Read) -> Read:
    """Return the same with what lines below its command add to that; nobody else sees them."""
    if isinstance(read.command, Unreadable):
        return read
    try:
        command, text = read.command.form.with_lines(read.command, read.text)
    except Unreadable as error:
        return structs.replace(read, command=error, text="")
    return structs.replace(read, command=command, text=text)


def begins_command(line: str) -> bool:
    """Return whether a line begins with the whole name of a command or of a game."""
    first = [vocabulary.in_english(word) for word in vocabulary.first_words(line, 1)]
    topics = {form.topic for form in table.GENERAL_FORMS.values()}
    return any(word in KINDS or word in topics for word in first)


def _read_solving(request: Request, solving: Ask) -> Read:
    """Return what an answer to a puzzle says in its text, or in a Subject of the player's own."""
    said = _solution_in(request.chat, solving)
    line, command = table.parse_line(request.line)
    if isinstance(command, Command) and (said is None or isinstance(said.command, Unreadable)):
        return Read(line, command, request.chat)
    (form,) = table.answering(solving, AnsweredBy.WORDS)
    shown = form.command(**form.known_to(solving))
    return structs.replace(said or Read(line, shown), reply=solving)


def _tried_by_subject(asked: Command | Unreadable, text: str) -> Command | None:
    """Return what the text of a mail tries, if its Subject asks for a puzzle; None if nothing.

    So answer those who have no account.
    """
    if isinstance(asked, Unreadable) or Topic.PUZZLE not in asked.form.answers:
        return None
    if not asked["number"]:
        return None
    solving = Ask.numbered(Topic.PUZZLE, asked["kind"].name, asked["number"], "")
    said = _solution_in(text, solving)
    return said.command if said and isinstance(said.command, Command) else None


def _solution_in(text: str, solving: Ask) -> Read | None:
    """Return what a text says about a puzzle: placements, a word, or a whole command.

    None if it says nothing.
    """
    first, _, rest = text.strip().partition("\n")
    if not first:
        return None
    (form,) = table.answering(solving, AnsweredBy.WORDS)
    words = vocabulary.first_words(first.rstrip(f"{ENDS} "), 2)
    if len(words) == 1 and vocabulary.in_english(words[0], form.words) in form.words:
        return Read(Line(words), form.read_answer(words, solving), rest)
    reply = Ask.on_board(Topic.PLAY, solving.kind, 1, 0, solving.userid)
    read = read_answer("", text, reply)
    if is_move(read.command) and isinstance(read.command["wish"], Place):
        tried = form.read_answer([",".join(read.command["wish"].cells)], solving)
        return structs.replace(read, command=tried)
    if solving.userid and (own := read_commanded(first, rest, solving)):
        return own
    # Nothing else is taken that would be done on a board.
    return read if read.is_whole else Read(read.line, Unreadable(NoSolution()), text)


def _ending(asked: Ask) -> Command:
    """Return the command that ends letters of one sort: the one whose every value its ask knows."""
    forms = table.answering(asked, AnsweredBy.ANYTHING)
    form = next(each for each in forms if set(each.names) <= asked.values.keys())
    return form.command(**asked.values)


def _chosen_in(text: str) -> tuple[str, ...]:
    """Return the words of an answer that may choose one of several things; none if it is longer."""
    _, below = without_courtesies(text)
    words = vocabulary.first_words(below.partition("\n")[0], _MOST_CHOSEN + 1)
    folded = tuple(vocabulary.fold(word.strip(ENDS)) for word in words)
    return folded if len(words) <= _MOST_CHOSEN else ()


def _line_with(code: Secret, subject: str, text: str) -> str | None:
    """Return the line that brings a code back, or None if its mail does not say that it shall.

    The sender's own words must hold the code, agree, or give a new password: anything else may
    be the automatic answer of somebody who is away.
    """
    begun = [vocabulary.in_english(word) for word in vocabulary.first_words(subject, 2)]
    if begun == [table.OF_CODE.name, code.text]:
        return subject
    holds_code = code.text in vocabulary.fold(text).split()
    is_meant = (
        holds_code
        or wording.agrees(subject)
        or wording.agrees(text)
        or wording.new_password_in(text)
    )
    return table.OF_CODE.command(code=code, new=None).line(mask=False) if is_meant else None
