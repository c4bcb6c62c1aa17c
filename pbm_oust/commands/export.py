"""The command that mails a player all that is stored about them: export."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from enum import Enum
from typing import TypeVar

from msgspec import Struct

from pbm_oust.accounts.account import Account, notes_of
from pbm_oust.accounts.bounces import Returned
from pbm_oust.accounts.document import account_lines
from pbm_oust.accounts.verification import Pending
from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.notation import Heading, OwnCommand
from pbm_oust.grammar.values import OWN
from pbm_oust.play.finding import boards_naming
from pbm_oust.play.forms import ForPlayer
from pbm_oust.play.moving import is_over
from pbm_oust.play.notices import Notice, Reader
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.unit_of_work import UnitOfWork, returned_from
from pbm_oust.store.index import BoardName
from pbm_oust.store.letters import count_letters_to
from pbm_oust.store.verifications import requests_of

T = TypeVar("T")


class Export(OwnCommand, frozen=True):
    """Mail a player all that is stored about them."""


class ExportNotice(Notice, frozen=True):
    """The first letter of an export: all about the reader except notes and histories."""

    template = "export"
    lines: tuple[str, ...]
    """The account, one line for each item."""
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


class What(Enum):
    """What a piece of an export is."""

    NOTE = "note"
    """A note of the reader."""
    HISTORY = "history"
    """A history, or its beginning."""
    REST = "rest"
    """More of a history that does not fit into one letter."""


class Piece(Struct, frozen=True):
    """A piece of an export: what is stored about the reader and a board."""

    what: What
    board: str
    """The name of the board."""
    text: str

    @property
    def size(self) -> int:
        """The number of its bytes."""
        return len(self.text.encode())


class ExportBoardsNotice(Notice, frozen=True):
    """A later letter of an export: notes and histories."""

    template = "export_boards"
    part: int
    parts: int
    """The number of letters of the export."""
    pieces: tuple[Piece, ...]

    def topic(self) -> str:
        """Return which part of the export it is."""
        return f"{self.template}.{self.part}"


class ExportSentNotice(Notice, frozen=True):
    """An export is on its way."""

    template = "export_sent"
    addresses: tuple[str, ...]
    """Where it goes; empty if no mail arrives at present."""
    count: int
    """The number of its letters."""


LARGEST_PART = 60_000
"""How many bytes of notes and histories go into one letter: no encoding makes it too large."""


def export(command: Export, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Mail a player all that is stored about them, but only to the addresses of their account."""
    account = actor.account
    at = work.player_at(account, request)
    own = tuple(address for address in at.addresses if account.has_address(address))
    reader = replace(at, addresses=own, wrote_from="")
    boards = boards_naming(account.userid, work.home)
    names = tuple(map(str, boards))
    parts = list(_parted(_pieces(account, boards, work), lambda piece: piece.size))
    count = len(parts) + 1
    first = _first_letter(account, reader, names, count, work)
    others = [
        ExportBoardsNotice(reader, part=number, parts=count, pieces=tuple(part))
        for number, part in enumerate(parts, 2)
    ]
    done = ExportSentNotice(work.sender_of(request), own, count)
    with work.posting([done, first, *others], request):
        return Handled(Outcome.DONE)


def _first_letter(
    account: Account, reader: Reader, boards: tuple[str, ...], parts: int, work: UnitOfWork
) -> ExportNotice:
    """Return what is stored about a player except notes and histories."""
    plans = (plan for plan in account.queue if not is_over(plan.kind, plan.board, work))
    account = replace(account, queue=tuple(plans))
    return ExportNotice(
        reader,
        lines=tuple(account_lines(replace(account, notes=()))),
        returned=returned_from(work.home, *account.addresses),
        waiting=tuple(work.home.ask(requests_of, account.userid, account.message_key, work.now())),
        letters=work.home.ask(count_letters_to, account.addresses),
        boards=boards,
        parts=parts,
    )


def _pieces(account: Account, boards: Iterable[BoardName], work: UnitOfWork) -> Iterator[Piece]:
    """Yield a player's notes, and the histories of boards, damaged or not."""
    for name, note in notes_of(account).items():
        yield Piece(What.NOTE, name, note)
    for board in boards:
        text = work.home.history(board).decode("utf-8", "replace")
        for nth, some in enumerate(_in_parts(text)):
            yield Piece(What.REST if nth else What.HISTORY, str(board), some)


def _in_parts(text: str) -> Iterator[str]:
    """Yield the lines of a history, as many at a time as go into one letter."""
    lines = text.splitlines(keepends=True) or [""]
    return map("".join, _parted(lines, lambda line: len(line.encode())))


def _parted(things: Iterable[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield things in their order, as many at a time as go into one letter by their bytes."""
    part, size = list[T](), 0
    for thing in things:
        size += size_of(thing)
        if part and size > LARGEST_PART:
            yield part
            part, size = [], size_of(thing)
        part.append(thing)
    if part:
        yield part


FORMS = (
    Form(
        "export",
        Export,
        OWN,
        heading=Heading.ACCOUNT,
        rank=80,
        needs_own_mail=True,
        cost=Cost(work=5),
        run=ForPlayer(export),
    ),
)
