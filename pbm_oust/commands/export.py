"""The command that mails a player all that is stored about them: export."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.exported import account_lines
from pbm_oust.accounts.notes import NOTES, notes_of
from pbm_oust.accounts.password import Secret
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.values import OWN
from pbm_oust.play.letters import letters_to
from pbm_oust.play.notices import Notice, Told
from pbm_oust.play.renaming import boards_of
from pbm_oust.play.request import Action, Actor, Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.store.journal import MEMORY
from pbm_oust.store.maildir_outbox import NOWHERE


@dataclass(frozen=True, slots=True)
class Export:
    """Mail a player all that is stored about him."""

    userid: str
    password: Secret


LARGEST_PART = 200_000
"""How many characters of histories go into one letter; a single longer history goes alone."""


def export(command: Export, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Mail a player all that is stored about him, to the addresses of his account only."""
    account = actor.account
    at = work.player_at(account, request)
    own = tuple(address for address in at.addresses if account.has_address(address))
    reader = replace(at, addresses=own, wrote_from="")
    histories = [
        _history(kind.name, board, work) for kind, board in boards_of(account.userid, work.home)
    ]
    parts = list(_parted(histories))
    facts = _facts_about(account, work) | {
        "boards": [name for name, _ in histories],
        "part": 1,
        "parts": len(parts) + 1,
    }
    letters: list[Notice] = [Told(reader, "export", facts)]
    for number, part in enumerate(parts, 2):
        about = {"part": number, "parts": len(parts) + 1, "histories": part}
        letters.append(Told(reader, "export_boards", about))
    told = {"addresses": own, "count": len(letters)}
    done = Told(work.sender_of(request), "export_sent", told)
    with work.posting([done, *letters], request, actor.cause, NOWHERE):
        return Handled("exported")


def _facts_about(account: Account, work: UnitOfWork) -> dict[str, object]:
    """Return what is known of a player apart from his boards."""
    bounces = (work.home.bounces.of(address) for address in account.addresses)
    return {
        "lines": account_lines(NOTES.put(account, {})),
        "notes": notes_of(account),
        "returned": [each for each in bounces if each.bounces],
        "letters": len(letters_to(work.home, account.has_address)),
        "days": MEMORY.days,
    }


def _history(kind: str, board: int, work: UnitOfWork) -> tuple[str, str]:
    """Return the name of a board and the text of its history, damaged or not."""
    return f"{kind} {board}", work.home.read_history(kind, board).decode("utf-8", "replace")


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


FORMS = (Form("export", Export, OWN, is_of_kind=False),)

SIGNED: dict[type, Action] = {Export: export}
