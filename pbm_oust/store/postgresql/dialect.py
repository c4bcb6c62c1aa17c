"""How SQL differs between the engines: statements as PostgreSQL reads them. Pure.

The program writes what both engines understand, and places for values as `?` or `?1`. What differs
beyond that stands here.
"""

import re
from functools import lru_cache

import re

_PLACE = re.compile(r"\?(\d*)")
_HINTS = (re.compile(r" INDEXED BY \w+"), re.compile(r"(?<= )\+(?=[a-z])"))
"""How SQLite is told which index to use; PostgreSQL decides that by itself."""
_CROSS = re.compile(r"CROSS JOIN (?=\w+ \w+ USING)")
"""Another such hint: SQLite keeps the order of tables."""


@lru_cache(maxsize=1000)
def statement_for(statement: str) -> str:
    """Return a statement of the program as PostgreSQL reads it: places are `$1`, `$2` and so on."""
    for hint in _HINTS:
        statement = hint.sub("", statement)
    statement = _CROSS.sub("JOIN ", statement)
    statement = statement.replace("json_each(", "json_array_elements_text(")
    return _with_places(statement)


def _with_places(statement: str) -> str:
    number = 0

    def place(match: re.Match[str]) -> str:
        nonlocal number
        number = int(match[1]) if match[1] else number + 1
        return f"${number}"

    return _PLACE.sub(place, statement)
