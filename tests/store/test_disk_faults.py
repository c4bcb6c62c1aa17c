"""A disk or a statement that fails at any moment of a command, for once or from then on.

Each command is carried out again and again, with the fault at another operation each time. Either
its sender keeps the mail and nothing of it is there, or all of it is. Then the disk works again,
the sender sends the mail again, as a mail server does, and all is as if nothing had failed.
"""

import errno
from pathlib import Path

import pytest

from tests.store.disturbed import (
    ALICE,
    BOB,
    CAROL,
    Begun,
    Lines,
    Where,
    assert_kept_until_it_is_done,
    disturbed,
    done,
    everything,
    sent,
    with_code,
)
from tests.support.home_by_mail import PASSWORDS
from tests.support.rings import slow
from tests.support.trouble import Fault

BEGINNING: Lines = (
    ("oust challenge alice bob wonderland -size=5", ALICE),
    ("oust move 1 alice wonderland C3", ALICE),
    ("oust move 1 bob lookingglass C2", BOB),
    ("oust queue 1 bob lookingglass if A1 then E5", BOB),
    ("oust seek alice wonderland -o", ALICE),
)
NEW = "dave@example.org"
SIGNUP = ("signup dave hatterhatter", NEW)
CHANGE = (f"change address bob lookingglass {NEW}", BOB)
LEAVING: Lines = (*BEGINNING[:3], ("oust challenge bob alice lookingglass -size=5", BOB))
COMMANDS: dict[str, tuple[Lines, str, str]] = {
    "signup": ((), *SIGNUP),
    "code of a signup": ((SIGNUP,), "verify CODE", NEW),
    "code of an address": ((CHANGE,), "verify CODE", BOB),
    "challenge": ((), *BEGINNING[0]),
    "move": (BEGINNING[:1], *BEGINNING[1]),
    "winning move": (BEGINNING[:3], "oust move 1 alice wonderland B3", ALICE),
    "refused move": (BEGINNING[:1], "oust move 1 bob lookingglass C3", BOB),
    "wrong password": (BEGINNING[:1], "oust move 1 alice lookingglass C3", ALICE),
    "move that is answered at once": (BEGINNING, "oust move 1 alice wonderland A1", ALICE),
    "undone move": (BEGINNING[:2], "oust undo 1 alice wonderland", ALICE),
    "join": (BEGINNING, "oust join 1 bob lookingglass", BOB),
    "replay": (BEGINNING[:3], "oust replay 1 1 bob alice lookingglass", BOB),
    "help": ((), "help", ALICE),
    "line that cannot be read": ((), "nonsense", NEW),
    "signoff": (BEGINNING[:1], f"signoff carol {PASSWORDS['carol']}", CAROL),
    "end of an account": (LEAVING, "delete alice wonderland", ALICE),
    "forget": (LEAVING, "forget alice wonderland really", ALICE),
}
FAST = [
    ("move", Where.FILES, Fault.ONCE, errno.EIO),
    ("move", Where.STATEMENTS, Fault.ONCE, errno.EIO),
    ("challenge", Where.FILES, Fault.STAYS, errno.ENOSPC),
    ("signup", Where.FILES, Fault.HALF, errno.EIO),
]
THOROUGH = [
    ("forget", Where.FILES, Fault.STAYS, errno.EIO),
    ("forget", Where.STATEMENTS, Fault.ONCE, errno.EIO),
]
"""With which command, where, how and with which `errno` something fails."""
IN_TURN = [(Where.FILES, Fault.ONCE, errno.EIO), (Where.STATEMENTS, Fault.ONCE, errno.EIO)]
"""What fails at a fifth of the operations, with all tests: another fifth for the next command."""
SPREAD = [(Where.FILES, Fault.HALF, errno.EIO), (Where.FILES, Fault.STAYS, errno.ENOSPC)]
"""What fails at some operations that are spread over all."""


@pytest.mark.parametrize(
    ("name", "where", "fault", "number", "nth"),
    [
        *((*each, None) for each in FAST),
        *(slow(*each, None) for each in THOROUGH),
        *(slow(name, *how, nth) for nth, name in enumerate(COMMANDS) for how in IN_TURN),
        *(slow(name, *how, None) for name in COMMANDS for how in SPREAD),
    ],
)
def test_a_command_that_something_disturbs_is_done_whole_or_not_at_all_and_once(
    name: str,
    where: Where,
    fault: Fault,
    number: int,
    nth: int | None,
    homes: Begun,
    memory_path: Path,
) -> None:
    beginning, line, sender = COMMANDS[name]
    before = homes(beginning)
    deed = sent(with_code(line, before), sender)
    nothing = everything(before)
    wanted = done(before, memory_path, deed)
    again = done(before, memory_path, deed, deed)
    kept = list[bool]()
    for each in disturbed(before, memory_path, deed, (where, fault, number), nth):
        kept.append(each.is_kept)
        assert each.found() == (nothing if each.is_kept else wanted), each.at
        each.repeat()
        assert each.found() == (wanted if each.is_kept else again), each.at
    assert_kept_until_it_is_done(kept)
