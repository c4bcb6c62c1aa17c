"""The tables of the database, as numbered steps from nothing to what the program expects.

Step n takes the tables from version n - 1 to version n; the file holds the version as SQLite's
`user_version`. A step that a released program may have taken is never changed: later changes are
further steps. A step is a tuple of texts of SQL, one for each section of the tables.

While hosts of one database are upgraded one after the other, those of the version before go on with
the latest tables. So a step only adds: tables, indexes, and columns that have a default. What is no
longer used is removed by a step of a later release.
"""

from collections.abc import Sequence

import apsw

from pbm_oust.store.migrations import accounts, boards, mail

Step = tuple[str, ...]

STEPS: tuple[Step, ...] = (
    (accounts.VERSION_1, mail.VERSION_1, boards.VERSION_1),
    (mail.VERSION_2,),
    (boards.VERSION_2,),
    (boards.VERSION_3,),
    (boards.VERSION_4,),
    (boards.VERSION_5,),
    (mail.VERSION_3,),
    (mail.VERSION_4,),
    (boards.VERSION_6,),
)
LATEST = len(STEPS)
"""The version that the program works with."""
OLDEST = 9
"""The lowest version whose programs can work with the latest tables, too.

A step that does more than add raises it to its own number.
"""

_FORMAT_VERSIONS = slice(18, 20)
"""Where a database file says how it is written and read: 2 is for a write-ahead log.

See section 1.3.3 of SQLite's description of the file format.
"""


def migrate(connection: apsw.Connection, steps: Sequence[Step] = STEPS) -> None:
    """Take the tables to the version after the last step, within the open transaction.

    A database with that version or a later one is left as it is.
    """
    version = connection.pragma("user_version")
    for number, step in enumerate(steps, 1):
        if number > version:
            for section in step:
                connection.execute(section)
            connection.execute(f"PRAGMA user_version = {number}")


def empty_database() -> bytes:
    """Return a whole database file with the latest tables, all empty."""
    connection = apsw.Connection(":memory:")
    try:
        migrate(connection)
        content = bytearray(connection.serialize("main"))
    finally:
        connection.close()
    content[_FORMAT_VERSIONS] = b"\2\2"
    return bytes(content)
