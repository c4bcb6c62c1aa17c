"""The content of the tables of a database, as text to search."""

from pbm_oust.store.home import Home


def everything_but_letters(home: Home) -> str:
    """Return all cells of all tables except the letters, one row a line."""
    with home.database.read() as snapshot:
        tables = snapshot.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        rows = [
            row
            for (table,) in tables
            if table != "letters"
            for row in snapshot.rows(f"SELECT * FROM {table}")  # noqa: S608 - names of tables
        ]
    return "\n".join(" ".join(map(str, row)) for row in rows)
