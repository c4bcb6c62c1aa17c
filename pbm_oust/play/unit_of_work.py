"""What every command works with: the home, the clock, the accounts, and the outgoing letters.

And what runs a command, and what has to prove whose it is.
"""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cache
from typing import ClassVar, TypeVar

from msgspec import Struct, field, structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import normal_address
from pbm_oust.accounts.bounces import Returned
from pbm_oust.accounts.clock import Clock, read_clock
from pbm_oust.accounts.password import Derivation, Match, Secret, match_derived
from pbm_oust.accounts.settings import USUAL
from pbm_oust.board import Game, Header
from pbm_oust.board.notation import USERID
from pbm_oust.grammar.form import Command, Line
from pbm_oust.languages import Language
from pbm_oust.play.notices import WHOLE_LETTER, Capacity, Notice, OutcomeNotice, Reader, TimedNotice
from pbm_oust.play.request import UNASKED, Actor, Handled, Outcome, RefusedBefore, Request, Write
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Unreadable
from pbm_oust.store.accounts import is_known
from pbm_oust.store.boards import Latest
from pbm_oust.store.configuration import House
from pbm_oust.store.database import Transaction
from pbm_oust.store.faults import Stale
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft
from pbm_oust.store.limits import USUAL_LIMITS, Limits
from pbm_oust.store.message_keys import KeyOutcome, outcome_of, settle_key
from pbm_oust.store.open_boards import has_played
from pbm_oust.store.verifications import bounces_of


def language_at(address: str, asked: Language, home: Home) -> Language:
    """Return the language of the answers to an address: that of its account.

    The language that was asked for is taken if there is no account, or if there are several and
    one of them has it.
    """
    languages = [account.all_settings.language for account in home.accounts_at(address)]
    return asked if asked in languages or not languages else languages[0]


def stranger(address: str, asked: Language, home: Home) -> Reader:
    """Return whoever wrote from an address and has not proved to be a player."""
    settings = structs.replace(USUAL, language=language_at(address, asked, home))
    return Reader((address,), None, address, returned_from(home, address), settings)


def as_owner(reader: Reader, home: Home, userids: Sequence[str] = ()) -> Reader:
    """Return whoever wrote from an address as the player of the account that has it.

    Only what goes to that address may depend on it, for nothing proves who wrote. If several
    accounts have it, only one among some userids counts.
    """
    if reader.account:
        return reader
    found = home.accounts_at(reader.wrote_from)
    accounts = [account for account in found if account.has_exactly(reader.wrote_from)]
    named = [account for account in accounts if account.userid in userids]
    chosen = accounts if len(accounts) == 1 else named
    if len(chosen) != 1:
        return reader
    account = chosen[0]
    settings = structs.replace(account.all_settings, language=reader.settings.language)
    return structs.replace(reader, userid=account.userid, account=account, settings=settings)


def reachable(account: Account, addresses: tuple[str, ...], wrote_from: str, home: Home) -> Reader:
    """Return a player at those addresses from which letters do not bounce.

    The address that they wrote from is included, whatever bounced before.
    """
    returned = returned_from(home, *addresses)
    if returned:
        lost = {normal_address(each.address) for each in returned if each.is_suspended}
        lost.discard(normal_address(wrote_from))
        addresses = tuple(each for each in addresses if normal_address(each) not in lost)
    return Reader(addresses, account.userid, wrote_from, returned, account.all_settings, account)


def returned_from(home: Home, *addresses: str) -> tuple[Returned, ...]:
    """Return what came back from addresses, for those from which something did."""
    found = list[Returned]()
    for address in addresses:
        returned = home.ask(bounces_of, address)
        if returned.bounces:
            found.append(returned)
    return tuple(found)


RIGHT_SECONDS = 3600.0
"""How long a right password is known after it was last used."""
MOST_RIGHT = 10_000
OTHER_SECONDS = 60.0
MOST_OTHERS = 1000
_AT_ONCE = threading.BoundedSemaphore(2)
"""How many passwords go through scrypt in a process at a time: each of them needs 16 MB."""


class NotDerived(Exception):
    """A password has to go through scrypt first; then all is done again. Nothing is done yet."""

    def __init__(self, needed: Derivation) -> None:
        super().__init__("scrypt has not run yet")
        self.needed = needed


_Derived = Latest[bytes, tuple[bytes, float]]
"""What scrypt made of passwords, and until when it is known."""


class Passwords:
    """Looks at passwords. Any number of threads may use it."""

    def __init__(
        self, *, at_once: bool = True, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Whoever asks is told by NotDerived what `derive` is to be given.

        `at_once`: whether a unit of work does that itself.
        """
        self.at_once = at_once
        self._key = os.urandom(32)
        self._clock = clock
        self._right = _Derived(MOST_RIGHT)
        self._others = _Derived(MOST_OTHERS)

    def match(self, password: Secret, stored: str) -> Match:
        """Return whether a password is the one whose hash is stored. Raises NotDerived."""
        needed = Derivation.to_match(password, stored)
        digest = self._digest(needed)
        derived = self._derived(needed, digest)
        found = match_derived(password, stored, derived)
        if found is Match.RIGHT:
            self._right.put(digest, (derived, self._clock() + RIGHT_SECONDS))
        return found

    def hash(self, password: Secret, salt: bytes) -> str:
        """Return what is stored of a password. Raises NotDerived."""
        needed = Derivation.to_store(password, salt)
        return needed.stored(password, self._derived(needed, self._digest(needed)))

    def derive(self, needed: Derivation) -> None:
        """Let a password go through scrypt, and remember what comes of it."""
        with _AT_ONCE:
            derived = needed.derive()
        self._others.put(self._digest(needed), (derived, self._clock() + OTHER_SECONDS))

    def _derived(self, needed: Derivation, digest: bytes) -> bytes:
        for known in (self._right, self._others):
            if (found := known.get(digest)) and self._clock() <= found[1]:
                return found[0]
        raise NotDerived(needed)

    def _digest(self, needed: Derivation) -> bytes:
        parts = (needed.n, needed.r, needed.p, needed.salt.hex(), needed.password.text)
        return hashlib.blake2b("\0".join(map(str, parts)).encode(), key=self._key).digest()


T = TypeVar("T")

MOST_ATTEMPTS = 50
"""How often a deed is tried again because others have changed what it read."""
_ANSWERED = Handled(Outcome.ANSWERED)
_DONE_BEFORE = Handled(Outcome.DONE_BEFORE)


class NoSuchPlayer(NotAllowedReason, frozen=True):
    """Nobody has the userid."""


class UnitOfWork(Struct, frozen=True):
    """Where requests are carried out. Its methods may raise OSError."""

    home: Home
    write: Write
    clock: Callable[[], datetime]
    limits: Limits = USUAL_LIMITS
    request: Request = UNASKED
    """What is carried out and answered."""
    is_within: bool = False
    """Whether the answers become part of another answer."""
    passwords: Passwords = field(default_factory=Passwords)
    proved: set[tuple[Secret, str]] = field(default_factory=set)
    """The passwords that a mail has proved, each with what is stored of it."""
    room: Capacity = WHOLE_LETTER
    """What the answer has room for."""
    vocabulary: frozenset[str] = frozenset()
    """The words of the commands, which no password can be."""
    read: dict[str, Account | None] | None = None
    """The accounts read for one command; None if each is read anew whenever it is needed."""
    at: datetime | None = None
    """The moment of one command; None if each look at the clock counts."""

    def answering(self, request: Request) -> "UnitOfWork":
        """Return the same for a request."""
        return structs.replace(self, request=request)

    def now(self) -> datetime:
        """Return the time, to the second."""
        return self.at or self.clock().replace(microsecond=0)

    @property
    def has_house(self) -> bool:
        """Whether the house plays here."""
        return self.home.configured.house is not House.OFF

    def has_account(self, word: str) -> bool:
        """Return whether a word is the userid of an account, in either case."""
        return self.account_if_any(word.lower()) is not None

    def account(self, userid: str) -> Account:
        """Return an account as far as it can be read. Raises NotAllowed if there is none."""
        account = self.account_if_any(userid)
        if account is None:
            raise NotAllowed(NoSuchPlayer(), userid)
        return account

    def account_if_any(self, userid: str) -> Account | None:
        """Return an account as far as it can be read, or None if there is none."""
        if self.read is None:
            return self.home.readable_account(userid)
        if userid not in self.read:
            self.read[userid] = self.home.readable_account(userid)
        return self.read[userid]

    def players_of(self, game: Game) -> list[Account]:
        """Return the accounts of those players of a board who have one."""
        return list(filter(None, map(self.account_if_any, (game.x, game.o))))

    def was_done(self, userid: str) -> bool:
        """Return whether this mail from this player came before, and was done then."""
        return self.home.ask(outcome_of, self.request.message_key(userid)) is KeyOutcome.DONE

    def is_known(self, address: str) -> bool:
        """Return whether some account has an address."""
        return self.home.ask(is_known, address)

    def names_for_sender(self) -> Callable[[str], bool]:
        """Return a function: whether a word is a userid that the sender of a request may be shown.

        Strangers learn only of accounts that have a board, which everybody can see.
        """
        is_known = cache(lambda: self.is_known(self.request.sender))

        @cache
        def is_shown(userid: str) -> bool:
            # Everything is asked, so that an account's existence does not delay the answer.
            asked = is_known(), self.has_account(userid), has_played(userid, self.home)
            is_of_player, is_there, is_seen = asked
            return is_there and (is_seen or is_of_player)

        return lambda word: bool(USERID.fullmatch(word.lower())) and is_shown(word.lower())

    def posting(self, notices: Iterable[Notice]) -> AbstractContextManager[None]:
        """Send notices together with what the body of the `with` writes: all of it or nothing."""
        letters = list[Draft]()
        timed: tuple[Game, Clock] | None = None
        for notice in notices:
            made = self._known(notice)
            game = made.board()
            if isinstance(made, TimedNotice) and game and not game.result and made.is_now():
                # One look at the clock of a board is enough for all who are told of it.
                if timed is None or timed[0] is not game:
                    timed = game, self.clock_of(game)
                made = structs.replace(made, clock=made.clock or timed[1])
            letters += self.write(made, self.request)
        return self.home.posting(letters)

    def save(self, account: Account) -> None:
        """Write an account, new or read before, with the unit of work."""
        account = account.changed_at(self.now())
        self.home.save(account)
        if self.read is not None:
            self.read[account.userid] = account

    def retried(self, deed: Callable[["UnitOfWork"], T], *, shares: bool = False) -> T:
        """Return what a deed returns; all that it reads and writes is one transaction.

        Within another deed it is a part of that, which is undone alone if it fails. A deed reads
        each account once. Passwords go through scrypt while others write. One that shares may be
        done while other servers do such deeds.
        """
        database, work = self.home.database, self.once(deed)
        if database.transaction:
            return database.write(work)
        attempts = 0
        while True:
            try:
                return database.write(work, shares=shares)
            except NotDerived as password:
                if not self.passwords.at_once:
                    raise
                self.passwords.derive(password.needed)
            except Stale:
                attempts += 1
                if attempts == MOST_ATTEMPTS:
                    raise

    def once(self, deed: Callable[["UnitOfWork"], T]) -> Callable[[Transaction], T]:
        """Return what does a deed within a transaction."""

        def work(_transaction: Transaction) -> T:
            return deed(structs.replace(self, read={}, at=self.now()))

        return work

    def clock_of(self, game: Game) -> Clock:
        """Return the clock of an active board at this moment."""
        absences = {account.userid: account.vacations for account in self.players_of(game)}
        return read_clock(game, absences, game.time_of_next(self.now()))

    def _known(self, notice: Notice) -> Notice:
        """Return a notice about a board, addressed to its player if one of them is the reader.

        It answers a mail whose address is exactly one of the account's, and goes only there.
        """
        game, reader = notice.board(), notice.reader
        if game is None or reader.userid or reader.addresses != (self.request.sender,):
            return notice
        for userid in (game.player_to_move, game.owner(game.to_move.other)):
            account = self.account_if_any(userid)
            if account and account.has_exactly(self.request.sender):
                known = reachable(account, reader.addresses, reader.wrote_from, self.home)
                return structs.replace(notice, reader=known)
        return notice

    def answer(self, notice: Notice, handled: Handled = _ANSWERED) -> Handled:
        """Send a single notice, with nothing else to write."""
        with self.posting([notice]):
            return handled

    def answer_refused(self, notice: Notice, actor: Actor, handled: Handled) -> Handled:
        """Send a refusal, and record that the mail was refused."""
        if self.home.ask(outcome_of, actor.message_key):
            return self.answer(notice, handled)
        with self.posting([notice]):
            self.home.do(settle_key, actor.message_key, KeyOutcome.REFUSED, self.now())
        return handled

    def do_once(
        self, notices: Sequence[Notice], done: OutcomeNotice, actor: Actor, handled: Handled
    ) -> Handled:
        """Send notices, and record only that the mail was carried out.

        `done` is the answer to the actor; when the same mail comes again, it alone is sent. Raises
        NotAllowed for a mail that was refused before.
        """
        if self._is_done(actor.message_key, done.board()):
            return self.answer(structs.replace(done, is_repeated=True), _DONE_BEFORE)
        with self.posting([done, *notices]):
            self.home.do(settle_key, actor.message_key, KeyOutcome.DONE, self.now())
        return handled

    def change_account(
        self,
        change: Callable[[Account], Account],
        tell: Callable[[Account], OutcomeNotice],
        actor: Actor,
        *,
        board: str = "",
        tell_others: Callable[[Account], Sequence[Notice]] = lambda _account: (),
    ) -> Handled:
        """Change the actor's account, once however often the mail comes.

        `change` returns the new account, and may raise NotAllowed. `tell` is given that, and
        returns the answer to the actor, and `tell_others` what others are told. `board` is the name
        of the board that it is about, if any.
        """
        account = self.account(actor.userid)
        if self._is_done(actor.message_key, None):
            done = structs.replace(tell(account), is_repeated=True)
            return self.answer(done, _DONE_BEFORE)
        changed = change(account)
        with self.posting([tell(changed), *tell_others(changed)]):
            self.save(changed)
            self.home.do(settle_key, actor.message_key, KeyOutcome.DONE, self.now())
        return Handled(Outcome.DONE, board)

    def _is_done(self, key: str, game: Game | None) -> bool:
        """Return whether a mail was carried out. Raises NotAllowed for one that was refused."""
        outcome = self.home.ask(outcome_of, key)
        if outcome is KeyOutcome.REFUSED:
            raise NotAllowed(RefusedBefore(game=game))
        return outcome is KeyOutcome.DONE

    def sender(self) -> Reader:
        """Return the reader of an answer that goes only to the sender of a request.

        Whoever answers a letter counts as its reader, wherever the mail came from.
        """
        userid = self.request.reply.userid if self.request.reply else self.request.signed_in
        if userid:
            return self.player_at(self.account(userid))
        return stranger(self.request.sender, self.request.language, self.home)

    def player_at(self, account: Account) -> Reader:
        """Return the player who wrote a request: at all their addresses and at the sender's.

        An answer to a letter carries no password, so its answer goes only to the account's own
        addresses.
        """
        addresses = account.addresses
        if not (self.request.reply or account.has_address(self.request.sender)):
            addresses = (*addresses, self.request.sender)
        reader = reachable(account, addresses, self.request.sender, self.home)
        return structs.replace(reader, left_out=self.request.left_out)

    def player(self, account: Account) -> Reader:
        """Return a player who did not ask for what they read; without addresses if disabled."""
        addresses = () if account.disabled else account.addresses
        return reachable(account, addresses, "", self.home)


class Service(Struct, frozen=True):
    """What a command needs to work with other commands."""

    parse: Callable[[str], tuple[Line, Command | Unreadable]]
    """Returns a line as far as it is understood, and its command or why it has none."""
    handle: Callable[[Request, UnitOfWork], Handled]
    """Carries out a request."""
    carry_out: Callable[[UnitOfWork], Handled]
    """Carries out the line of the request of a unit of work, within that."""


class ForPlayer(Struct, frozen=True):
    """Runs a command for the player whose password it carries."""

    run: Callable[..., Handled]
    """Takes the Actor, the UnitOfWork, and the values of the command but for those that prove whose
    it is."""
    may_be_sender: bool = True
    """Whether a verified sender may prove whose it is; not if it changes what proves that."""
    brings_back: bool = True
    """Whether it brings back a player who has signed off."""
    signers: ClassVar = ("userid",)
    """The values of the command with the userids of those whose password it may carry."""


class ForAnybody(Struct, frozen=True):
    """Runs a command that anybody may send."""

    run: Callable[..., Handled]
    """Takes the UnitOfWork, the Service if it is to, and the values of the command."""
    takes_service: bool = False
    """Whether it works with other commands."""
    signers: ClassVar = ()


class ForEither(Struct, frozen=True):
    """Starts a board of `x` and `o`; one of the two must send the command.

    It may carry the password of that player. If nothing else proves whose it is, the owner of the
    address that it comes from is asked to confirm it.
    """

    header: Callable[..., Header]
    """Takes the UnitOfWork, the number of the board, and the values of the command but for the
    password. Returns the header of the board. Raises NotAllowed."""
    signers: ClassVar = ("x", "o")


Run = ForPlayer | ForAnybody | ForEither
