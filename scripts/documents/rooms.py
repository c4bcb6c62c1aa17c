"""The rooms of the program and their imports, from the modules on disk."""

import ast
import configparser
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[2]
PACKAGE = "pbm_oust"
LONGEST = 56
"""The most letters of the text about a room."""

Graph = Mapping[str, frozenset[str]]
"""What each room imports directly."""


@dataclass(frozen=True, slots=True)
class Room:
    """A package or a single module directly in the program's package."""

    name: str
    """As in a listing of the folder: `store/`, `refusal.py`."""
    about: str
    """What it is, from its docstring."""
    is_pure: bool
    """Whether an import contract keeps clock, disk and network out of it."""


def rooms() -> dict[str, Room]:
    """Return all rooms by their module names, from the top of the house down."""
    found = {}
    doors = {"__init__", "__main__"}
    pure = {_room_of(module) for module in _contract("pure", "source_modules")}
    for path in (ROOT / PACKAGE).iterdir():
        source = path / "__init__.py" if path.is_dir() else path
        if source.suffix == ".py" and source.exists() and path.stem not in doors:
            name = f"{path.name}/" if path.is_dir() else path.name
            found[path.stem] = Room(name, _about(source), path.stem in pure)
    layers = _contract("layers", "layers")
    return {name: found[name] for name in sorted(found, key=layers.index)}


def imports() -> Graph:
    """Return the rooms that each room imports."""
    graph = grimp.build_graph(PACKAGE)
    known = rooms()
    found: dict[str, set[str]] = {name: set() for name in known}
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            here, there = _room_of(module), _room_of(imported)
            if here in known and there in known and here != there:
                found[here].add(there)
    return {name: frozenset(targets) for name, targets in found.items()}


def floors(graph: Graph) -> dict[str, int]:
    """Return the number of rooms on the longest way down from each room. Raises ValueError."""
    known: dict[str, int] = {}

    def floor(room: str, above: tuple[str, ...] = ()) -> int:
        if room in above:
            raise ValueError(f"rooms import each other in a circle: {' -> '.join([*above, room])}")
        if room not in known:
            below = [floor(each, (*above, room)) for each in sorted(graph[room])]
            known[room] = max(below, default=-1) + 1
        return known[room]

    for room in sorted(graph):
        floor(room)
    return known


def reduced(graph: Graph) -> Graph:
    """Return the imports without those that a longer way implies."""
    below = {room: _all_below(room, graph) for room in graph}
    return {
        room: frozenset(
            each for each in targets if not any(each in below[other] for other in targets)
        )
        for room, targets in graph.items()
    }


def _all_below(room: str, graph: Graph) -> frozenset[str]:
    found: set[str] = set()
    waiting = list(graph[room])
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += graph[each]
    return frozenset(found)


def _room_of(module: str) -> str:
    _, _, rest = module.partition(".")
    return rest.partition(".")[0]


def _about(source: Path) -> str:
    """Return the first sentence of a module's docstring; if long, only what precedes its colon."""
    text = ast.get_docstring(ast.parse(source.read_text())) or ""
    first = " ".join(text.split("\n\n")[0].replace("`", "").split())
    sentence = first.partition(". ")[0].removesuffix(".")
    return sentence if len(sentence) <= LONGEST else sentence.partition(": ")[0]


def _contract(name: str, key: str) -> list[str]:
    """Return the modules that an import contract names under a key."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    return setup[f"importlinter:contract:{name}"][key].split()
