"""Times as the database keeps them: whole seconds since 1970, in UTC."""

from datetime import UTC, datetime


def seconds_of(at: datetime) -> int:
    """Return a time as the database keeps it, cut to the second."""
    return int(at.timestamp())


def time_of(seconds: int) -> datetime:
    """Return the time that the database keeps so."""
    return datetime.fromtimestamp(seconds, UTC)
