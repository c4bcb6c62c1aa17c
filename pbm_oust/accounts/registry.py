"""Everything that accounts keep: the only list of the nouns. Pure."""

from typing import Any

from pbm_oust.accounts.broadcasts import BROADCASTS
from pbm_oust.accounts.digest import DIGEST
from pbm_oust.accounts.invitations import LIMIT, REJECTED
from pbm_oust.accounts.kept import Kept
from pbm_oust.accounts.notes import NOTES
from pbm_oust.accounts.queue import QUEUE
from pbm_oust.accounts.seeks import SEEKS
from pbm_oust.accounts.settings import SETTINGS
from pbm_oust.accounts.status import DISABLED, SIGNED_OFF
from pbm_oust.accounts.submissions import SUBMISSIONS
from pbm_oust.accounts.vacations import VACATIONS
from pbm_oust.accounts.verification import VERIFIED
from pbm_oust.accounts.watched import WATCHED

Nouns = tuple[Kept[Any], ...]

KEPT: Nouns = (
    SETTINGS,
    NOTES,
    WATCHED,
    LIMIT,
    REJECTED,
    QUEUE,
    SUBMISSIONS,
    SEEKS,
    VACATIONS,
    BROADCASTS,
    DIGEST,
    SIGNED_OFF,
    DISABLED,
    VERIFIED,
)
"""The nouns, in the order in which a person reads them in an account."""
