"""The rooms of the program: the packages and single modules directly in it, from the disk."""

import configparser
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = "pbm_oust"


def rooms() -> list[str]:
    """Return the rooms as a listing of the folder has them, from the top of the house down.

    That is the order of the layers that import contracts keep: `cli/`, `doctor/`, .. `refusal.py`.
    """
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    layers = setup["importlinter:contract:layers"]["layers"].split()
    doors = {"__init__", "__main__"}
    found = {}
    for path in (ROOT / PACKAGE).iterdir():
        source = path / "__init__.py" if path.is_dir() else path
        if source.suffix == ".py" and source.exists() and path.stem not in doors:
            found[path.stem] = f"{path.name}/" if path.is_dir() else path.name
    return [found[name] for name in sorted(found, key=layers.index)]
