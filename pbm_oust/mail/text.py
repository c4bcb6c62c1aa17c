"""What a person wrote in a mail, parted from quotes and signatures. Pure."""

import re

_SIGNATURE = re.compile(r"--\s?$")
_FORWARDED = re.compile(r"\s*(?:-{2,}\s*\w[\w\s]*-{2,}|_{10,}|-{10,})\s*$")
_OUTLOOK = re.compile(r"(?:From|Von|De|Da|Van|Fra|Från):\s.*@?", re.IGNORECASE)
_OUTLOOK_NEXT = re.compile(r"(?:Sent|Date|Gesendet|Datum|Envoy\w+|To|An|\w+):\s", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:On|Am|Le|Il|El|Op|Em|Den|Dne|Dnia|W dniu|Pada|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})\b",
    re.IGNORECASE,
)
_LONGEST_ATTRIBUTION = 3
"""Lines that a sentence like `On Monday, Bob wrote:` may take."""


def own_text(text: str) -> str:
    """Return what the sender wrote himself.

    Lines quoted with `>` go, and the sentence that ends in a colon above them. All that follows
    a signature's `--`, a line that announces an older message, or a block of its headers goes.
    """
    kept: list[str] = []
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if _SIGNATURE.match(line) or _FORWARDED.match(line) or _is_header_block(lines, number):
            break
        if line.startswith(">"):
            if not number or not lines[number - 1].startswith(">"):
                _drop_attribution(kept)
                _keep(kept, "")
        else:
            _keep(kept, line.rstrip())
    return "\n".join(kept).strip("\n")


def _keep(kept: list[str], line: str) -> None:
    """Add a line to the kept ones; of several empty lines in a row, one is enough."""
    if line or (kept and kept[-1]):
        kept.append(line)


def _is_header_block(lines: list[str], number: int) -> bool:
    following = lines[number + 1 : number + 3]
    return (
        bool(_OUTLOOK.match(lines[number]))
        and all(map(_OUTLOOK_NEXT.match, following))
        and (len(following) == 2)
    )


def _drop_attribution(kept: list[str]) -> None:
    """Take the sentence off the end of the kept lines that says whom a quote is from."""
    end = len(kept) - bool(kept and not kept[-1])
    if not end or not kept[end - 1].endswith((":", "\uff1a")):
        return
    earliest = max(0, end - _LONGEST_ATTRIBUTION)
    openings = (place for place in reversed(range(earliest, end)) if _OPENING.match(kept[place]))
    del kept[next(openings, end - 1) :]
