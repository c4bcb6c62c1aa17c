"""What players have noted about boards. Pure."""

from collections.abc import Mapping

from pbm_oust.accounts.account import Account, Note
from pbm_oust.accounts.items import board_of
from pbm_oust.frozen import replace

LONGEST = 2000
"""How many characters a note may have."""


def notes_of(account: Account) -> Mapping[str, str]:
    """Return the notes of a player by the names of their boards."""
    return {each.name: each.note for each in account.notes}


def note_about(account: Account, board: str) -> str:
    """Return the note about a board of this name; empty where there is none."""
    return notes_of(account).get(board, "")


def with_note(account: Account, board: str, text: str) -> Account:
    """Return an account with this note about a board; an empty one takes it away."""
    notes = {**notes_of(account), board: text}
    return with_notes(account, {name: note for name, note in notes.items() if note})


def with_notes(account: Account, notes: Mapping[str, str]) -> Account:
    """Return an account with these notes and no others."""
    names = {name: board_of(name) for name in notes}
    kept = (Note(kind=names[name][0], board=names[name][1], note=notes[name]) for name in notes)
    return replace(account, notes=tuple(kept))
