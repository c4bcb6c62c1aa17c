"""The editor of a player: puts a text into a draft, above or below what a program has put there.

Called with the place, the file of the text, and the draft.
"""

import sys
from pathlib import Path

SIGNATURE = "-- "


def edited(draft: str, place: str, text: str) -> str:
    """Return a draft with a text above the quote, below it, or between its lines."""
    lines = draft.split("\n")
    if place == "above":
        return f"{text}\n{draft}"
    if place == "below":
        end = lines.index(SIGNATURE) if SIGNATURE in lines else len(lines)
        return "\n".join([*lines[:end], "", text, *lines[end:]])
    marked = [number for number, line in enumerate(lines) if line.startswith(">")]
    middle = marked[len(marked) // 2]
    return "\n".join([*lines[:middle], "", text, *lines[middle:]])


if __name__ == "__main__":
    place, written, path = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[-1])
    head, empty, draft = "", "", path.read_text()
    if draft.startswith(("From:", "To:")):
        head, empty, draft = draft.partition("\n\n")
    path.write_text(head + empty + edited(draft, place, written.read_text()))
