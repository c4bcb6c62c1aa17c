"""The database: that SQLite finds it whole, and that it fits the histories."""

from collections.abc import Iterator

from pbm_oust.doctor.finding import RESTORE, Examiner, Finding
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.board_queries import find_damage
from pbm_oust.store.connections import Snapshot
from pbm_oust.store.faults import DatabaseFault, command_line
from pbm_oust.store.home import Home
from pbm_oust.store.index import stamp_in
from pbm_oust.store.ratings import is_counting, wrongly_rated
from pbm_oust.store.refreshing import unfit
from pbm_oust.store.waiting import BoardName, boards_with_waiting

_on = Examiner("database")


def check(home: Home) -> Iterator[Finding]:
    """Yield findings about the database."""
    if home.is_unfinished:
        yield _on.bad(
            "the restore of this home was broken off",
            "Empty the home, and restore the backup again",
        )
        return
    try:
        if home.engine.key.is_withheld:
            yield _on.bad(
                "this home is no whole copy of another one",
                "Begin with an empty home, or go on and name the other one in the place of FROM",
                command_line(None, "home", "copy", "FROM", str(home.path.absolute())),
            )
            return
        if not home.database.is_made:
            yield _on.note("there is none yet; the server makes it when it starts")
            return
        with home.database.read() as snapshot:
            findings = [
                *(_on.bad(each, RESTORE) for each in home.database.damage(snapshot)),
                *_index(home, snapshot),
                *_ratings(home, snapshot),
                *_waiting(snapshot),
            ]
    except DatabaseFault as fault:
        yield _on.bad(str(fault), "Until then no mail is taken")
        return
    fits = "" if findings else ", and the index of boards fits the histories"
    yield from _on.all_or(f"it is whole{fits}", findings)


def _index(home: Home, snapshot: Snapshot) -> Iterator[Finding]:
    """Yield the boards whose index entries differ from their histories."""
    waiting = set(boards_with_waiting(snapshot))
    strange = [name for name in unfit(snapshot, home.boards) if name not in waiting]
    wrong = [name for name in strange if _is_stamped(home, snapshot, name)]
    behind = [name for name in strange if name not in wrong]
    if wrong:
        yield _on.bad(
            f"the index does not say what {_histories(wrong)} says",
            "Do",
            command_line(home.path, "games", "reindex"),
        )
    if behind:
        yield _on.note(
            f"the index is behind {_histories(behind)}; the server reads again what has changed, "
            "and so does",
            command_line(home.path, "games", "reindex"),
        )


def _is_stamped(home: Home, snapshot: Snapshot, name: BoardName) -> bool:
    """Return whether a history has not changed since the index was made from it."""
    try:
        return stamp_in(snapshot, name) == home.boards.histories.stamp(name)
    except OSError:
        return False


def _ratings(home: Home, snapshot: Snapshot) -> Iterator[Finding]:
    """Yield the kinds whose ratings are not those that their games give."""
    for kind in KINDS.values():
        if is_counting(snapshot, kind):
            yield _on.note(
                f"games of {kind.name} are still to be counted for ratings; "
                "the server does that, and so does",
                command_line(home.path, "sweep"),
            )
        elif wrongly_rated(snapshot, kind):
            yield _on.bad(
                f"the ratings of {kind.name} are not those that its finished games give",
                "Do",
                command_line(home.path, "ratings", "--recompute"),
            )


def _waiting(snapshot: Snapshot) -> Iterator[Finding]:
    """Yield the boards whose histories still lack something that waits."""
    names = boards_with_waiting(snapshot)
    stuck = [name for name in names if find_damage(snapshot, name)]
    if stuck:
        yield _on.bad(
            f"lines wait for {_histories(stuck)}, which is damaged",
            "Mend it, and the server appends them; what they say has been told to the players",
        )
    soon = [name for name in names if name not in stuck]
    if soon:
        yield _on.note(
            f"lines wait for {_histories(soon)}; the server appends them within a minute"
        )


def _histories(names: list[BoardName]) -> str:
    """Return the name of the first history, and the number of the others."""
    others = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return f"the history of {names[0]}{others}"
