"""The outbox, and what failed."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from pbm_oust.board.notation import format_time
from pbm_oust.doctor.finding import Examiner, Finding, counted, status
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.home import Home
from pbm_oust.store.posted import read_failed_letters, read_letters

LONGEST_WAIT = timedelta(days=1)
"""How long a letter may wait for the relay before the operator should look."""
LONGEST_STAGE = timedelta(hours=1)

_on = Examiner("outbox")


def check(home: Home, configuration: Configuration, now: datetime) -> Iterator[Finding]:
    """Yield findings about letters that wait or failed."""
    waiting = counted(len(home.outbox.letters()), "letter")
    findings = [*_waiting(home, configuration, now), *_staged(home, now), *_failed(home)]
    yield from _on.all_or(f"{waiting} waiting", findings)


def _waiting(home: Home, configuration: Configuration, now: datetime) -> Iterator[Finding]:
    oldest = None
    for letter in read_letters(home):
        if oldest is None and letter.posted:
            oldest = datetime.fromtimestamp(letter.posted, UTC)
    if configuration.relay and oldest and oldest < now - LONGEST_WAIT:
        yield _on.bad(
            f"letters wait for the relay since {format_time(oldest)}",
            "See whether it answers with: pbm-oust doctor --relay",
        )


def _staged(home: Home, now: datetime) -> Iterator[Finding]:
    """Yield what stays in outbox/tmp, which a running server finishes within a minute."""
    found = ((path, status(path)) for path in (home.outbox.path / "tmp").glob("*"))
    before = (now - LONGEST_STAGE).timestamp()
    old = [path for path, is_there in found if is_there and is_there.st_mtime < before]
    if old:
        yield _on.bad(
            f"{counted(len(old), 'file')} in outbox/tmp, the first {old[0].name}, stay unfinished",
            "Start the server, which finishes letters; remove what is none",
        )


def _failed(home: Home) -> Iterator[Finding]:
    failed = list(read_failed_letters(home))
    if failed:
        latest = failed[-1]
        yield _on.bad(
            f"{counted(len(failed), 'letter')} failed, the latest to {latest.recipient or '?'}",
            f"Look with: pbm-oust outbox show {latest.name}; then use retry or remove in its place",
        )
