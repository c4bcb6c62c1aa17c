"""The command that forgets a player: the account goes, and the userid on all boards."""

from dataclasses import dataclass

from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.status import becomes
from pbm_oust.commands.leave import leave_boards
from pbm_oust.grammar.command import Command, Heading
from pbm_oust.grammar.values import OWN, only_word
from pbm_oust.play.authentication import authenticate
from pbm_oust.play.forms import OpenForm
from pbm_oust.play.notices import Notice, OutcomeNotice
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.renaming import (
    active_games,
    boards_of,
    check_boards,
    forget_addresses,
    mark_forgotten,
    rename_elsewhere,
    rename_on_boards,
)
from pbm_oust.play.request import Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.store.journal import Ending, Entry
from pbm_oust.store.recovery import removal_place

REALLY = "really"


@dataclass(frozen=True, slots=True)
class Forget(Command):
    """Remove a player's account and his userid from all histories; say what that means first."""

    userid: str
    password: Secret
    is_sure: bool


@dataclass(frozen=True, slots=True)
class ForgetNotice(Notice):
    """What it means to be forgotten, before anything is done."""

    template = "forget"
    active: tuple[str, ...]
    """The names of the boards on which the reader plays."""
    boards: int
    """In how many histories the reader's userid stands."""


@dataclass(frozen=True, slots=True)
class ForgottenNotice(OutcomeNotice):
    """The last letter to a player who is forgotten."""

    template = "forgotten"
    userid: str
    left: int
    """How many boards were left."""
    word: str
    """What stands in histories in the place of the userid; empty where it was in none."""


def forget(command: Forget, request: Request, work: UnitOfWork) -> Handled:
    """Remove a player from the server for good, or say what that would mean."""
    userid, cause = command.userid, request.cause(command.userid)
    if work.home.journal.ending(cause) is Ending.DONE and not _is_under_way(userid, work):
        done = ForgottenNotice(work.sender_of(request), userid, 0, "", is_repeated=True)
        return work.answer(done, request, Handled(Outcome.DONE_BEFORE))
    actor = authenticate(userid, command.password, request, work)
    if not command.is_sure:
        active = tuple(game.name for game in active_games(userid, work.home))
        count = len(boards_of(userid, work.home))
        reader = work.player_at(actor.account, request)
        return work.answer(ForgetNotice(reader, active, count), request)
    check_boards(userid, work.home)
    word = mark_forgotten(userid, work)
    left = leave_boards(actor, request, work)
    is_named = bool(boards_of(userid, work.home))
    rename_on_boards(userid, word, work.home)
    reader = work.player_at(actor.account, request)
    done = ForgottenNotice(reader, userid, len(left), word if is_named else "")
    with work.home.locked_players(), work.home.journal.held():
        account = work.account(userid)
        rename_elsewhere(userid, None, work.home)
        forget_addresses(account, work.home)
        work.home.pending.forget_of(account, work.now())
        with work.posting([done], request, cause, removal_place(userid)):
            # The account goes last: as long as it is there, the mail can finish what it began.
            work.home.journal.write(Entry(work.now(), cause, Ending.DONE))
            work.home.remove_player(userid)
    return Handled(Outcome.DONE)


def _is_under_way(userid: str, work: UnitOfWork) -> bool:
    """Return whether a player is about to be forgotten who is still there."""
    return work.has_account(userid) and bool(becomes(work.account(userid)))


# It proves its password itself: when its mail comes again, the account has gone.
FORMS = (
    OpenForm(
        "forget", Forget, OWN, only_word(REALLY), heading=Heading.ACCOUNT, rank=90, run=forget
    ),
)
