"""The end of a command that was carried out: its key is kept, and its letters are added."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import Struct, structs

from pbm_oust.accounts.address import ascii_address
from pbm_oust.play.context import Context, Look, Outcome
from pbm_oust.play.news import head_of, kept_news
from pbm_oust.play.notices import Notice, TimedNotice
from pbm_oust.play.request import Handled, Request, Write, request_of
from pbm_oust.store.database import Transaction
from pbm_oust.store.letters import Draft, add_letters
from pbm_oust.store.limits import LEAST_BYTES, Charge, Counted, count
from pbm_oust.store.message_keys import note_key
from pbm_oust.store.verifications import keep_sheet


class Performed(Struct, frozen=True):
    """A command that was carried out, before its key is kept and its letters are written."""

    outcome: Outcome
    on: Context
    command: str = ""
    """The name of the command, if one was read."""

    @property
    def answer(self) -> Notice | None:
        """The notice that answers the request, as its reader gets it, if one does."""
        found = next((each for each in self.outcome.notices if each.is_answer), None)
        return addressed(found, self.on) if found else None

    def settle(self, write: Write) -> Handled:
        """Keep what became of the request under its message key, and write the letters about it."""
        return self._settle(write, self.outcome.notices)

    def settle_beside_answer(self, write: Write) -> Handled:
        """Do the same, and write all letters but the answer, which is part of another letter."""
        return self._settle(write, [each for each in self.outcome.notices if not each.is_answer])

    def _settle(self, write: Write, notices: Iterable[Notice]) -> Handled:
        made, on = self.outcome, self.on
        if made.key:
            note_key(on.transaction, made.identity or on.key, made.key, on.now)
        request = request_of(made.identity) if made.identity else on.request
        post(notices, request, on, write, is_proved=made.is_proved or bool(made.identity))
        for notice in made.dropped:
            write(notice, on.request)
        for each in made.beside:
            Performed(each, on).settle(write)
        return Handled(
            made.ending,
            made.board,
            made.record,
            self.command,
            made.why,
            made.limit,
            on.player.userid if on.is_signed else "",
            is_proved=made.is_proved,
            is_guess=made.is_guess,
        )


def post(
    notices: Iterable[Notice], request: Request, on: Context, write: Write, *, is_proved: bool
) -> None:
    """Add the letters of notices about a request to the outbox, in their order.

    Most news of boards are kept as data, and written after the commit (`news.py`). `is_proved`:
    whether the request proved whose it is; if not, the bytes of letters are counted.
    """

    def drafts() -> Iterator[Draft]:
        for notice in notices:
            news = kept_news(notice, request, on.moment) if is_proved else None
            if news:
                for address in notice.reader.addresses:
                    yield Draft(head_of(notice, ascii_address(address)), news, on.now)
                continue
            for draft in write(addressed(notice, on), request):
                yield draft
                if draft.kept:
                    keep_sheet(on.transaction, draft.kept, draft.written)
                if not is_proved:
                    count_bytes(on.transaction, draft, on.now)

    add_letters(on.transaction, drafts(), on.home.posted_state)


def count_bytes(transaction: Transaction, letter: Draft, now: datetime) -> None:
    """Charge the bytes of a letter beyond those that were charged before it was written."""
    more = len(letter.content) - LEAST_BYTES
    if more > 0:
        count(transaction, Charge(Counted.BYTES, letter.head.recipient, more), now)


def addressed(notice: Notice, on: Look) -> Notice:
    """Return a notice as its reader gets it: as a player, and with the clock of its board."""
    made = _known(notice, on)
    game = made.board()
    if isinstance(made, TimedNotice) and game and not game.result and made.is_now():
        made = structs.replace(made, clock=made.clock or on.clock_of(game))
    return made


def _known(notice: Notice, on: Look) -> Notice:
    """Return a notice about a board, addressed to its player if one of them is the reader.

    It answers a mail whose address is exactly one of the account's, and goes only there.
    """
    game, reader, sender = notice.board(), notice.reader, on.request.sender
    if game is None or reader.userid or reader.addresses != (sender,):
        return notice
    for userid in (game.player_to_move, game.owner(game.to_move.other)):
        account = on.account_if_any(userid)
        if account and account.has_exactly(sender):
            known = on.reachable(account, reader.addresses, reader.wrote_from)
            return structs.replace(notice, reader=known)
    return notice
