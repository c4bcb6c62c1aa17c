"""What became of a request."""

from enum import Enum

from dataclasses import dataclass
from pbm_oust.refusal import Reason


class Outcome(Enum):
    """What became of a request, or of a mail that is not one."""

    DONE = "done"
    DONE_IN_PART = "done in part"
    """Several commands were carried out, up to one that was refused."""
    DONE_BEFORE = "done before"
    """The same mail has come again."""
    ANSWERED = "answered"
    """There was nothing to change."""
    REFUSED = "refused"
    SILENT = "silent"
    """Nobody gets an answer."""
    RETURNED = "returned"
    """A letter of ours has come back."""
    UNREADABLE = "unreadable"
    """The mail would cost too much to read, or cannot be taken apart."""
    KEPT = "kept by the sender"
    """A fault on our side keeps the mail with its sender."""


class Silence(Enum):
    """Why nobody gets an answer."""

    TOO_MANY_CODES = "too many codes to an address"
    TOO_MANY_EQUAL_REFUSALS = "the same refusal again and again"
    TOO_MANY_WAIT = "too many challenges of a player wait for a yes"
    WAITS_FOR_A_YES = "the same challenge waits for a yes"
    LIMIT = "the limit"
    ANSWERS_BROADCAST = "an answer to a mail that went to everybody"
    FORGED = "its From is forged"
    NO_REPORT = "no report of a failed letter"


@dataclass(frozen=True, slots=True)
class Handled:
    """What became of a request. It holds no word of the mail."""

    outcome: Outcome
    board: str = ""
    """The name of the board that it is about."""
    record: int = 0
    """The number of the record that it made; the last one if it made several."""
    command: str = ""
    """The name of the command, if one was read."""
    why: Reason | Silence | str = ""
    """The reason for a refusal or for silence, or the fault."""
    limit: str = ""
    """The limit that was reached, if it gets no answer because of one."""
    is_proved: bool = False
    """Whether it proved whose it is."""
    is_guess: bool = False
    """Whether it came with a wrong password."""
    untold: str = ""
    """The userid of its player, if settings of theirs are unknown and they were not told."""


def silent(why: Silence | str, board: str = "") -> Handled:
    """Return that nobody gets an answer."""
    return Handled(Outcome.SILENT, board, why=why)


def outcome_text(handled: Handled) -> str:
    """Return the outcome of a mail as the log has it: `done`, `refused: wrong_password`."""
    why = handled.why
    text = why.word() if isinstance(why, Reason) else why.value if isinstance(why, Silence) else why
    text = f"{text} {handled.limit}".strip()
    return f"{handled.outcome.value}: {text}" if text else handled.outcome.value
