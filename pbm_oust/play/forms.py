"""Forms with the functions that run them, and what a sender must prove first."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.status import signed_off_since
from pbm_oust.accounts.tags import Credential, Reply
from pbm_oust.grammar.command import Command, Heading
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.line import Line
from pbm_oust.play.authentication import authenticate
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.request import Actor, Request
from pbm_oust.play.returning import come_back
from pbm_oust.play.starting import actor_among
from pbm_oust.play.unit_of_work import UnitOfWork

C_co = TypeVar("C_co", bound=Command, covariant=True)


@dataclass(frozen=True, slots=True)
class Seen:
    """What can be seen in a line without carrying it out."""

    line: Line
    alone: str = ""
    """The name of its command, if that needs a mail of its own."""
    signature: tuple[str, Credential] | None = None
    """Whose command it is and what proves that, if the line carries it."""


@dataclass(frozen=True, slots=True)
class Service:
    """What a command needs to work with other commands."""

    see: Callable[[str], Seen]
    """Returns what can be seen in a line without carrying it out."""
    handle: Callable[[Request, UnitOfWork], Handled]
    """Carries out a request."""


@dataclass(frozen=True, slots=True)
class CommandForm(Form[C_co], ABC):
    """A form with the function that runs it."""

    needs_own_mail: bool = field(default=False, kw_only=True)
    """Whether it cannot be one of several commands of a mail: it writes to addresses that nobody
    has proved, or costs much."""

    def password_of(self, command: Command) -> Credential | None:
        """Return what proves whose command it is, if the command carries that."""
        return None

    @property
    def waits_for_repair(self) -> bool:
        """Whether it is kept by its sender, and not refused, while a board of it is damaged.

        So it is if it changes something and carries a proof of who sent it.
        """
        is_proved = any(each.is_secret for each in self.parameters)
        return is_proved and self.heading is not Heading.LOOKING

    def was_done(self, command: Command, request: Request, work: UnitOfWork) -> bool:
        """Return whether this mail was carried out, and can no longer be proved because of that."""
        return False

    @abstractmethod
    def actor(self, command: Command, request: Request, work: UnitOfWork) -> Actor | None:
        """Return the player whose command it is, if known. Raises NotAllowed."""

    @abstractmethod
    def carry_out(
        self,
        command: Command,
        actor: Actor | None,
        request: Request,
        work: UnitOfWork,
        service: Service,
    ) -> Handled:
        """Carry a command out; `actor` is its player. Raises Refusal."""


@dataclass(frozen=True, slots=True)
class SignedForm(CommandForm[C_co]):
    """The form of a command that carries the password of an account."""

    run: Callable[[C_co, Actor, Request, UnitOfWork], Handled] = field(kw_only=True)
    brings_back: bool = field(default=True, kw_only=True)
    """Whether it brings back a player who has signed off."""

    def userid_of(self, command: Command) -> str:
        """Return the userid that a command gives."""
        return str(self.given(command)["userid"])

    def password_of(self, command: Command) -> Credential:
        """Return what proves whose command it is."""
        proof = self.given(command)["password"]
        if not isinstance(proof, Secret | Reply):
            raise TypeError(f"{self.name} carries no password")
        return proof

    def was_done(self, command: Command, request: Request, work: UnitOfWork) -> bool:
        """Return whether this mail was carried out: it may have changed what would prove it."""
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
        """Carry a command out for its player. Raises Refusal."""
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
    """The fields with userids; one of these players must send it, from their own address."""

    def actor(self, command: Command, request: Request, work: UnitOfWork) -> Actor | None:
        """Return the player from whose address a command comes, where only some may send it."""
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

    @property
    def waits_for_repair(self) -> bool:
        """Return that it does: one of the other commands may have to."""
        return True

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
