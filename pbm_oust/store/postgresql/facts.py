"""What matters about a server of PostgreSQL to those who keep a home there."""

from dataclasses import dataclass
from pbm_oust.store.database import Snapshot

_SETTINGS = (
    "SELECT current_setting('server_version'),"
    " CAST(current_setting('server_version_num') AS BIGINT),"
    " pg_encoding_to_char(encoding), current_setting('synchronous_commit'),"
    " current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on',"
    " pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on',"
    " (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)"
    " FROM pg_database WHERE datname = current_database()"
)
_FORBIDDEN = (
    "SELECT relname FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace)"
    " AND CASE relkind WHEN 'r' THEN relname <> 'pbm_oust_version'"
    " AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')"
    " AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))"
    " WHEN 'S' THEN NOT has_sequence_privilege(oid, 'USAGE') ELSE false END ORDER BY relname"
)


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """A server, and what we may do there."""

    forbidden: tuple[str, ...]
    """The tables and sequences that we may not use as we have to."""
    version: str
    number: int
    """The version as a number: 150014 for 15.14."""
    encoding: str
    synchronous_commit: str
    """What our transactions wait for."""
    survives: bool
    """Whether what is committed survives a loss of power, as far as the server says."""
    is_standby: bool
    is_read_only: bool
    """Whether transactions are read-only unless they say otherwise."""
    is_superuser: bool
    """Whether we connect as somebody who may do everything."""


def read_facts(snapshot: Snapshot) -> ServerFacts:
    """Return what matters about the server."""
    (facts,) = snapshot.rows(_SETTINGS)
    forbidden = tuple(name for (name,) in snapshot.rows(_FORBIDDEN))
    return ServerFacts(forbidden, *facts)
