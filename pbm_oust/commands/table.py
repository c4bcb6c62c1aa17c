"""The table of all commands: parsing a line, its vocabulary, and the lines of the help."""

import re

from pbm_oust.commands import (
    accounts,
    challenge,
    general,
    looking,
    multiple,
    play,
    queue,
    ratings,
    seek,
    talk,
)
from pbm_oust.commands.accounts import Signup
from pbm_oust.commands.challenge import Challenge, Replay
from pbm_oust.commands.general import Help
from pbm_oust.commands.line import Line
from pbm_oust.commands.looking import AllShow, Games, Listing, Past, Show, ShowAs
from pbm_oust.commands.multiple import Multiple
from pbm_oust.commands.play import Move, Preview
from pbm_oust.commands.queue import Confirm, Queue, Submit
from pbm_oust.commands.ratings import Ratings, Standings
from pbm_oust.commands.seek import Join, OpenChallenge, Withdraw
from pbm_oust.commands.talk import Chat, Message
from pbm_oust.commands.values import Filter
from pbm_oust.commands.words import MASK, find_word, fold, split_words
from pbm_oust.players import Secret
from pbm_oust.record import WISHED
from pbm_oust.refusal import Unread, Unreadable
from pbm_oust.rules.kinds import KINDS

_BOARD_OF_SUBJECT = re.compile(r"[0-9]+:?")
"""What stands behind the name of a game in the Subjects of our own letters."""

_PLAYED = re.compile(rf"[a-z][0-9]{{1,2}}\b.*|{'|'.join(deed.value for deed in WISHED)}")
"""What somebody writes who thinks that an answer to a board mail is enough."""

_LONGEST_BEGINNING = 8
"""Words from the beginning of a command in which its password stands."""

Signed = Move | ShowAs | Chat | Message | Queue | Submit | Confirm | OpenChallenge | Withdraw | Join
"""The commands that carry the password of an account."""
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
)
Command = Unsigned | Signed

FORMS = (
    *general.FORMS,
    *accounts.FORMS,
    *challenge.FORMS,
    *play.FORMS,
    *looking.FORMS,
    *talk.FORMS,
    *ratings.FORMS,
    *multiple.FORMS,
    *queue.FORMS,
    *seek.FORMS,
)

GENERAL_FORMS = {form.name: form for form in FORMS if not form.is_of_kind}
KIND_FORMS = {form.name: form for form in FORMS if form.is_of_kind}

VOCABULARY = frozenset(
    {*KINDS, *GENERAL_FORMS, *KIND_FORMS}
    | {deed.value for deed in WISHED}
    | {known.value for known in Filter}
)
"""The words of the grammar, which no password can be."""


def recognise(text: str) -> tuple[Line, Unreadable | None]:
    """Return a line with the command that its first words name, and why they name none."""
    line = Line(split_words(text))
    if not line.words:
        return line, Unreadable(Unread.EMPTY)
    if "\ufffd" in text:
        return line, Unreadable(Unread.UNLABELLED_CHARACTER)
    first, *others = line.words
    if _PLAYED.fullmatch(fold(first)):
        move = Line(line.words, KIND_FORMS["move"], next(iter(KINDS.values())), len(line.words))
        return move, Unreadable(Unread.ANSWER_TO_BOARD, first)
    try:
        word = find_word(first, {*KINDS, *GENERAL_FORMS})
    except Unreadable as error:
        return _guess(line, error), error
    if word in GENERAL_FORMS:
        return Line(line.words, GENERAL_FORMS[word], None, 1), None
    kind = KINDS[word]
    if not others:
        return line, Unreadable(Unread.MISSING_WORD, missing=" or ".join(KIND_FORMS), kind=kind)
    if _BOARD_OF_SUBJECT.fullmatch(others[0]):
        likely = Line(line.words, KIND_FORMS["move"], kind, 1)
        return likely, Unreadable(Unread.ANSWER_TO_BOARD, others[0])
    try:
        form = KIND_FORMS[find_word(others[0], KIND_FORMS)]
    except Unreadable as error:
        meant = error.facts.get("resembles")
        if not isinstance(meant, str):
            return line, error
        return Line(line.words, KIND_FORMS[meant], kind, 2), error
    return Line(line.words, form, kind, 2), None


def parse_line(text: str) -> tuple[Line, Command | Unreadable]:
    """Return a line as far as it is understood, and the command it gives or why it gives none."""
    line, error = recognise(text)
    if error or line.form is None:
        return line, error or Unreadable(Unread.EMPTY)
    try:
        command: Command = line.form.read(line.arguments, line.kind)
    except Unreadable as unread:
        return line, unread
    if isinstance(command, Signup):
        password = fold(command.password.text)
        if password in VOCABULARY or password == command.userid:
            return line, Unreadable(Unread.BAD_PASSWORD)
    return line, command


def without_passwords(text: str, password: Secret | None = None) -> str:
    """Return a text for other eyes: no known password, and no command with what might be one."""
    if password:
        text = re.sub(re.escape(password.text), MASK, text, flags=re.IGNORECASE)
    return "\n".join(_without_secret(line) for line in text.split("\n"))


def _without_secret(text: str) -> str:
    """Return a line of text, masked if a command that takes a password begins anywhere in it."""
    words = text.split()
    for nth, word in enumerate(words):
        if not any(name.startswith(fold(word)) for name in (*KINDS, *GENERAL_FORMS, *KIND_FORMS)):
            continue
        line, _ = recognise(" ".join(words[nth : nth + _LONGEST_BEGINNING]))
        if line.form and line.form.secret_places(line.arguments):
            masked = line.shown(VOCABULARY, lambda _word: False)
            return " ".join([*words[:nth], masked, *words[nth + _LONGEST_BEGINNING :]])
    return text


def _guess(line: Line, error: Unreadable) -> Line:
    """Return the line with the command that was probably meant by a first word nobody knows."""
    meant = error.facts.get("resembles")
    if isinstance(meant, str) and meant in GENERAL_FORMS:
        form = GENERAL_FORMS[meant]
        return Line(line.words if form.parameters else line.words[:1], form, None, 1)
    if isinstance(meant, str) and len(line.words) > 1:
        try:
            form = KIND_FORMS[find_word(line.words[1], KIND_FORMS)]
        except Unreadable:
            return line
        return Line(line.words, form, KINDS[meant], 2)
    if fold(line.words[0]) in KIND_FORMS:
        return Line(line.words, KIND_FORMS[fold(line.words[0])], next(iter(KINDS.values())), 1)
    return line
