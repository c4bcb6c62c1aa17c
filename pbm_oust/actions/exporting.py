"""All that is stored about a player, mailed to him."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.letters import letters_to
from pbm_oust.actions.renaming import boards_of
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.commands.personal import Export
from pbm_oust.journal import MEMORY
from pbm_oust.notes import KEY as NOTE_KEY
from pbm_oust.notes import notes_of
from pbm_oust.notices import Notice, Told
from pbm_oust.outbox import NOWHERE
from pbm_oust.players import Account, format_account

LARGEST_PART = 200_000
"""How many characters of histories go into one letter; a single longer history goes alone."""


def export(command: Export, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Mail a player all that is stored about him, to the addresses of his account only."""
    account = actor.account
    at = desk.player_at(account, request)
    own = tuple(address for address in at.addresses if account.has_address(address))
    reader = replace(at, addresses=own, wrote_from="")
    histories = [
        _history(kind.name, board, desk) for kind, board in boards_of(account.userid, desk.home)
    ]
    parts = list(_parted(histories))
    facts = _facts_about(account, desk) | {
        "boards": [name for name, _ in histories],
        "part": 1,
        "parts": len(parts) + 1,
    }
    letters: list[Notice] = [Told(reader, "export", facts)]
    for number, part in enumerate(parts, 2):
        about = {"part": number, "parts": len(parts) + 1, "histories": part}
        letters.append(Told(reader, "export_boards", about))
    told = {"addresses": own, "count": len(letters)}
    done = Told(desk.sender_of(request), "export_sent", told)
    with desk.posting([done, *letters], request, actor.cause, NOWHERE):
        return Handled("exported")


def _facts_about(account: Account, desk: Desk) -> dict[str, object]:
    """Return what is known of a player apart from his boards."""
    plain = account.with_values(NOTE_KEY, [])
    lines = format_account(replace(plain, password="")).splitlines()[1:]
    bounces = (desk.home.bounces.of(address) for address in account.addresses)
    return {
        "lines": [line for line in lines if not line.startswith("Password:")],
        "notes": notes_of(account),
        "returned": [each for each in bounces if each.bounces],
        "letters": len(letters_to(desk.home, account.has_address)),
        "days": MEMORY.days,
    }


def _history(kind: str, board: int, desk: Desk) -> tuple[str, str]:
    """Return the name of a board and the text of its history, damaged or not."""
    return f"{kind} {board}", desk.home.read_history(kind, board).decode("utf-8", "replace")


def _parted(histories: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Yield the histories in their order, as many at a time as go into one letter."""
    part: list[tuple[str, str]] = []
    size = 0
    for name, text in histories:
        if part and size + len(text) > LARGEST_PART:
            yield part
            part, size = [], 0
        part.append((name, text))
        size += len(text)
    if part:
        yield part


SIGNED: dict[type, Action] = {Export: export}
