"""The command that mails a player all that is stored about them: export."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.bounces import Returned
from pbm_oust.accounts.exported import account_lines
from pbm_oust.accounts.notes import NOTES, notes_of
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.verification import Pending
from pbm_oust.frozen import frozen
from pbm_oust.grammar.command import Command, Heading
from pbm_oust.grammar.values import OWN
from pbm_oust.play.forms import SignedForm
from pbm_oust.play.notices import Notice, Reader
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.quota import Cost
from pbm_oust.play.renaming import boards_of
from pbm_oust.play.request import Actor, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.store.bounces import bounces_of
from pbm_oust.store.letters import count_letters_to
from pbm_oust.store.verifications import requests_of
from pbm_oust.store.waiting import BoardName


@frozen
class Export(Command):
    """Mail a player all that is stored about them."""

    userid: str
    password: Secret


@frozen
class ExportNotice(Notice):
    """The first letter of an export: all that is stored about the reader except histories."""

    template = "export"
    lines: tuple[str, ...]
    """The account, one line for each item."""
    notes: Mapping[str, str]
    """The reader's notes, by the names of the boards."""
    returned: tuple[Returned, ...]
    waiting: tuple[Pending, ...]
    """What the reader has asked for and not confirmed."""
    letters: int
    """The number of letters to the reader that wait to be sent."""
    boards: tuple[str, ...]
    """The names of the boards whose histories hold the reader's userid."""
    parts: int
    """The number of letters of the export."""
    part: int = 1

    def topic(self) -> str:
        """Return which part of the export it is."""
        return f"{self.template}.{self.part}"


@frozen
class ExportBoardsNotice(Notice):
    """A later letter of an export: histories."""

    template = "export_boards"
    part: int
    parts: int
    """The number of letters of the export."""
    histories: tuple[tuple[str, str], ...]
    """The names of boards, and their histories."""

    def topic(self) -> str:
        """Return which part of the export it is."""
        return f"{self.template}.{self.part}"


@frozen
class ExportSentNotice(Notice):
    """An export is on its way."""

    template = "export_sent"
    addresses: tuple[str, ...]
    """Where it goes; empty if no mail arrives at present."""
    count: int
    """The number of its letters."""


LARGEST_PART = 200_000
"""How many characters of histories go into one letter; a single longer history goes alone."""


def export(command: Export, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Mail a player all that is stored about them, but only to the addresses of their account."""
    account = actor.account
    at = work.player_at(account, request)
    own = tuple(address for address in at.addresses if account.has_address(address))
    reader = replace(at, addresses=own, wrote_from="")
    histories = [_history(name, work) for name in boards_of(account.userid, work.home)]
    names = tuple(name for name, _ in histories)
    parts = list(_parted(histories))
    count = len(parts) + 1
    first = _first_letter(account, reader, names, count, work)
    others = [
        ExportBoardsNotice(reader, part=number, parts=count, histories=tuple(part))
        for number, part in enumerate(parts, 2)
    ]
    done = ExportSentNotice(work.sender_of(request), own, count)
    with work.posting([done, first, *others], request):
        return Handled(Outcome.DONE)


def _first_letter(
    account: Account, reader: Reader, boards: tuple[str, ...], parts: int, work: UnitOfWork
) -> ExportNotice:
    """Return what is stored about a player except the histories of their boards."""
    bounces = (work.home.ask(bounces_of, address) for address in account.addresses)
    return ExportNotice(
        reader,
        lines=tuple(account_lines(NOTES.put(account, {}))),
        notes=notes_of(account),
        returned=tuple(each for each in bounces if each.bounces),
        waiting=tuple(work.home.ask(requests_of, account.userid, account.message_key, work.now())),
        letters=work.home.ask(count_letters_to, account.addresses),
        boards=boards,
        parts=parts,
    )


def _history(name: BoardName, work: UnitOfWork) -> tuple[str, str]:
    """Return the name of a board and the text of its history, damaged or not."""
    return str(name), work.home.history(name).decode("utf-8", "replace")


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


FORMS = (
    SignedForm(
        "export",
        Export,
        OWN,
        heading=Heading.ACCOUNT,
        rank=80,
        cost=Cost(work=5),
        run=export,
    ),
)
