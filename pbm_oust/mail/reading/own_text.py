"""What a person wrote in a mail, without quotes, signatures and additions of programs. Pure."""

import re
from collections.abc import Sequence
from enum import Enum

from msgspec import Struct, structs

from pbm_oust.mail.reading.phrases import PHRASES, any_of, disclaimer, lines_of_warning

_LONGEST = 200
_MOST_WORDS = 8
_LONGEST_NAME = 48
_ADDRESS_OF_PROGRAM = re.compile(r"[<(\[]*https?:\S*$|[<(]https?:[^\s<>()]*[>)]")
_AROUND = " \t.!*_\u3002\u00a0[]()<>\u200e\u200f"
_BRACKETS = str.maketrans("", "", "[]")
_OF_CHECKS = re.compile(
    r"(?:\S+\s+){0,5}(?:\S*\.)?\s?www\.(?:avast|avg)\.com(?:\s*<https?://[^\s<>]*>)?"
    r"|<?https?://[\w.-]*(?:avast|avg)\.com/\S*|<#[0-9a-f]{8}-[0-9a-f-]{27}>"
    r"|yahoo mail\s?: \w+, \w+, \w+"
    r"|version: [\d.]+ / virus database: .*|sent from mailspring\b.*",
    re.IGNORECASE,
)
"""What Avast, AVG, Yahoo and Mailspring write in any language, with the links around it."""
_KNOWN = re.compile(any_of("devices"), re.IGNORECASE)
_FOOTERS = PHRASES["phone_footers"]
_FOOTER_ENDS = [tuple(phrase.split("{}", 1)) for phrase in _FOOTERS if "{}" in phrase]
_BEGINNINGS = tuple(begin for begin, _ in _FOOTER_ENDS if begin)
_ENDINGS = tuple(end for begin, end in _FOOTER_ENDS if not begin)
_WHOLE = frozenset(phrase for phrase in _FOOTERS if "{}" not in phrase)


def is_footer(line: str) -> bool:
    """Return whether a line as a whole is one that a phone or a program adds.

    The phone or the program is named in at most eight words; an address may follow.
    """
    if len(line) > _LONGEST:
        return False
    if _OF_CHECKS.fullmatch(line.strip(" \t.*_")):
        return True
    bare = _ADDRESS_OF_PROGRAM.sub("", line.strip()).translate(_BRACKETS).strip(_AROUND).lower()
    if bare in _WHOLE:
        return True
    may_be = bare.startswith(_BEGINNINGS) or bare.endswith(_ENDINGS)
    return may_be and any(_is_phrase(bare, *ends) for ends in _FOOTER_ENDS)


def names_program(line: str) -> bool:
    """Return whether such a line is certainly no person's: it names a device or a program."""
    is_known = _OF_CHECKS.fullmatch(line.strip(" \t.*_")) or _KNOWN.search(line)
    return line.strip(_AROUND).lower() in _WHOLE or bool(is_known)


def _is_phrase(line: str, begin: str, end: str) -> bool:
    if not (line.startswith(begin) and line.endswith(end)):
        return False
    name = line[len(begin) : len(line) - len(end)].strip()
    return 0 < len(name) <= _LONGEST_NAME and len(name.split()) <= _MOST_WORDS


DIRECTIONS = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Marks without a width, some of which say in which direction a text is read."""
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
"""What Gmail wrote at first, without a verb: `2009/11/20 Bob <bob@example.org>`."""
_LONGEST_ATTRIBUTION = 3
"""How many lines such a sentence may take."""
_LONGEST_LINE = 300
_LONGEST_SENTENCE = 600


def attribution(kept: Sequence[str], is_sure: bool = False) -> int:
    """Return how many of the last lines say who wrote what follows: 0 if they do not.

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
    """Return how many of a date, an address and the verb are in a sentence."""
    return sum(bool(sign.search(sentence)) for sign in (_DATE, _SAID, ADDRESS))


def _goes_on_below(kept: Sequence[str]) -> bool:
    """Return whether the last line ends in an address, so that the verb may stand below it."""
    return bool(kept) and bool(_ENDS_IN_ADDRESS.search(kept[-1]))


def _lines_of_sentence(kept: Sequence[str]) -> int:
    """Return how many of the last lines belong to the sentence at their end.

    It begins on a line that begins like such sentences and has a date or an address, or else on
    the line with the verb.
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
"""What stands above a signature; Gmail writes it in bold."""
_BARE_SIGNATURE = re.compile(r"--$")
"""The same where a program has dropped its space, unless a person has drawn it."""
_UNDERSCORES = re.compile(r"\s{0,3}_{3,}\s*$")
_DRAWN = re.compile(r"\s{0,3}_{10,}\s*$|-{5}.*\w.*-{5}\s*$")
_OF_LIST = re.compile(
    r"(?=.*(?:@|https?:)).*(?:mailing[ -]?list|unsubscribe|listinfo|googlegroups)"
)
"""What mailing lists write below a line, in small letters."""
_MOST_LINES_OF_LIST = 6
_OURS = re.compile(r"pbm_oust|pbmserv")
"""What the headers of our own letters hold."""
_ANNOUNCED = frozenset(PHRASES["announcements"])
_AROUND_ANNOUNCEMENT = " \t-=_*~#|:\uff1a\u00a0"
_LONGEST_ANNOUNCEMENT = 160
_DASHES = ("--", "==", "__", "**", "~~", "# ", "|--")
_BEGINNING = re.compile(
    r"\s{0,8}from \S+\s.{0,60}\d{4}\s*"
    r"|\W{0,8}(?:message du|nachricht vom|mensaje del|messaggio del|message of)\s\d.{0,60}"
)
"""The first line of a mail in an mbox, or what some French programs write there."""
_SUBJECTS = frozenset(PHRASES["subject_names"])
_HEADERS = _SUBJECTS.union(PHRASES["header_names"])
_LONGEST_HEADER_NAME = 30
_HEADERS_IN_A_BLOCK = 3
_MOST_HEADERS = 8
_A_HEADER = any_of("header_names", "subject_names")
_HEADER_IN_LINE = re.compile(rf"(?<!\w)(?:{_A_HEADER})[ \u00a0]?[:\uff1a]")
_LONGEST_LINE_OF_HEADERS = 1000
_LEAST_TO_WRAP = 50
"""A header that is at least so long may go on below."""
_MOST_EMPTY_LINES = 10


class EndOfText(Enum):
    """Whether a line ends what the sender wrote for this mail."""

    NO = 0
    DOUBTFUL = 1
    """It may. A person may as well have written it, and what follows."""
    LIKELY = 2
    """It does as far as can be told; the sender should know."""
    SIGNATURE = 3
    """It does: a signature follows, or what a mailing list or a company adds."""
    OLDER = 4
    """It does: an older message follows."""


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
    """Return whether an older message follows below what looks like its headers.

    It does if they name us; it is likely if they hold an address or, as `is_sure` says, something
    else that only a program writes, or if a board of ours follows; and certain if both are so.
    """
    is_sure = is_sure or bool(ADDRESS.search(above))
    if _OURS.search(above.lower()) or (is_sure and is_letter_below):
        return EndOfText.OLDER
    return EndOfText.LIKELY if is_sure or is_letter_below else EndOfText.DOUBTFUL


def _announcement(line: str) -> EndOfText | None:
    """Return what a line says that announces an older message, between dashes or before a colon."""
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
    """Return the headers on this line and the next ones that are not empty.

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
    """Return the number of the next line that is not empty behind a header, which may be long."""
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
    """Return the headers of an older message that stand on one line."""
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
    """Return the name of the header on a line, or an empty text if none is there."""
    name, colon, _ = line[:_LONGEST_HEADER_NAME].replace("\uff1a", ":").partition(":")
    name = name.strip(" \t*|>\u00a0").lower()
    return name if colon and name in _HEADERS else ""


def next_written(lines: Sequence[str], number: int) -> int:
    """Return the number of the next line that is not empty; after too many, of the last one."""
    for each in range(number, min(number + _MOST_EMPTY_LINES, len(lines))):
        if lines[each].strip():
            return each
    return min(number + _MOST_EMPTY_LINES, len(lines))


_QUOTED = re.compile(r"[ \t]{0,8}(?:[A-Za-z]{2,10}(?=>[ >]|>$))?[>\uff1e]")
_GLUED = re.compile(r"[ \t]*(?:[A-Za-z]+[>\uff1e]|[>\uff1e][^\s>\uff1e])")
"""A mark as few programs write it: behind a name, or without a space."""
_SMILEY = re.compile(r">[:;=.^_]")
_STUFFED = ">From "
"""What mbox files make of a line that begins with `From`."""
_OTHER_MARK = re.compile(r"[ ]?[|\t}:%\u203a\u2502\u2503]")
"""Quote marks of a few programs; they count as such only right below an attribution."""
_OTHER_MARK_OR_EMPTY = re.compile(rf"{_OTHER_MARK.pattern}|\s*$")
_MAY_BE_QUOTED = re.compile(
    r"[ \t]{0,8}(?:[|}:%\u203a\u2502\u2503\u275a\u276f]|\u00bb(?!.*\u00ab))"
)
"""The same where no attribution stands above."""
_OF_A_BOARD = re.compile(
    r"\s*\d{1,2}\s+(?:[.,xoXO\u00b7\u2022]\s+){2}|\s*A B C?|.{0,40}\bx: \S+ \d+/\d+"
)
"""A row of a board as our letters draw it, its columns, or the players above it."""
_BROKEN_ADDRESS = re.compile(
    r"\n{1,2}<[ \t]*\n{1,2}[ \t]*mailto:([^\n<>]{1,200})[^\n]{0,200}\n{1,2}>"
)
"""An address that Polymail writes on three lines, of which the last looks like a quote."""
_MOST_FOOTERS = 6
_ENDS = (EndOfText.LIKELY, EndOfText.SIGNATURE, EndOfText.OLDER)
_NARROWEST = 60
"""Programs that break long lines anew leave at least this many columns."""


class OwnText(Struct, frozen=True):
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
        own = structs.replace(own, left_out=lines[next_written(lines, 0)].strip())
    return own


class _Parting:
    """Goes through the lines of a mail once."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._bare = DIRECTIONS.sub("", "\n".join(lines)).split("\n")
        self._kept: list[str] = []
        self._sure: int | None = None
        """How many of the kept lines stand above the first trace of a quote, if there is one."""
        self._is_marked = True
        """Whether all traces so far are one marked quote with an empty line below it."""
        self._last_board = -1
        for number, line in enumerate(self._bare):
            if _OF_A_BOARD.match(line):
                self._last_board = number
        self._left_out = ""

    def parted(self) -> OwnText:
        """Return what the sender wrote."""
        bare, kept = self._bare, self._kept
        number = 0
        while number < len(bare):
            found = ending(bare, number, self._last_board > number)
            if found in _ENDS:
                self._leave_out(bare[number:], found)
                return self._whole(is_older=found is EndOfText.OLDER)
            if self._is_quoted(number):
                number = self._pass_quote(number, _QUOTED)
                continue
            line = self._lines[number].rstrip()
            is_glued = _GLUED.match(line) and not line.startswith(_STUFFED)
            is_glued = is_glued and not _SMILEY.match(line)
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

    def _leave_out(self, lines: Sequence[str], found: EndOfText = EndOfText.LIKELY) -> None:
        """Note how lines begin that are removed, unless they are certainly not the sender's."""
        if found is EndOfText.LIKELY:
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
            if not (kept and is_footer(kept[-1])):
                break
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
        sure, unsure = "\n".join(kept[:number]), "\n".join(kept[number:])
        # Our letters set what they quote or suggest in by two spaces.
        if self._is_marked and "\n  " not in f"\n{unsure}":
            sure, unsure = "\n".join(kept), ""
        unsure = unsure.rstrip("\n") if unsure.strip() else ""
        return OwnText(sure.strip("\n"), unsure, self._left_out)


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
