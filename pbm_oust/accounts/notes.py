"""What players have noted about boards. Pure."""

import json
from collections.abc import Mapping, Sequence

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.kept import Column, Holds, Kept, Row, board_of, cells_of

LONGEST = 2000
"""How many characters a note may have."""


def _notes(rows: Sequence[Row]) -> Mapping[str, str]:
    if not all(note for _, _, note in rows):
        raise ValueError("a note is empty")
    return {board_of(kind, board): note for kind, board, note in rows}


def _merged(notes: Mapping[str, str], others: Mapping[str, str]) -> Mapping[str, str]:
    """Return the notes of both; two about one board, one behind the other."""
    merged = {**others, **notes}
    for name in notes.keys() & others.keys():
        if notes[name] != others[name]:
            merged[name] = f"{notes[name]}\n\n{others[name]}"
    return merged


NOTES: Kept[Mapping[str, str]] = Kept(
    name="notes",
    key="Note",
    columns=(Column("kind"), Column("board", Holds.NUMBER), Column("note")),
    empty={},
    to_rows=lambda notes: [(*cells_of(name), note) for name, note in notes.items()],
    of_rows=_notes,
    # All that is not ASCII is escaped, and so are the ends of lines.
    to_lines=lambda notes: [f"{name} {json.dumps(note)}" for name, note in notes.items()],
    merged=_merged,
)


def notes_of(account: Account) -> Mapping[str, str]:
    """Return the notes of a player by the names of their boards."""
    return NOTES.of(account)


def note_about(account: Account, board: str) -> str:
    """Return the note about a board of this name; empty where there is none."""
    return notes_of(account).get(board, "")


def with_note(account: Account, board: str, text: str) -> Account:
    """Return an account with this note about a board; an empty one takes it away."""
    notes = {**notes_of(account), board: text}
    return NOTES.put(account, {name: note for name, note in notes.items() if note})
