"""Lines in the order of other servers, and plain sentences of newcomers, as commands. Pure.

challenge oust alice bob    a game's command before the game
oust help move              a general command behind a game
oust pass 17 alice PASSWORD a deed in the place of a command
oust seek alice PASSWORD hex 4, oust challenge alice bob 7x7
                            a grid as lists show it, in the place of an option
oust resign 17 alice PASSWORD #9, oust move 17 alice PASSWORD#9 D4
                            the number of a record, wherever it stands
Hello, I would like to play; rules; who wants to play?
                            a wish of somebody who is new, in the place of a whole mail
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pkgutil import get_data
from typing import Any, NamedTuple

from pbm_oust.grammar import vocabulary
from pbm_oust.grammar.grids import with_options
from pbm_oust.grammar.wish import DEEDS
from pbm_oust.refusal import Unreadable

_GENERAL_BEHIND_GAMES = ("help", "list", "tournaments")

_GUARD = re.compile(r"#[1-9][0-9]*")
_ENDS_WITH_GUARD = re.compile(r"([^#]+)(#[1-9][0-9]*)")
_BEFORE_DEED = 3
"""The number of words before the record: the board, the userid and the password."""

_BEFORE_GRID = {"challenge": 2, "seek": 2}
"""The least number of words before a grid, by the name of the command."""
START = "start"
FIRST_STEPS = f"help {START}"
"""The line that asks what somebody asks who writes for the first time."""
_LONGEST_SENTENCE = 80
"""The number of characters of a sentence that count."""

_SHORTEST_MISSPELT = 4
_ALIKE = 0.74
"""How alike two words are, by `difflib`, of which one may be the other misspelt."""

_MAY_BE_WISHES = ("help", "join", "ladder", "puzzle")
"""Names of commands with which sentences begin, help me, or that are sent without their game."""


@cache
def _read() -> Mapping[str, Any]:
    """Return the contents of `habits.toml`."""
    return tomllib.loads((get_data(__package__, "habits.toml") or b"").decode())


@cache
def _said() -> dict[str, re.Pattern[str]]:
    """Return the patterns of sentences that ask for a command, by its name."""
    return {name: re.compile("|".join(said)) for name, said in _read()["said"].items()}


@cache
def _begins(what: str) -> re.Pattern[str]:
    """Return the pattern of answers to the first letter that name a `userid` or an `opponent`."""
    return re.compile(
        "|".join(f"(?:{each})" for each in _read()["begins"][what]).replace("?P<name>", "")
    )


@cache
def _praise() -> re.Pattern[str]:
    """Return the pattern of what people say to whoever has won."""
    return re.compile(rf"\b(?:{'|'.join(_read()['praise']['says'])})\b")


@cache
def _wishes() -> list[tuple[str, re.Pattern[str]]]:
    """Return pairs of a command and the pattern of sentences that wish for it."""
    return [(each["line"], re.compile("|".join(each["says"]))) for each in _read()["wished"]]


def as_written_here(
    words: Sequence[str], kinds: Collection[str], of_kind: Collection[str], general: Collection[str]
) -> tuple[str, ...]:
    """Return the words of a line in the order that our commands have.

    `of_kind` and `general` are the names of the commands of a game and of the others.
    """
    words = tuple(words)
    if len(words) < 2:
        return words
    first, second = map(vocabulary.in_english, words[:2])
    if second in kinds and first not in {*kinds, *general} and _is_one(words[0], of_kind):
        return as_written_here((words[1], words[0], *words[2:]), kinds, of_kind, general)
    if first not in kinds:
        return words
    if second in _GENERAL_BEHIND_GAMES:
        return (words[1], *(words[2:] if second == "help" and words[2:] else words[:1]))
    if second in DEEDS:
        return _as_move(words, second, second in of_kind)
    if second in _BEFORE_GRID:
        before = 2 + _BEFORE_GRID[second]
        return (*words[:before], *with_options(words[before:]))
    if second != "move":
        return words
    # The number of a record goes to the end of a move.
    said, guard = _without_guard(words)
    return (*said[:-1], f"{said[-1]}{guard}") if guard and len(said) > 2 + _BEFORE_DEED else words


def wished_plainly(words: Sequence[str], kinds: Collection[str], known: Collection[str]) -> str:
    """Return the command for a sentence of somebody new, or an empty line.

    `known` are the first words of commands; a line that begins with one is a command already.
    """
    text = " ".join(words)[:_LONGEST_SENTENCE]
    first = vocabulary.in_english(words[0]) if words else ""
    has_number = any(map(str.isdigit, text))
    may_be_wish = first not in known or (first in _MAY_BE_WISHES and not has_number)
    if not may_be_wish or said_plainly(text):
        return ""
    plain = " ".join(filter(None, (word.strip(".,!;:") for word in _plain(text).split())))
    plain = plain.rstrip("? ") or plain[:1]
    wishes = _wishes()[:2] if first == "help" else _wishes()
    found = next((line for line, wish in wishes if wish.fullmatch(plain)), "")
    is_greeting = not found and first not in known and is_courtesy(text)
    if is_greeting:
        return FIRST_STEPS
    named = [kind for kind in kinds if kind in plain.split()] or [*kinds]
    return found.replace("GAMES", " ".join(named)).replace("GAME", named[0])


def praises(text: str) -> bool:
    """Return whether a text thanks or congratulates, and asks nothing."""
    plain = _plain(text)
    return "?" not in text and bool(is_courtesy(text.strip()) or _praise().search(plain))


def _plain(text: str) -> str:
    plain = vocabulary.without_accents(
        text[:_LONGEST_SENTENCE].translate(vocabulary.APOSTROPHES).lower()
    )
    return " ".join(plain.split())


def said_plainly(text: str) -> str | None:
    """Return the name of the command that a sentence asks for, or None."""
    plain = _plain(text)
    return next((name for name, said in _said().items() if said.search(plain)), None)


class Asked(NamedTuple):
    """A line that a sentence of a player asks for, as `habits.toml` has it."""

    line: str
    words: Mapping[str, str]
    """The words of the sentence for the places of the line."""
    game: str
    """The game that it names; often none."""
    sentence: str
    """The whole sentence, if the command reads more of it; often empty."""


def asked_by_player(text: str, kinds: Collection[str]) -> Iterator[Asked]:
    """Yield the lines that a sentence of a player may ask for, the likeliest first."""
    plain = " ".join(filter(None, (word.strip(".,!;:()?#") for word in _plain(text).split())))
    between, lines = _asked()
    of_game = "|".join(_read()["players"]["of_game"])
    for said in dict.fromkeys((plain, _spelled(between.sub(" ", plain)))):
        bare = " ".join(between.sub(" ", said).split())
        named = re.search(rf"(?:\b(?:{of_game}) )*\b({'|'.join(kinds)})\b", bare)
        game = named[1] if named else ""
        bare = " ".join(bare.replace(named[0], " ", 1).split()) if named else bare
        for line, pattern, is_part in lines:
            if found := pattern.search(said) if is_part else pattern.fullmatch(bare):
                words = {name: word for name, word in found.groupdict().items() if word}
                yield Asked(line, words, game, said if is_part else "")


def fitting_lines(text: str) -> Iterator[str]:
    """Yield the lines that fit an answer about a board which is not clear, the likeliest first."""
    plain = _plain(text)
    for said in dict.fromkeys((plain, _spelled(plain))):
        for each in _read()["unclear"]:
            if any(re.search(pattern, said) for pattern in each["says"]):
                yield each["line"]
        if _said()["vacation"].search(said):
            yield "vacation USERID -"


@cache
def _asked() -> tuple[re.Pattern[str], list[tuple[str, re.Pattern[str], bool]]]:
    """Return the pattern of words that say nothing, and lines with the patterns of sentences.

    With each, whether it need not be all of a sentence.
    """
    players = _read()["players"]
    name = rf"@?(?P<other>(?!(?:{'|'.join(players['no_names'])})\b)[a-z][\w-]*)"
    places = {"NAME": name, "ON": players["on"].replace("NAME", name)}
    lines = list[tuple[str, re.Pattern[str], bool]]()
    for each in _read()["asked"]:
        for pattern in each.get("says", ()):
            for place, meant in places.items():
                pattern = pattern.replace(place, meant)
            lines.append((each["line"], re.compile(pattern), False))
        if "said" in each:
            lines.append((each["line"], _said()[each["said"]], True))
    longest_first = sorted(players["between"], key=len, reverse=True)
    words = "|".join(map(re.escape, longest_first))
    return re.compile(rf"(?<![\w'-])(?:(?:{words})(?![\w'-])|[cdjlmnst]'(?=\w))"), lines


def _spelled(plain: str) -> str:
    """Return a sentence with the words that players use, in place of those nearly like them."""
    from difflib import get_close_matches

    def known(word: str) -> str:
        near = [each for each in spelled if each[0] == word[0]]
        is_long = len(word) >= _SHORTEST_MISSPELT
        return next(iter(get_close_matches(word, near, 1, _ALIKE) if is_long else ()), word)

    spelled = _read()["players"]["spelled"]
    return " ".join(map(known, plain.split()))


def named_in(text: str, what: str) -> str:
    """Return the word of an answer to the first letter that names a `userid` or an `opponent`.

    It is empty if the answer names none.
    """
    found = _begins(what).fullmatch(_plain(text).rstrip(".!, "))
    words = filter(None, found.groups()) if found else iter(())
    return next(words, "").removeprefix("@")


def _is_one(word: str, of_kind: Collection[str]) -> bool:
    try:
        return vocabulary.find_command_word(word, of_kind) in of_kind
    except Unreadable:
        return False


def _as_move(words: tuple[str, ...], deed: str, is_command: bool) -> tuple[str, ...]:
    """Return the words with a deed on a board written as a move, unless it is a command already."""
    kind, _, *others = words
    said, guard = _without_guard(others)
    if len(said) != _BEFORE_DEED or (is_command and not guard):
        return words
    return (kind, "move", *said, f"{deed}{guard}")


def _without_guard(words: Sequence[str]) -> tuple[list[str], str]:
    """Return the words without the record number, and that number as `#9`, or nothing."""
    if "#" not in "".join(words):
        return list(words), ""
    said, guards = list[str](), list[str]()
    for word in words:
        joined = _ENDS_WITH_GUARD.fullmatch(word)
        if _GUARD.fullmatch(word):
            guards.append(word)
        elif joined:
            said.append(joined[1])
            guards.append(joined[2])
        else:
            said.append(word)
    return (said, guards[0]) if len(set(guards)) == 1 else (list(words), "")


def is_courtesy(text: str) -> bool:
    """Return whether a text is only a greeting, thanks or the like."""
    from pbm_oust.grammar.wording import worded

    return worded(text, ()).is_courtesy
