"""The store on a server of PostgreSQL, which several hosts share. Needs the extra `postgresql`."""

from pathlib import Path

from pbm_oust.store.engines import Engine


def open_server(home: Path, url: str) -> Engine:
    """Return what keeps the home with this folder on the server that a URL names.

    Nothing is connected yet. Raises OSError without the library that connects, and for a URL that
    cannot be used; that does not quote it, as a password may stand there.
    """
    try:
        import psycopg  # noqa: F401 - so that one sentence says what is missing
        import psycopg_pool  # noqa: F401
    except ImportError as error:
        reason = "install pbm_oust[postgresql], or take the line with store out of pbm_oust.toml"
        raise OSError(f"{error}; {reason}") from None
    from pbm_oust.store.postgresql.database import PostgresqlDatabase, SharedKey
    from pbm_oust.store.postgresql.server import Server, check_url

    try:
        check_url(url)
    except ValueError as error:
        raise OSError(str(error)) from None
    server = Server(url, home=home)
    database = PostgresqlDatabase(server)
    return Engine(database, SharedKey(database), is_on_server=True)
