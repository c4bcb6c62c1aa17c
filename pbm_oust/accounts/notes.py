"""What a player has noted about boards, kept in his account as `Note: oust 17 "text"`. Pure."""

import json
import re

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.board.notation import NUMBER

KEY = "Note"
LONGEST = 2000
"""How many characters a note may have."""

_LINE = re.compile(rf'([a-z]+ {NUMBER.pattern}) (".*")')


def notes_of(account: Account) -> dict[str, str]:
    """Return the notes of a player by the names of their boards. Raises BadAccount."""
    return dict(_parse(line) for line in account.values(KEY))


def note_about(account: Account, board: str) -> str:
    """Return the note about a board of this name; empty where there is none. Raises BadAccount."""
    return notes_of(account).get(board, "")


def with_note(account: Account, board: str, text: str) -> Account:
    """Return an account with this note about a board; an empty one takes it away."""
    notes = {**notes_of(account), board: text}
    # All that is not ASCII is escaped: an account's lines end at more than a newline.
    lines = (f"{name} {json.dumps(note)}" for name, note in notes.items() if note)
    return account.with_values(KEY, lines)


def _parse(line: str) -> tuple[str, str]:
    match = _LINE.fullmatch(line)
    try:
        text = json.loads(match[2]) if match else None
    except ValueError:
        text = None
    if not match or not isinstance(text, str):
        raise BadAccount(f"the note {line[:40]!r} is not written 'oust 17 \"text\"'")
    return match[1], text
