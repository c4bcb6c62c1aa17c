"""The tables of the configuration: names and defaults from the program, words from the page."""

import re
from collections.abc import Iterable
from enum import Enum

from pbm_oust.store.configuration import Configuration
from pbm_oust.store.limits import SETTABLE, Limits
from scripts.documents.parts import code, table
from scripts.documents.rooms import ROOT

PAGE = ROOT / "docs" / "configuration.md"
_ROW = re.compile(r"^\| `(\w+)` \| .*? \| (.*) \|$", re.MULTILINE)
"""A row of such a table: the key, its default, and what is said of it."""


def said_in(page: str) -> dict[str, str]:
    """Return what the page says of each key and limit."""
    return dict(_ROW.findall(page))


def keys_part(page: str) -> str:
    """Return the table of all keys, with what the page says of each. Raises KeyError."""
    usual = Configuration()
    defaults = ((name, getattr(usual, name)) for name in Configuration.__struct_fields__)
    return _table(page, "what it is", ((name, _shown(value)) for name, value in defaults))


def limits_part(page: str) -> str:
    """Return the table of all limits, with what the page says of each. Raises KeyError."""
    counted = ((word, str(limit.most)) for word, limit in SETTABLE.items())
    return _table(page, "what it counts", counted)


def _table(page: str, said: str, defaults: Iterable[tuple[str, str]]) -> str:
    words = said_in(page)
    rows = ((code(name), default, words[name]) for name, default in defaults)
    return table(("key", "default", said), rows)


def _shown(value: object) -> str:
    """Return a default as the table has it."""
    match value:
        case None:
            return "off"
        case "" | ():
            return "none"
        case Limits():
            return "see [below](#limits)"
        case bool():
            return code(str(value).lower())
        case int():
            return str(value)
        case Enum():
            return code(value.value)
        case _:
            return code(str(value))
