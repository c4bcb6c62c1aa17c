"""A line in which people write more than a move: `Hi Bob, I'll go D4, thanks!` Pure."""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import islice

from dataclasses import dataclass, replace
from pbm_oust.grammar import courtesies
from pbm_oust.grammar.aliases import in_english, without_accents
from pbm_oust.grammar.cells import ASKING, runs_within
from pbm_oust.grammar.plain import APOSTROPHES
from pbm_oust.grammar.words import fold
import re

_TOKEN = re.compile(r"\w+(?:'\w+)*|[^\w\s]")
_CELL = re.compile(r"(?<![a-z0-9])[a-z][1-9][0-9]?(?![a-z0-9])", re.IGNORECASE)
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


@dataclass(frozen=True, slots=True)
class Wording:
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
    line = _SMILEY.sub(" ", line.translate(APOSTROPHES))
    whole = _worded(line, deeds)
    plain = set(map(_plain, _tokens(line)))
    doubts = bool(plain & courtesies.DOUBTS) or any(sign in line for sign in ASKING)
    may_be_clear = 0 < len(whole.runs) + len(whole.words) <= _MOST_PARTS and not doubts
    is_known = whole.is_clear or (may_be_clear and _is_clear_in_part(line, deeds))
    is_sequence = len(whole.runs) > 1 and not doubts and bool(plain & courtesies.FOLLOWING)
    return replace(whole, is_clear=is_known, is_sequence=is_sequence)


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
        elif _CELL.fullmatch(plain[nth]) or plain[nth] in _PLAIN_SIGNS:
            nth += 1
        elif (deed := in_english(plain[nth], deeds)) in deeds:
            words.append(deed)
            nth += 1
        else:
            is_clear = False
            nth += 1
    runs = tuple(tuple(run) for run in runs_within(fold(line)))
    is_passed_over = len(tokens) > _MOST_TOKENS
    meant = () if is_passed_over else tuple(dict.fromkeys(words))
    return Wording(runs, meant, is_clear and not (words and is_passed_over), has_phrases)


@cache
def _phrases() -> tuple[_Phrases, int]:
    """Return all phrases with what they mean, and how many words the longest has."""
    groups = {
        **dict.fromkeys(courtesies.AROUND, ""),
        **dict.fromkeys(courtesies.THANKS, _THANKS),
        **dict.fromkeys(courtesies.GREETINGS, _GREETING),
        **courtesies.MEANT,
    }
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
    return token[0].isalpha() and not _CELL.fullmatch(_plain(token))


def _tokens(line: str) -> list[str]:
    """Return the words and signs of a line, without pictograms."""
    found = _TOKEN.findall(_CELL.sub(r" \g<0> ", line))
    return [token for token in found if not _is_harmless_sign(token)]


def _plain(token: str) -> str:
    return without_accents(fold(token).casefold())


def _is_harmless_sign(token: str) -> bool:
    """Return whether a token is a pictogram, or part of one, that asks nothing."""
    return unicodedata.category(token[0]) in ("So", "Sk", "Mn", "Cf") and token not in ASKING
