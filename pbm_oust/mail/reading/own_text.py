"""What a person wrote in a mail, without quotes, signatures and additions of programs. Pure."""

import re
from collections.abc import Sequence

from dataclasses import dataclass, replace
from pbm_oust.mail.reading.attributions import DIRECTIONS, attribution
from pbm_oust.mail.reading.companies import lines_of_warning
from pbm_oust.mail.reading.footers import is_footer, names_program
from pbm_oust.mail.reading.older_messages import SEPARATOR, Ending, ending, judged, next_written
import re

_QUOTED = re.compile(r"[ \t]{0,8}(?:[A-Za-z]{2,10}(?=>[ >]|>$))?[>\uff1e]")
_GLUED = re.compile(r"[ \t]*(?:[A-Za-z]+[>\uff1e]|[>\uff1e][^\s>\uff1e])")
"""A mark as few programs write it: behind a name, or without a space."""
_SMILEY = re.compile(r">[:;=.^_]")
_STUFFED = ">From "
"""What mbox files make of a line that begins with `From`."""
_OTHER_MARK = re.compile(r"[ ]?[|\t}:%\u203a\u2502\u2503]")
"""Quote marks of a few programs; they count as such only right below an attribution."""
_OTHER_MARK_OR_EMPTY = re.compile(rf"{_OTHER_MARK.pattern}|\s*$")
_MAY_BE_QUOTED = re.compile(r"[ \t]{0,8}(?:[|}:%\u203a\u2502\u2503\u275a\u276f]|\u00bb(?!.*\u00ab))")
"""The same where no attribution stands above."""
_OF_A_BOARD = re.compile(
    r"\s*\d{1,2}\s+(?:[.,xoXO\u00b7\u2022]\s+){2}|\s*A B C?|.{0,40}\bx: \S+ \d+/\d+"
)
"""A row of a board as our letters draw it, its columns, or the players above it."""
_BROKEN_ADDRESS = re.compile(r"\n{1,2}<[ \t]*\n{1,2}[ \t]*mailto:([^\n<>]{1,200})[^\n]{0,200}\n{1,2}>")
"""An address that Polymail writes on three lines, of which the last looks like a quote."""
_MOST_FOOTERS = 6
_ENDS = (Ending.LIKELY, Ending.SIGNATURE, Ending.OLDER)
_NARROWEST = 60
"""Programs that break long lines anew leave at least this many columns."""


@dataclass(frozen=True, slots=True)
class OwnText:
    """What the sender wrote, in two parts, and how begins what was left out beside quotes."""

    sure: str
    """The part that is theirs for certain. Commands are read from it alone."""
    unsure: str = ""
    """What stands between quotes, or where a quote seems to be. It may be the text of others."""
    left_out: str = ""
    """The first line of what was removed though it is neither quoted for certain nor a signature
    nor a known footer."""

    @property
    def whole(self) -> str:
        """All of it."""
        return "\n".join(filter(None, (self.sure, self.unsure))).strip("\n")


def own_text(text: str) -> OwnText:
    """Return what the sender wrote.

    Removed are marked quotes, with the sentence above them that says who wrote them; lines that
    phones and programs add; and everything after the `--` of a signature, a line that announces an
    older message, or headers of one. So is an unmarked quote below such a sentence.

    What may be the sender's goes along: it is unsure. What stands above the first trace of a quote
    is certain. So is what stands below the last marked line, if all lines of the quote are marked
    and an empty line stands between.
    """
    lines = _BROKEN_ADDRESS.sub(r" <\1> ", text).split("\n")
    above = lines_of_warning(lines)
    own = _Parting(lines[above:]).parted()
    if above:
        own = replace(own, left_out=lines[next_written(lines, 0)].strip())
    return own


class _Parting:
    """Goes through the lines of a mail once."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._bare = [DIRECTIONS.sub("", line) for line in lines]
        self._kept: list[str] = []
        self._sure: int | None = None
        """How many of the kept lines stand above the first trace of a quote, if there is one."""
        self._is_marked = True
        """Whether all traces so far are one marked quote with an empty line below it."""
        boards = (nth for nth, line in enumerate(self._bare) if _OF_A_BOARD.match(line))
        self._last_board = max(boards, default=-1)
        self._left_out = ""

    def parted(self) -> OwnText:
        """Return what the sender wrote."""
        bare, kept = self._bare, self._kept
        number = 0
        while number < len(bare):
            found = ending(bare, number, self._last_board > number)
            if found in _ENDS:
                self._leave_out(bare[number:], found)
                return self._whole(is_older=found is Ending.OLDER)
            if self._is_quoted(number):
                number = self._pass_quote(number, _QUOTED)
                continue
            line = self._lines[number].rstrip()
            is_glued = _GLUED.match(line) and not line.startswith(_STUFFED)
            is_glued = is_glued and not _SMILEY.match(line)
            if found is Ending.DOUBTFUL or is_glued or _may_be_of_letter(bare[number]):
                self._note_trace(is_marked=False)
            self._keep(line[line.startswith(_STUFFED) :])
            number += 1
            above = attribution(kept)
            begin = next_written(bare, number)
            if not above or (begin < len(bare) and self._is_quoted(begin)):
                continue
            found = Ending.DOUBTFUL
            if attribution(kept, is_sure=True):
                found = judged(" ".join(kept[-above:]), self._last_board >= begin)
            if found is Ending.DOUBTFUL:
                self._note_trace(above, is_marked=False)
            elif begin < len(bare) and _OTHER_MARK.match(bare[begin]):
                number = self._pass_quote(begin, _OTHER_MARK_OR_EMPTY)
            else:
                self._leave_out(kept[-above:], found)
                return self._whole(is_older=True)
        return self._whole()

    def _is_quoted(self, number: int) -> bool:
        """Return whether a line has the mark of a quote.

        One without a space behind it counts only beside another, or below an attribution.
        """
        if not _QUOTED.match(self._bare[number]):
            return False
        beside = (*self._bare[max(0, number - 1) : number], *self._bare[number + 1 : number + 2])
        is_beside = any(_QUOTED.match(each) and not _SMILEY.match(each) for each in beside)
        is_alone = _GLUED.match(self._bare[number]) and not is_beside
        above = self._kept[:-1] if self._kept and not self._kept[-1] else self._kept
        return not is_alone or bool(attribution(above))

    def _leave_out(self, lines: Sequence[str], found: Ending = Ending.LIKELY) -> None:
        """Note how lines begin that are removed, unless they are certainly not the sender's."""
        if found is Ending.LIKELY:
            written = (line.strip() for line in lines if line.strip(" -"))
            self._left_out = self._left_out or next(written, "")

    def _pass_quote(self, number: int, mark: re.Pattern[str]) -> int:
        """Drop a marked quote and what announces it; return the number of the line below it."""
        self._drop_above_quote()
        end = _end_of_quote(self._bare, number, mark)
        self._leave_out([line for line in self._bare[number:end] if not mark.match(line)])
        self._note_trace(is_marked=not all(map(str.strip, self._bare[end - 1 : end + 1])))
        self._keep("")
        return end

    def _note_trace(self, above: int = 0, *, is_marked: bool) -> None:
        """Note that a quote begins here, or `above` lines above."""
        place = len(self._kept) - above
        while place and not self._kept[place - 1]:
            place -= 1
        is_first = self._sure is None
        self._sure = place if self._sure is None else min(self._sure, place)
        is_next = not any(self._kept[self._sure :])
        self._is_marked = is_marked and (is_first or (self._is_marked and is_next))

    def _keep(self, line: str) -> None:
        """Add a line to those kept; several empty lines in a row become one."""
        if line or (self._kept and self._kept[-1]):
            self._kept.append(line)

    def _drop_above_quote(self) -> None:
        """Drop what is at the end of the kept lines only because an older message follows."""
        kept = self._kept
        _drop_empty(kept)
        number = attribution(kept)
        if number:
            del kept[-number:]
        while kept and (not kept[-1] or SEPARATOR.fullmatch(kept[-1])):
            kept.pop()
        self._drop_footers()

    def _drop_footers(self) -> None:
        """Drop what phones and programs have added at the end of the kept lines."""
        kept = self._kept
        _drop_empty(kept)
        for _ in range(_MOST_FOOTERS):
            if kept and is_footer(kept[-1]):
                line = kept.pop()
                self._leave_out([] if names_program(line) else [line])
                _drop_empty(kept)

    def _whole(self, *, is_older: bool = False) -> OwnText:
        """Return the kept lines; `is_older`: what follows them is an older message."""
        kept = self._kept
        if is_older:
            self._drop_above_quote()
        else:
            self._drop_footers()
        number = len(kept) if self._sure is None else self._sure
        # Our letters set what they quote or suggest in by two spaces.
        if self._is_marked and not any(line.startswith("  ") for line in kept[number:]):
            number = len(kept)
        sure, unsure = "\n".join(kept[:number]), "\n".join(kept[number:])
        unsure = unsure.rstrip("\n") if unsure.strip() else ""
        return OwnText(sure.strip("\n"), unsure, self._left_out)


def _may_be_of_letter(line: str) -> bool:
    """Return whether a line looks like part of an older message that is not marked as one."""
    return bool(_MAY_BE_QUOTED.match(line) or _OF_A_BOARD.match(line))


def _end_of_quote(lines: list[str], number: int, mark: re.Pattern[str]) -> int:
    """Return the number of the first line below a marked quote.

    Where a program has broken its long lines anew, their ends are part of it.
    """
    while number < len(lines):
        if mark.match(lines[number]) or _is_broken_off(lines, number, mark):
            number += 1
        else:
            break
    return number


def _is_broken_off(lines: list[str], number: int, mark: re.Pattern[str]) -> bool:
    """Return whether a line without a mark is the end of the marked line above it.

    The first word did not fit there, and the quote goes on below.
    """
    above, line = lines[number - 1], lines[number]
    if not (line.strip() and mark.match(above) and number + 1 < len(lines)):
        return False
    is_full = len(above.rstrip()) + 1 + len(line.split()[0]) > _NARROWEST
    return is_full and bool(mark.match(lines[number + 1]))


def _drop_empty(kept: list[str]) -> None:
    while kept and not kept[-1]:
        kept.pop()
