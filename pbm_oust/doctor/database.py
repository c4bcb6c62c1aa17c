"""The database: that SQLite finds it whole, and that ratings are those of its games."""

from collections.abc import Iterator

from pbm_oust.doctor.finding import RESTORE, Examiner, Finding
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.database import Snapshot
from pbm_oust.store.faults import DatabaseFault, command_line
from pbm_oust.store.home import Home
from pbm_oust.store.ratings import is_counting, wrongly_rated

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
                *_ratings(home, snapshot),
            ]
    except DatabaseFault as fault:
        yield _on.bad(str(fault), "Until then no mail is taken")
        return
    yield from _on.all_or("it is whole", findings)


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
