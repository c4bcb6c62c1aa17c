"""Where each page is found. Pure: the one place where paths are put together."""

from collections.abc import Callable, Mapping
from typing import Any


def of_board(name: str, number: int | None = None, ending: str = "") -> str:
    """Return the path of a board named `oust 17`, as it is or after a record.

    An ending such as `.svg` asks for it in another form.
    """
    path = f"/{name.replace(' ', '/')}"
    return f"{path}{'' if number is None else f'/{number}'}{ending}"


ALL: Mapping[str, Callable[..., Any]] = {"path_of_board": of_board}
"""By the names that templates use."""
