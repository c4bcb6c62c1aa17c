"""The files of the documentation that scripts write, or of which they write a part."""

from collections.abc import Iterator
from pathlib import Path

from pbm_oust.experiments.pie import pies
from pbm_oust.robot.levels import LEVELS, Sight
from pbm_oust.rules import KINDS
from scripts.documents import configuration as configurations
from scripts.documents.command_line import command_line_part
from scripts.documents.commands import commands_part
from scripts.documents.film import film
from scripts.documents.parts import code, table, with_part
from scripts.documents.rooms import ROOT
from scripts.documents.schemas import schemas


def written() -> Iterator[tuple[Path, str]]:
    """Yield each file that is written, all of it or a part, with the text that it should have."""
    docs = ROOT / "docs"
    configuration = configurations.PAGE.read_text()
    for name, part in (("keys", configurations.keys_part), ("limits", configurations.limits_part)):
        configuration = with_part(configuration, name, part(configuration))
    yield configurations.PAGE, configuration
    for page, name, text in (
        (docs / "commands.md", "commands", commands_part()),
        (docs / "command-line.md", "command line", command_line_part()),
    ):
        yield page, with_part(page.read_text(), name, text)
    house = docs / "house.md"
    told = with_part(house.read_text(), "levels", levels_part())
    yield house, with_part(told, "first stones", first_stones_part())
    yield docs / "schemas.json", schemas()
    yield docs / "pictures" / "game.svg", film()


def levels_part() -> str:
    """Return the table of the house players."""
    rows = []
    for level in LEVELS:
        looks = "as many as it has time for" if level.looks is None else f"{level.looks:,}"
        looks += ", more on large boards" if level.grows else ""
        figures = chosen(level.sight), looks, f"{level.seconds:g}"
        rows.append((code(level.userid), level.strength.value, *figures))
    heads = "player", "strength", "where stones are taken", "looks for a turn", "seconds at most"
    return table(heads, rows)


def chosen(sight: Sight | None) -> str:
    """Return how a player with such a sight chooses where stones are taken."""
    if sight is None:
        return "searches"
    told = [f"takes, with {sight.advice} advice" if sight.advice else "takes"]
    if sight.overlooks:
        told.append(f"overlooks {sight.overlooks:.0%} far off")
    if sight.most:
        told.append(f"looks at {sight.most} cells far off at most")
    return "; ".join(told)


def first_stones_part() -> str:
    """Return the table of first stones, by game and grid."""
    rows = []
    for kind in KINDS.values():
        for grid, (match, stones) in pies(kind).items():
            told = (f"{stone.cells[0]} {stone.share}" for stone in stones)
            games = sum(stone.share.games for stone in stones)
            figures = f"{match.looks:,}", f"{games:,}", ", ".join(told)
            rows.append((kind.title, str(grid), *figures))
    return table(("game", "grid", "looks", "games", "first stones, and what they won"), rows)
