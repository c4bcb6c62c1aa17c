"""The pages of the documentation of which scripts write a part."""

from collections.abc import Iterator
from pathlib import Path

from scripts.documents.command_line import command_line_part
from scripts.documents.commands import commands_part
from scripts.documents.parts import with_part
from scripts.documents.rooms import ROOT


def written() -> Iterator[tuple[Path, str]]:
    """Yield each page of which a part is written, with the text that it should have."""
    docs = ROOT / "docs"
    for page, name, text in (
        (docs / "commands.md", "commands", commands_part()),
        (docs / "command-line.md", "command line", command_line_part()),
    ):
        yield page, with_part(page.read_text(), name, text)
