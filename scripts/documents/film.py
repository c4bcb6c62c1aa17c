"""A game being played, as one animated picture: the boards of the pages, one after the other."""

import re

from pbm_oust.board.history import read_history
from pbm_oust.languages import ENGLISH
from pbm_oust.letters.translator import Translator
from pbm_oust.render.html import Marks, frames_of
from pbm_oust.render.svg import board_svg
from scripts.documents.rooms import ROOT

GAME = ROOT / "games" / "oust" / "2.txt"
SECONDS, HELD = 1.2, 5
"""How long each placement is seen, and how many times as long the last one."""
_STONES = re.compile(r'<g class="(?:stones|latest|taken)\b.*?</g>')
_DESCRIPTION = re.compile("<desc>.*?</desc>")
_STYLE = (
    ".f{{visibility:hidden;animation:f {whole}s step-end infinite}}.f.l{{animation-name:l}}"
    "@keyframes f{{0%{{visibility:visible}}{one}%{{visibility:hidden}}}}"
    "@keyframes l{{0%{{visibility:visible}}{last}%{{visibility:hidden}}}}"
    "@media(prefers-reduced-motion:reduce){{.f{{animation:none}}.f.l{{visibility:visible}}}}"
)
"""Each frame has its turn; who wants nothing to move sees the last one."""


def film() -> str:
    """Return a sample game as SVG that begins again when it is over."""
    title = "A game of Oust, from the first stone to the last capture"
    game = read_history(GAME.read_bytes()).game
    first = game.after(0).position
    bare, *drawn = [
        board_svg(position, marks, title, Translator(ENGLISH).gettext)
        for position, marks in [(first, Marks()), *frames_of(game)]
    ]
    whole = SECONDS * (len(drawn) - 1 + HELD)
    frames = [
        f'<g class="f{" l" if nth == len(drawn) - 1 else ""}" '
        f'style="animation-delay:{nth * SECONDS - whole:.1f}s">{"".join(_STONES.findall(each))}</g>'
        for nth, each in enumerate(drawn)
    ]
    shares = {"one": 100 * SECONDS / whole, "last": 100 * SECONDS * HELD / whole}
    style = _STYLE.format(
        whole=f"{whole:.1f}", **{name: f"{each:.3f}" for name, each in shares.items()}
    )
    bare, end = _DESCRIPTION.sub("", bare), "</g></svg>"
    return f"{bare.removesuffix(end)}<style>{style}</style>{''.join(frames)}{end}\n"
