"""Why a command was not carried out: three kinds of refusal that are never mixed.

A refusal holds its reason. Each reason is a dataclass of its own, whose fields are what the
sentence about it needs; it stands beside the code that raises it, and the templates have the words.
Failures on our own side are not refusals: they are OSErrors and `DamagedHistory`, and leave the
mail with its sender.
"""

import re
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any

_CAPITAL = re.compile(r"(?<=.)(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a command was not carried out. A class derived from it stands for each reason."""

    @classmethod
    def word(cls) -> str:
        """Return its name in logs and in templates: `no_such_board` for NoSuchBoard."""
        return _CAPITAL.sub("_", cls.__name__).lower()


@dataclass(frozen=True, slots=True)
class UnreadableReason(Reason):
    """Why a text cannot be read as a command."""

    right: str | None = field(default=None, kw_only=True)
    """What would be right in the place of the part at fault, where that is known."""

    @property
    def instead(self) -> str | None:
        """What to write in the place of the part at fault."""
        return self.right


@dataclass(frozen=True, slots=True)
class NotAllowedReason(Reason):
    """Why a command cannot be carried out now."""


@dataclass(frozen=True, slots=True)
class IllegalReason(Reason):
    """Why the board does not allow a placement."""


class Barred(Enum):
    """The command is not allowed now."""

    NO_SUCH_BOARD = "no_such_board"
    NO_SUCH_RECORD = "no_such_record"
    NO_SUCH_PLAYER = "no_such_player"
    WRONG_PASSWORD = "wrong_password"
    WRONG_PASSWORD_CASE = "wrong_password_case"
    STRANGE_ADDRESS = "strange_address"
    ACCOUNT_REMOVED = "account_removed"
    USERID_TAKEN = "userid_taken"
    UNUSABLE_GRID = "unusable_grid"
    REFUSED_BEFORE = "refused_before"
    NOT_ON_BOARD = "not_on_board"
    NOTHING_WRITTEN = "nothing_written"
    OTHER_RECORD = "other_record"
    VACATION_PAST = "vacation_past"
    VACATION_FAR = "vacation_far"
    VACATION_OVERLAPS = "vacation_overlaps"
    VACATION_TOO_LONG = "vacation_too_long"
    NO_VACATION = "no_vacation"
    DISABLED = "disabled"
    REJECTED = "rejected"
    LIMIT_REACHED = "limit_reached"
    REJECTS_SELF = "rejects_self"
    NOTE_TOO_LONG = "note_too_long"
    PLAYS_THERE = "plays_there"
    TOO_MANY_WATCHED = "too_many_watched"
    TOO_MANY_BROADCASTS = "too_many_broadcasts"
    NO_SUCH_CODE = "no_such_code"
    HAS_ACCOUNT = "has_account"
    PASSWORD_MISSING = "password_missing"
    TOO_MANY_ADDRESSES = "too_many_addresses"
    TOO_MANY_WRONG = "too_many_wrong"
    SIGNED_OFF = "signed_off"
    YOUR_OWN_TURN = "your_own_turn"
    PLAN_AFTER_END = "plan_after_end"
    PLAN_WITHIN_TURN = "plan_within_turn"
    NOTHING_SUBMITTED = "nothing_submitted"
    BOARD_CHANGED = "board_changed"
    REPLAY_OF_THE_END = "replay_of_the_end"
    NO_SUCH_SEEK = "no_such_seek"
    OWN_SEEK = "own_seek"
    TOO_MANY_SEEKS = "too_many_seeks"
    OLD_ANSWER = "old_answer"


class Refusal(Exception):
    """A command that was not carried out; nothing has changed.

    `culprit` is the part of the text that is at fault, where one is.
    """

    family: str
    """Which of the three kinds it is."""

    def __init__(self, reason: Reason | Enum, culprit: str = "", **facts: Any) -> None:
        super().__init__(reason, culprit)
        self.reason = reason
        self.culprit = culprit
        self._facts = facts

    def __str__(self) -> str:
        return self.reason.word() if isinstance(self.reason, Reason) else str(self.reason.value)

    @property
    def facts(self) -> dict[str, Any]:
        """What the sentence about it needs."""
        if isinstance(self.reason, Reason):
            return {each.name: getattr(self.reason, each.name) for each in fields(self.reason)}
        return self._facts


class Unreadable(Refusal):
    """The text could not be read as a command."""

    family = "unreadable"
    reason: UnreadableReason

    def __init__(self, reason: UnreadableReason, culprit: str = "") -> None:
        super().__init__(reason, culprit)


class NotAllowed(Refusal):
    """The command was read and cannot be carried out now."""

    family = "not_allowed"
    reason: NotAllowedReason | Barred

    def __init__(self, reason: NotAllowedReason | Barred, culprit: str = "", **facts: Any) -> None:
        super().__init__(reason, culprit, **facts)


class Illegal(Refusal):
    """A placement that the board does not allow."""

    family = "illegal"
    reason: IllegalReason

    def __init__(self, reason: IllegalReason, culprit: str = "") -> None:
        super().__init__(reason, culprit)
