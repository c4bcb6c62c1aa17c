"""The database server, for a home that is kept on one: its version, its settings, our rights."""

from collections.abc import Iterator
from pathlib import Path

from pbm_oust.doctor.finding import Examiner, Finding
from pbm_oust.store.faults import DatabaseFault, command_line
from pbm_oust.store.home import Home
from pbm_oust.store.postgresql.server import ServerFacts, read_facts

OLDEST = 150000
"""The number of the oldest version that is tested."""

_on = Examiner("server")


def check(home: Home) -> Iterator[Finding]:
    """Yield findings about the database server; none for a home in files."""
    if not home.is_on_server:
        return
    try:
        facts = home.ask(read_facts)
    except DatabaseFault:
        yield _on.note("not looked at, because it cannot be reached or used")
        return
    text = f"PostgreSQL {facts.version}, {facts.encoding}"
    commit = f"synchronous_commit is {facts.synchronous_commit}"
    yield from _on.all_or(f"{text}, {commit}", [*_settings(home.path, facts), *_rights(facts)])


def _settings(home: Path, facts: ServerFacts) -> Iterator[Finding]:
    if facts.number < OLDEST:
        yield _on.bad(f"PostgreSQL {facts.version} is too old", "Take version 15 or later")
    if facts.encoding != "UTF8":
        yield _on.bad(
            f"the encoding of the database is {facts.encoding}",
            "Make one with UTF8, and copy the home to a new folder TO whose configuration names it",
            command_line(None, "home", "copy", str(home.absolute()), "TO"),
        )
    if not facts.survives:
        yield _on.bad(
            "fsync or full_page_writes is off, so mails that were acknowledged may be lost",
            "Turn both on in the configuration of PostgreSQL",
        )
    if facts.is_standby:
        yield _on.bad(
            "it is a standby, which can only be read",
            "Name the server in store that others follow, or let this one take its place",
        )
    elif facts.is_read_only:
        yield _on.bad(
            "transactions are read-only there",
            "Set default_transaction_read_only to off for the database and its role",
        )


def _rights(facts: ServerFacts) -> Iterator[Finding]:
    if facts.forbidden:
        others = f" (and {len(facts.forbidden) - 1} more)" if len(facts.forbidden) > 1 else ""
        yield _on.bad(
            f"we may not read and write {facts.forbidden[0]}{others}",
            "Grant it: see Roles and rights in docs/operate.md",
        )
    if facts.is_superuser:
        yield _on.note("we connect as a superuser; a role that owns nothing is enough")
