"""Players who have signed off: an account keeps `SignedOff: 2026-11-20T15:36:00Z`. Pure."""

from dataclasses import dataclass
from datetime import datetime

from pbm_oust.notation import format_time, parse_time
from pbm_oust.players import Account, BadAccount

KEY = "SignedOff"


@dataclass(frozen=True, slots=True)
class Absence:
    """That a player has signed off."""

    since: datetime


def absence_of(account: Account) -> Absence | None:
    """Return the absence of a player; None for one who has not signed off. Raises BadAccount."""
    values = account.values(KEY)
    try:
        return Absence(parse_time(values[0])) if values else None
    except ValueError as error:
        raise BadAccount(f"{KEY}: {error}") from None


def with_absence(account: Account, absence: Absence | None) -> Account:
    """Return an account of a player who has signed off, or who is there."""
    return account.with_values(KEY, [format_time(absence.since)] if absence else [])
