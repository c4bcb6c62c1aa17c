"""The store on a server of PostgreSQL, which several hosts share. Needs the extra `postgresql`."""

from pathlib import Path

from pbm_oust.store.engines import Engine


def open_server(home: Path, url: str) -> Engine:
    """Return what keeps the home with this folder on the server that a URL names.

    Nothing is connected yet. Raises OSError without the library that connects.
    """
    try:
        import psycopg
        import psycopg_pool  # noqa: F401 - so that one sentence says what is missing
    except ImportError as error:
        reason = "install pbm_oust[postgresql], or take the line with store out of pbm_oust.toml"
        raise OSError(f"{error}; {reason}") from None
    from pbm_oust.store.postgresql.database import PostgresqlDatabase
    from pbm_oust.store.postgresql.histories import HistoryRows
    from pbm_oust.store.postgresql.key import SharedKey
    from pbm_oust.store.postgresql.server import Server

    try:
        server = Server(url)
    except psycopg.ProgrammingError as error:
        raise OSError(f"store in pbm_oust.toml is no URL of a database: {error}") from None
    database = PostgresqlDatabase(server)
    return Engine(database, HistoryRows(home, server), SharedKey(database))
