"""The command that keeps notes about boards: note."""

from dataclasses import dataclass
from enum import Enum

from pbm_oust.accounts.account import LONGEST_NOTE, Account, note_about, with_note
from pbm_oust.accounts.tags import Credential, Reply
from pbm_oust.board.game import Game
from pbm_oust.board.reasons import OfBoard
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.notation import Command, Heading, Text
from pbm_oust.grammar.values import OF_BOARD, only_word
from pbm_oust.play.forms import ForPlayer
from pbm_oust.play.moving import NotOnBoard
from pbm_oust.play.notices import OutcomeNotice, answer_on
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import read_game

DELETE = "delete"


@dataclass(frozen=True, slots=True)
class NoteTooLong(OfBoard, NotAllowedReason):
    """The note is too long."""

    length: int
    """Its number of characters."""
    most: int
    """The most characters."""


@dataclass(frozen=True, slots=True)
class TakeNote(Command):
    """Keep the text of the mail as a note about a board, show the note, or delete it."""

    kind: Kind
    board: int
    userid: str
    password: Credential
    is_deleted: bool


class Became(Enum):
    """What became of a note."""

    SHOWN = "shown"
    KEPT = "kept"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class NoteNotice(OutcomeNotice):
    """The reader's note about a board."""

    template = "note"
    game: Game
    note: str
    """Empty if there is none."""
    became: Became

    def board(self) -> Game:
        """Return the game of the board."""
        return self.game

    def answer(self) -> Reply | None:
        """Return what an answer does on the board."""
        return answer_on(self.game, self.reader.account)


def take_note(command: TakeNote, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Keep a note about a board, show it if nothing is written, or delete it."""
    game = read_game(work.home, command.kind, command.board)
    if game.side_of(actor.userid) is None:
        raise NotAllowed(NotOnBoard(game, actor.userid))
    text = "" if command.is_deleted else request.chat.strip()
    if len(text) > LONGEST_NOTE:
        raise NotAllowed(NoteTooLong(game, len(text), LONGEST_NOTE))

    def told(account: Account, became: Became) -> NoteNotice:
        note = note_about(account, game.name)
        return NoteNotice(work.player_at(account, request), game, note, became)

    if not text and not command.is_deleted:
        return work.answer(told(actor.account, Became.SHOWN), request)
    became = Became.KEPT if text else Became.DELETED
    return work.change_account(
        lambda account: with_note(account, game.name, text),
        lambda account: (told(account, became), []),
        actor,
        request,
        Handled(Outcome.DONE, game.name),
    )


FORMS = (
    Form(
        "note",
        TakeNote,
        OF_BOARD,
        only_word(DELETE),
        heading=Heading.TALKING,
        rank=40,
        text=Text.CONTENT,
        run=ForPlayer(take_note),
    ),
)
