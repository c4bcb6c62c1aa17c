"""Texts for other eyes: masking possible passwords, and tokens that prove who sent an answer."""

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence

from pbm_oust.accounts.answered import Answered
from pbm_oust.accounts.broken import masked
from pbm_oust.accounts.password import NO_PASSWORD, Secret
from pbm_oust.accounts.tags import Credential, without_tokens
from pbm_oust.grammar.aliases import ALIASES, without_accents
from pbm_oust.grammar.line import Line
from pbm_oust.grammar.showing import to_player
from pbm_oust.grammar.words import MASK, SHORTEST_PASSWORD, UnknownWord, fold
from pbm_oust.refusal import Unreadable
import re
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.table import GENERAL_FORMS, KIND_FORMS, VOCABULARY, WhichGame, recognise

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

_BEGINNINGS = frozenset(
    name[:end]
    for names, shortest in (
        ((*KINDS, *KIND_FORMS), 1),
        ((*GENERAL_FORMS, *ALIASES), _SHORTEST_BEGINNING),
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
    text = without_tokens(text, MASK)
    if isinstance(password, Secret) and password != NO_PASSWORD:
        text = masked(text, re.compile(f"({re.escape(password.text)})", re.IGNORECASE), MASK)
    return _without_commands(text)


def may_hold_password(line: Line, answered: Answered | None) -> bool:
    """Return whether a password may be among the words of a line.

    There is none in a command without a place for one, nor in an answer to a letter, unless that
    begins as a command does.
    """
    if line.form:
        rest = line.form.rest
        return any(each.is_secret for each in line.form.parameters) or bool(rest and rest.is_secret)
    begun = fold(line.words[0]) if line.words else ""
    return not answered or begun in _BEGINNINGS or without_accents(begun) in _BEGINNINGS


def _without_commands(text: str) -> str:
    """Return a text in which commands that take a password are masked, also those of two lines."""
    guesses = iter(range(_MOST_GUESSED))  # one for each misspelt command that is still looked for
    words = list(_WORD.finditer(text))
    rows = [text.count("\n", 0, word.start()) for word in words]
    shown, done, nth = list[str](), 0, 0
    while nth < len(words):
        begun = words[nth : nth + _LONGEST_BEGINNING]
        of_line = words[nth : bisect_right(rows, rows[nth])]
        taken = of_line[:_LONGEST_BEGINNING]
        found, is_guessed = _command_of(taken)
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


def _command_of(words: Sequence[re.Match[str]]) -> tuple[Line | None, bool]:
    """Return the command with a password that words are, if any, and whether that was a guess."""
    line, error = _begun_by([word[0] for word in words])
    is_likely = line.form and _is_likely(line, line.form.secret_places(line.arguments))
    is_guessed = error is not None and isinstance(error.reason, UnknownWord | WhichGame)
    return (line if is_likely else None), is_guessed


def _begun_by(words: Sequence[str]) -> tuple[Line, Unreadable | None]:
    """Return the command that may begin here, if a word behind its name may be a password."""
    first = fold(words[0])
    begins = first in _BEGINNINGS or without_accents(first) in _BEGINNINGS
    if begins and any(len(word) >= SHORTEST_PASSWORD for word in words[1:]):
        return recognise(" ".join(words))
    return Line(()), None


def _is_likely(line: Line, places: Collection[int]) -> bool:
    """Return whether a line with words in place of a password is a command and not a sentence."""
    if not places or line.own_words > 1:
        return bool(places)
    if line.kind:
        return line.arguments[0][:1].isdigit()
    return any(len(line.arguments[place]) >= SHORTEST_PASSWORD for place in places)
