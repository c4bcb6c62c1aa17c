"""The settings with which programs of others run in a folder of their own."""

from pathlib import Path

FOLDER = Path(__file__).parent


def filled(name: str, **values: object) -> str:
    """Return a file of this folder with these values in it."""
    return with_values((FOLDER / name).read_text(), **values)


def with_values(text: str, **values: object) -> str:
    """Return a text in which `@NAME@` stands for the value of a name."""
    for each, value in values.items():
        text = text.replace(f"@{each.upper()}@", str(value))
    return text
