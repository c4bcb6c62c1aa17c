"""The parts of a form: parameters, the rest after them, and options; reading and writing each.

Only the form knows what a part holds: it gives `write` only what `read` made.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct

from pbm_oust.accounts.password import NO_PASSWORD
from pbm_oust.grammar import vocabulary
from pbm_oust.languages import WordList
from pbm_oust.refusal import Refusal, Unreadable, UnreadableReason
from pbm_oust.rules import Kind


class UnknownOption(UnreadableReason, frozen=True):
    """A word is not an option of the command."""

    known: tuple[str, ...]
    resembles: str | None


class OptionTwice(UnreadableReason, frozen=True):
    """An option repeats what another one has set."""


class BadOptionValue(UnreadableReason, frozen=True):
    """An option has a value that it does not take."""

    forms: tuple[str, ...]
    """The ways to write it."""
    takes: str
    """The values that it takes, as in `Option.takes`."""


class Parameter(Struct, frozen=True):
    """One word that a form wants in its place. Its value is written by `str`."""

    name: str
    """Its name in the help and in corrections: USERID."""
    sets: str
    """The name of the value that it sets."""
    read: Callable[[str], object]
    """Returns the word's value. Raises Unreadable."""
    is_secret: bool = False
    is_new: bool = False
    """Whether it is a new password, which must not be a word of the commands."""


class Rest(Struct, frozen=True):
    """All the words that remain after a form's parameters."""

    sets: tuple[str, ...]
    """The names of the values that it sets; if there are several, it reads a tuple."""
    shown: tuple[str, ...]
    """The alternatives as the help shows them: BOARD[#N].."""
    read: Callable[[Sequence[str]], Any]
    """Returns the value of the words, of which there are at least `least`. Raises Unreadable."""
    write: Callable[[Any], Iterable[str]]
    """Returns the English words for a value."""
    least: int = 1
    known: frozenset[str] = frozenset()
    """Words that may be shown, because they cannot be passwords."""
    fixed: frozenset[str] = frozenset()
    """Further words of the grammar, which other languages may translate."""
    word_lists: tuple[WordList, ...] = (WordList.WORDS,)
    """Where other languages have its words: the first one, the second, and so on, over and over."""
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
        """The name of what stands in its place when it is known that something does."""
        return self.shown[0].strip("[]") if self.is_secret else self.shown[0]


class Option(Struct, frozen=True):
    """A word `-name` or `-name=value`, which may be anywhere after the command's name."""

    name: str
    forms: Callable[[Kind], tuple[str, ...]]
    """Returns the ways to write it in a game, such as `-hex` and `-hex=7`; none if unknown."""
    read: Callable[[Kind, str | None], Any]
    """Returns the value of the text after `=`. Raises ValueError if there is no such value."""
    write: Callable[[Kind, Any], str]
    """Returns the word for a value; an empty text if another option says it."""
    takes: str
    """The kind of value: "square", "hex", "days", "page" or "nothing".

    It is empty for the shape of the game's own grid.
    """
    sets: str
    """What it sets. Two options that set the same thing exclude each other."""
    is_shown: Callable[[Kind], bool] = lambda _kind: True
    """Returns whether the help of a game shows it."""
    usual: Callable[[Kind], object] = lambda _kind: None
    """Returns the value that it has in a game if nothing is said."""

    def shown(self, kind: Kind) -> str:
        """Return how the help of a game shows it; an empty text if it does not."""
        forms = self.forms(kind) if self.is_shown(kind) else ()
        return f"[{'|'.join(forms)}]" if forms else ""


def names_of(options: Iterable[Option]) -> frozenset[str]:
    """Return the names of options in all languages."""
    names = frozenset(option.name for option in options)
    return names.union(vocabulary.aliases_of(names, vocabulary.OPTION_ALIASES))


def without_options(words: Sequence[str]) -> list[str]:
    """Return those words that are not options."""
    return [word for word in words if not is_option(word)]


def read_options(options: Sequence[Option], words: Sequence[str], kind: Kind) -> dict[str, object]:
    """Return what the options among some words set, by its name. Raises Unreadable."""
    found: dict[str, object] = {}
    by_name = {option.name: option for option in options if option.forms(kind)}
    for word in filter(is_option, words):
        name, equals, value = vocabulary.fold(word).lstrip("-").partition("=")
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
            takes = option.takes or kind.own_shape.value
            raise Unreadable(BadOptionValue(forms, takes, right=forms[0]), word) from None
    return found


def read_right_options(
    options: Sequence[Option], words: Sequence[str], kind: Kind
) -> dict[str, object]:
    """Return what those options set that are right and cannot be passwords."""
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


def is_option(word: str) -> bool:
    """Return whether a word can be an option; a hyphen alone stands for a password."""
    return vocabulary.fold(word).startswith("-") and word != NO_PASSWORD.text
