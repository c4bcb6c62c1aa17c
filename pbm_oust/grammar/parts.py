"""The parts of a form: parameters, the rest after them, and options; reading and writing each.

Only the form knows what a part holds: it gives `write` only what `read` made.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct

from pbm_oust.grammar import grids, vocabulary
from pbm_oust.languages import WordList
from pbm_oust.refusal import Refusal, Unreadable, UnreadableReason
from pbm_oust.rules import Kind


class UnknownOption(UnreadableReason, frozen=True):
    """An option that the command does not have."""

    known: tuple[str, ...]
    resembles: str | None


class OptionTwice(UnreadableReason, frozen=True):
    """An option for a value that another option has set."""


class BadOptionValue(UnreadableReason, frozen=True):
    """An option with a value that it does not take."""

    forms: tuple[str, ...]
    """The ways to write it."""
    takes: str
    """The kind of its values, as in `Option.takes`."""


class Parameter(Struct, frozen=True):
    """A word in a fixed place of a form. Its value is written by `str`."""

    name: str
    """Its name in the help and in corrections: USERID."""
    sets: str
    """The name of its value."""
    read: Callable[[str], object]
    """Returns the word's value. Raises Unreadable."""
    is_secret: bool = False
    is_new: bool = False
    """Whether it is a new password, which must not be a word of the commands."""


class Rest(Struct, frozen=True):
    """The words after a form's parameters."""

    sets: tuple[str, ...]
    """The names of its values; with several names, `read` returns a tuple."""
    shown: tuple[str, ...]
    """The alternatives in the help: BOARD[#N].."""
    read: Callable[[Sequence[str]], Any]
    """Returns the value of at least `least` words. Raises Unreadable."""
    write: Callable[[Any], Iterable[str]]
    """Returns the English words for a value."""
    least: int = 1
    known: frozenset[str] = frozenset()
    """Words that can be shown, since no password looks like them."""
    fixed: frozenset[str] = frozenset()
    """Further words of the grammar, which other languages may translate."""
    word_lists: tuple[WordList, ...] = (WordList.WORDS,)
    """The list with the translations of each of its words in turn, over and over."""
    is_secret: bool = False
    is_new: bool = False
    """Whether it is a new password, which must not be a word of the commands."""
    write_answer: Callable[[Any, int], Iterable[str] | None] | None = None
    """Returns the words in an answer to a letter about the board with a number, if they are others;
    None if no answer can say that."""
    complete: Callable[[Sequence[str], int], Sequence[str]] | None = None
    """Adds the board of a letter, by its number, to the words of an answer to it."""

    @property
    def place(self) -> str:
        """The name of the place in a usage line, once a value there is known."""
        return self.shown[0].strip("[]") if self.is_secret else self.shown[0]


class Option(Struct, frozen=True):
    """A word `-name` or `-name=value`, which may be anywhere after the command's name."""

    name: str
    forms: Callable[[Kind], tuple[str, ...]]
    """Returns the ways to write it in a game, such as `-hex` and `-hex=7`; none if unknown."""
    read: Callable[[Kind, str | None], Any]
    """Returns the value for the text after `=`. Raises ValueError for other texts."""
    write: Callable[[Kind, Any], str]
    """Returns the word for a value; empty if another option says it."""
    takes: str
    """The kind of value: "square", "hex", "days", "page" or "nothing".

    It is empty for the shape of the game's own grid.
    """
    sets: str
    """The name of its value. Two options with the same name exclude each other."""
    is_shown: Callable[[Kind], bool] = lambda _kind: True
    """Returns whether the help of a game shows it."""
    usual: Callable[[Kind], object] = lambda _kind: None
    """Returns the default value in a game."""
    meant: Callable[[Kind, str], str | None] = lambda _kind, _value: None
    """Returns a probable value for a text that cannot be read, or None."""

    def shown(self, kind: Kind) -> str:
        """Return the option as the help of a game shows it; empty if the help does not."""
        forms = self.forms(kind) if self.is_shown(kind) else ()
        return f"[{'|'.join(forms)}]" if forms else ""


def names_of(options: Iterable[Option]) -> frozenset[str]:
    """Return the names of options in all languages."""
    names = frozenset(option.name for option in options)
    return names.union(vocabulary.aliases_of(names, vocabulary.OPTION_ALIASES))


def without_options(words: Sequence[str]) -> list[str]:
    """Return the words without options."""
    return [word for word in words if not is_option(word)]


def read_options(options: Sequence[Option], words: Sequence[str], kind: Kind) -> dict[str, object]:
    """Return the values set by the options among some words, by name. Raises Unreadable."""
    found: dict[str, object] = {}
    by_name = {option.name: option for option in options if option.forms(kind)}
    for word in filter(is_option, words):
        name, equals, value = vocabulary.option_parts(word)
        try:
            option = by_name[vocabulary.find_command_word(name, by_name, vocabulary.OPTION_ALIASES)]
        except Unreadable as error:
            reason = error.reason
            known = reason.known if isinstance(reason, vocabulary.NoneOfThese) else ()
            meant = vocabulary.meant_by(error)
            # A switch turns something off, perhaps what was wanted: we choose none for anybody.
            right = f"-{meant}={value}" if meant and equals else None
            raise Unreadable(UnknownOption(known, meant, right=right), word) from None
        if option.sets in found:
            raise Unreadable(OptionTwice(), word)
        try:
            found[option.sets] = option.read(kind, value if equals else None)
        except ValueError:
            forms = option.forms(kind)
            right = option.meant(kind, value) or forms[0]
            takes = option.takes or kind.own_shape.value
            raise Unreadable(BadOptionValue(forms, takes, right=right), word) from None
    return found


def read_right_options(
    options: Sequence[Option], words: Sequence[str], kind: Kind
) -> dict[str, object]:
    """Return the values set by valid options, without any that could be passwords."""
    found: dict[str, object] = {}
    right: list[str] = []
    options_said = map(vocabulary.without_accents, filter(is_option, words))
    for word in filter(vocabulary.is_harmless, options_said):
        try:
            found = read_options(options, [*right, word], kind)
        except Refusal:
            continue
        right.append(word)
    return found


_OPTION = re.compile(r"-+(?:[a-z]+(?:[-_][a-z]+)*|[a-z0-9_-]+(?=[=:]))(?:[=:].*)?")


def is_option(word: str) -> bool:
    """Return whether a word looks like an option, which no password does.

    Any other word with a hyphen in front is a password, and so is a hyphen alone.
    """
    folded = vocabulary.plain_word(word)
    is_written_so = bool(_OPTION.fullmatch(folded))
    return is_written_so or (folded.startswith("-") and grids.is_grid(folded))
