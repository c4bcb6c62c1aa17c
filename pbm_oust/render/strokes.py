"""Capital letters and digits as strokes of a pen: a picture with them needs no font. Pure."""

HEIGHT = 14
"""How high each of them is, in the units of the picture."""

_WIDTH, _ADVANCE = 10, 13
"""How wide one is, and how far its left edge is from the left edge of the next."""

_ELLIPSE = "m0 7a5 7 0 0 0 10 0 5 7 0 0 0-10 0"
_P = "m0 14v-14h6a4 4 0 0 1 0 8h-6"

STROKES = {
    "A": "m0 14l5-14 5 14m-8.2-5h6.4",
    "B": "v14h6a4 4 0 0 0 0-8h-6h5a3 3 0 0 0 0-6h-5",
    "C": "m9.2 3.2a5 7 0 1 0 0 7.6",
    "D": "v14h3a7 7 0 0 0 0-14z",
    "E": "m9 0h-9v14h9m-9-7.3h7.5",
    "F": "m9 0h-9v14m0-7.3h7.5",
    "G": "m9.2 3.2a5 7 0 1 0 .8 3.8h-4",
    "H": "v14m10-14v14m-10-7.2h10",
    "J": "m8 0v9.5a4 4.5 0 0 1-8 0",
    "K": "v14m9.5-14l-9.5 9m3.6-3.4l6.4 8.4",
    "L": "m1 0v14h8.5",
    "M": "m-.5 14v-14l5.5 9 5.5-9v14",
    "N": "m0 14v-14l10 14v-14",
    "O": _ELLIPSE,
    "P": _P,
    "Q": f"{_ELLIPSE}m6 3l4 4",
    "R": f"{_P}m5 0l5 6",
    "S": "m9 2.6c-1-1.8-2.4-2.6-4.2-2.6-2.6 0-4.3 1.4-4.3 3.5 0 4.9 9 2.2 9 6.9 0 2.2-1.9 3.6-4.6"
    " 3.6-2.1 0-3.8-.9-4.9-2.8",
    "T": "h10m-5 0v14",
    "U": "v9a5 5 0 0 0 10 0v-9",
    "V": "l5 14 5-14",
    "W": "m-1 0l3 14 3-11 3 11 3-14",
    "X": "l10 14m0-14l-10 14",
    "Y": "l5 7.5 5-7.5m-5 7.5v6.5",
    "Z": "h10l-10 14h10",
    "0": "m.8 7a4.2 7 0 0 0 8.4 0 4.2 7 0 0 0-8.4 0",
    "1": "m2 3l4-3v14",
    "2": "m1 3.8a4 3.8 0 0 1 8 0c0 3.4-3.5 5-8 10.2h8.3",
    "3": "m1.2 2.4c.8-1.6 2-2.4 3.8-2.4a3.3 3.3 0 0 1 0 6.6h-1.4h1.4a3.7 3.7 0 0 1 0 7.4c-2 0-3.5"
    "-.9-4.2-2.8",
    "4": "m7 14v-14l-7 9.8h10",
    "5": "m8.6 0h-6.8l-.7 6.2c1-.8 2.2-1.2 3.6-1.2a4.5 4.5 0 0 1 0 9c-2 0-3.6-.9-4.4-2.6",
    "6": "m8.4 1.8c-.9-1.2-2-1.8-3.4-1.8-2.8 0-4.2 2.6-4.2 7v2.6a4.2 4.4 0 0 0 8.4 0 4.2 4.4 0 0 0"
    "-8.4 0",
    "7": "m.6 0h8.8l-5.6 14",
    "8": "m1.6 3.4a3.4 3.4 0 0 0 6.8 0 3.4 3.4 0 0 0-6.8 0m-.8 7a4.2 3.6 0 0 0 8.4 0 4.2 3.6 0 0 0"
    "-8.4 0",
    "9": "m1.6 12.2c.9 1.2 2 1.8 3.4 1.8 2.8 0 4.2-2.6 4.2-7v-2.6a4.2 4.4 0 0 0-8.4 0 4.2 4.4 0 0 0"
    " 8.4 0",
}
"""The commands of an SVG path that draw each of them from its upper left corner."""


def strokes_around(x: int, y: int, text: str) -> str:
    """Return the commands of an SVG path that write a text around a point."""
    left, top = x - (_ADVANCE * len(text) - _ADVANCE + _WIDTH) / 2, y - HEIGHT // 2
    return "".join(
        f"M{left + _ADVANCE * nth:g} {top}{STROKES[letter]}" for nth, letter in enumerate(text)
    )
