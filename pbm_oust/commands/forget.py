"""The command that forgets a player: the account goes, and the userid on all boards."""

from dataclasses import dataclass

from pbm_oust.accounts.password import Secret
from pbm_oust.commands.leave import leave_boards
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.values import OWN, only_word
from pbm_oust.play.authentication import authenticate
from pbm_oust.play.finding import active_games, boards_naming
from pbm_oust.play.forms import ForAnybody
from pbm_oust.play.notices import Notice, OutcomeNotice
from pbm_oust.play.request import Handled, Outcome, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.store.accounts import remove_account
from pbm_oust.store.message_keys import KeyOutcome, outcome_of, settle_key
from pbm_oust.store.verifications import forget_player

REALLY = "really"


@dataclass(frozen=True, slots=True)
class Forget(Command):
    """Remove a player's account, and the userid from all histories; say what that means first."""

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
    """The number of histories with the reader's userid."""


@dataclass(frozen=True, slots=True)
class ForgottenNotice(OutcomeNotice):
    """The last letter to a player who is forgotten."""

    template = "forgotten"
    userid: str
    left: int
    """The number of boards that the player has left."""
    word: str
    """What replaces the userid in histories; empty if it was in none."""


def forget(command: Forget, request: Request, work: UnitOfWork) -> Handled:
    """Remove a player from the server for good, or say what that would mean."""
    userid, key = command.userid, request.message_key(command.userid)
    home = work.home
    if home.ask(outcome_of, key) is KeyOutcome.DONE:
        done = ForgottenNotice(work.sender_of(request), userid, 0, "", is_repeated=True)
        return work.answer(done, request, Handled(Outcome.DONE_BEFORE))
    actor = authenticate(userid, command.password, request, work, may_be_sender=False)
    if not command.is_sure:
        active = tuple(game.name for game in active_games(userid, home))
        count = len(boards_naming(userid, home))
        reader = work.player_at(actor.account, request)
        return work.answer(ForgetNotice(reader, active, count), request)
    from pbm_oust.play.renaming import (
        check_boards,
        forget_addresses,
        free_placeholder,
        rename_in_notes,
        rename_on_boards,
    )

    check_boards(userid, home)
    left = leave_boards(actor, request, work)
    word = free_placeholder(home) if boards_naming(userid, home) else ""
    reader = work.player_at(actor.account, request)
    done = ForgottenNotice(reader, userid, len(left), word)
    account = work.account(userid)
    with work.posting([done], request):
        home.do(settle_key, key, KeyOutcome.DONE, work.now())
        if word:
            rename_in_notes(userid, word, work)
            rename_on_boards(userid, word, home, left)
        forget_addresses(account, home)
        home.do(forget_player, account.userid, account.message_key)
        home.do(remove_account, account)
    return Handled(Outcome.DONE)


# It checks the password itself: when its mail comes again, the account is gone.
FORMS = (
    Form(
        "forget",
        Forget,
        OWN,
        only_word(REALLY),
        heading=Heading.ACCOUNT,
        rank=90,
        run=ForAnybody(forget),
    ),
)
