"""The histories of a home: reading them, and putting some there by hand as an operator may."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from pbm_oust.rules import KINDS
from pbm_oust.store.boards import read_rows
from pbm_oust.store.database import Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, names_of
from pbm_oust.store.ratings import mark
from pbm_oust.store.rebuilding import rebuild

SAMPLES = Path(__file__).parents[2] / "games" / "oust"


def short_history(
    board: int, moved: str, ended: str = "", *, x: str = "alice", o: str = "bob", terms: str = ""
) -> str:
    """Return the history of a board on which x has placed C3; o has resigned if it has ended."""
    end = f"   2 o resign                    {ended} {board:015x}f\n= x resign\n"
    return f"""pbm_oust history 1
Kind: oust
Board: {board}
Grid: square 5x5
X: {x}
O: {o}
Options: swap rated {terms or "nagtime=7 forfeittime=900"}
Started: 2026-11-01T00:00:00Z

   1 x C3                        {moved} {board:016x}
{end if ended else ""}"""


def board_numbers(home: Home, kind: str = "oust") -> list[int]:
    """Return the numbers of the boards of a kind."""
    return [name.board for name in home.ask(names_of, kind)]


def history_text(home: Home, board: int = 1, kind: str = "oust") -> str:
    """Return the history of a board."""
    return home.ask(home.boards.history, BoardName(kind, board)).decode()


def moves_of(home: Home, board: int = 1, kind: str = "oust") -> list[str]:
    """Return who did what on a board: `x D4`."""
    lines = history_text(home, board, kind).partition("\n\n")[2].splitlines()
    return [" ".join(line.split()[1:-2]) for line in lines if line[:4].strip().isdigit()]


def lay_samples(path: Path) -> None:
    """Copy the histories of the sample games into a folder that becomes a home."""
    (path / "oust").mkdir(parents=True)
    for number in (1, 2, 3):
        shutil.copy(SAMPLES / f"{number}.txt", path / "oust")


def make_from_files(path: Path) -> None:
    """Let the files of a home be its histories, damaged or not."""
    home = Home(path)
    home.prepare()
    _put_files(home, home.publisher.names())
    home.close()


def lay_histories(home: Home, histories: dict[int, str], kind: str = "oust") -> None:
    """Write histories by hand, by the numbers of their boards, and let them be those."""
    for board, text in histories.items():
        home.history_path(BoardName(kind, board)).write_text(text)
    _put_files(home, [BoardName(kind, board) for board in histories])


def _put_files(home: Home, names: Iterable[BoardName]) -> None:
    """Let files be the histories of their boards, also those that do not replay."""
    rows = [read_rows(each, home.publisher.read(each)) for each in names]

    def put(transaction: Transaction) -> None:
        for kind in KINDS.values():
            mark(transaction, kind)
        home.boards.put_all(transaction, rows)

    home.database.write(put)
    rebuild(home.database, home.boards, home.publisher)
