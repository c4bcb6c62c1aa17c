"""The command that keeps notes about boards: note."""

from dataclasses import dataclass

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.notes import LONGEST, note_about, with_note
from pbm_oust.accounts.tags import Credential
from pbm_oust.board.reasons import OfBoard
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.values import OF_BOARD, only_word
from pbm_oust.play.moving import NotOnBoard
from pbm_oust.play.notices import Told
from pbm_oust.play.request import Action, Actor, Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import read_game

DELETE = "delete"


@dataclass(frozen=True, slots=True)
class NoteTooLong(OfBoard, NotAllowedReason):
    """The note has more characters than are kept."""

    length: int
    """How many it has."""
    most: int
    """How many are kept."""


@dataclass(frozen=True, slots=True)
class TakeNote:
    """Keep the text of the mail as a note about a board, show the note, or delete it."""

    kind: Kind
    board: int
    userid: str
    password: Credential
    is_deleted: bool


def take_note(command: TakeNote, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Keep a note about a board, show it where nothing is written, or delete it."""
    game = read_game(work.home, command.kind, command.board)
    if game.side_of(actor.userid) is None:
        raise NotAllowed(NotOnBoard(game, actor.userid))
    text = "" if command.is_deleted else request.chat.strip()
    if len(text) > LONGEST:
        raise NotAllowed(NoteTooLong(game, len(text), LONGEST))

    def told(account: Account, outcome: str) -> Told:
        note = note_about(account, game.name)
        facts = {"game": game, "note": note, "outcome": outcome}
        return Told(work.player_at(account, request), "note", facts)

    if not text and not command.is_deleted:
        return work.answer(told(actor.account, "shown"), request)
    outcome = "kept" if text else "deleted"
    return work.change_account(
        lambda account: with_note(account, game.name, text),
        lambda account: (told(account, outcome), []),
        actor,
        request,
        Handled(f"note {outcome}", game.name),
    )


FORMS = (Form("note", TakeNote, OF_BOARD, only_word(DELETE)),)

SIGNED: dict[type, Action] = {TakeNote: take_note}
