"""Words of a command line: splitting them, undoing changes by mail programs, finding meanings."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from msgspec import structs

from pbm_oust.accounts.queue import MOST_CLAUSES
from pbm_oust.languages import LANGUAGES, Language, WordList
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules.grid import LONGEST

APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u00b4`", "'"))
"""Signs that are typed or set in the place of an apostrophe, and the apostrophe."""
_PIECE = re.compile(r"\S{1,100}")


def normal_form(form: Literal["NFKC", "NFD"], text: str) -> str:
    """Return a text in a normal form of Unicode (UAX #15), each word for itself.

    Words of more than 100 characters are taken in pieces: putting a run of marks into order takes
    time that grows with the square of its length.
    """
    if text.isascii():
        return text
    return _PIECE.sub(lambda piece: unicodedata.normalize(form, piece[0]), text)


Aliases = Mapping[str, tuple[str, ...]]
"""English words by their translations in all languages: all that one may stand for."""


def _of(*word_lists: WordList) -> Aliases:
    found: dict[str, tuple[str, ...]] = {}
    for each in word_lists:
        for language in LANGUAGES.values():
            for alias, english in language.words[each].items():
                found[alias] = tuple(dict.fromkeys((*found.get(alias, ()), english)))
    return MappingProxyType(found)


ALIASES = _of(WordList.COMMANDS, WordList.WORDS, WordList.SETTINGS)
"""The translations of words; what one stands for as a command comes first."""

OPTION_ALIASES = _of(WordList.OPTIONS)
"""The translations of the names of options."""


def aliases_of(known: Collection[str], aliases: Aliases = ALIASES) -> Mapping[str, str]:
    """Return what the translations of some words stand for among these."""
    return {
        alias: english for alias, meant in aliases.items() for english in meant if english in known
    }


@lru_cache(1000)
def without_accents(word: str) -> str:
    """Return a word with plain letters in place of accented ones."""
    if word.isascii():
        return word
    parts = normal_form("NFD", word)
    return "".join(part for part in parts if not unicodedata.combining(part))


def in_english(word: str, among: Collection[str] | None = None) -> str:
    """Return the English word that a word of another language stands for, or else the word, folded.

    If it may stand for several, it is one of those that are possible, or else that of a command.
    A word that has an accent is not English, but may be the same without it: décline.
    """
    folded = without_accents(fold(word))
    meant = ALIASES.get(folded)
    if not meant:
        return folded
    return next((each for each in meant if among is None or each in among), meant[0])


def language_of(words: Iterable[str]) -> Language | None:
    """Return the language of the first word that is a translation, if any."""
    for word in words:
        folded = without_accents(word.lower())
        for language in LANGUAGES.values():
            if folded in language.words[WordList.COMMANDS]:
                return language
    return None


MOST_WORDS = 60
"""How many words a line may have besides cells, and besides `if` and `then`."""
MOST_CELLS = LONGEST * LONGEST
"""How many cells a line may name: all those of the largest grid."""
LONGEST_LINE = 4_000
"""How many characters a line may have: room for so many cells and words, and five addresses."""

_CELLS = re.compile(r"\b(?:(?:[a-z] ?[0-9]{1,2})+|[0-9]{1,2}[a-z])\b")
_CELL = re.compile(r"[a-z] ?[0-9]|[0-9][a-z]")
_BOUNDED_WORD = re.compile(r"[^\s,;]+")
_OF_CLAUSES = ("if", "then")


class LineTooLong(UnreadableReason, frozen=True):
    """A line has more words or cells than any command."""

    most: int = MOST_WORDS
    """The most words that there may be besides cells."""


_MOST_OF_CLAUSES = len(_OF_CLAUSES) * MOST_CLAUSES


def check_length(line: str) -> None:
    """Raise Unreadable for a line that is longer than any command."""
    if len(line) > LONGEST_LINE:
        raise Unreadable(LineTooLong())
    if len(line) <= MOST_WORDS:
        return
    plain = line.lower()
    cells = sum(len(_CELL.findall(found)) for found in _CELLS.findall(plain))
    words = _BOUNDED_WORD.findall(_CELLS.sub(" ", plain))
    is_long = len(words) > MOST_WORDS + _MOST_OF_CLAUSES
    if is_long or cells > MOST_CELLS or sum(map(_counts, words)) > MOST_WORDS:
        raise Unreadable(LineTooLong())


def _counts(word: str) -> bool:
    return in_english(word, _OF_CLAUSES) not in _OF_CLAUSES


class NoneOfThese(UnreadableReason, frozen=True):
    """A word is not one of those that are possible in its place."""

    known: tuple[str, ...]
    """The possible words, or those that it could be short for."""
    among: WordList = WordList.COMMANDS
    """Where other languages have them."""


class UnknownWord(NoneOfThese, frozen=True):
    """A word is not one of those that are possible, nor the beginning of one."""

    resembles: str | None = None
    """The word that was probably meant."""

    @property
    def instead(self) -> str | None:
        """What to write in place of the word."""
        return self.right or self.resembles


class AmbiguousWord(NoneOfThese, frozen=True):
    """A word could be short for several."""


MASK = "********"
"""Stands for a word that might be a password."""

SHORTEST_PASSWORD = 6
"""Passwords have at least this many characters, so that shorter words can be shown."""

SHORTEST_BEGINNING = 3
"""How many letters of a word are enough, if no other word begins with them; fewer are words of a
sentence: I, an, de."""

_LONGEST_BEGINNING = 50
"""How much of a word counts where only the first words of a text matter."""

_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_SPACES = re.compile(r"[\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_DASHES = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
)
_SAME = str.maketrans(
    "АВЕЅІЈКМНОРСТУҮХԚԜасеһіјкморѕтухԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧαβεζικοτχ",
    "ABESIJKMHOPCTYYXQWacehijkmopstyxqwABEZHIKMNOPTYXabezikotx",
)
"""Letters of Cyrillic and Greek that look like Latin ones, or are the same letter."""
_LIKE = str.maketrans("бвгдзлнфџνρηυγδ", "bbgdzlhfdvpnuyd")
"""Small letters of these that may stand for Latin ones, by their looks or their sound."""
_FIGURE = re.compile(r"[^\W\D_]")
_WORD = re.compile(r"[^\W_]+")
QUOTES = (
    "'\"`\u00b4\u2018\u2019\u201a\u201b\u2032\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2039\u203a"
)
_HARMLESS = re.compile(
    r"#?\d+(#\d+)?"  # the number of a board, of a record, or both
    r"|[a-z]\d{1,2}([,;][a-z]?\d{0,2})*(#\d*)?"  # placements
    r"|\d{4}-\d{1,2}-\d{1,2}"  # a day
    r"|--?[a-z]+(=(\d+(x\d+|(,\d+){1,5})?)?)?",  # an option
    re.IGNORECASE,
)


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a command line.

    Spaces of every kind separate words; invisible marks, and quotes around words, are dropped.
    Letters that merely look different (full-width ones, ligatures) are made plain. Raises
    Unreadable for a line that is longer than any command.
    """
    line = _plain(text)
    check_length(line)
    return _parted(line)


def first_words(text: str, most: int) -> tuple[str, ...]:
    """Return the first words of a line or a text, however long that is; each begins in full."""
    begun = [word[:_LONGEST_BEGINNING] for word in text.split(maxsplit=2 * most)[: 2 * most]]
    return _parted(_plain(" ".join(begun)))[:most]


def _plain(text: str) -> str:
    visible = text if text.isascii() else _INVISIBLE.sub("", normal_form("NFKC", text))
    return _SPACES.sub(" ", visible)


def _parted(line: str) -> tuple[str, ...]:
    """Return the words of a line, without quotes around them.

    Those of `"a..b"@example.org` belong to the word.
    """
    words = list[str]()
    for word in line.split(" "):
        if plain := word if '"@' in word else word.strip(QUOTES):
            words.append(plain)
    return tuple(words)


def fold(word: str) -> str:
    """Return a word with plain dashes and letters, in lower case. Never used on passwords.

    Letters of other scripts that look the same become Latin where the rest of a word is Latin, or
    figures: the Cyrillic letter of `C4`. A word without these remains as it is.
    """
    if word.isascii():
        return word.lower()
    plain = _FIGURE.sub(lambda found: str(int(found[0])), word.translate(_DASHES))
    return _WORD.sub(lambda found: _latin(found[0]), plain).lower()


def _latin(word: str) -> str:
    """Return a word in Latin letters if it has some, or figures, and all others look the same."""
    made = word.translate(_SAME)
    return made if made.isascii() and any(map(str.isascii, word)) else word


def probably_latin(folded: str) -> str:
    """Return a folded text in the Latin letters that its others may stand for."""
    return folded.translate(_SAME).translate(_LIKE)


def find_word(word: str, known: Iterable[str]) -> str:
    """Return the known word that is written here, in full or by a beginning that only it has.

    A whole word takes precedence over longer ones that begin with it, as show over showas. A
    beginning has at least three letters. Raises Unreadable for any other word, with the known word
    that it resembles, if any.
    """
    vocabulary = sorted(known)
    folded = fold(word)
    if (alike := folded.translate(_SAME)) in vocabulary:
        return alike
    is_long_enough = len(folded) >= SHORTEST_BEGINNING
    begun = [word for word in vocabulary if is_long_enough and word.startswith(folded)]
    if begun and all(candidate.startswith(begun[0]) for candidate in begun):
        return begun[0]
    if begun:
        raise Unreadable(AmbiguousWord(tuple(begun)), word)
    raise Unreadable(UnknownWord(tuple(vocabulary), resembles=resembling(folded, vocabulary)), word)


def find_command_word(word: str, known: Iterable[str], translated: Aliases = ALIASES) -> str:
    """Return the known word of the commands that is written here, in any language.

    English takes precedence over other languages. Their words are read without accents, in full
    or by a beginning that can mean only one thing. Raises Unreadable.
    """
    vocabulary, folded = set(known), fold(word)
    if folded in vocabulary:
        return folded
    try:
        return find_word(word, vocabulary)
    except Unreadable as error:
        plain = without_accents(folded)
        if plain in vocabulary:
            return plain
        aliases = aliases_of(vocabulary, translated)
        if plain in aliases:
            return aliases[plain]
        if not isinstance(error.reason, UnknownWord):
            raise
        try:
            return aliases[find_word(plain, aliases)]
        except Unreadable as other:
            reason = other.reason
            if not isinstance(reason, AmbiguousWord):
                reason = _of_all(error.reason, plain, aliases)
            elif len(meant := {aliases[each] for each in reason.known}) == 1:
                return meant.pop()
            raise Unreadable(reason, word) from None


def _of_all(reason: UnknownWord, plain: str, aliases: Mapping[str, str]) -> UnknownWord:
    """Return why a word is unknown in English, with what it resembles in any language."""
    close = resembling(plain, [*reason.known, *aliases]) or ""
    return structs.replace(reason, resembles=aliases.get(close, close) or reason.resembles)


def meant_by(error: Unreadable) -> str | None:
    """Return the known word that an unknown one resembles, or None."""
    return error.reason.resembles if isinstance(error.reason, UnknownWord) else None


def language_like(word: str, english: Collection[str]) -> Language | None:
    """Return the language with a word like this one, unless an English word is more like it."""
    close = resembling(without_accents(fold(word)), [*english, *ALIASES])
    return language_of([close]) if close and close not in english else None


def resembling(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was probably meant, or None."""
    return _closest(fold(word), tuple(known))


@lru_cache(maxsize=256)
def _closest(folded: str, known: tuple[str, ...]) -> str | None:
    """Return the known word that one resembles most; a text often has the same words again."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(folded, known, n=1, cutoff=0.67)), None)


def is_of(vocabulary: Collection[str], word: str) -> bool:
    """Return whether a word is in a vocabulary, in either case, with or without accents."""
    folded = fold(word)
    return folded in vocabulary or without_accents(folded) in vocabulary


def is_harmless(word: str) -> bool:
    """Return whether a word cannot be a password, so that it may be shown."""
    return len(word) < SHORTEST_PASSWORD or bool(_HARMLESS.fullmatch(fold(word)))
