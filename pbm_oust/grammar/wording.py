"""A line in which people write more than a move: `Hi Bob, I'll go D4, thanks!` Pure."""

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from pkgutil import get_data
from typing import Any

from msgspec import Struct, structs

from pbm_oust.grammar import vocabulary
from pbm_oust.grammar.wish import CELLS, TURNED_CELL
from pbm_oust.languages import LANGUAGES
from pbm_oust.refusal import Unreadable

_APART = re.compile(
    rf"(?:[\s,;.:!/&+|>()\[\]*~{re.escape(vocabulary.QUOTES)}-]|\b(?:and|then|et|puis)\b)+"
)
_LATIN = "a-z0-9_\u00df-\u024f"
_WITHIN = re.compile(rf"(?<![{_LATIN}])[a-z][1-9][0-9]?(?![{_LATIN}])")
ASKING = "\u2753\u2754"
"""Question marks that are pictograms: a player who adds one has not decided."""
_MARKS = re.compile("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")
"""Characters that change how a pictogram looks."""


def parts_of(line: str) -> list[str]:
    """Return the parts of a folded line between commas, spaces and the like, without pictograms.

    The two halves of a cell are one part: `d 4`, but not `d4 5`.
    """
    plain = "".join(" " if _is_picture(char) else char for char in _MARKS.sub("", line))
    joined: list[str] = []
    for part in filter(None, _APART.split(plain)):
        last = joined[-1] if joined else ""
        is_half = len(last) == 1 and last.isalpha() and part.isdigit()
        is_turned = last.isdigit() and len(part) == 1 and part.isalpha()
        if is_half or is_turned:
            # A letter of another script is read by the figure beside it.
            joined[-1] = vocabulary.fold(last + part)
        else:
            joined.append(part)
    return joined


def turned_round(parts: Sequence[str]) -> str:
    """Return parts as a line, with the letter put first in cells such as `4d`."""
    turned = [
        TURNED_CELL.sub(r"\2\1", part) if TURNED_CELL.fullmatch(part) else part for part in parts
    ]
    cells = [part.upper() for part in turned if CELLS.fullmatch(part)]
    words = [part for part in turned if not CELLS.fullmatch(part)]
    return " ".join([*words, ",".join(cells)])


def is_placements(line: str) -> bool:
    """Return whether a line as it was sent holds placements and nothing else."""
    try:
        words = vocabulary.split_words(line)
    except Unreadable:
        return False
    parts = parts_of(vocabulary.fold(" ".join(words)))
    return bool(parts) and all(map(CELLS.fullmatch, parts))


def runs_within(line: str) -> list[list[str]]:
    """Return the runs of cells in a folded line: those with only commas and the like in between."""
    runs: list[list[str]] = []
    end = 0
    for match in _WITHIN.finditer(line):
        if not (runs and _APART.fullmatch(line[end : match.start()])):
            runs.append([])
        runs[-1].append(match[0])
        end = match.end()
    return runs


def _is_picture(char: str) -> bool:
    return unicodedata.category(char) == "So" and char not in ASKING


_TOKEN = re.compile(r"\w+(?:'\w+)*|[^\w\s]")
_CELL_IN_TEXT = re.compile(r"(?<![a-z0-9])[a-z][1-9][0-9]?(?![a-z0-9])", re.IGNORECASE)
_PLAIN_SIGNS = frozenset(".,!:;-()\"*~\u2026\u00a1\u3002\u3001\uff0c\uff01\uff1a'_/")
_SENTENCE_END = re.compile(r"(?<=[.!])\s+")
_AFTERTHOUGHT = re.compile(r"\s*[,;(]\s*|\s+[-\u2013\u2014]+\s+")
_MOST_PARTS = 3
"""How many commas and the like are looked at, and how many things a line may say to do."""
_LONGEST_NAME = 2
_LONGEST_LINE = 200
_MOST_TOKENS = 12
"""A longer line that holds the word draw, or again, more likely speaks of something else."""
_SMILEY = re.compile(r"[:;=8]-?[)dp(]|<3|\^\^", re.IGNORECASE)

_GREETING = "greeting"
_THANKS = "thanks"
_Phrases = Mapping[tuple[str, ...], str]


class Wording(Struct, frozen=True):
    """What is found in a line besides words that change nothing."""

    runs: tuple[tuple[str, ...], ...]
    """The placements: each is a list of cells with nothing but commas and the like in between."""
    words: tuple[str, ...]
    """Words of commands that stand there, or that something there may mean."""
    is_clear: bool
    """Whether all else is known to change nothing, and nothing is asked."""
    has_phrases: bool = False
    """Whether a greeting or the like is found."""
    is_sequence: bool = False
    """Whether the placements are said to follow each other, as in `D4, which captures, then E5`."""

    @property
    def is_courtesy(self) -> bool:
        """Whether there are words, and none of them says anything to do."""
        return self.is_clear and self.has_phrases and not (self.runs or self.words)


def worded(line: str, deeds: Collection[str]) -> Wording:
    """Return what a line says; `deeds` are the words of commands to look for."""
    if len(line) > _LONGEST_LINE:
        return Wording((), (), is_clear=False)
    line = _SMILEY.sub(" ", line.translate(vocabulary.APOSTROPHES))
    whole = _worded(line, deeds)
    plain = set(map(_plain, _tokens(line)))
    doubts = bool(plain & _courtesies("doubts")) or any(sign in line for sign in ASKING)
    may_be_clear = 0 < len(whole.runs) + len(whole.words) <= _MOST_PARTS and not doubts
    is_known = whole.is_clear or (may_be_clear and _is_clear_in_part(line, deeds))
    is_sequence = len(whole.runs) > 1 and not doubts and bool(plain & _courtesies("following"))
    return structs.replace(whole, is_clear=is_known, is_sequence=is_sequence)


def _is_clear_in_part(line: str, deeds: Collection[str]) -> bool:
    """Return whether one part of a line clearly says what to do, and the others say nothing.

    That part is a sentence, or what stands before the first comma, dash or bracket.
    """
    if _says_once(_SENTENCE_END.split(line), deeds):
        return True
    cuts = (
        (line[: cut.start()], line[cut.end() :])
        for cut in islice(_AFTERTHOUGHT.finditer(line), _MOST_PARTS)
    )
    return any(_says_once(parts, deeds, is_first=True) for parts in cuts)


def _says_once(parts: Sequence[str], deeds: Collection[str], *, is_first: bool = False) -> bool:
    """Return whether one part clearly says what to do, the first of them if that `is_first`."""
    said = [_worded(part, deeds) for part in parts]
    doing = [part for part in said if part.runs or part.words]
    has_words = all(any(map(str.isalpha, part)) for part in parts)
    return (
        has_words
        and len(doing) == 1
        and doing[0].is_clear
        and (not is_first or doing[0] is said[0])
    )


def _worded(line: str, deeds: Collection[str]) -> Wording:
    """Return what a line says, if it is taken as one sentence."""
    tokens = _tokens(line)
    plain = tuple(map(_plain, tokens))
    words: list[str] = []
    is_clear, has_phrases, nth = True, False, 0
    while nth < len(tokens):
        length, group = _phrase_at(plain, nth)
        if length:
            nth, has_phrases = nth + length, True
            if group in (_GREETING, _THANKS):
                nth += _length_of_name(tokens, nth, is_begun=group == _GREETING)
            elif group:
                words.append(group)
        elif _CELL_IN_TEXT.fullmatch(plain[nth]) or plain[nth] in _PLAIN_SIGNS:
            nth += 1
        elif (deed := vocabulary.in_english(plain[nth], deeds)) in deeds:
            words.append(deed)
            nth += 1
        else:
            is_clear = False
            nth += 1
    runs = tuple(tuple(run) for run in runs_within(vocabulary.fold(line)))
    is_passed_over = len(tokens) > _MOST_TOKENS
    meant = () if is_passed_over else tuple(dict.fromkeys(words))
    return Wording(runs, meant, is_clear and not (words and is_passed_over), has_phrases)


@cache
def _read_courtesies() -> Mapping[str, Any]:
    """Return what people write around a move, as `courtesies.toml` has it."""
    return tomllib.loads((get_data(__package__, "courtesies.toml") or b"").decode())


@cache
def _courtesies(group: str) -> frozenset[str]:
    return frozenset(_read_courtesies()[group])


@cache
def _phrases() -> tuple[_Phrases, int]:
    """Return all phrases with what they mean, and how many words the longest has."""
    groups = {
        **dict.fromkeys(_courtesies("around"), ""),
        **dict.fromkeys(_courtesies("thanks"), _THANKS),
        **dict.fromkeys(_courtesies("greetings"), _GREETING),
    }
    for name, words in _read_courtesies()["meant"].items():
        groups |= dict.fromkeys(words, name)
    found = {tuple(map(_plain, _tokens(phrase))): group for phrase, group in groups.items()}
    return found, max(map(len, found))


def _phrase_at(plain: Sequence[str], nth: int) -> tuple[int, str]:
    """Return how many words the phrase has that begins here, 0 if none does, and its meaning."""
    phrases, longest = _phrases()
    for length in range(min(longest, len(plain) - nth), 0, -1):
        group = phrases.get(tuple(plain[nth : nth + length]))
        if group is not None:
            return length, group
    return 0, ""


def _length_of_name(tokens: Sequence[str], nth: int, *, is_begun: bool) -> int:
    """Return how many words and signs of a name stand behind a greeting or a good-bye.

    A name begins with a capital letter. Behind a greeting, with which a line `is_begun`, it need
    not, if a sign ends it.
    """
    begin = nth
    if begin + 1 < len(tokens) and tokens[begin] == ",":
        begin += 1
        if not _is_name(tokens[begin]) or any(map(_is_word, tokens[begin + _LONGEST_NAME :])):
            return 0
    end = begin
    while end < len(tokens) and end - begin < _LONGEST_NAME and _is_name(tokens[end]):
        end += 1
    if end == begin and is_begun and _ends_behind(tokens, begin):
        end += 1
    return end - nth if end > begin else 0


def _ends_behind(tokens: Sequence[str], nth: int) -> bool:
    """Return whether a word stands here that a sign or the end of the line follows."""
    if nth >= len(tokens) or not _is_word(tokens[nth]):
        return False
    return tokens[nth + 1 : nth + 2] in ([","], ["!"], [":"], ["-"], [])


def _is_name(token: str) -> bool:
    return _is_word(token) and token[0].isupper()


def _is_word(token: str) -> bool:
    return token[0].isalpha() and not _CELL_IN_TEXT.fullmatch(_plain(token))


def _tokens(line: str) -> list[str]:
    """Return the words and signs of a line, without pictograms."""
    found = _TOKEN.findall(_CELL_IN_TEXT.sub(r" \g<0> ", line))
    return [token for token in found if not _is_harmless_sign(token)]


def _plain(token: str) -> str:
    return vocabulary.without_accents(vocabulary.fold(token).casefold())


def _is_harmless_sign(token: str) -> bool:
    """Return whether a token is a pictogram, or part of one, that asks nothing."""
    return unicodedata.category(token[0]) in ("So", "Sk", "Mn", "Cf") and token not in ASKING


_SIGNS = ".,!:;-"
_DOUBTFUL = frozenset("?\u00bf\uff1f>|")
"""Signs of a question, or of a quote."""


def agrees(text: str) -> bool:
    """Return whether a text says yes, in any language, and nothing else but thanks and the like.

    Its first line counts that is no mere greeting. What somebody writes below that does not matter.
    """
    line = _first_line(text)
    yes, no = _answers()
    if no.search(line) or _DOUBTFUL & set(line):
        return False
    rest, said = yes.subn(" ", line)
    return said > 0 and _says_nothing(rest)


def refuses(text: str) -> bool:
    """Return whether a text begins with no, in any language, and does not say yes as well."""
    line = _first_line(text)
    yes, no = _answers()
    begun = no.match(line)
    if begun is None or yes.search(line):
        return False
    rest = line[begun.end() :]
    return rest.lstrip()[:1] in (*_SIGNS,) or _says_nothing(no.sub(" ", rest))


def _first_line(text: str) -> str:
    """Return the first line that is no mere greeting, with plain letters."""
    lines = vocabulary.without_accents(text.translate(vocabulary.APOSTROPHES)).splitlines()
    said = (line.strip() for line in lines if line.strip())
    return next((line for line in said if not _is_greeting(line)), "")


def _is_greeting(line: str) -> bool:
    yes, no = _answers()
    return not (yes.search(line) or no.search(line)) and worded(line, ()).is_courtesy


def _says_nothing(rest: str) -> bool:
    return not any(map(str.isalnum, rest)) or worded(rest, ()).is_courtesy


@cache
def _answers() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds the words that say yes, and those that say no."""
    languages = LANGUAGES.values()
    yes = _any_of(word for language in languages for word in language.yes)
    return yes, _any_of(word for language in languages for word in language.no)


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(map(vocabulary.fold, phrases), key=len, reverse=True)
    found = "|".join(re.escape(phrase).replace(r"\ ", "[ ,]+") for phrase in longest_first)
    return re.compile(rf"(?<![\w'])(?:{found})(?![\w'])", re.IGNORECASE)
