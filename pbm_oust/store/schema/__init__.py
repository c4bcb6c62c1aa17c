"""The tables of the database, written down for each engine, and their version."""

from functools import cache
from pathlib import Path

LATEST = 11
"""The version of the tables that the program works with."""
OLDEST = 11
"""The lowest version whose programs can work with the latest tables, too."""


VERSION = "SELECT coalesce(max(version), 0) FROM pbm_oust_version"
"""The statement that gives the version of the tables in PostgreSQL."""
OLDEST_AND_TIME = (
    "SELECT coalesce(max(oldest), 0),"
    " CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION) FROM pbm_oust_version"
)
"""The statement that gives the lowest version whose programs can work with the tables, and the
seconds since the epoch, by the clock of the server."""


@cache
def tables(engine: str) -> str:
    """Return the statements that make all tables: for `sqlite` or `postgresql`."""
    return (Path(__file__).parent / f"{engine}.sql").read_text()
