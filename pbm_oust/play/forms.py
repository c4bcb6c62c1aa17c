"""What runs a command, and what has to prove whose it is."""

from collections.abc import Callable
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct

from pbm_oust.accounts.tags import Credential
from pbm_oust.board import Header
from pbm_oust.grammar.form import Line
from pbm_oust.grammar.notation import Command
from pbm_oust.play.request import Actor, Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork

C_co = TypeVar("C_co", bound=Command, covariant=True)


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
    carry_out: Callable[[Request, UnitOfWork], Handled]
    """Carries out the line of a request within the current unit of work."""


class ForPlayer(Struct, Generic[C_co], frozen=True):
    """Runs a command for the player whose password it carries."""

    run: Callable[[C_co, Actor, Request, UnitOfWork], Handled]
    may_be_sender: bool = True
    """Whether a verified sender may prove whose it is; not if it changes what proves that."""
    brings_back: bool = True
    """Whether it brings back a player who has signed off."""
    signers: ClassVar = ("userid",)
    """The fields of the command with the userids of those whose password it may carry."""


class ForAnybody(Struct, Generic[C_co], frozen=True):
    """Runs a command that anybody may send."""

    run: Callable[[C_co, Request, UnitOfWork], Handled]
    signers: ClassVar = ()


class ForTwoPlayers(Struct, Generic[C_co], frozen=True):
    """Starts a board of `x` and `o`; one of the two must send the command.

    It may carry the password of that player. If nothing else proves whose it is, the owner of the
    address that it comes from is asked to confirm it.
    """

    header: Callable[[C_co, UnitOfWork, int], Header]
    """Returns the header of the board, which is given its number. Raises NotAllowed."""
    signers: ClassVar = ("x", "o")


class WithService(Struct, Generic[C_co], frozen=True):
    """Runs a command that works with other commands."""

    run: Callable[[C_co, Request, UnitOfWork, Service], Handled]
    signers: ClassVar = ()


Run = ForPlayer[Command] | ForAnybody[Command] | ForTwoPlayers[Command] | WithService[Command]
