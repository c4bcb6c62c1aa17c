"""The command that writes to everybody who wants such mails: broadcast."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from pbm_oust.accounts.account import (
    MOST_BROADCASTS,
    Account,
    rejected_by,
    signed_off_since,
    with_broadcast,
)
from pbm_oust.accounts.tags import BROADCASTS
from pbm_oust.commands.talk import NothingWritten
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.notation import Heading, OwnCommand, Text
from pbm_oust.grammar.values import OWN
from pbm_oust.play.forms import ForPlayer
from pbm_oust.play.notices import Notice, OutcomeNotice, Reader, Unheard
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.store.accounts import wanting_broadcasts


@dataclass(frozen=True, slots=True)
class TooManyBroadcasts(NotAllowedReason):
    """The player has reached the limit of broadcasts a day."""

    most: int
    """The limit."""


class Broadcast(OwnCommand):
    """Pass the text of the mail on to everybody who wants such mails."""


@dataclass(frozen=True, slots=True)
class BroadcastNotice(Notice):
    """What somebody wrote to everybody, or the operator to some players."""

    template = "broadcast"
    author: str
    """The userid of its author; empty for the operator."""
    text: str
    is_to_all: bool
    """Whether it goes to everybody who wants such mails."""

    def subscription(self) -> str:
        """Return that its reader may end what goes to everybody."""
        return BROADCASTS if self.is_to_all else ""

    def answer(self) -> Unheard:
        """Return that nobody reads an answer."""
        return Unheard()


@dataclass(frozen=True, slots=True)
class BroadcastSentNotice(OutcomeNotice):
    """A text was passed on to everybody who wants that."""

    template = "broadcast_sent"
    text: str
    count: int
    """The number of players who get it."""


def broadcast(command: Broadcast, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Pass the text of a mail on to everybody else, at most a few times a day."""
    text = request.chat
    if not text.strip():
        raise NotAllowed(NothingWritten())

    def change(account: Account) -> Account:
        changed = with_broadcast(account, work.now())
        if changed is None:
            raise NotAllowed(TooManyBroadcasts(MOST_BROADCASTS))
        return changed

    def tell(account: Account) -> tuple[BroadcastSentNotice, list[BroadcastNotice]]:
        everybody = work.home.ask(wanting_broadcasts)
        others = (
            each
            for each in everybody
            if each.userid != account.userid and account.userid not in rejected_by(each)
        )
        notices = notices_to(others, text, account.userid, work)
        reader = work.player_at(account, request)
        return BroadcastSentNotice(reader, text, len(notices)), notices

    return work.change_account(change, tell, actor, request, Handled(Outcome.DONE))


def announce(text: str, userids: Iterable[str] | None, work: UnitOfWork) -> int:
    """Mail the operator's words to these players, or to all who want such mails.

    Returns the number of players. Raises NotAllowed for a userid that nobody has.
    """
    request = Request("", "", "", f"operator {secrets.token_hex(8)}")

    def deed(work: UnitOfWork) -> int:
        if userids is None:
            notices = notices_to(work.home.ask(wanting_broadcasts), text, "", work)
        else:
            readers = [work.player(work.account(userid)) for userid in dict.fromkeys(userids)]
            notices = _told(readers, "", text, is_to_all=False)
        with work.posting(notices, request):
            return len(notices)

    return work.retried(deed)


def notices_to(
    accounts: Iterable[Account], text: str, author: str, work: UnitOfWork
) -> list[BroadcastNotice]:
    """Return the notices to those players who have not signed off and can be reached."""
    readers = (work.player(account) for account in accounts if not signed_off_since(account))
    return _told(readers, author, text, is_to_all=True)


def _told(
    readers: Iterable[Reader], author: str, text: str, *, is_to_all: bool
) -> list[BroadcastNotice]:
    """Return the notices to those readers who can be reached."""
    return [
        BroadcastNotice(reader, author, text, is_to_all) for reader in readers if reader.addresses
    ]


FORMS = (
    Form(
        "broadcast",
        Broadcast,
        OWN,
        heading=Heading.TALKING,
        rank=30,
        text=Text.CONTENT,
        run=ForPlayer(broadcast),
    ),
)
