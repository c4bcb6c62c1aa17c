"""How often Python looks for circles of objects, which nothing but that frees."""

import gc

YOUNG = 20_000
"""After how many new objects the youngest are looked through; a mail or a history makes thousands,
and hardly any circles."""


def look_less_for_circles() -> None:
    """Leave out what the program consists of when circles of objects are looked for."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])
