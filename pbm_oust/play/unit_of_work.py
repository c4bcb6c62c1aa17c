"""The place where requests are carried out: home, letters, clock, limits and passwords.

And what runs a command, and what has to prove whose it is.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import ClassVar, TypeVar

from msgspec import Struct, field

from pbm_oust.accounts.account import Account
from pbm_oust.board import Header
from pbm_oust.play.context import Context, Look, Outcome
from pbm_oust.play.passwords import NotDerived, Passwords
from pbm_oust.play.performed import Performed
from pbm_oust.play.request import UNASKED, Request, Write
from pbm_oust.store.database import Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.limits import USUAL_LIMITS, Limits

T = TypeVar("T")
Done = TypeVar("Done", bound=Outcome)


class UnitOfWork(Struct, frozen=True):
    """Where requests are carried out. Its methods may raise OSError."""

    home: Home
    write: Write
    clock: Callable[[], datetime]
    limits: Limits = USUAL_LIMITS
    passwords: Passwords = field(default_factory=Passwords)

    def now(self) -> datetime:
        """Return the time, to the second."""
        return self.clock().replace(microsecond=0)

    # Looking

    @contextmanager
    def reading(self) -> Iterator[Look]:
        """Give a body what the database holds at this moment."""
        with self.home.database.read() as snapshot:
            yield Look(snapshot, self.home, self.now())

    def look(self, question: Callable[[Look], T]) -> T:
        """Return the answer to a question about what the database holds at this moment."""
        with self.reading() as on:
            return question(on)

    def account(self, userid: str) -> Account:
        """Return an account as far as it can be read. Raises NotAllowed if there is none."""
        return self.look(lambda on: on.account(userid))

    def account_if_any(self, userid: str) -> Account | None:
        """Return an account as far as it can be read, or None if there is none."""
        return self.look(lambda on: on.account_if_any(userid))

    # Changing

    def change(
        self, deed: Callable[[Context], T], request: Request = UNASKED, *, shares: bool = False
    ) -> T:
        """Do a deed in one transaction, for a request if there is one, and return its result.

        A password that has to go through scrypt first does so while others write; then all is done
        again. A deed that shares may be done while other servers do such deeds.
        """
        while True:
            try:
                return self.home.database.write(self.in_transaction(deed, request), shares=shares)
            except NotDerived as password:
                if not self.passwords.at_once:
                    raise
                self.passwords.derive(password.needed)

    def in_transaction(
        self, deed: Callable[[Context], T], request: Request = UNASKED
    ) -> Callable[[Transaction], T]:
        """Wrap a deed so that it runs inside a transaction."""

        def work(transaction: Transaction) -> T:
            moment = self.clock()
            on = Context(
                transaction,
                self.home,
                moment.replace(microsecond=0),
                request,
                moment=moment,
                limits=self.limits,
                passwords=self.passwords,
            )
            return deed(on)

        return work

    def carry_out(self, deed: Callable[[Context], Done]) -> Done:
        """Do what the server or its operator wants, in one transaction with the letters of it."""

        def settled(on: Context) -> Done:
            made = deed(on)
            Performed(made, on).settle(self.write)
            return made

        return self.change(settled)


class ForPlayer(Struct, frozen=True):
    """Runs a command for the player whose password it carries."""

    run: Callable[..., Outcome]
    """Takes the Context and the values of the command but for those that prove whose it is."""
    may_be_sender: bool = True
    """Whether a verified sender may prove whose it is; not if it changes what proves that.

    A player who has no password is then asked at their address.
    """
    brings_back: bool = True
    """Whether it brings back a player who has signed off."""
    without_password: Callable[..., Outcome] | None = None
    """Asks a player who has no password in its own way, if there is one; takes the same."""
    signers: ClassVar = ("userid",)
    """The values of the command with the userids of those whose password it may carry."""


class ForAnybody(Struct, frozen=True):
    """Runs a command that anybody may send."""

    run: Callable[..., Outcome]
    """Takes the Context and the values of the command."""
    signers: ClassVar = ()


class ForLines(Struct, frozen=True):
    """Carries out the commands in the text of a mail, each as a request of its own."""

    signers: ClassVar = ()


class ForCode(Struct, frozen=True):
    """Runs the command that brings a code back, and counts once for each code, not for each mail.

    A challenge that waits for the code is carried out as if it came then.
    """

    run: Callable[..., Outcome]
    """Takes the Context, what waits for the code, if something does, the words that no password can
    be, and the values."""
    signers: ClassVar = ()


class ForEither(Struct, frozen=True):
    """Starts a board of `x` and `o`; one of the two must send the command.

    It may carry the password of that player. If nothing else proves whose it is, the owner of the
    address that it comes from is asked to confirm it.
    """

    header: Callable[..., Header]
    """Takes the Context and the values of the command but for the password. Returns the header of
    the board. Raises NotAllowed."""
    invite: Callable[..., Outcome] | None = None
    """Takes the same if an address, or the sign for a link, may stand in the place of a player, and
    one does: invites whoever has it."""
    signers: ClassVar = ("x", "o")


Run = ForPlayer | ForAnybody | ForLines | ForCode | ForEither
