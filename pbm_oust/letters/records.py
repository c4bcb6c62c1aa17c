"""How the letters that tell of the end of a game carry its records: in lines, or attached."""

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from pbm_oust.board.game import Game
from pbm_oust.commands.multiple import MultipleNotice
from pbm_oust.commands.sgf import SgfNotice
from pbm_oust.letters.body import LARGEST, Part, file_part, sgf_part
from pbm_oust.play.notices import BoardNotice, Notice

_LATEST = 4
"""How many games are remembered as letters carry them: several letters tell of the same end."""


class Carriage(Enum):
    """How a letter carries the records of a game."""

    LINES = "lines"
    """As lines at its end."""
    FILES = "files"
    """In two files: the same lines, and SGF."""
    MOVES = "moves"
    """In two files without times and message keys: the moves with their days, and SGF."""
    SGF = "sgf"
    """In one file, SGF as it is, for those who asked for it."""
    ELSEWHERE = "elsewhere"
    """Not at all; it says how to get them."""


_COMPRESSED = (Carriage.FILES, Carriage.MOVES)
_IN_FILES = (Carriage.SGF, *_COMPRESSED)


def carriages(notice: Notice) -> Iterator[Carriage]:
    """Yield the ways in which a letter may carry records, the best one first.

    Those are left out that would take more room than a letter has.
    """
    if isinstance(notice, BoardNotice) and notice.tells_whole_game:
        game = notice.game
        if len(whole_game(game)) <= LARGEST:
            yield Carriage.LINES
        yield from (each for each in _COMPRESSED if files_of(game, each))
        yield Carriage.ELSEWHERE
    elif isinstance(notice, SgfNotice):
        yield from (each for each in _IN_FILES if files_of(notice.game, each))
        yield Carriage.ELSEWHERE
    else:
        yield Carriage.LINES
        if isinstance(notice, MultipleNotice):
            yield Carriage.ELSEWHERE


@lru_cache(_LATEST)
def whole_game(game: Game) -> str:
    """Return a game as lines that can be read back."""
    from pbm_oust.board.formats.plain import format_plain
    from pbm_oust.board.formats.sheet import Sheet

    return format_plain(Sheet(game))


def files_of(game: Game, carriage: Carriage) -> tuple[Part, ...]:
    """Return the files that carry the records of a game.

    There are none if it is not carried in files, or if they take more room than a letter has.
    """
    return _files_of(game, carriage) if carriage in _IN_FILES else ()


@lru_cache(2 * _LATEST)
def _files_of(game: Game, carriage: Carriage) -> tuple[Part, ...]:
    import gzip

    if carriage is Carriage.SGF:
        from pbm_oust.board.formats.sgf import format_sgf
        from pbm_oust.board.formats.sheet import Sheet

        attached = sgf_part(name_of_sgf(game), format_sgf(Sheet(game)))
        return (attached,) if attached.size <= LARGEST else ()
    files = list[Part]()
    for name, text in _texts(game, carriage):
        files.append(file_part(name, gzip.compress(text.encode(), mtime=0)))
        if sum(file.size for file in files) > LARGEST:
            return ()
    return tuple(files)


def names_of_files(game: Game) -> tuple[str, str]:
    """Return the names of the two files that carry the records of a game: its lines, and SGF."""
    return f"{game.name.replace(' ', '-')}.txt.gz", f"{name_of_sgf(game)}.gz"


def name_of_sgf(game: Game) -> str:
    """Return the name of the file that carries a game as SGF."""
    return f"{game.name.replace(' ', '-')}.sgf"


def is_mailable(game: Game) -> bool:
    """Return whether a letter that holds little else has room for the moves of a game."""
    return bool(files_of(game, Carriage.MOVES))


def _texts(game: Game, carriage: Carriage) -> Iterator[tuple[str, str]]:
    """Yield the names of files and what they say."""
    from pbm_oust.board.formats.moves import format_moves
    from pbm_oust.board.formats.sgf import format_bare_sgf, format_sgf
    from pbm_oust.board.formats.sheet import Sheet

    lines, sgf = names_of_files(game)
    if carriage is Carriage.FILES:
        yield lines, f"{whole_game(game)}\n"
        yield sgf, format_sgf(Sheet(game))
    elif carriage is Carriage.MOVES:
        yield lines, format_moves(game)
        yield sgf, format_bare_sgf(game)
