"""The table of all commands: parsing, formatting, masking and completing lines."""

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules

from msgspec import Struct, structs

from pbm_oust import commands
from pbm_oust.accounts.asks import Ask, Credential, Topic
from pbm_oust.accounts.password import NO_PASSWORD, Secret, masked
from pbm_oust.accounts.tags import without_tokens
from pbm_oust.board import WISHED, Game
from pbm_oust.grammar import parts, vocabulary
from pbm_oust.grammar.form import (
    AnsweredBy,
    Command,
    Form,
    Line,
    MissingWord,
    SurplusWord,
    to_player,
)
from pbm_oust.grammar.habits import as_written_here, is_courtesy, said_plainly, wished_plainly
from pbm_oust.grammar.notation import Heading, Text
from pbm_oust.grammar.values import BadPassword, of_board
from pbm_oust.grammar.wish import DEEDS
from pbm_oust.grammar.wording import is_placements
from pbm_oust.play.unit_of_work import ForCode, ForEither, ForLines, Run
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import KINDS, Kind

AnyForm = Form[Run]

_GAME = "|".join(KINDS)
_BEGINS_WITH_BOARD = re.compile(rf"(?:{_GAME}) [0-9]+:?(?: .*)?", re.DOTALL)
_ENDS_WITH_BOARD = re.compile(rf"[^:]*: (?:{_GAME}) [0-9]+", re.DOTALL)
"""The Subject of a letter about a board, such as `carol challenges you: oust 5`."""

NO_LETTER = "\ufffd"
"""What stands in a text for a letter that could not be read."""

_WORDS_OF_LONG_LINE = 3
"""How many words are kept of a line that is too long to be read."""

_PLAYED = re.compile(rf"[a-z][0-9]{{1,2}}\b.*|{'|'.join(deed.value for deed in WISHED)}")
"""What players write when they think that they are answering a board mail."""
_OPTION = re.compile(r"--?(?P<name>[a-z]+)(?P<value>=)?")
_SHORTEST_MISSPELT = 8
"""The letters of a first word that may be a misspelt challenge; shorter ones begin sentences."""
_NARROWEST = 60
"""Programs that break long lines leave at least this many columns."""
_PREFIX = re.compile(
    r"\s*(?P<words>[^\s:]{1,20}(?:\s[^\s:]{1,20})?)(?:\s?[\[(^*]?\d{1,3}[\])]?)?\s?:\s*(?=\S)"
)
"""What mail programs put before a Subject, such as `Re[2]:` in any language."""
_PLACED = re.compile(r"([a-z][0-9]{1,2}[,;]?)+")
_UNSAID = ("?", "?")
"""Stand for the userid and the password that a line lacks."""


def _found() -> Mapping[Heading, Sequence[AnyForm]]:
    """Return the forms of all command modules under their headings; each stands there once."""
    found: dict[Heading, dict[AnyForm, None]] = {heading: {} for heading in Heading}
    for name in sorted(module.name for module in iter_modules(commands.__path__)):
        module = import_module(f"{commands.__name__}.{name}")
        found[module.HEADING].update(dict.fromkeys(module.FORMS))
    return {heading: tuple(forms) for heading, forms in found.items()}


FORMS_UNDER = _found()
"""The forms of all commands as the help's overview shows them."""
FORMS = tuple(chain(*FORMS_UNDER.values()))
"""All of them, in that order."""

GENERAL_FORMS = {form.name: form for form in FORMS if not form.is_of_kind}
_GENERAL_TOPICS = {form.topic for form in GENERAL_FORMS.values()}
_FIRST_WORDS = {*KINDS, *_GENERAL_TOPICS}
KIND_FORMS = {form.name: form for form in FORMS if form.is_of_kind}
KIND_TOPICS = tuple(dict.fromkeys(form.topic for form in KIND_FORMS.values()))
"""The words that may follow the name of a game."""
_BEGIN_COMMANDS = {*KINDS, *KIND_TOPICS, *_GENERAL_TOPICS, *DEEDS}
_BY_TOPIC = {form.topic: form for form in reversed(FORMS)}
_BY_NAME = _BY_TOPIC | {form.name: form for form in FORMS}

USUAL = next(form for form in FORMS if form.is_usual)
"""The command that an answer to a letter about a board need not name: the move."""
OF_LINES = next(form for form in FORMS if isinstance(form.run, ForLines))
"""The command whose mail holds others."""
OF_CODE = next(form for form in FORMS if isinstance(form.run, ForCode))
"""The command that brings a code back."""

VOCABULARY = frozenset(
    {*KINDS, *vocabulary.ALIASES}
    | {word for form in FORMS for word in form.name.split()}
    | {word for form in FORMS for word in form.words}
)
"""The words of the grammar, which no password can be."""


class Empty(UnreadableReason, frozen=True):
    """There is no command to read."""


class UnlabelledCharacter(UnreadableReason, frozen=True):
    """The mail holds a character but does not say which one."""


class AnswerToBoard(UnreadableReason, frozen=True):
    """A mail looks like an answer to a board mail, but nothing proves who sent it."""


class WhichGame(UnreadableReason, frozen=True):
    """A line begins with a command of a game, but does not say of which one."""

    name: str
    """The command."""


class SaidPlainly(UnreadableReason, frozen=True):
    """A sentence asks for something that a command does."""


_OF_NO_COMMAND = (Empty, UnlabelledCharacter, vocabulary.NoneOfThese)
"""Why the first word of a line names no command."""


def is_of_letter(subject: str) -> bool:
    """Return whether a Subject is that of one of our letters about a board."""
    return begins_with_board(subject) or ends_with_board(subject)


def form_named(name: str) -> AnyForm:
    """Return the form with a name, or else the first whose name begins with it. Raises KeyError."""
    return _BY_NAME[name]


def playing_again(game: Game, userid: str) -> tuple[Command, ...]:
    """Return the commands with which a player starts the next game after one that has ended."""
    again = (form for form in KIND_FORMS.values() if form.plays_again)
    return tuple(form.command(**of_board(game), userid=userid) for form in again)


def answering(ask: Ask, said: AnsweredBy) -> list[AnyForm]:
    """Return the forms of the commands that an answer to a letter may say in one of the ways."""
    forms = (form for form in FORMS if form.answers.get(ask.topic) is said)
    return [form for form in forms if ask.topic is not Topic.DO or form.name in ask.about]


def begins_with_board(subject: str) -> bool:
    """Return whether a Subject begins as those of most of our letters about boards."""
    return bool(_BEGINS_WITH_BOARD.fullmatch(_folded(subject)))


def ends_with_board(subject: str) -> bool:
    """Return whether a Subject ends as those of our other letters about boards."""
    return bool(_ENDS_WITH_BOARD.fullmatch(_folded(subject)))


def lines_of(text: str) -> list[str]:
    """Return the commands of a text that holds nothing else, a line each.

    Mail programs break long lines: one that begins with an option belongs to the line right above
    it. So does one that begins with no word of a command, if its first word had no room there, or
    if what is above it is no command without it.
    """
    lines, above = list[str](), ""
    for line in text.splitlines():
        words = line.split()
        if above and words and not _begins_command(line) and _is_end(lines[-1], above, words[0]):
            lines[-1] += f" {line.strip()}"
        elif words:
            lines.append(line)
        above = line.strip()
    return lines


def _is_end(command: str, above: str, word: str) -> bool:
    """Return whether a command, the latest line of which is `above`, goes on with a word below."""
    is_sure = parts.is_option(word) or _is_full(above, word)
    return is_sure or isinstance(parse_line(command)[1], Unreadable)


def _is_full(above: str, word: str) -> bool:
    """Return whether a word had no room on the line above it."""
    return len(above.rstrip()) + 1 + len(word) > _NARROWEST


def _begins_command(line: str) -> bool:
    """Return whether a line begins with a word of the commands, or with one that resembles one."""
    words = vocabulary.first_words(line, 1)
    if not words or parts.is_option(words[0]):
        return False
    try:
        return bool(vocabulary.find_command_word(words[0], {*_FIRST_WORDS, *KIND_TOPICS}))
    except Unreadable as error:
        return bool(vocabulary.meant_by(error))


def parted(text: str) -> tuple[str, str]:
    """Return the command in the first line of a text that is not empty, and what follows it.

    The end of that line, if a mail program has broken it, is part of the command.
    """
    first, _, rest = text.lstrip().partition("\n")
    form, above = recognise(first)[0].form, first
    while form and rest:
        below, _, further = rest.partition("\n")
        if not _goes_on(form, above, below):
            break
        first, above, rest = f"{first.rstrip()} {below.strip()}", below, further
    return first, rest.strip("\n")


def _goes_on(form: AnyForm, above: str, line: str) -> bool:
    """Return whether a line right below a command is certainly the end of it.

    It begins with one of its options; or it had no room above, and is no text for others.
    """
    words = line.split()
    if not words:
        return False
    option = _OPTION.match(vocabulary.fold(words[0]))
    if option and (option["value"] or option["name"] in parts.names_of(form.options)):
        return bool(form.options)
    return _is_full(above, words[0]) and (form.text is Text.UNSEEN or is_placements(line))


def is_asked(text: str) -> bool:
    """Return whether a Subject is that of a letter of ours, or asks for something.

    It need not be readable, if it begins as a command or a move does.
    """
    _, error = recognise(text)
    if not (error and isinstance(error.reason, _OF_NO_COMMAND)) or granted(text):
        return True
    return any(vocabulary.in_english(word) in _FIRST_WORDS for word in text.split()[:1])


def behind_prefix(subject: str) -> str:
    """Return what stands in a Subject behind a colon and one or two words of no command.

    It is empty if there are no such words.
    """
    found = _PREFIX.match(subject)
    if not found:
        return ""
    first, *others = (vocabulary.in_english(word) for word in found["words"].split())
    is_own = _PLAYED.fullmatch(first) or first == "if" or not any(map(str.isalpha, first))
    if is_own or not _BEGIN_COMMANDS.isdisjoint((first, *others)):
        return ""
    return subject[found.end() :]


def _folded(subject: str) -> str:
    return " ".join(vocabulary.fold(subject).split())


def granted(text: str) -> str:
    """Return the line that grants the wish of somebody who knows no commands; empty if none."""
    try:
        words = vocabulary.split_words(text)
    except Unreadable:
        return ""
    kind = words[0].lower() if words else ""
    if kind not in KINDS:
        return wished_plainly(words, KINDS, _BEGIN_COMMANDS)
    _, error = recognise(text)
    is_unlike = error and isinstance(error.reason, vocabulary.UnknownWord)
    if not is_unlike or (error and vocabulary.meant_by(error)):
        return ""
    return wished_plainly(words[1:], (kind,), _BEGIN_COMMANDS)


def recognise(text: str) -> tuple[Line, Unreadable | None]:
    """Return a line with the command that its first words name, or the reason why there is none."""
    try:
        written = vocabulary.split_words(text)
        line = Line(as_written_here(written, KINDS, KIND_TOPICS, _GENERAL_TOPICS))
    except Unreadable as error:
        return Line((*vocabulary.first_words(text, _WORDS_OF_LONG_LINE), "..")), error
    if not line.words:
        return line, Unreadable(Empty())
    if NO_LETTER in text:
        return line, Unreadable(UnlabelledCharacter())
    first, *others = line.words
    # The general command reject has words after it; an answer to an offer has none.
    meant = vocabulary.in_english(first)
    is_general = bool(others) and meant in GENERAL_FORMS
    if _PLAYED.fullmatch(meant) and not is_general:
        move = Line(line.words, USUAL, next(iter(KINDS.values())), len(line.words))
        return move, Unreadable(AnswerToBoard(), first)
    said = " ".join(line.words)
    if ": " in said and ends_with_board(said):
        return line, Unreadable(AnswerToBoard(), others[-1])
    if meant not in _FIRST_WORDS and (name := said_plainly(said)):
        kind = None if name in GENERAL_FORMS else next(iter(KINDS.values()))
        return Line((), _BY_NAME[name], kind), Unreadable(SaidPlainly())
    try:
        word = vocabulary.find_command_word(first, _FIRST_WORDS)
    except Unreadable as error:
        return _guessed(line, error)
    if word in _GENERAL_TOPICS:
        return _named(line, word, GENERAL_FORMS)
    kind = KINDS[word]
    if not others:
        return line, Unreadable(MissingWord(KIND_TOPICS))
    if others[0][:1].isdigit() and begins_with_board(said):
        words = line.words
        if all(_PLACED.fullmatch(vocabulary.fold(other)) for other in others[1:]):
            words = (first, others[0], *_UNSAID, *others[1:])
        likely = Line(words, USUAL, kind, 1)
        return likely, Unreadable(AnswerToBoard(), others[0])
    try:
        topic = vocabulary.find_command_word(others[0], KIND_TOPICS)
    except Unreadable as error:
        meant_topic = vocabulary.meant_by(error)
        return _named(line, meant_topic, KIND_FORMS, kind)[0] if meant_topic else line, error
    return _named(line, topic, KIND_FORMS, kind)


def parse_line(text: str) -> tuple[Line, Command | Unreadable]:
    """Return a line as far as it is understood, and its command or why it has none."""
    line, error = recognise(text)
    if error or line.form is None:
        return line, error or Unreadable(Empty())
    try:
        command = line.form.read(line.arguments, line.kind)
    except Unreadable as unread:
        is_too_long = isinstance(unread.reason, SurplusWord) and line.form.rest is None
        if is_too_long and said_plainly(" ".join(line.words)) == line.form.name:
            return Line((), line.form, line.kind), Unreadable(SaidPlainly())
        return line, unread
    name = line.form.new_password
    new, own = command.get(name), command.get("userid")
    if isinstance(new, Secret) and vocabulary.is_of(VOCABULARY | {own}, new.text):
        return line, Unreadable(BadPassword())
    return line, command


def _named(
    line: Line, topic: str, forms: Mapping[str, AnyForm], kind: Kind | None = None
) -> tuple[Line, Unreadable | None]:
    """Return a line whose command has this first word, with the one of some forms that it names."""
    own = 2 if kind else 1
    first, seconds = forms.get(topic), seconds_of(topic, forms)
    behind = line.words[own] if line.words[own:] else ""
    if first and (not seconds or not behind or parts.is_option(behind)):
        return Line(line.words, first, kind, own), None
    if not behind:
        return line, Unreadable(MissingWord(tuple(seconds)))
    known = {*seconds, *(first.words if first else ())}
    try:
        word, error = vocabulary.find_command_word(behind, known), None
    except Unreadable as unknown:
        word, error = vocabulary.meant_by(unknown) or "", unknown
    if word in seconds:
        return Line(line.words, seconds[word], kind, own + 1), error
    return Line(line.words, first, kind, own) if first else line, error


def seconds_of(topic: str, forms: Mapping[str, AnyForm]) -> dict[str, AnyForm]:
    """Return the forms whose names have two words and begin with `topic`, by their second words."""
    begun = f"{topic} "
    return {
        name.removeprefix(begun): form for name, form in forms.items() if name.startswith(begun)
    }


def _guessed(line: Line, error: Unreadable) -> tuple[Line, Unreadable]:
    """Return the line with the command that its unknown first word probably means, and why not."""
    name = vocabulary.in_english(line.words[0])
    if name in KIND_FORMS:
        meant = Line(line.words, KIND_FORMS[name], next(iter(KINDS.values())), 1)
        return meant, Unreadable(WhichGame(name), line.words[0])
    return _misspelt(line, error) or (_guess(line, error), error)


def _misspelt(line: Line, error: Unreadable) -> tuple[Line, Unreadable] | None:
    """Return the line as the challenge that its unknown first word probably means, or None."""
    first = vocabulary.plain_word(line.words[0])
    is_reason = isinstance(error.reason, vocabulary.UnknownWord)
    if len(first) < _SHORTEST_MISSPELT or not is_reason:
        return None
    name = vocabulary.resembling(first, [*_FIRST_WORDS, *KIND_TOPICS])
    form = KIND_FORMS.get(name or "")
    if form is None or not isinstance(form.run, ForEither):
        return None
    if len(parts.without_options(line.words)) > len(form.parameters) + 2:
        return None
    reason = structs.replace(error.reason, resembles=name)
    meant = Line(line.words, form, next(iter(KINDS.values())), 1)
    return meant, Unreadable(reason, line.words[0])


def _guess(line: Line, error: Unreadable) -> Line:
    """Return the line with the command that its unknown first word probably means."""
    meant = vocabulary.meant_by(error)
    if meant and meant in _GENERAL_TOPICS:
        guessed, _ = _named(line, meant, GENERAL_FORMS)
        if guessed.form and not guessed.form.parameters:
            return Line(line.words[:1], guessed.form, None, 1)
        return guessed
    if meant and len(line.words) > 1:
        try:
            topic = vocabulary.find_command_word(line.words[1], KIND_TOPICS)
        except Unreadable:
            return line
        return _named(line, topic, KIND_FORMS, KINDS[meant])[0]
    return line


_LONGEST_BEGINNING = 8
"""The password of a command is among this many words from its beginning."""

_MAY_SHOW = to_player(VOCABULARY, lambda _word: False)

_SHORTEST_BEGINNING = 4
"""How many letters of a general command are needed to recognise it within a text."""


_MOST_GUESSED = 100
"""In how many places of a text a misspelt command is looked for; behind them, all that might be a
password is masked."""

_WORD = re.compile(r"[^\s>|]\S*")
"""A word, without the marks of a quote in front of it."""

_OF_SENTENCE = re.compile(r"\w[^\W\d_A-Z]+[^\w\s]*")
"""A word as sentences have it, with the signs behind it; many passwords are none."""

_BEGINNINGS = frozenset(
    name[:end]
    for names, shortest in (
        ((*KINDS, *KIND_TOPICS), 1),
        ((*GENERAL_FORMS, *vocabulary.ALIASES), _SHORTEST_BEGINNING),
    )
    for name in names
    for end in range(shortest, len(name) + 1)
).union(GENERAL_FORMS)
"""How commands begin in a text; `for` is more likely the word than forget."""


def without_passwords(text: str, password: Credential | None = None) -> str:
    """Return a text for other eyes, with possible passwords masked.

    That is the given password, and any command that may hold one. Tokens that prove who sent an
    answer are masked as well.
    """
    if not text:
        return text
    text = without_tokens(text, vocabulary.MASK)
    if isinstance(password, Secret) and password != NO_PASSWORD:
        text = masked(
            text, re.compile(f"({re.escape(password.text)})", re.IGNORECASE), vocabulary.MASK
        )
    return _without_commands(text)


def may_hold_password(line: Line, answered: Ask | None) -> bool:
    """Return whether a password may be among the words of a line.

    There is none in a command without a place for one, nor in an answer to a letter, unless that
    begins as a command does.
    """
    if line.form:
        rest = line.form.rest
        return any(each.is_secret for each in line.form.parameters) or bool(rest and rest.is_secret)
    return not answered or (bool(line.words) and vocabulary.is_of(_BEGINNINGS, line.words[0]))


def _without_commands(text: str) -> str:
    """Return a text in which commands that take a password are masked, also those of two lines."""
    guesses = iter(range(_MOST_GUESSED))  # one for each misspelt command that is still looked for
    words, rows = list(_WORD.finditer(text)), list[int]()
    row = looked_at = 0
    for word in words:
        row += text.count("\n", looked_at, word.start())
        looked_at = word.start()
        rows.append(row)
    shown, done, nth = list[str](), 0, 0
    while nth < len(words):
        begun = words[nth : nth + _LONGEST_BEGINNING]
        of_line = words[nth : bisect_right(rows, rows[nth])]
        taken = of_line[:_LONGEST_BEGINNING]
        is_begun = not nth or rows[nth - 1] != rows[nth] or words[nth - 1][0].endswith(":")
        found, is_guessed = _command_of(taken, is_begun=is_begun)
        if is_guessed and next(guesses, None) is None:
            taken, found = of_line, Line(tuple(word[0] for word in of_line))
        elif not found and len(taken) < len(begun) and _command_of(begun)[0]:
            while not found:
                taken = begun[: len(taken) + 1]
                found, _ = _command_of(taken)
        if found:
            shown += [text[done : taken[0].start()], found.shown(_MAY_SHOW)]
            done = taken[-1].end()
        nth += len(taken) if found else 1
    return "".join([*shown, text[done:]])


def _command_of(
    words: Sequence[re.Match[str]], *, is_begun: bool = False
) -> tuple[Line | None, bool]:
    """Return the command with a password that words are, if any, and whether that was a guess.

    `is_begun`: whether a line begins with them.
    """
    if not (
        vocabulary.is_of(_BEGINNINGS, words[0][0])
        and any(len(word[0]) >= vocabulary.SHORTEST_PASSWORD for word in words[1:])
    ):
        return None, False
    line, error = recognise(" ".join(word[0] for word in words))
    places = line.form.secret_places(line.arguments) if line.form else ()
    is_likely = _is_likely(line, places, is_begun=is_begun)
    is_guessed = error is not None and isinstance(error.reason, vocabulary.UnknownWord | WhichGame)
    return (line if is_likely else None), is_guessed


def _is_likely(line: Line, places: Collection[int], *, is_begun: bool) -> bool:
    """Return whether a line with words in place of a password is a command and not a sentence."""
    if not (line.form and places) or line.own_words > 1:
        return bool(places)
    if line.kind:
        return line.arguments[0][:1].isdigit()
    said = [line.arguments[place] for place in places]
    is_alone = is_begun and len(line.arguments) == len(line.form.parameters)
    if not is_alone and is_courtesy(line.form.name) and all(map(_OF_SENTENCE.fullmatch, said)):
        return False
    return any(len(word) >= vocabulary.SHORTEST_PASSWORD for word in said)


class Completion(Struct, frozen=True):
    """The words that may come next in a line."""

    words: tuple[str, ...] = ()
    """Words of the commands."""
    place: str = ""
    """The name of what may be put in, such as BOARD or `[USERID..]`."""
    kind: Kind | None = None
    """The game that the line is about, if any."""


def next_in(words: Sequence[str]) -> Completion:
    """Return what may come next after some words."""
    if not words:
        return Completion((*KINDS, *dict.fromkeys(form.topic for form in GENERAL_FORMS.values())))
    line, error = recognise(" ".join(words))
    if line.form and not error:
        found = _behind(line.form, line.arguments, line.kind)
        seconds = () if line.arguments else seconds_of(line.form.name, KIND_FORMS)
        return structs.replace(found, words=(*seconds, *found.words))
    if len(words) > 1:
        return Completion()
    first = vocabulary.fold(words[0])
    if first in KINDS:
        return Completion(KIND_TOPICS, kind=KINDS[first])
    return Completion(tuple(seconds_of(first, GENERAL_FORMS)))


def _behind(form: AnyForm, arguments: Sequence[str], kind: Kind | None) -> Completion:
    """Return what may come next after the name of a command and some words."""
    said = parts.without_options(arguments) if form.options else arguments
    if len(said) < len(form.parameters):
        return Completion(place=form.parameters[len(said)].name, kind=kind)
    if form.rest is None:
        return Completion(kind=kind)
    return Completion(tuple(sorted(form.words)), form.rest.shown[0], kind)
