"""Why a command was not carried out: three kinds of refusal that are never mixed.

A refusal carries the reason and the facts; the templates have the words. Failures on our own side
are not refusals: they are OSErrors and `DamagedHistory`, and leave the mail with its sender.
"""

from enum import Enum
from typing import Any


class Unread(Enum):
    """The text cannot be read as a command."""

    EMPTY = "empty"
    UNLABELLED_CHARACTER = "unlabelled_character"
    SEVERAL_SUBJECTS = "several_subjects"
    CLOSED_TEXT = "closed_text"
    UNKNOWN_WORD = "unknown_word"
    AMBIGUOUS_WORD = "ambiguous_word"
    MISSING_WORD = "missing_word"
    SURPLUS_WORD = "surplus_word"
    BAD_BOARD = "bad_board"
    BAD_USERID = "bad_userid"
    BAD_PASSWORD = "bad_password"
    FORGOTTEN_PASSWORD = "forgotten_password"
    BAD_ADDRESS = "bad_address"
    BAD_PLACEMENT = "bad_placement"
    BAD_GUARD = "bad_guard"
    BAD_FILTER = "bad_filter"
    UNKNOWN_OPTION = "unknown_option"
    OPTION_TWICE = "option_twice"
    BAD_OPTION_VALUE = "bad_option_value"
    NO_LINES = "no_lines"
    MULTIPLE_WITHIN = "multiple_within"
    BAD_CODE = "bad_code"
    ANSWER_TO_BOARD = "answer_to_board"
    BAD_DATE = "bad_date"
    BAD_DAYS = "bad_days"
    BAD_ZONE = "bad_zone"
    BAD_LIMIT = "bad_limit"
    BAD_PLAN = "bad_plan"
    NO_TURN = "no_turn"
    BAD_NUMBER = "bad_number"
    EMPTY_ANSWER = "empty_answer"
    UNKNOWN_ANSWER = "unknown_answer"
    MORE_THAN_PLACEMENTS = "more_than_placements"
    MORE_THAN_DEED = "more_than_deed"


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
    SAME_PLAYER = "same_player"
    UNUSABLE_GRID = "unusable_grid"
    REFUSED_BEFORE = "refused_before"
    NOT_ON_BOARD = "not_on_board"
    NOTHING_WRITTEN = "nothing_written"
    NOT_YOUR_TURN = "not_your_turn"
    OTHER_RECORD = "other_record"
    GAME_OVER = "game_over"
    MAY_NOT_PASS = "may_not_pass"
    MUST_PASS = "must_pass"
    SWAP_OFF = "swap_off"
    SWAP_TOO_LATE = "swap_too_late"
    DECLINE_TOO_LATE = "decline_too_late"
    OFFER_WAITS = "offer_waits"
    NO_OFFER = "no_offer"
    NOTHING_TO_UNDO = "nothing_to_undo"
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


class Unlawful(Enum):
    """A placement is not legal on the board."""

    OFF_GRID = "off_grid"
    AFTER_TURN = "after_turn"
    AGAINST_RULES = "against_rules"


class Refusal(Exception):
    """A command that was not carried out; nothing has changed.

    `reason` says why, and `facts` are what the sentence about it needs. `culprit` is the part of
    the text that is at fault, where one is.
    """

    family: str
    """Which of the three kinds it is."""

    def __init__(self, reason: Enum, culprit: str = "", **facts: Any) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.culprit = culprit
        self.facts = facts


class Unreadable(Refusal):
    """The text could not be read as a command; `reason` is an Unread."""

    family = "unreadable"


class NotAllowed(Refusal):
    """The command was read and cannot be carried out now; `reason` is a Barred."""

    family = "not_allowed"


class Illegal(Refusal):
    """A placement that the board does not allow; `reason` is an Unlawful."""

    family = "illegal"
