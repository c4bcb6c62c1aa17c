"""The store on a server of PostgreSQL, which several hosts share. Needs the extra `postgresql`."""

from pathlib import Path

from pbm_oust.store.database import Database


def open_server(home: Path, url: str) -> Database:
    """Return the database of the home with this folder on the server that a URL names.

    Nothing is connected yet. Raises OSError without the library that connects, and for a URL that
    cannot be used; that does not quote it, as a password may stand there.
    """
    try:
        from pbm_oust.store.postgresql.database import PostgresqlDatabase, Server, check_url
    except ImportError as error:
        reason = "install pbm_oust[postgresql], or take the line with store out of pbm_oust.toml"
        raise OSError(f"{error}; {reason}") from None
    try:
        check_url(url)
    except ValueError as error:
        raise OSError(str(error)) from None
    return PostgresqlDatabase(Server(url, home=home))
