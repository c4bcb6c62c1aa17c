"""Natural sentences around a move: `Hi Bob, I'll go D4, thanks!` Pure."""

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
"""Question marks as pictograms: whoever adds one has not decided."""
_MARKS = re.compile("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")
"""Pattern of modifiers of a pictogram's look."""


def parts_of(line: str) -> list[str]:
    """Return the parts of a folded line between commas and spaces, without pictograms.

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
    """Return the parts as a line, with cells such as `4d` turned into `d4`."""
    turned = [
        TURNED_CELL.sub(r"\2\1", part) if TURNED_CELL.fullmatch(part) else part for part in parts
    ]
    cells = [part.upper() for part in turned if CELLS.fullmatch(part)]
    words = [part for part in turned if not CELLS.fullmatch(part)]
    return " ".join([*words, ",".join(cells)])


def is_placements(line: str) -> bool:
    """Return whether a raw line consists of placements alone."""
    try:
        words = vocabulary.split_words(line)
    except Unreadable:
        return False
    parts = parts_of(vocabulary.fold(" ".join(words)))
    return bool(parts) and all(map(CELLS.fullmatch, parts))


def runs_within(line: str) -> list[list[str]]:
    """Return the runs of cells in a folded line. Within a run are only commas and the like."""
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
"""The most separators that are examined, and the most actions of a line."""
_LONGEST_NAME = 2
_LONGEST_LINE = 200
_MOST_TOKENS = 12
"""The longest line in which the word draw, or again, is taken for an action."""
_SMILEY = re.compile(r"[:;=8]-?[)dp(]|<3|\^\^", re.IGNORECASE)

_GREETING = "greeting"
_THANKS = "thanks"
_Phrases = Mapping[tuple[str, ...], str]


class Wording(Struct, frozen=True):
    """The placements and command words of a sentence, and whether it says anything else."""

    runs: tuple[tuple[str, ...], ...]
    """The placements: lists of cells separated only by commas and the like."""
    words: tuple[str, ...]
    """Command words in the sentence, also those that a phrase stands for."""
    is_clear: bool
    """Whether all other words are known to change nothing, and nothing is asked."""
    has_phrases: bool = False
    """Whether there is a greeting or the like."""
    is_sequence: bool = False
    """Whether the runs are one turn in order, as in `D4, which captures, then E5`."""

    @property
    def is_courtesy(self) -> bool:
        """Whether there are words, but no action."""
        return self.is_clear and self.has_phrases and not (self.runs or self.words)


def worded(line: str, deeds: Collection[str]) -> Wording:
    """Return the wording of a line; `deeds` are the command words to look for."""
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
    """Return whether one part of a line is clearly an action, and the others say nothing.

    That part is a sentence, or the text before the first comma, dash or bracket.
    """
    if _says_once(_SENTENCE_END.split(line), deeds):
        return True
    cuts = (
        (line[: cut.start()], line[cut.end() :])
        for cut in islice(_AFTERTHOUGHT.finditer(line), _MOST_PARTS)
    )
    return any(_says_once(parts, deeds, is_first=True) for parts in cuts)


def _says_once(parts: Sequence[str], deeds: Collection[str], *, is_first: bool = False) -> bool:
    """Return whether exactly one part is clearly an action; with `is_first`, the first part."""
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
    """Return the wording of a line taken as one sentence."""
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
    """Return the contents of `courtesies.toml`."""
    return tomllib.loads((get_data(__package__, "courtesies.toml") or b"").decode())


@cache
def _courtesies(group: str) -> frozenset[str]:
    return frozenset(_read_courtesies()[group])


@cache
def _phrases() -> tuple[_Phrases, int]:
    """Return all phrases with their meanings, and the word count of the longest."""
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
    """Return the word count and meaning of the phrase that begins here; 0 if there is none."""
    phrases, longest = _phrases()
    for length in range(min(longest, len(plain) - nth), 0, -1):
        group = phrases.get(tuple(plain[nth : nth + length]))
        if group is not None:
            return length, group
    return 0, ""


def _length_of_name(tokens: Sequence[str], nth: int, *, is_begun: bool) -> int:
    """Return the number of words and signs in a name after a greeting or a good-bye.

    A name begins with a capital letter. After a greeting at the start of a line (`is_begun`) it
    need not, if a sign ends it.
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
    """Return whether a word is followed by a sign or the end of the line."""
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
    """Return whether a token is a pictogram, or part of one, without a question."""
    return unicodedata.category(token[0]) in ("So", "Sk", "Mn", "Cf") and token not in ASKING


_NEW = ("password",)
_SIGNS = ".,!:;-"
_DOUBTFUL = frozenset("?\u00bf\uff1f>|")
"""Signs of a question, or of a quote."""


def agrees(text: str) -> bool:
    """Return whether a text is a yes, in any language, with nothing else but thanks and the like.

    Greetings are skipped. What follows the first other line does not matter.
    """
    line = _first_line(text)
    yes, no = _answers()
    if no.search(line) or _DOUBTFUL & set(line):
        return False
    rest, said = yes.subn(" ", line)
    return said > 0 and _says_nothing(rest)


def refuses(text: str) -> bool:
    """Return whether a text begins with no, in any language, and contains no yes."""
    line = _first_line(text)
    yes, no = _answers()
    begun = no.match(line)
    if begun is None or yes.search(no.sub(" ", line)):
        return False
    rest = line[begun.end() :]
    return rest.lstrip()[:1] in (*_SIGNS,) or _says_nothing(no.sub(" ", rest))


def new_password_in(text: str) -> str:
    """Return the word behind `password`, in any language, if that is the first line of a text.

    The word in front tells it from the automatic answer of somebody who is away.
    """
    words = text.strip().partition("\n")[0].split()
    is_begun = len(words) == 2 and vocabulary.in_english(words[0].rstrip(":"), _NEW) in _NEW
    return words[1] if is_begun else ""


def _first_line(text: str) -> str:
    """Return the first line after any greeting, with plain letters."""
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
    """Return the patterns of words for yes and for no."""
    languages = LANGUAGES.values()
    yes = _any_of(word for language in languages for word in language.yes)
    return yes, _any_of(word for language in languages for word in language.no)


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(map(vocabulary.fold, phrases), key=len, reverse=True)
    found = "|".join(re.escape(phrase).replace(r"\ ", "[ ,]+") for phrase in longest_first)
    return re.compile(rf"(?<![\w'])(?:{found})(?![\w'])", re.IGNORECASE)
