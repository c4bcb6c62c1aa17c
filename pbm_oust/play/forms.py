"""Forms with what runs them, and who has to prove what before that."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.status import signed_off_since
from pbm_oust.accounts.tags import Credential, Reply
from pbm_oust.grammar.command import Command
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.parts import IsUserid
from pbm_oust.play.authentication import authenticate
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.request import Actor, Request
from pbm_oust.play.returning import come_back
from pbm_oust.play.starting import actor_among
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import Unreadable

C_co = TypeVar("C_co", bound=Command, covariant=True)


@dataclass(frozen=True, slots=True)
class Service:
    """What a command needs that works with other commands."""

    read: Callable[[str], Command | Unreadable]
    """Returns the command of a line, or why it has none."""
    handle: Callable[[Request, UnitOfWork], Handled]
    """Carries out a request."""
    shown: Callable[[str, IsUserid], str]
    """Returns a line as it may be shown again."""


@dataclass(frozen=True, slots=True)
class CommandForm(Form[C_co], ABC):
    """A form with what runs it."""

    def password_of(self, command: Command) -> Credential | None:
        """Return what proves whose a command is, where it carries that."""
        return None

    def was_done(self, command: Command, request: Request, work: UnitOfWork) -> bool:
        """Return whether this mail was carried out before it could not be proved any more."""
        return False

    @abstractmethod
    def actor(self, command: Command, request: Request, work: UnitOfWork) -> Actor | None:
        """Return the player whose command it is, where one is known. Raises NotAllowed."""

    @abstractmethod
    def carry_out(
        self,
        command: Command,
        actor: Actor | None,
        request: Request,
        work: UnitOfWork,
        service: Service,
    ) -> Handled:
        """Carry a command out; `actor` is the player whose it is. Raises Refusal."""


@dataclass(frozen=True, slots=True)
class SignedForm(CommandForm[C_co]):
    """The form of a command that carries the password of an account."""

    run: Callable[[C_co, Actor, Request, UnitOfWork], Handled] = field(kw_only=True)
    brings_back: bool = field(default=True, kw_only=True)
    """Whether a player who has signed off is there again after it."""

    def userid_of(self, command: Command) -> str:
        """Return whose a command says it is."""
        return str(self.given(command)["userid"])

    def password_of(self, command: Command) -> Credential:
        """Return what proves whose a command is."""
        proof = self.given(command)["password"]
        if not isinstance(proof, Secret | Reply):
            raise TypeError(f"{self.name} carries no password")
        return proof

    def was_done(self, command: Command, request: Request, work: UnitOfWork) -> bool:
        """Return whether this mail changed the password or the account that would prove it."""
        return work.was_done(self.userid_of(command), request)

    def actor(self, command: Command, request: Request, work: UnitOfWork) -> Actor:
        """Return the player whose password a command carries. Raises NotAllowed."""
        proof = self.password_of(command)
        return authenticate(self.userid_of(command), proof, request, work)

    def carry_out(
        self,
        command: Command,
        actor: Actor | None,
        request: Request,
        work: UnitOfWork,
        service: Service,
    ) -> Handled:
        """Carry a command out for the player whose it is. Raises Refusal."""
        if actor is None:
            raise TypeError(f"{self.name} needs a player")
        handled = self.run(self.checked(command), actor, request, work)
        is_away = signed_off_since(actor.account) and self.brings_back
        if is_away and handled.outcome is not Outcome.DONE_BEFORE:
            come_back(actor.userid, work)
        return handled


@dataclass(frozen=True, slots=True)
class OpenForm(CommandForm[C_co]):
    """The form of a command that anybody may send."""

    run: Callable[[C_co, Request, UnitOfWork], Handled] = field(kw_only=True)
    of_players: tuple[str, ...] = field(default=(), kw_only=True)
    """The fields that hold userids of whom one sends it, from an address of that account."""

    def actor(self, command: Command, request: Request, work: UnitOfWork) -> Actor | None:
        """Return the player from whose address a command comes, if it must be one of some."""
        given = self.given(command)
        return actor_among(tuple(str(given[name]) for name in self.of_players), request, work)

    def carry_out(
        self,
        command: Command,
        actor: Actor | None,
        request: Request,
        work: UnitOfWork,
        service: Service,
    ) -> Handled:
        """Carry a command out. Raises Refusal."""
        return self.run(self.checked(command), request, work)


@dataclass(frozen=True, slots=True)
class ServiceForm(CommandForm[C_co]):
    """The form of a command that works with other commands."""

    run: Callable[[C_co, Request, UnitOfWork, Service], Handled] = field(kw_only=True)

    def actor(self, command: Command, request: Request, work: UnitOfWork) -> None:
        """Return nobody."""

    def carry_out(
        self,
        command: Command,
        actor: Actor | None,
        request: Request,
        work: UnitOfWork,
        service: Service,
    ) -> Handled:
        """Carry a command out. Raises Refusal."""
        return self.run(self.checked(command), request, work, service)
