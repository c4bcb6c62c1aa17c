"""Forms with the functions that run them, and what a sender must prove first."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from pbm_oust.accounts.account import signed_off_since
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.tags import Credential
from pbm_oust.board.header import Header
from pbm_oust.grammar.form import Form, Line, MayShow
from pbm_oust.grammar.notation import KIND, Blank, Command, Heading, Partial
from pbm_oust.play.authentication import Cost, PasswordWanted, authenticate, sender_among
from pbm_oust.play.moving import come_back
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.starting import check_two, start_board
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.play.verification import ask_to_confirm
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.position import Kind

C_co = TypeVar("C_co", bound=Command, covariant=True)

_USUAL_COST = Cost()


@dataclass(frozen=True, slots=True)
class Seen:
    """What can be seen in a line without carrying it out."""

    line: Line
    alone: str = ""
    """The name of its command, if that needs a mail of its own."""
    signature: tuple[frozenset[str], Credential] | None = None
    """Whose command it may be and what proves that, if the line carries it."""


class StrangeAddress(PasswordWanted):
    """A challenge came from an address of neither player."""


@dataclass(frozen=True, slots=True)
class Service:
    """What a command needs to work with other commands."""

    see: Callable[[str], Seen]
    """Returns what can be seen in a line without carrying it out."""
    handle: Callable[[Request, UnitOfWork], Handled]
    """Carries out a request."""
    carry_out: Callable[[Request, UnitOfWork], Handled]
    """Carries out the line of a request within the current unit of work."""


@dataclass(frozen=True, slots=True)
class CommandForm(Form[C_co], ABC):
    """A form with the function that runs it."""

    needs_own_mail: bool = field(default=False, kw_only=True)
    """Whether it cannot be one of several commands of a mail: it writes to addresses that nobody
    has proved, or costs much."""

    cost: Cost | Callable[[C_co], Cost] = field(default=_USUAL_COST, kw_only=True)
    """What it may cause, or what returns that for a command."""

    def cost_of(self, command: Command) -> Cost:
        """Return what a command may cause."""
        return self.cost if isinstance(self.cost, Cost) else self.cost(self.checked(command))

    def password_of(self, command: Command) -> Credential | None:
        """Return what proves whose command it is, if the command carries that."""
        return None

    def signers_of(self, command: Command) -> frozenset[str]:
        """Return the userids of those whose password a command may carry."""
        return frozenset()

    def claims_proof(self, command: Command) -> bool:
        """Return whether a command carries what may prove whose it is: a password or a code."""
        has_secret = any(part.is_secret and not part.is_new for part in self.parameters)
        return has_secret or self.password_of(command) is not None

    def waits_for_repair(self, actor: Actor | None) -> bool:
        """Return whether it is kept by its sender, not refused, while a board of it is damaged.

        So it is if it changes something and carries a proof of who sent it.
        """
        is_proved = any(each.is_secret for each in self.parameters)
        return is_proved and self.heading is not Heading.LOOKING

    def was_done(self, command: Command, request: Request, work: UnitOfWork) -> bool:
        """Return whether this mail was carried out, and can no longer be proved because of that."""
        return False

    def actor(self, command: Command, request: Request, work: UnitOfWork) -> Actor | None:
        """Return the player whose command it is, if that is asked. Raises NotAllowed."""
        return None

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
    may_be_sender: bool = field(default=True, kw_only=True)
    """Whether a verified sender may prove whose it is; not if it changes what proves that."""
    brings_back: bool = field(default=True, kw_only=True)
    """Whether it brings back a player who has signed off."""

    def userid_of(self, command: Command) -> str:
        """Return the userid that a command gives."""
        return str(self.given(command)["userid"])

    def password_of(self, command: Command) -> Credential:
        """Return what proves whose command it is."""
        proof = self.given(command)["password"]
        if not isinstance(proof, Credential):
            raise TypeError(f"{self.name} carries no password")
        return proof

    def signers_of(self, command: Command) -> frozenset[str]:
        """Return the userid that a command gives."""
        return frozenset([self.userid_of(command)])

    def was_done(self, command: Command, request: Request, work: UnitOfWork) -> bool:
        """Return whether this mail was carried out: it may have changed what would prove it."""
        return work.was_done(self.userid_of(command), request)

    def actor(self, command: Command, request: Request, work: UnitOfWork) -> Actor:
        """Return the player whose password a command carries. Raises NotAllowed."""
        proof = self.password_of(command)
        userid, may_be_sender = self.userid_of(command), self.may_be_sender
        return authenticate(userid, proof, request, work, may_be_sender=may_be_sender)

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
class ChallengeForm(CommandForm[C_co]):
    """The form of a command that starts a board of `x` and `o`; one of the two must send it.

    It may carry the password of that player. If nothing else proves whose it is, the owner of the
    address that it comes from is asked to confirm it.
    """

    header: Callable[[C_co, UnitOfWork, int], Header] = field(kw_only=True)
    """Returns the header of the board, which is given its number. Raises NotAllowed."""

    def password_of(self, command: Command) -> Secret | None:
        """Return the password that a command carries, if it does."""
        password = self.given(command)["password"]
        return password if isinstance(password, Secret) else None

    def signers_of(self, command: Command) -> frozenset[str]:
        """Return the userids of both players."""
        return frozenset(self.board_of(command)[1:])

    def waits_for_repair(self, actor: Actor | None) -> bool:
        """Return whether it is proved who sent it."""
        return actor is not None and actor.is_proved

    def board_of(self, command: Command) -> tuple[Kind, str, str]:
        """Return the game and the userids of both players."""
        given = self.given(command)
        kind = given[KIND]
        if not isinstance(kind, Kind):
            raise TypeError(f"{self.name} starts no board")
        return kind, str(given["x"]), str(given["o"])

    def correction(self, words: Sequence[str], kind: Kind | None, may_show: MayShow) -> Partial:
        """Return the command that these words should have been, with a blank for the password."""
        found = Form.correction(self, words, kind, may_show)
        return replace(found, given={**found.given, "password": Blank("PASSWORD")})

    def actor(self, command: Command, request: Request, work: UnitOfWork) -> Actor | None:
        """Return which of the players sent a command, if one did. Raises NotAllowed."""
        return sender_among(self.board_of(command)[1:], self.password_of(command), request, work)

    def carry_out(
        self,
        command: Command,
        actor: Actor | None,
        request: Request,
        work: UnitOfWork,
        service: Service,
    ) -> Handled:
        """Start a board, or ask whether to do so. Raises Refusal."""
        if actor is None:
            raise NotAllowed(StrangeAddress())
        made = self.checked(command)
        kind, x, o = self.board_of(made)
        check_two(x, o)
        if self.password_of(command):
            come_back(actor.userid, work)
        header = partial(self.header, made, work)
        line, other = self.format(made), o if actor.userid == x else x
        ask = partial(ask_to_confirm, made, line, other, actor, request, work)
        return start_board(kind, header, actor, request, work, ask)


@dataclass(frozen=True, slots=True)
class ServiceForm(CommandForm[C_co]):
    """The form of a command that works with other commands."""

    run: Callable[[C_co, Request, UnitOfWork, Service], Handled] = field(kw_only=True)

    def waits_for_repair(self, actor: Actor | None) -> bool:
        """Return that it does: one of the other commands may have to."""
        return True

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
