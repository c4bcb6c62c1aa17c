"""Why a command was not carried out: three kinds of refusal that are never mixed.

A refusal holds its reason. Each reason is a class of its own, with what its sentence needs as
fields. It is defined beside the code that raises it, and the templates have the words. Faults of
ours are not refusals: they are OSErrors and `DamagedHistory`, and leave the mail with its sender,
unless it only looks at a damaged board.
"""

import re

from msgspec import Struct

_CAPITAL = re.compile(r"(?<=.)(?=[A-Z])")


def in_small_letters(name: str) -> str:
    """Return the name of a class as templates have it: `no_such_board` for NoSuchBoard."""
    return _CAPITAL.sub("_", name).lower()


class Reason(Struct, frozen=True):
    """Why a command was not carried out. Each reason is a class derived from this one."""

    @classmethod
    def word(cls) -> str:
        """Return its name in logs and in templates: `no_such_board` for NoSuchBoard."""
        return in_small_letters(cls.__name__)


class UnreadableReason(Reason, frozen=True, kw_only=True):
    """Why a text cannot be read as a command."""

    right: str | None = None
    """What would be right in place of the part at fault, if that is known."""

    @property
    def instead(self) -> str | None:
        """The words to write in place of the part at fault."""
        return self.right


class NotAllowedReason(Reason, frozen=True):
    """Why a command cannot be carried out now."""


class IllegalReason(Reason, frozen=True):
    """Why the board does not allow a placement."""


class Refusal(Exception):
    """A command that was not carried out; nothing has changed.

    `culprit` is the part of the text that is at fault, if there is one.
    """

    family: str
    """Which of the three kinds it is."""

    def __init__(self, reason: Reason, culprit: str = "") -> None:
        super().__init__(reason, culprit)
        self.reason = reason
        self.culprit = culprit

    def __str__(self) -> str:
        return self.reason.word()


class Unreadable(Refusal):
    """The text could not be read as a command."""

    family = "unreadable"
    reason: UnreadableReason

    def __init__(self, reason: UnreadableReason, culprit: str = "") -> None:
        super().__init__(reason, culprit)


class NotAllowed(Refusal):
    """The command was read and cannot be carried out now."""

    family = "not_allowed"
    reason: NotAllowedReason

    def __init__(self, reason: NotAllowedReason, culprit: str = "") -> None:
        super().__init__(reason, culprit)


class Illegal(Refusal):
    """A placement that the board does not allow."""

    family = "illegal"
    reason: IllegalReason

    def __init__(self, reason: IllegalReason, culprit: str = "") -> None:
        super().__init__(reason, culprit)
