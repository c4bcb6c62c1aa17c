"""What a line lacks and the address that it came from may say: whose it is."""

from collections.abc import Callable

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.settings import settings_of
from pbm_oust.board.game import Game
from pbm_oust.commands.lists import Listing
from pbm_oust.commands.vacation import Vacation, leave_said
from dataclasses import replace
from pbm_oust.grammar.command import Blank, Command, Partial
from pbm_oust.grammar.form import MissingWord
from pbm_oust.grammar.line import Line
from pbm_oust.grammar.parts import without_options
from pbm_oust.grammar.words import UnknownWord
from pbm_oust.play.forms import ChallengeForm
from pbm_oust.play.notices import Reader
from pbm_oust.play.readers import as_owner
from pbm_oust.play.request import Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import Reason, Unreadable
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.corrections import filled, tried
from pbm_oust.service.reading import Read
from pbm_oust.service.table import (
    KIND_FORMS,
    AnswerToBoard,
    SaidPlainly,
    WhichGame,
    form_of,
    parse_line,
)
from pbm_oust.store.open_boards import game_if_any

_USERID, _FIRST_USERID, _SECOND_USERID = "userid", "x", "o"
_BLANK = Blank("USERID")


def owner(request: Request, work: UnitOfWork) -> Account | None:
    """Return the only account that has the address of a request's sender, or None."""
    return as_owner(work.sender_of(request), work.home).account


def completed(read: Read, request: Request, work: UnitOfWork) -> Read:
    """Return a challenge that names one player as one by whoever has the sender's address.

    A list of a player is taken for one of their boards. Anything else is returned as it was read.
    """
    line, wrong = read.line, read.command
    if isinstance(wrong, Unreadable) and _lists_player(line, wrong, work.names_for(request)):
        meant = Line(line.words, KIND_FORMS["games"], next(iter(KINDS.values())), 1)
        return replace(read, line=meant, command=Unreadable(WhichGame("games")))
    if not isinstance(wrong, Unreadable) or not isinstance(wrong.reason, MissingWord):
        return read
    named = without_options(line.arguments)
    if not isinstance(line.form, ChallengeForm) or len(named) != 1:
        return read
    account = owner(request, work)
    if account is None or account.userid == named[0] or not work.has_account(named[0]):
        return read
    words = (*line.words[: line.own_words], account.userid, *line.arguments)
    whole, command = parse_line(" ".join(words))
    return read if isinstance(command, Unreadable) else replace(read, line=whole, command=command)


def _lists_player(line: Line, wrong: Unreadable, is_player: Callable[[str], bool]) -> bool:
    """Return whether a line asks for the list and names a player where a game should stand."""
    is_list = line.form is not None and line.form.command is Listing
    return is_list and isinstance(wrong.reason, UnknownWord) and is_player(wrong.culprit)


def signed(
    correction: Command | Partial | None, reason: Reason, request: Request, work: UnitOfWork
) -> Command | Partial | None:
    """Return a command to send; if it lacks a userid, with that of the sender's address.

    A challenge that names one player is by whoever has that address. A sentence about a vacation
    also says when it is.
    """
    if not isinstance(correction, Partial) or request.reply:
        return correction
    form, given = form_of(correction), correction.given
    is_challenge = isinstance(form, ChallengeForm)
    place = _SECOND_USERID if is_challenge else _USERID
    if place not in form.names or not isinstance(given.get(place, _BLANK), Blank):
        return correction
    account = owner(request, work)
    if account is None or given.get(_FIRST_USERID) == account.userid:
        return correction
    own: dict[str, object] = {_USERID: account.userid}
    if is_challenge:
        own = {_FIRST_USERID: account.userid}
        named = given.get(_FIRST_USERID, _BLANK)
        own |= {} if isinstance(named, Blank) else {_SECOND_USERID: named}
    if isinstance(reason, SaidPlainly) and form.command is Vacation:
        today = work.now().astimezone(settings_of(account).zone).date()
        own["asked"] = leave_said(request.line, today)
    return replace(correction, given={**given, **own})


def playable(
    correction: Command | Partial | None, game: Game, reader: Reader
) -> Command | Partial | None:
    """Return what a player may have meant on a board, with an example where they gave no move."""
    if not isinstance(correction, Partial) or reader.userid is None:
        return correction
    lacks_move = isinstance(correction.given.get("wish", Blank("")), Blank)
    meant = filled(correction, game, reader.userid) if lacks_move else correction
    return tried(meant, game)


def board_meant(read: Read, request: Request, work: UnitOfWork) -> tuple[Game, Reader] | None:
    """Return the board of a mail that looks like an answer to a letter about it, and its player.

    None if whoever has the sender's address does not play there.
    """
    line, wrong = read.line, read.command
    is_answer = isinstance(wrong, Unreadable) and isinstance(wrong.reason, AnswerToBoard)
    number = line.words[1].rstrip(":") if is_answer and len(line.words) > 1 else ""
    if line.kind is None or not number.isdecimal():
        return None
    reader = as_owner(work.sender_of(request), work.home)
    game = game_if_any(work.home, line.kind, int(number))
    return (game, reader) if game and reader.userid and game.side_of(reader.userid) else None
