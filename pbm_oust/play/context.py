"""The context in which a command runs, and the outcome that it returns.

A `Look` reads the database at one moment; a `Context` also writes, within one transaction. A
command is a function of a context and its values that returns an `Outcome`. Whoever called it does
the rest in one place: `Performed.settle` keeps the message key and adds the letters.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from datetime import datetime
from functools import cache

from msgspec import Struct, structs

from pbm_oust.accounts.account import Account, bare_userid
from pbm_oust.accounts.address import normal_address
from pbm_oust.accounts.bounces import Returned
from pbm_oust.accounts.clock import Clock, read_clock
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.settings import USUAL
from pbm_oust.board import Game
from pbm_oust.board.notation import USERID
from pbm_oust.languages import Language
from pbm_oust.play.notices import WHOLE_LETTER, Capacity, Notice, Reader
from pbm_oust.play.passwords import Passwords
from pbm_oust.play.request import (
    UNASKED,
    Actor,
    Ending,
    Request,
    Silence,
)
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Reason
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store.accounts import (
    accounts_about,
    accounts_at,
    is_known,
    readable_account,
    remove_account,
    replace_account,
)
from pbm_oust.store.boards import Board, DamagedHistory
from pbm_oust.store.configuration import House
from pbm_oust.store.database import Snapshot, Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.index import Source, has_played, started_by, started_from
from pbm_oust.store.limits import (
    USUAL_LIMITS,
    Counted,
    Limits,
    number_counted,
)
from pbm_oust.store.message_keys import (
    Incoming,
    KeyOutcome,
    former_key,
    keep_cause,
    outcome_of,
)
from pbm_oust.store.verifications import bounces_of_each


class NoSuchPlayer(NotAllowedReason, frozen=True):
    """Nobody has the userid."""


class Outcome(Struct, frozen=True):
    """The outcome of a command: how it ended, and the notices to those it concerns."""

    ending: Ending
    notices: tuple[Notice, ...] = ()
    """In the order in which their letters are written."""
    board: str = ""
    """The name of the board that the command is about."""
    record: int = 0
    """The number of the last record that it made; such a record holds the message key."""
    key: KeyOutcome | None = None
    """What is kept under the message key; None if nothing is, or if a record holds it."""
    why: Reason | Silence | str = ""
    """The reason for a refusal or for silence."""
    limit: str = ""
    """The limit that was reached, if nobody gets an answer because of one."""
    is_proved: bool = False
    """Whether the request proved whose it is."""
    is_guess: bool = False
    """Whether it came with a wrong password."""
    dropped: tuple[Notice, ...] = ()
    """Notices whose letters are written as well, and go to nobody: it takes as long with them."""
    identity: str = ""
    """The identity of a deed of the server's own, which is its message key as well."""
    beside: tuple["Outcome", ...] = ()
    """Outcomes of further deeds, each with an identity of its own."""


def answered(*notices: Notice, board: str = "") -> Outcome:
    """Return the outcome of a command that has changed nothing."""
    return Outcome(Ending.ANSWERED, notices, board)


def done(notices: Iterable[Notice], board: str = "", record: int = 0) -> Outcome:
    """Return the outcome of a command that has changed something; `record` is its last record."""
    key = None if record else KeyOutcome.DONE
    return Outcome(Ending.DONE, tuple(notices), board, record, key)


class Look:
    """The database at one moment, for one request: its accounts, its boards, its readers.

    Each account is read once, as are the bounces of each address. Its methods may raise OSError.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        home: Home,
        now: datetime,
        request: Request = UNASKED,
        *,
        room: Capacity = WHOLE_LETTER,
        accounts: dict[str, Account | None] | None = None,
    ) -> None:
        """`room` is what the answer has room for, `accounts` what was read of this moment."""
        self.snapshot = snapshot
        self.home = home
        self.now = now
        self.request = request
        self.room = room
        self._accounts = {} if accounts is None else accounts
        self._returned = dict[str, Returned]()
        self._watching = dict[str, list[str]]()

    def account_if_any(self, userid: str) -> Account | None:
        """Return an account as far as it can be read, or None if there is none."""
        if userid not in self._accounts:
            self._accounts[userid] = readable_account(self.snapshot, userid)
        return self._accounts[userid]

    def has_account(self, word: str) -> bool:
        """Return whether a word is the userid of an account, in either case."""
        return self.account_if_any(bare_userid(word)) is not None

    def account(self, userid: str) -> Account:
        """Return an account as far as it can be read. Raises NotAllowed if there is none."""
        account = self.account_if_any(userid)
        if account is None:
            raise NotAllowed(NoSuchPlayer(), userid)
        return account

    def players_of(self, game: Game) -> list[Account]:
        """Return the accounts of those players of a board who have one."""
        if not {game.x, game.o} <= self._accounts.keys():
            self._read_about(game)
        return list(filter(None, map(self.account_if_any, (game.x, game.o))))

    def watchers_of(self, game: Game) -> list[Account]:
        """Return the accounts that watch a board, without damaged ones."""
        name = game.name
        if name not in self._watching:
            self._read_about(game)
        found = map(self.account, self._watching[name])
        return [account for account in found if not account.damaged]

    def _read_about(self, game: Game) -> None:
        """Read who plays and who watches, all at once."""
        name, of = game.name, (game.header.kind.name, game.header.board)
        unknown = [userid for userid in (game.x, game.o) if userid not in self._accounts]
        found = accounts_about(self.snapshot, *of, unknown)
        self._watching[name] = [
            account.userid
            for account in found.values()
            if account and account.watched and name in account.watched_boards
        ]
        for userid, account in found.items():
            self._accounts.setdefault(userid, account)

    def board(self, kind: Kind, number: int) -> Board:
        """Return a board. Raises NotAllowed if there is none, and DamagedHistory."""
        return self.home.boards.read(self.snapshot, kind, number)

    def game(self, kind: Kind, number: int) -> Game:
        """Return the game of a board. Raises NotAllowed if there is none, and DamagedHistory."""
        return self.board(kind, number).game

    def game_if_any(self, kind: Kind, number: int) -> Game | None:
        """Return the game of a board; None if there is none, or it cannot be read."""
        try:
            return self.game(kind, number)
        except (NotAllowed, DamagedHistory):
            return None

    def next_number(self, kind: Kind) -> int:
        """Return the number that a new board will have."""
        return self.home.boards.next_number(self.snapshot, kind)

    def started_by(self, key: str) -> Game | None:
        """Return the game of the board that the mail with a message key has started, or None."""
        name = started_by(self.snapshot, key)
        return self.game(KINDS[name.kind], name.board) if name else None

    def started_from(self, kind: Kind, source: Source) -> Game | None:
        """Return the game of the board that came from a source, or None."""
        name = started_from(self.snapshot, kind.name, source)
        return self.game(kind, name.board) if name else None

    def clock_of(self, game: Game) -> Clock:
        """Return the clock of an active board at this moment."""
        absences = {account.userid: account.vacations for account in self.players_of(game)}
        return read_clock(game, absences, game.time_of_next(self.now))

    @property
    def has_house(self) -> bool:
        """Whether the house plays here."""
        return self.home.configured.house is not House.OFF

    def is_known(self, address: str) -> bool:
        """Return whether some account has an address."""
        return is_known(self.snapshot, address)

    def owners(self, address: str) -> list[Account]:
        """Return the accounts with exactly an address."""
        found = accounts_at(self.snapshot, address)
        return [account for account in found if account.has_exactly(address)]

    def names_for_sender(self) -> Callable[[str], bool]:
        """Return a test for userids that the sender of the request may be shown.

        Strangers learn only of accounts that have a board, which everybody can see.
        """
        is_of_player = cache(lambda: self.is_known(self.request.sender))

        @cache
        def is_shown(userid: str) -> bool:
            # Everything is asked, so that an account's existence does not delay the answer.
            is_player, is_there = is_of_player(), self.has_account(userid)
            is_seen = has_played(self.snapshot, userid)
            return is_there and (is_seen or is_player)

        def may_be_shown(word: str) -> bool:
            userid = bare_userid(word)
            return bool(USERID.fullmatch(userid)) and is_shown(userid)

        return may_be_shown

    def message_key(self, userid: str) -> str:
        """Return the message key of the mail from a player: the same each time it comes.

        That under which an earlier version of the program has carried it out, if one has.
        """
        key, *former = self.request.message_keys(userid)
        if former and self.home.was_upgraded(self.snapshot):
            return former_key(self.snapshot, former) or key
        return key

    def was_done(self, userid: str) -> bool:
        """Return whether this mail from this player came before, and was done then."""
        return outcome_of(self.snapshot, self.message_key(userid)) is KeyOutcome.DONE

    # Readers

    def asker(self) -> Reader:
        """Return the reader of an answer that goes only to the sender of the request.

        Whoever answers a letter counts as its reader, wherever the mail came from.
        """
        userid = self.request.reply.userid if self.request.reply else self.request.signed_in
        if userid:
            return self.reader_at(self.account(userid))
        return self.stranger(self.request.sender, self.request.language)

    def reader_at(self, account: Account) -> Reader:
        """Return the player who wrote the request: at all their addresses and at the sender's.

        An answer to a letter carries no password, so its answer goes only to the account's own
        addresses.
        """
        addresses = account.addresses
        if not (self.request.reply or account.has_address(self.request.sender)):
            addresses = (*addresses, self.request.sender)
        reader = self.reachable(account, addresses, self.request.sender)
        request = self.request
        return structs.replace(reader, left_out=request.left_out, unread=request.unread)

    def reader(self, account: Account) -> Reader:
        """Return a player who did not ask for what they read; without addresses if disabled."""
        addresses = () if account.disabled else account.addresses
        return self.reachable(account, addresses, "")

    def reachable(self, account: Account, addresses: tuple[str, ...], wrote_from: str) -> Reader:
        """Return a player as a reader, without those of their addresses from which letters bounced.

        The address that they wrote from is included, whatever bounced before.
        """
        returned = self.returned_from(*addresses)
        if returned:
            lost = {normal_address(each.address) for each in returned if each.is_suspended}
            lost.discard(normal_address(wrote_from))
            addresses = tuple(each for each in addresses if normal_address(each) not in lost)
        return Reader(
            addresses, account.userid, wrote_from, returned, account.all_settings, account
        )

    def stranger(self, address: str, asked: Language) -> Reader:
        """Return whoever wrote from an address and has not proved to be a player.

        They are answered in the language of their account, or in the one that they ask for if they
        have none, or if they have several and one of these has it.
        """
        found = accounts_at(self.snapshot, address)
        languages = [account.all_settings.language for account in found]
        language = asked if asked in languages or not languages else languages[0]
        settings = structs.replace(USUAL, language=language)
        return Reader((address,), None, address, self.returned_from(address), settings)

    def as_owner(self, reader: Reader, userids: Sequence[str] = ()) -> Reader:
        """Return a reader as the player whose account has the address that they wrote from.

        Only what goes to that address may depend on it, for nothing proves who wrote. If several
        accounts have it, only one among some userids counts.
        """
        if reader.account:
            return reader
        accounts = self.owners(reader.wrote_from)
        named = [account for account in accounts if account.userid in userids]
        chosen = accounts if len(accounts) == 1 else named
        if len(chosen) != 1:
            return reader
        account = chosen[0]
        settings = structs.replace(account.all_settings, language=reader.settings.language)
        return structs.replace(reader, userid=account.userid, account=account, settings=settings)

    def returned_from(self, *addresses: str) -> tuple[Returned, ...]:
        """Return the bounces of each address from which letters came back."""
        known = self._returned
        if not known.keys() >= set(addresses):
            known |= bounces_of_each(self.snapshot, set(addresses) - known.keys())
        return tuple([known[each] for each in addresses if known[each].bounces])


class Context(Look):
    """The context of one command: the transaction, the request, its player and the moment."""

    snapshot: Transaction

    def __init__(
        self,
        transaction: Transaction,
        home: Home,
        now: datetime,
        request: Request = UNASKED,
        *,
        moment: datetime | None = None,
        limits: Limits = USUAL_LIMITS,
        passwords: Passwords | None = None,
    ) -> None:
        super().__init__(transaction, home, now, request)
        self.moment = moment or now
        """The same time, but not only to the second."""
        self.transaction = transaction
        self.limits = limits
        self.passwords = passwords or Passwords()
        self.proved = set[tuple[Secret, str]]()
        """The passwords that the mail has proved, each with what is stored of it."""
        self._player: Actor | None = None
        self._key = ""

    def answering(
        self, request: Request, *, player: Actor | None = None, key: str = ""
    ) -> "Context":
        """Return this context for another request, signed by a player if one is given.

        `key` is its message key, if that is not one of the mail.
        """
        made = copy(self)
        made.request, made._player, made._key = request, player, key
        return made

    def beside_others(self, room: Capacity) -> "Context":
        """Return this context for one of several commands, with the room that its answer has."""
        made = copy(self)
        made.room, made._accounts, made._watching = room, {}, {}
        return made

    @property
    def is_signed(self) -> bool:
        """Whether the command has a player."""
        return self._player is not None

    @property
    def player(self) -> Actor:
        """The player of a command that is signed."""
        if self._player is None:
            raise RuntimeError("nobody has signed this command")
        return self._player

    @property
    def own(self) -> Account:
        """The account of that player, with what the command has changed."""
        return self.account(self.player.userid)

    @property
    def key(self) -> str:
        """The message key of the command: that of its code, of its player, or of its sender."""
        if self._key:
            return self._key
        player = self._player
        return player.message_key if player else self.message_key(self.request.sender)

    def save(self, account: Account) -> Account:
        """Write an account, new or read before, and return it as it was written."""
        account = account.changed_at(self.now)
        before = self.account_if_any(account.userid)
        replace_account(self.transaction, before, account)
        self._accounts[account.userid] = account
        if before is None or before.watched != account.watched:
            self._watching.clear()
        return account

    def remove(self, userid: str) -> None:
        """Remove an account, and its userid from the accounts of others."""
        remove_account(self.transaction, userid)
        self._accounts.clear()
        self._watching.clear()
        self._accounts[userid] = None

    def append(self, board: Board, game: Game) -> None:
        """Add the new records of a game to the board from which it was played.

        If they are those of a player, what is kept of the mail is kept with them.
        """
        self.home.boards.append(self.transaction, board, game)
        if player := self._player:
            request = self.request
            named = request.message_id, request.mail_id
            mail = Incoming(player.userid, self.now, request.sender, *named)
            keep_cause(self.transaction, game, len(board.game.records) + 1, self.now, mail)

    def count_later(self, counted: Counted, subject: str) -> None:
        """Count something in memory, as soon as the transaction is committed."""
        follows = self.transaction.follows
        follows[counted] = *follows.get(counted, ()), subject

    def number_counted(self, counted: Counted, subject: str) -> int:
        """Return what is counted for a subject, in the database, in memory and by this command."""
        kept = number_counted(self.snapshot, counted, subject, self.now)
        own: tuple[str, ...] = self.transaction.follows.get(counted, ())
        return kept + self.home.tally.number(counted, subject) + own.count(subject)

    def withhold(self, files: Iterable[str]) -> bool:
        """Keep letters in the Maildir from being opened until the transaction is over.

        Return False, and keep none, if a mail program has taken one of them.
        """
        return self.home.withhold(self.transaction, files)
