"""Words of a command line: split, repaired after mail programs, looked up, and suggested."""

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
"""Translation of signs that people type for an apostrophe."""
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
"""The English meanings of each translated word, in all languages."""


def _of(*word_lists: WordList) -> Aliases:
    found: dict[str, tuple[str, ...]] = {}
    for each in word_lists:
        for language in LANGUAGES.values():
            for alias, english in language.words[each].items():
                found[alias] = tuple(dict.fromkeys((*found.get(alias, ()), english)))
    return MappingProxyType(found)


ALIASES = _of(WordList.COMMANDS, WordList.WORDS, WordList.SETTINGS)
"""The meanings of translated words, those as commands first."""

OPTION_ALIASES = _of(WordList.OPTIONS)
"""The meanings of translated option names."""


_OPTION = re.compile(r"-*([^=:]*)([=:]?)(.*)", re.DOTALL)


def option_parts(word: str) -> tuple[str, str, str]:
    """Return the name of an option, the sign after it, if any, and its value, all folded."""
    found = _OPTION.fullmatch(fold(word))
    return (found[1], found[2], found[3]) if found else ("", "", "")


def aliases_of(known: Collection[str], aliases: Aliases = ALIASES) -> Mapping[str, str]:
    """Return the meaning of each translated word among some English ones."""
    return {
        alias: english for alias, meant in aliases.items() for english in meant if english in known
    }


def without_accents(word: str) -> str:
    """Return a word with plain letters in place of accented ones."""
    if word.isascii():
        return word
    parts = normal_form("NFD", word)
    return "".join(part for part in parts if not unicodedata.combining(part))


@lru_cache(1000)
def plain_word(word: str) -> str:
    """Return a word folded, and without accents."""
    return without_accents(fold(word))


def in_english(word: str, among: Collection[str] | None = None) -> str:
    """Return the English word for a translated one; any other word is returned folded.

    Of several meanings, one of the possible words counts first, then that of a command. A word that
    has an accent is not English, but may be the same without it: décline.
    """
    folded = plain_word(word)
    meant = ALIASES.get(folded)
    if not meant:
        return folded
    return next((each for each in meant if among is None or each in among), meant[0])


def language_of(words: Iterable[str]) -> Language | None:
    """Return the language of the first translated word, if any."""
    for word in words:
        folded = plain_word(word)
        for language in LANGUAGES.values():
            if folded in language.words[WordList.COMMANDS]:
                return language
    return None


MOST_WORDS = 60
"""The most words of a line besides cells, `if` and `then`."""
MOST_CELLS = LONGEST * LONGEST
"""The most cells of a line: all those of the largest grid."""
LONGEST_LINE = 4_000
"""The most characters of a line: room for so many cells and words, and five addresses."""

_CELLS = re.compile(r"\b(?:(?:[a-z] ?[0-9]{1,2})+|[0-9]{1,2}[a-z])\b")
_CELL = re.compile(r"[a-z] ?[0-9]|[0-9][a-z]")
_BOUNDED_WORD = re.compile(r"[^\s,;]+")
_OF_CLAUSES = ("if", "then")


class LineTooLong(UnreadableReason, frozen=True):
    """A line with more words or cells than any command."""

    most: int = MOST_WORDS
    """The limit of words besides cells."""


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
    """A word outside the known ones of its place."""

    known: tuple[str, ...]
    """The known words, or those that a short form could stand for."""
    among: WordList = WordList.COMMANDS
    """The word list with their translations."""


class UnknownWord(NoneOfThese, frozen=True):
    """A word that neither is a known one nor begins one."""

    resembles: str | None = None
    """The word that was probably meant."""

    @property
    def instead(self) -> str | None:
        """The suggested replacement."""
        return self.right or self.resembles


class AmbiguousWord(NoneOfThese, frozen=True):
    """A short form of several known words."""


MASK = "********"
"""Replaces a word that might be a password."""

SHORTEST_PASSWORD = 6
"""Passwords have at least this many characters, so that shorter words can be shown."""

SHORTEST_BEGINNING = 3
"""The fewest letters of a prefix match; shorter ones are words of a sentence: I, an, de."""

_LONGEST_BEGINNING = 50
"""The number of characters of a text in which its first words are sought."""

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
    r"|--?[a-z]+([=:]((hex|square)?\d+([x*\u00d7]\d+|(,\d+){1,5})?)?)?",  # an option
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
    """Return up to `most` first words of a text of any length, none of them cut off."""
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
    """Return a word in lower case with plain dashes and letters. Never used on passwords.

    Letters of other scripts that look like Latin ones become Latin, if the rest of the word is
    Latin or figures: the Cyrillic letter of `C4`. A word without these remains as it is.
    """
    if word.isascii():
        return word.lower()
    plain = _FIGURE.sub(lambda found: str(int(found[0])), word.translate(_DASHES))
    return _WORD.sub(lambda found: _latin(found[0]), plain).lower()


def _latin(word: str) -> str:
    """Return a word in Latin letters if some are Latin, or figures, and all others look Latin."""
    made = word.translate(_SAME)
    return made if made.isascii() and any(map(str.isascii, word)) else word


def probably_latin(folded: str) -> str:
    """Return a folded text with look-alike letters of other scripts made Latin."""
    return folded.translate(_SAME).translate(_LIKE)


def find_word(word: str, known: Iterable[str]) -> str:
    """Return the known word that equals a word, or has it as a prefix no other has.

    A whole word takes precedence over longer ones that begin with it, as show over showas. A prefix
    has at least three letters. Raises Unreadable for any other word, with the known word that it
    resembles, if any.
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
    """Return the known command word for a word or a prefix of it, in any language.

    English takes precedence. Words of other languages are read without accents, and by a prefix if
    it has a single meaning. Raises Unreadable.
    """
    vocabulary, folded = set(known), fold(word)
    if folded in vocabulary:
        return folded
    try:
        return find_word(word, vocabulary)
    except Unreadable as error:
        plain = plain_word(word)
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
    """Return the error for a word unknown in English, with a suggestion in any language."""
    close = resembling(plain, [*reason.known, *aliases]) or ""
    return structs.replace(reason, resembles=aliases.get(close, close) or reason.resembles)


def meant_by(error: Unreadable) -> str | None:
    """Return the suggestion of an error, or None."""
    return error.reason.resembles if isinstance(error.reason, UnknownWord) else None


def language_like(word: str, english: Collection[str]) -> Language | None:
    """Return the language of the closest word, unless an English word is closer."""
    close = resembling(plain_word(word), [*english, *ALIASES])
    return language_of([close]) if close and close not in english else None


def resembling(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was probably meant, or None.

    One with the same letters comes before any other, and of equally close ones the first.
    """
    return _closest(fold(word), tuple(known))


@lru_cache(maxsize=256)
def _closest(folded: str, known: tuple[str, ...]) -> str | None:
    """Return the closest known word; remembered, since texts repeat their words."""
    from difflib import SequenceMatcher, get_close_matches

    near = get_close_matches(folded, known, n=len(known) or 1, cutoff=0.67)
    places = {
        each: (sorted(each) != sorted(folded), -SequenceMatcher(None, each, folded).ratio(), nth)
        for nth, each in enumerate(known)
        if each in near
    }
    return min(places, key=places.__getitem__, default=None)


def is_of(vocabulary: Collection[str], word: str) -> bool:
    """Return whether a word is in a vocabulary, in either case, with or without accents."""
    folded = fold(word)
    return folded in vocabulary or plain_word(word) in vocabulary


def is_harmless(word: str) -> bool:
    """Return whether a word can be shown because it cannot be a password."""
    return len(word) < SHORTEST_PASSWORD or bool(_HARMLESS.fullmatch(fold(word)))
