"""The files of the documentation that are written by scripts, wholly or in part."""

from collections.abc import Iterator
from pathlib import Path

from scripts.documents.command_line import command_line_part
from scripts.documents.commands import commands_part
from scripts.documents.parts import code, escaped, table, with_part
from scripts.documents.picture import picture
from scripts.documents.rooms import ROOT, Graph, Room, imports, reduced, rooms


def written() -> Iterator[tuple[Path, str]]:
    """Yield each file that is written, with the text that it should have."""
    docs = ROOT / "docs"
    known, graph = rooms(), imports()
    for page, name, text in (
        (docs / "commands.md", "commands", commands_part()),
        (docs / "command-line.md", "command line", command_line_part()),
        (docs / "architecture.md", "rooms", _rooms_part(known, graph)),
    ):
        yield page, with_part(page.read_text(), name, text)
    yield docs / "pictures" / "rooms.svg", picture(known, graph)


def _rooms_part(known: dict[str, Room], graph: Graph) -> str:
    """Return the picture in words: each room with what its arrows point to."""
    arrows = reduced(graph)
    rows = []
    for name, room in known.items():
        below = ", ".join(code(known[each].name) for each in sorted(arrows[name]))
        rows.append((code(room.name), escaped(room.about), below or "nothing"))
    return table(("room", "what it is", "stands on"), rows)
