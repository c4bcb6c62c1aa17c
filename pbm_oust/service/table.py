"""The table of all commands: parsing a line, its vocabulary, and the lines of the help."""

import re
from dataclasses import dataclass

from pbm_oust.accounts.password import Secret
from pbm_oust.board.record import WISHED
from pbm_oust.commands import (
    addresses,
    broadcast,
    challenge,
    export,
    forget,
    help,
    invitations,
    leave,
    lists,
    multiple,
    notes,
    password,
    play,
    queue,
    ratings,
    replay,
    seek,
    settings,
    show,
    signup,
    submit,
    talk,
    vacation,
    verify,
    watch,
)
from pbm_oust.commands.addresses import Add, ChangeAddress
from pbm_oust.commands.broadcast import Broadcast
from pbm_oust.commands.challenge import Challenge
from pbm_oust.commands.export import Export
from pbm_oust.commands.forget import REALLY, Forget
from pbm_oust.commands.help import Help
from pbm_oust.commands.invitations import Limit, Reject, Unreject
from pbm_oust.commands.leave import Delete, Signoff
from pbm_oust.commands.lists import Games, Listing, Past
from pbm_oust.commands.multiple import Multiple
from pbm_oust.commands.notes import DELETE, TakeNote
from pbm_oust.commands.password import ChangePassword, Forgot
from pbm_oust.commands.play import Move, Preview
from pbm_oust.commands.queue import Queue
from pbm_oust.commands.ratings import Ratings, Standings
from pbm_oust.commands.replay import Replay
from pbm_oust.commands.seek import Join, OpenChallenge, Withdraw
from pbm_oust.commands.settings import SETTING_WORDS, Settle
from pbm_oust.commands.show import AllShow, Show, ShowAs
from pbm_oust.commands.signup import Signup
from pbm_oust.commands.submit import Confirm, Submit
from pbm_oust.commands.talk import Chat, Message
from pbm_oust.commands.vacation import Ask, Vacation
from pbm_oust.commands.verify import Verify
from pbm_oust.commands.watch import Unwatch, Watch
from pbm_oust.grammar.aliases import ALIASES, in_english
from pbm_oust.grammar.form import MissingWord
from pbm_oust.grammar.line import Line
from pbm_oust.grammar.passwords import BadPassword
from pbm_oust.grammar.values import Filter
from pbm_oust.grammar.words import find_command_word, fold, is_of, meant_by, split_words
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules.kinds import KINDS

BOARD_OF_SUBJECT = re.compile(r"[0-9]+:?")
"""What stands behind the name of a game in the Subjects of our own letters."""

_PLAYED = re.compile(rf"[a-z][0-9]{{1,2}}\b.*|{'|'.join(deed.value for deed in WISHED)}")
"""What somebody writes who thinks that an answer to a board mail is enough."""

Signed = (
    Move
    | ShowAs
    | Chat
    | Message
    | Settle
    | Limit
    | Reject
    | Unreject
    | TakeNote
    | Watch
    | Unwatch
    | Broadcast
    | Export
    | Vacation
    | Add
    | ChangeAddress
    | ChangePassword
    | Signoff
    | Delete
    | Queue
    | Submit
    | Confirm
    | OpenChallenge
    | Withdraw
    | Join
)
"""The commands that carry the password of an account."""
# Forget proves its password by itself: when its mail comes again, the account has gone.
Unsigned = (
    Help
    | Signup
    | Challenge
    | Replay
    | Preview
    | Show
    | AllShow
    | Games
    | Listing
    | Past
    | Standings
    | Ratings
    | Multiple
    | Forget
    | Verify
    | Forgot
)
Command = Unsigned | Signed

MODULES = (
    help,
    signup,
    verify,
    addresses,
    password,
    leave,
    challenge,
    replay,
    play,
    show,
    lists,
    talk,
    ratings,
    multiple,
    vacation,
    settings,
    invitations,
    notes,
    watch,
    broadcast,
    export,
    forget,
    queue,
    submit,
    seek,
)
"""The modules of all commands, in the order of their usual listing."""

FORMS = tuple(form for module in MODULES for form in module.FORMS)

GENERAL_FORMS = {form.name: form for form in FORMS if not form.is_of_kind}
_GENERAL_TOPICS = {form.topic for form in FORMS if not form.is_of_kind}
KIND_FORMS = {form.name: form for form in FORMS if form.is_of_kind}

VOCABULARY = frozenset(
    {*KINDS, *KIND_FORMS}
    | {word for name in GENERAL_FORMS for word in name.split()}
    | {deed.value for deed in WISHED}
    | {known.value for known in Filter}
    | {Ask.CANCEL.value, DELETE, REALLY, *SETTING_WORDS, *ALIASES}
)
"""The words of the grammar, which no password can be."""


@dataclass(frozen=True, slots=True)
class Empty(UnreadableReason):
    """There is no command to read."""


@dataclass(frozen=True, slots=True)
class UnlabelledCharacter(UnreadableReason):
    """A character came without saying which one it is."""


@dataclass(frozen=True, slots=True)
class AnswerToBoard(UnreadableReason):
    """A mail looks like an answer to a board, and nothing proves whose it is."""


def recognise(text: str) -> tuple[Line, Unreadable | None]:
    """Return a line with the command that its first words name, and why they name none."""
    line = Line(split_words(text))
    if not line.words:
        return line, Unreadable(Empty())
    if "\ufffd" in text:
        return line, Unreadable(UnlabelledCharacter())
    first, *others = line.words
    # The general command reject has words behind it; an answer to an offer has none.
    meant = in_english(fold(first))
    is_general = bool(others) and meant in GENERAL_FORMS
    if _PLAYED.fullmatch(meant) and not is_general:
        move = Line(line.words, KIND_FORMS["move"], next(iter(KINDS.values())), len(line.words))
        return move, Unreadable(AnswerToBoard(), first)
    try:
        word = find_command_word(first, {*KINDS, *_GENERAL_TOPICS})
    except Unreadable as error:
        return _guess(line, error), error
    if word in _GENERAL_TOPICS:
        return _general(line, word)
    kind = KINDS[word]
    if not others:
        return line, Unreadable(MissingWord(tuple(KIND_FORMS)))
    if BOARD_OF_SUBJECT.fullmatch(others[0]):
        likely = Line(line.words, KIND_FORMS["move"], kind, 1)
        return likely, Unreadable(AnswerToBoard(), others[0])
    try:
        form = KIND_FORMS[find_command_word(others[0], KIND_FORMS)]
    except Unreadable as error:
        meant_word = meant_by(error)
        form_meant = KIND_FORMS[meant_word] if meant_word else None
        return Line(line.words, form_meant, kind, 2) if form_meant else line, error
    return Line(line.words, form, kind, 2), None


def parse_line(text: str) -> tuple[Line, Command | Unreadable]:
    """Return a line as far as it is understood, and the command it gives or why it gives none."""
    line, error = recognise(text)
    if error or line.form is None:
        return line, error or Unreadable(Empty())
    try:
        command: Command = line.form.read(line.arguments, line.kind)
    except Unreadable as unread:
        return line, unread
    new, userid = _new_password(command)
    if new and not is_fit(new, userid):
        return line, Unreadable(BadPassword())
    return line, command


def is_fit(password: Secret, userid: str) -> bool:
    """Return whether a password is neither a word of the commands nor the userid."""
    return not is_of(VOCABULARY | {userid}, password.text)


def _new_password(command: Command) -> tuple[Secret | None, str]:
    """Return the password that a command makes that of an account, and the userid."""
    match command:
        case Signup():
            return command.password, command.userid
        case ChangePassword():
            return command.new, command.userid
        case Verify():
            return command.new, ""
    return None, ""


def _general(line: Line, topic: str) -> tuple[Line, Unreadable | None]:
    """Return a line that begins with the first word of a command which is of no game."""
    if topic in GENERAL_FORMS:
        return Line(line.words, GENERAL_FORMS[topic], None, 1), None
    seconds = {name.split()[1]: form for name, form in GENERAL_FORMS.items() if topic == form.topic}
    if len(line.words) == 1:
        return line, Unreadable(MissingWord(tuple(seconds)))
    try:
        word, error = find_command_word(line.words[1], seconds), None
    except Unreadable as unknown:
        word, error = meant_by(unknown) or "", unknown
    return Line(line.words, seconds[word], None, 2) if word else line, error


def _guess(line: Line, error: Unreadable) -> Line:
    """Return the line with the command that was probably meant by a first word nobody knows."""
    meant = meant_by(error)
    if meant and meant in _GENERAL_TOPICS:
        guessed, _ = _general(line, meant)
        if guessed.form and not guessed.form.parameters:
            return Line(line.words[:1], guessed.form, None, 1)
        return guessed
    if meant and len(line.words) > 1:
        try:
            form = KIND_FORMS[find_command_word(line.words[1], KIND_FORMS)]
        except Unreadable:
            return line
        return Line(line.words, form, KINDS[meant], 2)
    name = in_english(fold(line.words[0]))
    if name in KIND_FORMS:
        return Line(line.words, KIND_FORMS[name], next(iter(KINDS.values())), 1)
    return line
