"""Finding and replacing the userids in the text of a history. Pure.

They are in the lines X and O of the header, in records that hand a side over, and in the remark
that says who won. Everything else stays as it is, byte for byte.
"""

from pbm_oust.board.notation import format_record, parse_record
from pbm_oust.board.over import with_other_player
from pbm_oust.board.record import Record, Ruling, Verb
from dataclasses import replace

_OWNERS = ("X: ", "O: ")
_ADOPTS = f" {Verb.ADOPT.value} "


def userids_in(data: bytes) -> frozenset[str]:
    """Return the userids in a history, damaged or not."""
    head, _, body = (b"\n" + data).partition(b"\n\n")
    owners = {line[3:] for line in _lines(head) if line.startswith(_OWNERS)}
    adopted = map(_adoption, _lines(body) if _ADOPTS.encode() in body else ())
    return frozenset(owners | {ruling.userid for _, ruling in filter(None, adopted)})


def with_other_userid(data: bytes, old: str, new: str) -> bytes:
    """Return a history in which a player has another userid, without replaying it."""
    header, lines = _parted(data)
    owned = [
        f"{line[:3]}{new}" if line.startswith(_OWNERS) and line[3:] == old else line
        for line in header
    ]
    return "\n".join((*owned, *(_renamed(line, old, new) for line in lines))).encode(
        "utf-8", "surrogateescape"
    )


def _parted(data: bytes) -> tuple[list[str], list[str]]:
    """Return the lines of a history before the first empty line, and the others."""
    lines = _lines(data)
    end = lines.index("") if "" in lines else len(lines)
    return lines[:end], lines[end:]


def _lines(text: bytes) -> list[str]:
    return text.decode("utf-8", "surrogateescape").split("\n")


def _renamed(line: str, old: str, new: str) -> str:
    adoption = _adoption(line)
    if adoption is None or adoption[1].userid != old:
        return with_other_player(line, old, new)
    record, ruling = adoption
    return format_record(replace(record, action=replace(ruling, userid=new)))


def _adoption(line: str) -> tuple[Record, Ruling] | None:
    """Return the record on a line that hands a side over, and its ruling; None for other lines."""
    if _ADOPTS not in line:
        return None
    try:
        record = parse_record(line)
    except ValueError:
        return None
    ruling = record.action
    return (record, ruling) if isinstance(ruling, Ruling) and ruling.userid else None
