"""The writer's own text in a mail, without quotes, signatures and additions of programs. Pure."""

import re
from collections.abc import Sequence
from enum import Enum

from msgspec import Struct, structs

from pbm_oust.mail.reading.footers import without_footers
from pbm_oust.mail.reading.phrases import (
    DIRECTIONS,
    PHRASES,
    any_of,
    disclaimer,
    lines_of_warning,
)

_DIRECTION_MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069 "
_COLONS = (":", "\uff1a")
_DATE = re.compile(
    r"\b\d{4}\b|\b\d{1,2}[:.h]\d{2}\b|\d{4}[\u5e74\ub144]|\b\d{1,2}[./-]\d{1,2}[./-]"
)
_IS_NEEDED = re.compile(r"[@\d]")
"""Any two of the three signs contain one of these."""
ADDRESS = re.compile(r"[^\s@<>]@[\w-]+\.\w")
_ENDS_IN_ADDRESS = re.compile(r"@[\w.-]+>\s*$")
_SAID = re.compile(rf"(?<!\w)(?:{any_of('said')})(?!\w)|\u5199\u9053|\u5beb\u9053", re.IGNORECASE)
_OPENING = re.compile(
    rf"[\W_]*(?:(?:{any_of('openings')})(?!\w)|\d{{1,4}}[-/.]\d|\d{{4}}[\u5e74\ub144]"
    r"|\w{2,4}[.,]{1,2}\s\d|\w{2,3}\s\d{1,2}\.)",
    re.IGNORECASE,
)
_WITHOUT_COLON = re.compile(r"\d{4}/\d{1,2}/\d{1,2},?\s.{0,80}<[^\s@<>]+@[^\s@<>]+>\s*")
"""An attribution of early Gmail, without a verb: `2009/11/20 Bob <bob@example.org>`."""
_LONGEST_ATTRIBUTION = 3
"""The most lines of an attribution."""
_LONGEST_LINE = 300
_LONGEST_SENTENCE = 600


def attribution(kept: Sequence[str], is_sure: bool = False) -> int:
    """Return the number of last lines that attribute a quote, 0 if there are none.

    They end in a colon and have a date, an address or the verb; `is_sure` asks for two of these.
    """
    if kept and _WITHOUT_COLON.fullmatch(DIRECTIONS.sub("", kept[-1])):
        return 1
    if not kept or not kept[-1].rstrip(_DIRECTION_MARKS).endswith(_COLONS):
        return 0
    if is_sure and not any(map(_IS_NEEDED.search, kept[-_LONGEST_ATTRIBUTION:])):
        return 0
    number = _lines_of_sentence(kept)
    sentence = DIRECTIONS.sub("", " ".join(kept[-number:])[-_LONGEST_SENTENCE:])
    return number if signs_of(sentence) >= 1 + is_sure else 0


def signs_of(sentence: str) -> int:
    """Return how many signs of an attribution a sentence has: date, address, verb."""
    return sum(bool(sign.search(sentence)) for sign in (_DATE, _SAID, ADDRESS))


def _goes_on_below(kept: Sequence[str]) -> bool:
    """Return whether the last line ends in an address, so that the verb may follow below."""
    return bool(kept) and bool(_ENDS_IN_ADDRESS.search(kept[-1]))


def _lines_of_sentence(kept: Sequence[str]) -> int:
    """Return the number of lines of the last sentence.

    It begins on a line that begins like an attribution and has a date or an address, or else on the
    line with the verb.
    """
    with_verb = 0
    for count in range(1, min(_LONGEST_ATTRIBUTION, len(kept)) + 1):
        line = DIRECTIONS.sub("", kept[-count])
        if not line.strip() or len(line) > _LONGEST_LINE:
            break
        is_more = _DATE.search(line) or ADDRESS.search(line)
        if (is_more or (count == 1 and not _goes_on_below(kept[:-1]))) and _OPENING.match(line):
            return count
        if not with_verb and _SAID.search(line):
            with_verb = count
    return with_verb or 1


SEPARATOR = re.compile(r"[-_=*~ ]{3,}")
"""A line drawn across the page."""
_SIGNATURE = re.compile(r"--[ \t\u00a0]\s*$|[*_]{1,3}\s?--\s?[*_]{1,3}\s*$")
"""The line above a signature; Gmail writes it in bold."""
_BARE_SIGNATURE = re.compile(r"--$")
"""The same without its space, as some programs send it, unless it is a drawn line."""
_UNDERSCORES = re.compile(r"\s{0,3}_{3,}\s*$")
_DRAWN = re.compile(r"\s{0,3}_{10,}\s*$|-{5}.*\w.*-{5}\s*$")
_OF_LIST = re.compile(
    r"(?=.*(?:@|https?:)).*(?:mailing[ -]?list|unsubscribe|listinfo|googlegroups)"
)
"""Footers of mailing lists below a line, in small letters."""
_MOST_LINES_OF_LIST = 6
_OURS = re.compile(r"pbm_oust|pbmserv")
"""Signs of our own letters in headers."""
_ANNOUNCED = frozenset(PHRASES["announcements"])
_AROUND_ANNOUNCEMENT = " \t-=_*~#|:\uff1a\u00a0"
_LONGEST_ANNOUNCEMENT = 160
_DASHES = ("--", "==", "__", "**", "~~", "# ", "|--")
_BEGINNING = re.compile(
    r"\s{0,8}from \S+\s.{0,60}\d{4}\s*"
    r"|\W{0,8}(?:message du|nachricht vom|mensaje del|messaggio del|message of)\s\d.{0,60}"
)
"""The first line of a mail in an mbox, or the form of some French programs."""
_SUBJECTS = frozenset(PHRASES["subject_names"])
_HEADERS = _SUBJECTS.union(PHRASES["header_names"])
_LONGEST_HEADER_NAME = 30
_HEADERS_IN_A_BLOCK = 3
_MOST_HEADERS = 8
_A_HEADER = any_of("header_names", "subject_names")
_HEADER_IN_LINE = re.compile(rf"(?<!\w)(?:{_A_HEADER})[ \u00a0]?[:\uff1a]")
_LONGEST_LINE_OF_HEADERS = 1000
_LEAST_TO_WRAP = 50
"""The least length of a header that may go on below."""
_MOST_EMPTY_LINES = 10


class EndOfText(Enum):
    """The certainty that a line ends the sender's text."""

    NO = 0
    DOUBTFUL = 1
    """Possible. The rest may as well be the sender's."""
    LIKELY = 2
    """Probable; the sender should know."""
    SIGNATURE = 3
    """Certain: a signature follows, or the footer of a mailing list or a company."""
    OLDER = 4
    """Certain: an older message follows."""


def ending(lines: Sequence[str], number: int, is_letter_below: bool) -> EndOfText:
    """Return whether a line ends the sender's text; `is_letter_below`: a board of ours follows."""
    line = lines[number]
    if _SIGNATURE.match(line):
        return EndOfText.SIGNATURE
    if _BARE_SIGNATURE.match(line):
        return EndOfText.LIKELY
    if disclaims := disclaimer(lines, number):
        return EndOfText.SIGNATURE if disclaims > 1 else EndOfText.LIKELY
    if _UNDERSCORES.match(line):
        below = " ".join(lines[number + 1 : number + 1 + _MOST_LINES_OF_LIST])
        if _OF_LIST.match(below.lower()):
            return EndOfText.SIGNATURE
    if announced := _announcement(line):
        return announced
    headers = max(_headers_from(lines, number), _headers_in_line(line), key=len)
    if len(headers) >= _HEADERS_IN_A_BLOCK:
        is_subject = any(_name_of(header) in _SUBJECTS for header in headers)
        return judged(" ".join(headers), is_letter_below, is_sure=is_subject)
    return EndOfText.DOUBTFUL if headers[1:] or _DRAWN.match(line) else EndOfText.NO


def judged(above: str, is_letter_below: bool, *, is_sure: bool = False) -> EndOfText:
    """Return whether an older message follows below apparent headers.

    It is likely if they name us, or hold an address, or something else that only a program writes
    (`is_sure`), or if a board of ours follows; two such signs make it certain.
    """
    is_sure = is_sure or bool(ADDRESS.search(above))
    if _OURS.search(above.lower()) or (is_sure and is_letter_below):
        return EndOfText.OLDER
    return EndOfText.LIKELY if is_sure or is_letter_below else EndOfText.DOUBTFUL


def _announcement(line: str) -> EndOfText | None:
    """Return the end that a line announces between dashes or before a colon, or None."""
    if len(line) > _LONGEST_ANNOUNCEMENT:
        return None
    words = line.strip(_AROUND_ANNOUNCEMENT)
    line = line.strip()
    if words.lower() in _ANNOUNCED:
        if line.startswith(_DASHES):
            return EndOfText.OLDER
        return EndOfText.LIKELY if line.endswith((":", "\uff1a")) else None
    if line.startswith("---") and line.endswith("---") and signs_of(words) > 1:
        return judged(words, is_letter_below=False)
    return None


def _headers_from(lines: Sequence[str], number: int) -> list[str]:
    """Return the headers on this line and the next ones up to an empty line.

    A line of dashes above them, or words between dashes, or the first line of a mail in an mbox,
    counts as one.
    """
    line = lines[number].rstrip()
    is_title = line.startswith("---") and line.endswith("---")
    found = list[str]()
    if is_title or SEPARATOR.fullmatch(line) or _BEGINNING.fullmatch(line.lower()):
        found.append(line)
        number = next_written(lines, number + 1)
    above = len(found)
    while number < len(lines) and len(found) < _MOST_HEADERS and _name_of(lines[number]):
        found.append(lines[number])
        number = _behind_header(lines, number)
    return found if len(found) > above else []


def _behind_header(lines: Sequence[str], number: int) -> int:
    """Return the number of the next non-empty line after a header, which may be long."""
    following = next_written(lines, number + 1)
    is_wrapped = following < len(lines) and (
        lines[following][:1] in (" ", "\t") or len(lines[number]) >= _LEAST_TO_WRAP
    )
    if is_wrapped and not _name_of(lines[following]):
        behind = next_written(lines, following + 1)
        if behind < len(lines) and _name_of(lines[behind]):
            return behind
    return following


def _headers_in_line(line: str) -> list[str]:
    """Return the headers of an older message on a single line."""
    colons = line.count(":") + line.count("\uff1a")
    if colons < _HEADERS_IN_A_BLOCK or len(line) > _LONGEST_LINE_OF_HEADERS:
        return []
    line = line.lower()
    begins = [found.start() for found in _HEADER_IN_LINE.finditer(line)]
    if not begins or line[: begins[0]].strip(" \t*|"):
        return []
    headers = [line[at:to] for at, to in zip(begins, [*begins[1:], len(line)], strict=True)]
    return headers if len({_name_of(each) for each in headers}) >= _HEADERS_IN_A_BLOCK else []


def _name_of(line: str) -> str:
    """Return the name of the header on a line, or an empty text."""
    name, colon, _ = line[:_LONGEST_HEADER_NAME].replace("\uff1a", ":").partition(":")
    name = name.strip(" \t*|>\u00a0").lower()
    return name if colon and name in _HEADERS else ""


def next_written(lines: Sequence[str], number: int) -> int:
    """Return the number of the next non-empty line; after too many empty ones, of the last."""
    for each in range(number, min(number + _MOST_EMPTY_LINES, len(lines))):
        if lines[each].strip():
            return each
    return min(number + _MOST_EMPTY_LINES, len(lines))


_QUOTED = re.compile(r"[ \t]{0,8}(?:[A-Za-z]{2,10}(?=>[ >]|>$))?[>\uff1e]")
_GLUED = re.compile(r"[ \t]*(?:[A-Za-z]+[>\uff1e]|[>\uff1e][^\s>\uff1e])")
"""A rare form of a quote mark: after a name, or without a space."""
_OWN_MARK = re.compile(
    r">From |\s*>(?:[:;=.^_~]|[8xX%|}\]]-?[()\[\]{}DPpOo3/\\|@](?!\w)|[-\w/*]{0,5}<(?!\S))"
)
"""Beginnings of own lines that look quoted: a face such as `>:-(` or `>w<`, or an mbox `>From`."""
_STUFFED = ">From "
_OTHER_MARK = re.compile(r"[ ]?[|\t}:%\u203a\u2502\u2503]")
"""Quote marks of a few programs, valid only right below an attribution."""
_OTHER_MARK_OR_EMPTY = re.compile(rf"{_OTHER_MARK.pattern}|\s*$")
_TAB_OR_EMPTY = re.compile(r"\t|\s*$")
"""The quote marks of BSD's mailx, which writes no attribution."""
_MAY_BE_QUOTED = re.compile(
    r"[ \t]{0,8}(?:[|}:%\u203a\u2502\u2503\u275a\u276f]|\u00bb(?!.*\u00ab))"
)
"""Possible quote marks of such programs without an attribution above."""
_OF_A_BOARD = re.compile(
    r"\s*\d{1,2}\s+(?:[.,xoXO\u00b7\u2022]\s+){2}|\s*A B C?|.{0,40}\bx: \S+ \d+/\d+"
)
"""A row of a board as our letters draw it, its columns, or the players above it."""
_ROWS_OF_A_BOARD = 3
_BROKEN_ADDRESS = re.compile(
    r"\n{1,2}<[ \t]*\n{1,2}[ \t]*mailto:([^\n<>]{1,200})[^\n]{0,200}\n{1,2}>"
)
"""An address on three lines by Polymail; the last one looks like a quote."""
_ENDS = (EndOfText.LIKELY, EndOfText.SIGNATURE, EndOfText.OLDER)
_NARROWEST = 60
"""The least width to which programs wrap lines again."""


class OwnText(Struct, frozen=True):
    """The sender's text in two parts, and the beginning of dropped text."""

    sure: str
    """The part that is certainly the sender's. Commands are read from it alone."""
    unsure: str = ""
    """Text between quotes, or near a probable quote. It may be by others."""
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
    and an empty line stands between, or that line is too short to go on below.
    """
    lines = _BROKEN_ADDRESS.sub(r" <\1> ", text).split("\n")
    above = lines_of_warning(lines)
    own = _Parting(lines[above:]).parted()
    if above:
        own = structs.replace(own, left_out=lines[next_written(lines, 0)].strip())
    return own


class _Parting:
    """A pass through the lines of a mail."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._bare = DIRECTIONS.sub("", "\n".join(lines)).split("\n")
        self._kept: list[str] = []
        self._sure: int | None = None
        """How many of the kept lines stand above the first trace of a quote, if there is one."""
        self._is_marked = True
        """Whether all traces so far are one marked quote, and what is below it no part of it."""
        self._quotes, self._marked = _quotes_in(self._bare)
        self._last_board = -1
        for number, line in enumerate(self._bare):
            if _OF_A_BOARD.match(line):
                self._last_board = number
        self._left_out = ""
        self._tabs = 0
        """Where the latest lines end that begin with a tab."""

    def parted(self) -> OwnText:
        """Return the sender's text."""
        bare, kept = self._bare, self._kept
        number = 0
        while number < len(bare):
            if end := self._end_of_tabs(number):
                number = self._pass_quote(number, end, _TAB_OR_EMPTY)
                continue
            found = ending(bare, number, self._last_board > number)
            if found in _ENDS:
                self._leave_out(bare[number:], found)
                return self._whole(is_older=found is EndOfText.OLDER)
            if self._is_quoted(number):
                number = self._pass_quote(number, self._marked[number], _QUOTED)
                continue
            line = self._lines[number].rstrip()
            is_glued = _GLUED.match(line) and not _OWN_MARK.match(line)
            is_of_letter = _MAY_BE_QUOTED.match(bare[number]) or _OF_A_BOARD.match(bare[number])
            if found is EndOfText.DOUBTFUL or is_glued or is_of_letter:
                self._note_trace(is_marked=False)
            self._keep(line[line.startswith(_STUFFED) :])
            number += 1
            above = attribution(kept)
            begin = next_written(bare, number)
            if not above or (begin < len(bare) and self._is_quoted(begin)):
                continue
            found = EndOfText.DOUBTFUL
            if attribution(kept, is_sure=True):
                found = judged(" ".join(kept[-above:]), self._last_board >= begin)
            if found is EndOfText.DOUBTFUL:
                self._note_trace(above, is_marked=False)
            elif begin < len(bare) and _OTHER_MARK.match(bare[begin]):
                end = _end_of_quote(bare, begin, _OTHER_MARK_OR_EMPTY)
                number = self._pass_quote(begin, end, _OTHER_MARK_OR_EMPTY)
            else:
                self._leave_out(kept[-above:], found)
                return self._whole(is_older=True)
        return self._whole()

    def _is_quoted(self, number: int) -> bool:
        """Return whether a line has a quote mark, valid alone or below an attribution."""
        above = self._kept[:-1] if self._kept and not self._kept[-1] else self._kept
        return number in self._quotes or (number in self._marked and bool(attribution(above)))

    def _end_of_tabs(self, number: int) -> int:
        """Return the number of the line below a letter of ours quoted with tabs, or 0.

        It has our name, and headers or a board; a board alone may be the sender's.
        """
        if number < self._tabs or not self._bare[number].startswith("\t"):
            return 0
        end = self._tabs = _end_of_quote(self._bare, number, _TAB_OR_EMPTY)
        quote = [line.strip() for line in self._bare[number:end]]
        is_board = sum(map(bool, map(_OF_A_BOARD.match, quote))) >= _ROWS_OF_A_BOARD
        if not is_board and len(_headers_from(quote, 0)) < _HEADERS_IN_A_BLOCK:
            return 0
        if not _OURS.search("\n".join(quote).lower()):
            self._leave_out(quote)
        return end

    def _leave_out(self, lines: Sequence[str], found: EndOfText = EndOfText.LIKELY) -> None:
        """Note the first dropped line, unless the lines are certainly not the sender's."""
        if found is EndOfText.LIKELY and not self._left_out:
            end, doubtful = without_footers(lines)
            written = (line.strip() for line in (*lines[:end], *doubtful) if line.strip(" -"))
            self._left_out = next(written, "")

    def _pass_quote(self, number: int, end: int, mark: re.Pattern[str]) -> int:
        """Drop a marked quote and its attribution; return the number of the next line."""
        self._drop_above_quote()
        quote = self._bare[number:end]
        self._leave_out([line for line in quote if not mark.match(line)])
        if not _is_glued(quote):
            self._leave_out([line for line in quote[1:] if _OWN_MARK.match(line)])
        self._note_trace(is_marked=_is_apart(self._bare, number, end, mark))
        self._keep("")
        return end

    def _note_trace(self, above: int = 0, *, is_marked: bool) -> None:
        """Note the beginning of a quote here, or `above` lines above."""
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
        """Drop the last kept lines that belong to the older message below."""
        kept = self._kept
        _drop_empty(kept)
        number = attribution(kept)
        if number:
            del kept[-number:]
        while kept and (not kept[-1] or SEPARATOR.fullmatch(kept[-1])):
            kept.pop()
        self._drop_footers()

    def _drop_footers(self) -> None:
        """Drop footers of phones and programs at the end of the kept lines."""
        end, doubtful = without_footers(self._kept)
        del self._kept[end:]
        self._leave_out(doubtful)

    def _whole(self, *, is_older: bool = False) -> OwnText:
        """Return the kept lines; `is_older`: an older message follows them."""
        kept = self._kept
        if is_older:
            self._drop_above_quote()
        else:
            self._drop_footers()
        number = len(kept) if self._sure is None else self._sure
        sure, unsure = "\n".join(kept[:number]), "\n".join(kept[number:])
        # Our letters set what they quote or suggest in by two spaces.
        if self._is_marked and "\n  " not in f"\n{unsure}":
            sure, unsure = "\n".join(kept), ""
        unsure = unsure.rstrip("\n") if unsure.strip() else ""
        return OwnText(sure.strip("\n"), unsure, self._left_out)


def _quotes_in(lines: list[str]) -> tuple[set[int], dict[int, int]]:
    """Return the numbers of quoted lines, and the end of the quote for each marked line.

    A mark without a space behind it counts beside another quoted line only. A possible mark of the
    sender's own counts between quoted lines, or in a quote without spaces behind its marks.
    """
    quotes, marked = set[int](), dict[int, int]()
    number = 0
    while number < len(lines):
        if not _QUOTED.match(lines[number]):
            number += 1
            continue
        end = below = _end_of_quote(lines, number, _QUOTED)
        plain = [
            each
            for each in range(number, end)
            if _QUOTED.match(lines[each]) and not _OWN_MARK.match(lines[each])
        ]
        is_glued = _is_glued(lines[number:end])
        if len(plain) > is_glued:
            first, below = (number, end) if is_glued else (plain[0], plain[-1] + 1)
            quotes.update(range(first, below))
        marked.update((each, below if each < below else end) for each in range(number, end))
        number = end
    return quotes, marked


def _is_glued(quote: Sequence[str]) -> bool:
    """Return whether a quote has marks without spaces and words that only a quote has."""
    return any(_GLUED.match(line) and not _OWN_MARK.match(line) for line in quote)


def _is_apart(lines: list[str], number: int, end: int, mark: re.Pattern[str]) -> bool:
    """Return whether the text below a marked quote is certainly not the end of its last line.

    An empty line is between, or its first word would have fit there: into as many columns as
    programs leave, or as another line of the quote takes.
    """
    last, below = lines[end - 1 : end + 1] if end < len(lines) else ("", "")
    if not (below.strip() and mark.sub("", last, count=1).strip()):
        return True
    broken = (line.rstrip() for line in lines[number:end] if len(line.split()) > 2)
    widest = max([_NARROWEST, *map(len, broken)])
    return len(last.rstrip()) + 1 + len(below.split()[0]) <= widest


def _end_of_quote(lines: list[str], number: int, mark: re.Pattern[str]) -> int:
    """Return the number of the first line below a marked quote.

    Ends of wrapped lines belong to the quote.
    """
    while number < len(lines):
        if mark.match(lines[number]) or _is_broken_off(lines, number, mark):
            number += 1
        else:
            break
    return number


def _is_broken_off(lines: list[str], number: int, mark: re.Pattern[str]) -> bool:
    """Return whether a line without a mark is the wrapped end of the marked line above.

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
