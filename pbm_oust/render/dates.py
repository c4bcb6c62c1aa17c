"""Times as players read them, in a time zone."""

from datetime import datetime, tzinfo
from functools import lru_cache

_REMEMBERED = 64
"""How many are remembered: both players of a board are told of the same times."""


@lru_cache(_REMEMBERED)
def date_text(at: datetime, zone: tzinfo) -> str:
    """Return the day of a time: `12 December 2026`."""
    local = at.astimezone(zone)
    return f"{local.day} {local:%B %Y}"


@lru_cache(_REMEMBERED)
def time_text(at: datetime, zone: tzinfo) -> str:
    """Return the hour and minute of a time: `15:00 UTC`."""
    local = at.astimezone(zone)
    name = f"{local:%Z}"
    return f"{local:%H:%M} {name if name.isalpha() else f'UTC{name}'}"


def moment_text(at: datetime, zone: tzinfo) -> str:
    """Return a time to the minute: `12 December 2026, 15:00 UTC`."""
    return f"{date_text(at, zone)}, {time_text(at, zone)}"
