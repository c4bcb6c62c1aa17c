"""The histories: each replays, and nothing else lies beside them."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_time
from pbm_oust.doctor.finding import Examiner, Finding, counted, within
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import DamagedHistory, read_game
from pbm_oust.store.waiting import BoardName

TOLERANCE = timedelta(hours=1)
"""How far ahead of the clock a record may be dated."""

_on = Examiner("histories")


def check(home: Home, now: datetime) -> Iterator[Finding]:
    """Yield findings about all boards; every one of them is replayed."""
    found: Counter[str] = Counter()
    for kind in KINDS.values():
        if not (home.path / kind.name).is_dir():
            yield _on.note(
                f"there is no folder {kind.name} yet; the server makes it when it starts"
            )
            continue
        yield from _strange_files(home, kind)
        for name in home.board_names(kind.name):
            findings = list(_check_board(home, kind, name.board, now))
            yield from findings
            found["damaged" if findings else "whole"] += 1
    if not found["damaged"]:
        yield _on.ok(f"{counted(found['whole'], 'board')} replayed without a fault")


def _check_board(home: Home, kind: Kind, board: int, now: datetime) -> Iterator[Finding]:
    path = home.history_path(BoardName(kind.name, board))
    name = within(home.path, path)
    try:
        game = read_game(home, kind, board)
    except NotAllowed:
        return
    except DamagedHistory as damage:
        line = f"line {damage.line}: " if damage.line else ""
        yield _on.bad(
            f"{name}: {line}{damage.reason}",
            "Put the file back from a backup; until then nothing is written to it",
        )
        return
    yield from _check_owners(home, game)
    if game.latest > now + TOLERANCE:
        yield _on.bad(
            f"{name}: its latest time, {format_time(game.latest)}, lies in the future",
            "Set the clock of this host",
        )


def _check_owners(home: Home, game: Game) -> Iterator[Finding]:
    if game.result:
        return
    for owner in (game.x, game.o):
        if home.account(owner) is None:
            yield _on.bad(
                f"{game.name} is not over, and its player {owner} has no account",
                "Put the database back from a backup, or award the game",
            )


def _strange_files(home: Home, kind: Kind) -> Iterator[Finding]:
    histories = {home.history_path(name) for name in home.board_names(kind.name)}
    for path in sorted((home.path / kind.name).iterdir()):
        if path not in histories and not path.name.startswith("."):
            yield _on.bad(
                f"{within(home.path, path)} is no history by its name",
                "A history is NUMBER.txt; move what is none out of the home",
            )
