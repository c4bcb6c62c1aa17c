"""What a mail asks for: the command in its line, in an answer to a letter, or of a code."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from pbm_oust.accounts import tags
from pbm_oust.accounts.account import Account
from pbm_oust.accounts.items import board_of
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.queue import Clause
from pbm_oust.accounts.settings import MailWhen, Switch
from pbm_oust.board import Game, Place
from pbm_oust.board.reasons import NotYourTurn, game_in
from pbm_oust.board.record import PLAYING
from pbm_oust.commands.account import Verify, has_new_password
from pbm_oust.commands.challenge import Join
from pbm_oust.commands.lists import Games, Listing
from pbm_oust.commands.play import Move, Preview, Queue, Queueing, Submit
from pbm_oust.commands.settings import Settle
from pbm_oust.commands.show import Unwatch, board_as_it_is
from pbm_oust.commands.talk import Message, NothingWritten
from pbm_oust.commands.vacation import Vacation, leave_said
from pbm_oust.grammar import vocabulary
from pbm_oust.grammar.form import Line, MissingWord
from pbm_oust.grammar.notation import Blank, Command, Meant, Partial, Text
from pbm_oust.grammar.parts import without_options
from pbm_oust.grammar.values import Filter
from pbm_oust.grammar.wish import DEEDS, cells_in, next_wish
from pbm_oust.languages import Language
from pbm_oust.play.forms import ForTwoPlayers
from pbm_oust.play.notices import Heard, Reader
from pbm_oust.play.request import Request
from pbm_oust.play.unit_of_work import UnitOfWork, as_owner
from pbm_oust.refusal import Reason, Refusal, Unreadable, UnreadableReason
from pbm_oust.rules import KINDS, Kind
from pbm_oust.service import table
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.open_boards import game_if_any

if TYPE_CHECKING:
    from pbm_oust.service.answers import Answer

ENDS = ".!,;:"
"""What people write behind a word."""
_MOST_LINES_BELOW = 10
"""How many lines below a move are looked at for a command."""


class NotConfirmed(UnreadableReason, frozen=True):
    """An answer to a mail with a code does not agree to what that mail asks."""


class Read(Struct, frozen=True):
    """What a mail asks for, as far as it is understood."""

    line: Line
    """The line that the command was read from."""
    command: Command | Unreadable
    """The command, or why there is none."""
    text: str
    """What else the sender wrote."""
    reply: tags.Answered | None = None
    """The letter that is answered, if that takes the place of a password."""
    instead: Meant = ()
    """What an unreadable answer may have meant."""
    heard: Heard | None = None
    """How an answer was read that holds more than its command."""

    @property
    def language(self) -> Language | None:
        """The language of the line's words, if it has words that are not English."""
        spoken = vocabulary.language_of(self.line.words[: self.line.own_words or 1])
        wrong = self.command
        if (
            spoken
            or not isinstance(wrong, Unreadable)
            or not isinstance(wrong.reason, vocabulary.UnknownWord)
        ):
            return spoken
        return vocabulary.language_like(
            wrong.culprit, table.VOCABULARY.difference(vocabulary.ALIASES)
        )


def read_request(request: Request, *, is_whole_mail: bool = True) -> Read:
    """Return what a request asks for. Only a whole mail may ask for it in plain words."""
    wish = (
        table.granted(request.line) if is_whole_mail and not (request.code or request.reply) else ""
    )
    read = _read(structs.replace(request, line=wish) if wish else request)
    command, unsure = read.command, request.unsure
    is_unseen = isinstance(command, Command) and table.form_of(command).text is Text.UNSEEN
    if is_unseen or not unsure.strip():
        return read
    return structs.replace(read, text="\n".join(filter(None, (read.text, unsure))).strip("\n"))


def _read(request: Request) -> Read:
    """Return what a request asks for, without the text that may be quoted."""
    if isinstance(request.reply, tags.Unsubscribing):
        return Read(Line(()), _ending(request.reply), "", request.reply)
    if request.fault:
        return Read(Line(()), Unreadable(request.fault), request.chat, request.reply)
    if isinstance(request.reply, tags.Correspondence):
        return _read_letter(request.chat, request.reply)
    if isinstance(request.reply, tags.Joining):
        return _read_joining(request, request.reply)
    if isinstance(request.reply, tags.Reply):
        from pbm_oust.service.answers import read_answer

        answer = read_answer(request.line, request.chat, request.reply, request.unsure)
        reply = None if answer.is_whole else request.reply
        read = Read(answer.line, answer.command, answer.text, reply, answer.instead)
        return structs.replace(read, heard=_heard(answer))
    line = request.line
    if request.code:
        from pbm_oust.grammar.wording import refuses

        found = _line_with(request.code, request.line, request.chat)
        if found is None and (refuses(request.line) or refuses(request.chat)):
            no = Verify(request.code, None, is_agreed=False)
            return Read(Line((table.form_of(no).name,)), no, request.chat)
        if found is None:
            return Read(Line(()), Unreadable(NotConfirmed()), request.chat)
        line = found
    shown, command = table.parse_line(line)
    further = further_below(command, request.chat) if isinstance(command, Move) else None
    heard = Heard(None, further) if further else None
    return Read(shown, command, request.chat, heard=heard)


def further_below(move: Move, text: str) -> Command | None:
    """Return the first command on a line of its own in the text below a move.

    It is not carried out. What passes the text on is none, and neither is the same move again.
    """
    reply = tags.Reply(tags.AnswerPurpose.PLAY, move.kind.name, move.board, 0, move.userid)
    for line in text.splitlines()[:_MOST_LINES_BELOW]:
        # It begins like a command, with a whole word or a placement.
        first = vocabulary.fold("".join(vocabulary.first_words(line, 1))).rstrip(ENDS)
        word = vocabulary.in_english(first.partition("#")[0])
        if not (word in DEEDS or word in KINDS or word in table.KIND_FORMS or cells_in(first)):
            continue
        from pbm_oust.service.answers import read_line

        command = read_line(line, "", reply).command
        is_same = isinstance(command, Move) and command.wish == move.wish
        is_text = isinstance(command, Command) and table.form_of(command).text is Text.CONTENT
        if isinstance(command, Command) and not (is_text or is_same):
            return command
    return None


def begins_whole(line: str) -> bool:
    """Return whether a line begins with the name of a game, as whole commands do."""
    return any(vocabulary.fold(word) in KINDS for word in vocabulary.first_words(line, 1))


def _read_letter(text: str, letter: tags.Correspondence) -> Read:
    """Return what an answer to what a player wrote says: a whole command, or more for that player.

    It is a command only if its first line begins with the name of a game and can be read.
    """
    first, _, rest = text.strip().partition("\n")
    if begins_whole(first):
        line, command = table.parse_line(first)
        if not isinstance(command, Unreadable):
            return Read(line, command, rest.strip("\n"))
    return Read(Line(()), Message(letter.userid, letter, (letter.to,)), text, letter)


def _read_joining(request: Request, joining: tags.Joining) -> Read:
    """Return what a mail says that a link has begun: its Subject joins an open challenge.

    With another Subject it is a mail like any other.
    """
    line, command = table.parse_line(request.line)
    kind, number = KINDS[joining.kind], joining.number
    join = Join(kind, number, joining.userid, joining)
    begun = [
        vocabulary.in_english(vocabulary.fold(word))
        for word in vocabulary.first_words(request.line, 3)
    ]
    if begun != [kind.name, table.form_of(join).name, str(number)]:
        return Read(line, command, request.chat)
    return Read(line, join, request.chat, joining)


def _ending(asked: tags.Unsubscribing) -> Command:
    """Return the command that ends letters of one sort."""
    if asked.what == tags.BROADCASTS:
        return Settle(asked.userid, asked, (("broadcasts", Switch.OFF.value),))
    if asked.what == tags.DIGEST:
        return Settle(asked.userid, asked, (("mail", MailWhen.OFF.value),))
    kind, board = board_of(asked.what)
    return Unwatch(KINDS[kind], board, asked.userid, asked)


def _heard(answer: "Answer") -> Heard | None:
    """Return what to tell the player of how an answer was read, if it is not as they wrote it."""
    command = answer.command
    if not isinstance(command, Move) or not (answer.is_worded or answer.further):
        return None
    return Heard(command.wish if answer.is_worded else None, answer.further)


def _line_with(code: Secret, subject: str, text: str) -> str | None:
    """Return the line that brings a code back, or None if its mail does not say that it shall.

    The sender's own words must hold the code, agree, or give a new password: anything else may
    be the automatic answer of somebody who is away.
    """
    from pbm_oust.grammar.wording import agrees

    verify = Verify(code, None)
    begun = [
        vocabulary.in_english(vocabulary.fold(word)) for word in vocabulary.first_words(subject, 2)
    ]
    if begun == [table.form_of(verify).name, code.text]:
        return subject
    holds_code = code.text in vocabulary.fold(text).split()
    is_meant = holds_code or agrees(subject) or agrees(text) or has_new_password(text)
    return table.format_command(verify, mask=False) if is_meant else None


def advise(command: Command, refusal: Refusal) -> Command | Partial | None:
    """Return what to send instead of a command that was refused, or None if nothing is known."""
    own = command.instead(refusal)
    if own:
        return own
    if isinstance(command, Move) and isinstance(refusal.reason, NotYourTurn):
        return _queued(command, refusal.reason.game)
    if isinstance(refusal.reason, NothingWritten):
        return command
    given = table.form_of(command).given(command)
    kind, userid = given.get("kind"), given.get("userid")
    if isinstance(refusal.reason, NoSuchBoard) and isinstance(kind, Kind):
        return Games(kind, (userid,) if isinstance(userid, str) else (), Filter.ACTIVE)
    game = game_in(refusal.reason)
    return board_as_it_is(game) if game else None


def _queued(move: Move, game: Game) -> Command:
    """Return the command that queues a move, or that shows the board if it could not be played."""
    queue = Queue(
        move.kind,
        move.board,
        move.userid,
        move.password,
        Queueing.SET,
        (Clause(move.wish),),
        guard=None,
    )
    try:
        queue.try_on(game)
    except Refusal:
        return board_as_it_is(game)
    return queue if isinstance(move.wish, Place) or move.wish in PLAYING else board_as_it_is(game)


def tried(meant: Command | Partial, game: Game) -> Command | Partial | None:
    """Return what was probably meant, if it can be done on a board; otherwise what can be done.

    Only what the board alone decides is tried.
    """
    whole = table.form_of(meant).whole(meant)
    if whole is None:
        return meant
    try:
        whole.try_on(game)
    except Refusal as refusal:
        return advise(whole, refusal)
    return meant


def filled(meant: Command | Partial, game: Game, userid: str) -> Command | Partial:
    """Return what a player probably meant, with what the letter about a board knows.

    Where a move is missing, an example stands for it.
    """
    if isinstance(meant, Command):
        return meant
    header = game.header
    known: dict[str, object] = {"kind": header.kind, "board": header.board, "userid": userid}
    if meant.command in (Move, Preview, Submit):
        known |= {"wish": next_wish(game), "guard": None}
    names = table.form_of(meant).names
    return structs.replace(meant, given={name: known[name] for name in names if name in known})


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
        meant = Line(line.words, table.KIND_FORMS["games"], next(iter(KINDS.values())), 1)
        return structs.replace(read, line=meant, command=Unreadable(table.WhichGame("games")))
    if not isinstance(wrong, Unreadable) or not isinstance(wrong.reason, MissingWord):
        return read
    named = without_options(line.arguments)
    if not (line.form and isinstance(line.form.run, ForTwoPlayers)) or len(named) != 1:
        return read
    account = owner(request, work)
    if account is None or account.userid == named[0] or not work.has_account(named[0]):
        return read
    words = (*line.words[: line.own_words], account.userid, *line.arguments)
    whole, command = table.parse_line(" ".join(words))
    return (
        read
        if isinstance(command, Unreadable)
        else structs.replace(read, line=whole, command=command)
    )


def _lists_player(line: Line, wrong: Unreadable, is_player: Callable[[str], bool]) -> bool:
    """Return whether a line asks for the list and names a player where a game should stand."""
    is_list = line.form is not None and line.form.command is Listing
    return is_list and isinstance(wrong.reason, vocabulary.UnknownWord) and is_player(wrong.culprit)


def signed(
    correction: Command | Partial | None, reason: Reason, request: Request, work: UnitOfWork
) -> Command | Partial | None:
    """Return a command to send; if it lacks a userid, with that of the sender's address.

    A challenge that names one player is by whoever has that address. A sentence about a vacation
    also says when it is.
    """
    if not isinstance(correction, Partial) or request.reply:
        return correction
    form, given = table.form_of(correction), correction.given
    is_challenge = isinstance(form.run, ForTwoPlayers)
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
    if isinstance(reason, table.SaidPlainly) and form.command is Vacation:
        today = work.now().astimezone(account.all_settings.zone).date()
        own["asked"] = leave_said(request.line, today)
    return structs.replace(correction, given={**given, **own})


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
    is_answer = isinstance(wrong, Unreadable) and isinstance(wrong.reason, table.AnswerToBoard)
    number = line.words[1].rstrip(":") if is_answer and len(line.words) > 1 else ""
    if line.kind is None or not number.isdecimal():
        return None
    reader = as_owner(work.sender_of(request), work.home)
    game = game_if_any(work.home, line.kind, int(number))
    return (game, reader) if game and reader.userid and game.side_of(reader.userid) else None
