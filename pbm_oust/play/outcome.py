"""What became of a request."""

from dataclasses import dataclass
from enum import Enum

from pbm_oust.refusal import Reason


class Outcome(Enum):
    """What became of a request, or of a mail that is none."""

    DONE = "done"
    DONE_IN_PART = "done in part"
    """Some of several commands were carried out, up to one that was refused."""
    DONE_BEFORE = "done before"
    """The same mail has come again."""
    ANSWERED = "answered"
    """Nothing was to be changed."""
    REFUSED = "refused"
    SILENT = "silent"
    """Nobody is to be answered."""
    RETURNED = "returned"
    """A letter of ours has come back."""
    UNREADABLE = "unreadable"
    """The mail would cost too much to read, or cannot be taken apart."""
    KEPT = "kept by the sender"
    """A fault on our side keeps the mail with its sender."""


class Silence(Enum):
    """Why nobody is answered."""

    TOO_MANY_CODES = "too many codes to an address"
    TOO_MANY_ANSWERS = "too many answers to an address of no account"
    TOO_MANY_UNREADABLE = "too many mails that could not be read"
    TOO_MANY_REMARKS = "too many answers that were to be passed on"
    ANSWERS_BROADCAST = "an answer to a mail that went to everybody"
    NO_REPORT = "no report of a failed letter"


@dataclass(frozen=True, slots=True)
class Handled:
    """What became of a request. Nothing in it is a word of the mail."""

    outcome: Outcome
    board: str = ""
    """The name of the board that it is about."""
    record: int = 0
    """The number of the record that it made, the last one where it made several."""
    command: str = ""
    """The name of the command, where one was read."""
    why: Reason | Silence | str = ""
    """The reason of a refusal or of silence, or what the fault is."""


def silent(why: Silence, board: str = "") -> Handled:
    """Return that nobody is answered."""
    return Handled(Outcome.SILENT, board, why=why)
