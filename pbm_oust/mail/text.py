"""What a person wrote in a mail, parted from quotes and signatures. Pure."""

import re

_SIGNATURE = re.compile(r"--\s?$")
_FORWARDED = re.compile(r"\s*(?:-{2,}\s*\w[\w\s]*-{2,}|_{10,}|-{10,})\s*$")
_OUTLOOK = re.compile(r"(?:From|Von|De|Da|Van|Fra|Från):\s.*@?", re.IGNORECASE)
_OUTLOOK_NEXT = re.compile(r"(?:Sent|Date|Gesendet|Datum|Envoy\w+|To|An|\w+):\s", re.IGNORECASE)
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
            _drop_attribution(kept)
            kept.append("")
        else:
            kept.append(line.rstrip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")


def _is_header_block(lines: list[str], number: int) -> bool:
    following = lines[number + 1 : number + 3]
    return (
        bool(_OUTLOOK.match(lines[number]))
        and all(map(_OUTLOOK_NEXT.match, following))
        and (len(following) == 2)
    )


def _drop_attribution(kept: list[str]) -> None:
    """Take the sentence off the end of the kept lines that says whom a quote is from."""
    end = len(kept)
    while end and not kept[end - 1]:
        end -= 1
    if not end or not kept[end - 1].endswith((":", "\uff1a")):
        return
    begin = end
    while begin and kept[begin - 1] and end - begin < _LONGEST_ATTRIBUTION:
        begin -= 1
    del kept[begin:]
