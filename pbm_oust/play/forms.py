"""What runs a command, and what has to prove whose it is."""

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct

from pbm_oust.accounts.tags import Credential
from pbm_oust.board import Header
from pbm_oust.grammar.form import Line
from pbm_oust.play.request import Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork


class Seen(Struct, frozen=True):
    """What is known of a line before it is carried out."""

    line: Line
    alone: str = ""
    """The name of its command, if that needs a mail of its own."""
    signature: tuple[frozenset[str], Credential] | None = None
    """Whose command it may be and what proves that, if the line carries it."""


class Service(Struct, frozen=True):
    """What a command needs to work with other commands."""

    see: Callable[[str], Seen]
    """Returns what is known of a line before it is carried out."""
    handle: Callable[[Request, UnitOfWork], Handled]
    """Carries out a request."""
    carry_out: Callable[[UnitOfWork], Handled]
    """Carries out the line of the request of a unit of work, within that."""


class ForPlayer(Struct, frozen=True):
    """Runs a command for the player whose password it carries."""

    run: Callable[..., Handled]
    """Takes the Actor, the UnitOfWork, and the values of the command but for those
    that prove whose it is."""
    may_be_sender: bool = True
    """Whether a verified sender may prove whose it is; not if it changes what proves that."""
    brings_back: bool = True
    """Whether it brings back a player who has signed off."""
    signers: ClassVar = ("userid",)
    """The values of the command with the userids of those whose password it may carry."""


class ForAnybody(Struct, frozen=True):
    """Runs a command that anybody may send."""

    run: Callable[..., Handled]
    """Takes the UnitOfWork, and the values of the command."""
    signers: ClassVar = ()


class ForTwoPlayers(Struct, frozen=True):
    """Starts a board of `x` and `o`; one of the two must send the command.

    It may carry the password of that player. If nothing else proves whose it is, the owner of the
    address that it comes from is asked to confirm it.
    """

    header: Callable[..., Header]
    """Takes the UnitOfWork, the number of the board, and the values of the command but for the
    password. Returns the header of the board. Raises NotAllowed."""
    signers: ClassVar = ("x", "o")


class WithService(Struct, frozen=True):
    """Runs a command that works with other commands."""

    run: Callable[..., Handled]
    """Takes the UnitOfWork, the Service, and the values of the command."""
    signers: ClassVar = ()


Run = ForPlayer | ForAnybody | ForTwoPlayers | WithService
