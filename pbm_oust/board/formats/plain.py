"""A game as lines that survive mail: short, plain, and read back word by word. Pure.

    [pbm_oust game 1]
    Kind: oust; Board: 17; Grid: square 13x13; X: rrognlie; O: marksteere;
      Options: swap rated nagtime=7 forfeittime=21; Started: 2026-11-20T15:36:00Z;
       1 x G7                        2026-11-20T15:40:02Z 4f0c1d2e9a8b7c6d
       2 o resign                    2026-11-21T08:02:11Z 0b53a2c4d1e6f788
    = x resign
    [end of pbm_oust game 1]

Only the order of the words counts, so quoting, other line breaks and lost spaces do no harm.
"""

import re
import string
import textwrap
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

from pbm_oust.board.formats.sheet import FORMAT, BadGame, Draft, Piece, Remark, Sheet, draft
from pbm_oust.board.notation import NUMBER, format_record, record_line

OPENING = f"[{FORMAT}]"
CLOSING = f"[end of {FORMAT}]"
WIDTH = 75

_SAFE = "".join(set(string.punctuation) - set("%\\;[]>|")) + " "
"""The characters that stand for themselves in values and remarks, besides letters and digits."""
_LONGEST_WORD = 50
_QUOTED = re.compile(r"^[\s>|]+")
_KEY = re.compile(r"[A-Z][A-Za-z]*:")
_REMARK = re.compile(r"#([1-9][0-9]{0,8})(#?)")
_TIME = re.compile(r"[0-9]{4}-\S+")


def format_plain(sheet: Sheet) -> str:
    """Return a game as lines of at most 75 ASCII characters, between marks.

    There is no newline at the end.
    """
    header = " ".join(_bound(f"{key}: {_packed(value)};") for key, value in sheet.header)
    lines = [OPENING, *(line.replace("\0", " ") for line in _folded(header, 2))]
    lines += [line for remark in sheet.remarks for line in _folded(_remark(remark), 2)]
    lines += [line for record in sheet.game.records for line in _folded(format_record(record), 7)]
    lines += [f"= {sheet.result}"] if sheet.result else []
    return "\n".join([*lines, CLOSING])


def has_plain(text: str) -> bool:
    """Return whether a text holds a game in this form."""
    return f" {OPENING} " in f" {' '.join(word.text for word in _words(text))} "


def parse_plain(text: str) -> Draft:
    """Return the history somewhere in a text, which may be quoted. Raises BadGame."""
    words = _between_marks(list(_words(text)))
    header, records, remarks = list[Piece](), list[Piece](), list[tuple[int, Piece]]()
    while words:
        first = words[0]
        found = _REMARK.fullmatch(first.text)
        if _KEY.fullmatch(first.text):
            header.append(first.said(f"{first.text} {_value(words)}"))
        elif found:
            between = "" if found[2] else " "
            remarks.append((int(found[1]), first.said(f"#{between}{_value(words)}")))
        elif first.text == "=":
            result = [words.popleft().text for _ in range(min(3, len(words)))]
            records.append(first.said(" ".join(result)))
        elif NUMBER.fullmatch(first.text):
            records.append(_record(words))
        else:
            raise BadGame(first.where, f"{first.text!r} is neither a record nor anything else")
    return draft(header, records, remarks)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word, and the line that it stands in."""

    text: str
    line: int

    @property
    def where(self) -> str:
        return f"line {self.line}"

    def said(self, text: str) -> Piece:
        """Return a line of a history that begins at this word."""
        return Piece(text, self.where)


def _words(text: str) -> Iterator[_Word]:
    """Yield the words of a text without quote marks."""
    for number, line in enumerate(text.split("\n"), 1):
        for word in _QUOTED.sub("", line).split():
            if word.strip(">"):
                yield _Word(word, number)


def _between_marks(words: list[_Word]) -> deque[_Word]:
    openings, closings = (_places(words, mark) for mark in (OPENING, CLOSING))
    if not openings:
        raise BadGame("the text", f"there is no {OPENING}")
    if len(openings) > 1:
        raise BadGame(words[openings[1]].where, "a second game begins; give one at a time")
    start = openings[0] + len(OPENING.split())
    end = next((place for place in closings if place >= start), None)
    if end is None:
        raise BadGame("the end", f"there is no {CLOSING}, so something is missing")
    return deque(words[start:end])


def _places(words: list[_Word], mark: str) -> list[int]:
    wanted = mark.split()
    return [
        place
        for place in range(len(words) - len(wanted) + 1)
        if [word.text for word in words[place : place + len(wanted)]] == wanted
    ]


def _value(words: deque[_Word]) -> str:
    """Take a key or a number with its value, which ends in a semicolon; return the value."""
    first = words.popleft()
    taken = list[str]()
    while words:
        taken.append(words.popleft().text)
        if taken[-1].endswith(";"):
            return _unpacked(" ".join(taken).removesuffix(";"))
    raise BadGame(first.where, f"no ; ends what {first.text!r} begins")


def _record(words: deque[_Word]) -> Piece:
    first = words[0]
    taken = list[str]()
    while words and not (taken and _TIME.fullmatch(taken[-1])):
        taken.append(words.popleft().text)
    if len(taken) < 4 or not words:
        raise BadGame(first.where, "a record has a number, a side, an action, a time and an id")
    number, by, *action, at = taken
    return first.said(record_line(number, by, " ".join(action), at, words.popleft().text))


def _remark(remark: Remark) -> str:
    is_usual = remark.text.startswith("# ")
    text = _packed(remark.text[2 if is_usual else 1 :])
    return f"#{remark.line}{'' if is_usual else '#'} {text};"


def _packed(text: str) -> str:
    """Return a text as ASCII words, which any white space may separate."""
    plain = re.sub(r"(?<= ) |^ | $", "%20", quote(text, safe=_SAFE))
    return re.sub(rf"(\S{{{_LONGEST_WORD}}})(?=\S)", r"\1\\ ", plain)


def _unpacked(text: str) -> str:
    return unquote(text.replace("\\ ", ""))


def _bound(text: str) -> str:
    """Return a text whose words stay on one line if they fit."""
    return text.replace(" ", "\0") if len(text) < WIDTH else text


def _folded(text: str, indent: int) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
