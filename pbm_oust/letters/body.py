"""The body of a letter: text, the same as HTML, and what is attached. Pure.

Source: RFC 2045, RFC 2046 and RFC 2183.
"""

from base64 import b64encode, encodebytes
from binascii import b2a_qp
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache

from msgspec import Struct

from pbm_oust.board import Game
from pbm_oust.board.sgf import format_bare_sgf, format_sgf
from pbm_oust.board.sheet import Sheet, format_game, format_moves
from pbm_oust.commands.show import SgfNotice
from pbm_oust.play.notices import BoardNotice, Notice
from pbm_oust.render.visible import visible_line
from pbm_oust.service.several import MultipleNotice

LONGEST_LINE = 900
"""The most characters on a line; mail may not hold more than 998 (RFC 5322, section 2.1.1)."""

_ENCODED_BYTES = 39
"""The bytes of an encoded word, so that none is on a line of more than 76 characters."""


def field(name: str, value: str) -> str:
    """Return a field of ids and addresses: few programs understand these folded or encoded."""
    return f"{name}: {visible_line(value)}\n"


def text_field(name: str, value: str, *, is_utf8: bool = False) -> str:
    """Return a field of text.

    What cannot stand in it as it is becomes encoded words (RFC 2047). `is_utf8`: whether the letter
    may have other characters than ASCII in its fields, because an address has them (RFC 6532).
    """
    value = visible_line(value)
    is_plain = "=?" not in value and value == value.strip() and (is_utf8 or value.isascii())
    if is_plain and len(value) <= LONGEST_LINE:
        return f"{name}: {value}\n"
    return f"{name}: " + "\n ".join(_encoded_words(value)) + "\n"


def _encoded_words(text: str) -> Iterator[str]:
    """Yield encoded words, each of whole characters (RFC 2047, section 5)."""
    while text:
        count = _ENCODED_BYTES
        while len(text[:count].encode()) > _ENCODED_BYTES:
            count -= 1
        encoded = b64encode(text[:count].encode()).decode()
        yield f"=?utf-8?b?{encoded}?="
        text = text[count:]


LARGEST = 88_000
"""The most bytes of all parts as they are sent.

With their header, letters stay under 90 KB: Gmail cuts them off at 102 KB.
"""


class Part(Struct, frozen=True):
    """A part of a letter."""

    content: str
    """The text, in lines; empty for a file, and for a part that holds others."""
    fields: str
    """How it says it: its header fields."""
    encoded: str
    """The content as it is sent, in ASCII."""

    @property
    def size(self) -> int:
        """The number of bytes that it takes as it is sent, with lines that end in CRLF."""
        lines = self.fields.count("\n") + self.encoded.count("\n") + 1
        return len(self.fields) + len(self.encoded) + lines + 1


def part(content: str, subtype: str) -> Part:
    """Return lines as a part of a letter: `plain` text or `html`."""
    is_ascii = content.isascii()
    charset = "us-ascii" if is_ascii else "utf-8"
    if is_ascii and _has_short_lines(content):
        encoding, encoded = "7bit", content
    else:
        encoding, encoded = _encoded(content.encode())
    fields = (
        f'Content-Type: text/{subtype}; charset="{charset}"\n'
        f"Content-Transfer-Encoding: {encoding}\n"
    )
    return Part(content, fields, encoded)


def _has_short_lines(content: str) -> bool:
    """Return whether no line is too long for a mail; few of the lines are looked at."""
    begun = 0
    while len(content) - begun > LONGEST_LINE:
        ended = content.rfind("\n", begun, begun + LONGEST_LINE + 1)
        if ended < 0:
            return False
        begun = ended + 1
    return True


def _encoded(data: bytes) -> tuple[str, str]:
    """Return the shorter of the two encodings of a text, with its name (RFC 2045, section 6)."""
    readable, dense = b2a_qp(data, istext=True), encodebytes(data)
    if len(readable) <= len(dense):
        return "quoted-printable", readable.decode()
    return "base64", dense.decode()


def file_part(name: str, data: bytes) -> Part:
    """Return a file as a part of a letter: `data` is its content, compressed by gzip (RFC 6713)."""
    return _attached(name, "application/gzip", "base64", encodebytes(data).decode())


def sgf_part(name: str, text: str) -> Part:
    """Return a game in SGF as a part of a letter."""
    return _attached(name, 'application/x-go-sgf; charset="utf-8"', *_encoded(text.encode()))


def _attached(name: str, media: str, encoding: str, encoded: str) -> Part:
    """Return a file as a part of a letter. Its name must be ASCII without quote marks."""
    fields = (
        f'Content-Type: {media}; name="{name}"\n'
        f'Content-Disposition: attachment; filename="{name}"\n'
        f"Content-Transfer-Encoding: {encoding}\n"
    )
    return Part("", fields, encoded)


def beginning(content: str, room: int, ending: Callable[[int], str]) -> Part:
    """Return as many lines of a text as there is room for, in bytes.

    `ending` returns what follows them, given the number of lines that are left out.
    """
    lines = content.removesuffix("\n").split("\n")

    def first(count: int) -> Part:
        return part("\n".join([*lines[:count], "", ending(len(lines) - count), ""]), "plain")

    fitting = bisect_right(range(len(lines)), room, key=lambda count: first(count).size)
    return first(max(0, fitting - 1))


def body(parts: Sequence[Part], language: str, boundary: str, attached: Sequence[Part] = ()) -> str:
    """Return the fields of a letter about its body, a blank line, and the body.

    Of several parts, each says the same, and the last one best (RFC 2046, section 5.1.4). What is
    attached follows them. No line of any part may be the boundary, or the boundary behind `=_`.
    """
    of_language = f"Content-Language: {language}\n"
    whole = parts[0]
    if len(parts) == 1 and not attached:
        return f"{whole.fields}MIME-Version: 1.0\n{of_language}\n{whole.encoded}"
    if len(parts) > 1:
        whole = _together("alternative", boundary, parts)
    if attached:
        # Neither boundary may begin like the other one (RFC 2046, section 5.1.2).
        whole = _together("mixed", f"=_{boundary}", (whole, *attached))
    return f"MIME-Version: 1.0\n{whole.fields}{of_language}\n{whole.encoded}"


def _together(subtype: str, boundary: str, parts: Iterable[Part]) -> Part:
    """Return several parts as one."""
    sent = list[str]()
    for each in parts:
        sent += ("--", boundary, "\n", each.fields, "\n", each.encoded, "\n")
    fields = f'Content-Type: multipart/{subtype}; boundary="{boundary}"\n'
    return Part("", fields, f"{''.join(sent)}--{boundary}--\n")


_LATEST = 4
"""How many games are remembered as letters carry them: several letters tell of the same end."""


class Enclosure(Enum):
    """The ways in which a letter carries the records of a game."""

    TEXT = "text"
    """In its text alone: the moves with their days."""
    SGF = "sgf"
    """In a file, SGF as it is."""
    FILES = "files"
    """In two files: the moves with their days, and SGF."""
    MOVES = "moves"
    """In the same files, but the SGF is without times and message keys."""
    ELSEWHERE = "elsewhere"
    """Not at all; it says how to get them."""


_IN_FILES = (Enclosure.SGF, Enclosure.FILES, Enclosure.MOVES)


def enclosures(notice: Notice) -> Iterator[Enclosure]:
    """Yield the ways in which a letter may carry records, the best one first.

    A way that would take more room than a letter has is left out.
    """
    if isinstance(notice, SgfNotice) or (
        isinstance(notice, BoardNotice) and notice.tells_whole_game
    ):
        yield from (each for each in _IN_FILES if files_of(notice.game, each))
        yield Enclosure.ELSEWHERE
    else:
        yield Enclosure.TEXT
        if isinstance(notice, MultipleNotice):
            yield Enclosure.ELSEWHERE


moves_of = lru_cache(_LATEST)(format_moves)
"""Returns what was done in a game, as lines for people to read."""


def files_of(game: Game, enclosure: Enclosure) -> tuple[Part, ...]:
    """Return the files that carry the records of a game.

    There are none if it is not carried in files, or if they take more room than a letter has.
    """
    return _files_of(game, enclosure) if enclosure in _IN_FILES else ()


@lru_cache(2 * _LATEST)
def _files_of(game: Game, enclosure: Enclosure) -> tuple[Part, ...]:
    if enclosure is Enclosure.SGF:
        attached = sgf_part(name_of_sgf(game), format_sgf(Sheet(game)))
        return (attached,) if attached.size <= LARGEST else ()
    import gzip  # here: few letters carry files, and `deliver` starts for each mail

    files = list[Part]()
    for name, text in _texts(game, enclosure):
        files.append(file_part(name, gzip.compress(text.encode(), mtime=0)))
        if sum(file.size for file in files) > LARGEST:
            return ()
    return tuple(files)


def names_of_files(game: Game) -> tuple[str, str]:
    """Return the names of the two files that carry the records of a game: its moves, and SGF."""
    return f"{game.name.replace(' ', '-')}.txt.gz", f"{name_of_sgf(game)}.gz"


def name_of_sgf(game: Game) -> str:
    """Return the name of the file that carries a game as SGF."""
    return f"{game.name.replace(' ', '-')}.sgf"


def is_mailable(game: Game) -> bool:
    """Return whether a letter that holds little else has room for the moves of a game."""
    return bool(files_of(game, Enclosure.MOVES))


def _texts(game: Game, enclosure: Enclosure) -> Iterator[tuple[str, str]]:
    """Yield the names of files and what they say."""
    moves, sgf = names_of_files(game)
    yield moves, format_game(game)
    is_whole = enclosure is Enclosure.FILES
    yield sgf, format_sgf(Sheet(game)) if is_whole else format_bare_sgf(game)
