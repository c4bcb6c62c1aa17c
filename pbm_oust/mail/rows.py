"""Lists in mails: what there is to say of each thing, in columns."""

from collections.abc import Iterable

from pbm_oust.notation import format_terms
from pbm_oust.render.text import in_columns
from pbm_oust.seeks import Seek


def seek_rows(seeks: Iterable[tuple[Seek, str]]) -> list[str]:
    """Return a line for each open challenge: its number, who made it, and what he offers."""
    return in_columns(
        (
            f"{seek.kind} {seek.number}",
            f"{userid}{f' as {seek.side.value}' if seek.side else ''}",
            str(seek.grid),
            format_terms(seek.terms),
        )
        for seek, userid in seeks
    )
