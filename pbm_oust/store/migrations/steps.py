"""The steps, and the means to take them. Only a database that is made or upgraded needs them."""

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
    (accounts.VERSION_2,),
)

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
