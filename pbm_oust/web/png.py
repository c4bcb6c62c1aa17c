"""Boards as PNG, for previews in chats, which show no SVG."""

import subprocess  # it starts our own program  # nosec B404
import sys

import resvg_py


def png_of(svg: str, width: int) -> bytes:
    """Return a picture so many pixels wide; its words need no font, and none is looked for.

    All other threads stand still until it is drawn: see `png_beside`.
    """
    return resvg_py.svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True)


def png_beside(svg: str, width: int) -> bytes:
    """Return what `png_of` returns, drawn by a process of its own while other threads go on."""
    drawing = [sys.executable, "-m", __name__, str(width)]
    drawn = subprocess.run(  # noqa: S603 - the words are ours # nosec B603
        drawing, input=svg.encode(), stdout=subprocess.PIPE, check=True
    )
    return drawn.stdout


if __name__ == "__main__":
    sys.stdout.buffer.write(png_of(sys.stdin.buffer.read().decode(), int(sys.argv[1])))
