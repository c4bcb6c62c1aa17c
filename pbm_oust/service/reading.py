"""What a mail asks for: the command in its line, in an answer to a letter, or of a code."""

from collections.abc import Callable
from typing import TypeGuard

from msgspec import Struct, structs

from pbm_oust.accounts import tags
from pbm_oust.accounts.account import Account
from pbm_oust.accounts.items import board_of
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.queue import Clause
from pbm_oust.accounts.settings import MailWhen, Switch
from pbm_oust.board import PLAYING, Deed, Game, Place, Wish
from pbm_oust.board.notation import format_wish
from pbm_oust.board.reasons import NotYourTurn, game_in
from pbm_oust.commands.account import VERIFY, has_new_password
from pbm_oust.commands.challenge import JOIN
from pbm_oust.commands.ladder import FORMS as LADDER_FORMS
from pbm_oust.commands.play import MOVE, QUEUE, QUEUEING, Queueing, in_one_line, of_board
from pbm_oust.commands.puzzle import PUZZLE, NoSolution
from pbm_oust.commands.settings import SETTINGS
from pbm_oust.commands.show import GAMES, LIST, UNWATCH, board_as_it_is
from pbm_oust.commands.talk import MESSAGE, NothingWritten
from pbm_oust.commands.tournament import ENTER, TABLE, WITHDRAW
from pbm_oust.commands.vacation import VACATION, leave_said
from pbm_oust.grammar import vocabulary
from pbm_oust.grammar.form import Command, Line, Meant, MissingWord
from pbm_oust.grammar.notation import Text
from pbm_oust.grammar.parts import without_options
from pbm_oust.grammar.values import Filter
from pbm_oust.grammar.wish import CELLS, DEEDS, cells_in, next_wish
from pbm_oust.languages import Language
from pbm_oust.play.notices import Heard, Reader
from pbm_oust.play.request import Request
from pbm_oust.play.unit_of_work import ForEither, UnitOfWork, as_owner
from pbm_oust.refusal import Reason, Refusal, Unreadable, UnreadableReason
from pbm_oust.rules import KINDS
from pbm_oust.service import table
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.open_boards import game_if_any

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
    text: str = ""
    """What else the sender wrote."""
    reply: tags.Answered | None = None
    """The letter that is answered, if that takes the place of a password."""
    instead: Meant = ()
    """What an unreadable answer may have meant."""
    is_whole: bool = False
    """Whether an answer is a whole command, as any mail may hold it, and needs no letter."""
    is_worded: bool = False
    """Whether the command stands among other words, or below some."""
    further: Command | None = None
    """A command that stands further down and is not done."""

    @property
    def heard(self) -> Heard | None:
        """How a move was read, if there is more than that."""
        if not is_move(self.command) or not (self.is_worded or self.further):
            return None
        return Heard(self.command["wish"] if self.is_worded else None, self.further)

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
    read = _with_clauses(_read(structs.replace(request, line=wish) if wish else request))
    command, unsure = read.command, request.unsure
    form = command.form if isinstance(command, Command) else None
    if (form and (form is QUEUE or form.text is Text.UNSEEN)) or not unsure.strip():
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
    if isinstance(request.reply, tags.Entering | tags.Climbing):
        return _read_entering(request, request.reply)
    if isinstance(request.reply, tags.Solving):
        return _read_solving(request, request.reply)
    if isinstance(request.reply, tags.Reply):
        from pbm_oust.service.answers import read_answer

        answer = read_answer(request.line, request.chat, request.reply, request.unsure)
        return structs.replace(answer, reply=None if answer.is_whole else request.reply)
    line = request.line
    if request.code:
        from pbm_oust.grammar.wording import refuses

        found = _line_with(request.code, request.line, request.chat)
        if found is None and (refuses(request.line) or refuses(request.chat)):
            no = VERIFY.command(code=request.code, new=None, is_agreed=False)
            return Read(Line((VERIFY.name,)), no, request.chat)
        if found is None:
            return Read(Line(()), Unreadable(NotConfirmed()), request.chat)
        line = found
    shown, command = table.parse_line(line)
    if tried := _tried_by_subject(request):
        return Read(shown, tried)
    further = further_below(command, request.chat) if is_move(command) else None
    return Read(shown, command, request.chat, further=further)


def _with_clauses(read: Read) -> Read:
    """Return the same with what lines of the text queue, if a turn or `queue` stands above them.

    The other player never sees these lines, even if they cannot be read, nor what else stands below
    `queue`.
    """
    command, lines = read.command, read.text.split("\n")
    below = [line for line in lines if _is_clause(line)]
    if isinstance(command, Command) and command.form is QUEUE:
        read = structs.replace(read, text="")
    if not below or isinstance(command, Unreadable) or command.form not in (MOVE, QUEUE):
        return read
    begun = {"queueing": Queueing.SET, "clauses": (), **command.given}
    wish: Wish | None = begun.pop("wish", None)
    if (isinstance(wish, Deed) and wish not in PLAYING) or begun["queueing"] is Queueing.CLEAR:
        return read
    above = format_wish(wish) if wish else "; ".join(map(str, begun["clauses"]))
    between = "; " if "if " in above else " "
    try:
        words = vocabulary.split_words(f"{above}{between}{in_one_line(below)}")
        queued = QUEUE.command(" ".join(words))
    except Unreadable as error:
        return structs.replace(read, command=error, text="")
    said = {"queueing": Queueing.SET, "clauses": queued["clauses"]}
    guard = begun.get("guard") or queued["guard"]
    queue = QUEUE.command(**{**begun, **said, "guard": guard})
    text = "\n".join(line for line in lines if wish and line not in below)
    return structs.replace(read, command=queue, text=text)


def _is_clause(line: str) -> bool:
    """Return whether a line has a turn behind `if`, and goes on with `then`."""
    words = vocabulary.first_words(line, vocabulary.MOST_WORDS)
    meant = [vocabulary.in_english(word, QUEUEING) for word in words]
    if meant[:1] != ["if"] or "then" not in meant:
        return False
    return meant[1] in DEEDS or bool(CELLS.match(vocabulary.fold(words[1])))


def is_move(command: Command | Unreadable | None) -> TypeGuard[Command]:
    """Return whether a command is a move."""
    return isinstance(command, Command) and command.form is MOVE


def further_below(move: Command, text: str) -> Command | None:
    """Return the first command on a line of its own in the text below a move.

    It is not carried out. What passes the text on is none, and neither is the same move again.
    """
    reply = tags.Reply(tags.AnswerPurpose.PLAY, move["kind"].name, move["board"], 0, move["userid"])
    for line in text.splitlines()[:_MOST_LINES_BELOW]:
        # It begins like a command, with a whole word or a placement.
        first = vocabulary.fold("".join(vocabulary.first_words(line, 1))).rstrip(ENDS)
        word = vocabulary.in_english(first.partition("#")[0])
        if not (word in DEEDS or word in KINDS or word in table.KIND_TOPICS or cells_in(first)):
            continue
        from pbm_oust.service.answers import read_line

        command = read_line(line, "", reply).command
        if isinstance(command, Unreadable) or command.form.text is Text.CONTENT:
            continue
        if not (is_move(command) and command["wish"] == move["wish"]):
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
    more = MESSAGE.command(userid=letter.userid, password=letter, to=(letter.to,))
    return Read(Line(()), more, text, letter)


def _read_joining(request: Request, joining: tags.Joining) -> Read:
    """Return what a mail says that a link has begun: its Subject joins an open challenge.

    With another Subject it is a mail like any other.
    """
    line, command = table.parse_line(request.line)
    kind, number = KINDS[joining.kind], joining.number
    begun = [vocabulary.in_english(word) for word in vocabulary.first_words(request.line, 3)]
    if begun != [kind.name, JOIN.name, str(number)]:
        return Read(line, command, request.chat)
    join = JOIN.command(kind=kind, number=number, userid=joining.userid, password=joining)
    return Read(line, join, request.chat, joining)


def _read_entering(request: Request, letter: tags.Entering | tags.Climbing) -> Read:
    """Return what an answer to a letter about a tournament or a ladder says in its first line.

    A command about that needs no more than its name, and what follows its parameters.
    """
    first, _, rest = request.chat.strip().partition("\n")
    words = vocabulary.first_words(first, vocabulary.MOST_WORDS)
    if len(words) > 1 and vocabulary.in_english(words[0]) == letter.word:
        words = words[1:]
    name = vocabulary.in_english(words[0].strip(ENDS)) if words else ""
    is_ladder = isinstance(letter, tags.Climbing)
    forms = LADDER_FORMS if is_ladder else (ENTER, WITHDRAW, TABLE)
    form = next((each for each in forms if name in (each.name, each.name.split()[-1])), None)
    if form is None:
        return Read(*table.parse_line(first or request.line), rest.strip("\n"))
    known = [] if is_ladder else [str(letter.number)]
    known += [letter.userid, ""] if form.is_signed else []
    shown = Line(tuple(words))
    try:
        command = form.read([*known, *words[1:]], KINDS[letter.kind], letter)
    except Unreadable as error:
        return Read(shown, error, rest.strip("\n"), letter)
    return Read(shown, command, rest.strip("\n"), letter)


def _read_solving(request: Request, solving: tags.Solving) -> Read:
    """Return what an answer to a puzzle says in its text, or in a Subject of the player's own."""
    line, command = table.parse_line(request.line)
    if isinstance(command, Command):
        return Read(line, command, request.chat)
    said = _solution_in(request.chat, solving)
    asked = PUZZLE.command(kind=KINDS[solving.kind], number=solving.number)
    return structs.replace(said or Read(line, asked), reply=solving)


def _tried_by_subject(request: Request) -> Command | None:
    """Return what an answer to a puzzle says that only its Subject names; None if it says nothing.

    So answer those who have no account.
    """
    _, asked = table.parse_line(request.line.partition(":")[0])
    if isinstance(asked, Unreadable) or asked.form is not PUZZLE or not asked["number"]:
        return None
    said = _solution_in(request.chat, tags.Solving("", asked["kind"].name, asked["number"]))
    return said.command if said and isinstance(said.command, Command) else None


def _solution_in(text: str, solving: tags.Solving) -> Read | None:
    """Return what a text says about a puzzle: placements, a word, or a whole command.

    None if it says nothing.
    """
    from pbm_oust.service.answers import read_answer

    kind, number = KINDS[solving.kind], solving.number
    first, _, rest = text.strip().partition("\n")
    if not first:
        return None
    words = vocabulary.first_words(first.rstrip(f"{ENDS} "), 2)
    if len(words) == 1 and vocabulary.in_english(words[0], PUZZLE.words) in PUZZLE.words:
        return Read(Line(words), PUZZLE.read([str(number), *words], kind), rest)
    reply = tags.Reply(tags.AnswerPurpose.PLAY, kind.name, 1, 0, solving.userid)
    read = read_answer("", text, reply)
    if is_move(read.command) and isinstance(read.command["wish"], Place):
        tried = PUZZLE.command(kind=kind, number=number, tried=read.command["wish"].cells)
        return structs.replace(read, command=tried)
    # Nothing else is taken that would be done on a board.
    return read if read.is_whole else Read(read.line, Unreadable(NoSolution()), text)


def _ending(asked: tags.Unsubscribing) -> Command:
    """Return the command that ends letters of one sort."""
    who = {"userid": asked.userid, "password": asked}
    if asked.what == tags.BROADCASTS:
        return SETTINGS.command(**who, changes=(("broadcasts", Switch.OFF.value),))
    if asked.what == tags.DIGEST:
        return SETTINGS.command(**who, changes=(("mail", MailWhen.OFF.value),))
    kind, board = board_of(asked.what)
    return UNWATCH.command(kind=KINDS[kind], board=board, **who)


def _line_with(code: Secret, subject: str, text: str) -> str | None:
    """Return the line that brings a code back, or None if its mail does not say that it shall.

    The sender's own words must hold the code, agree, or give a new password: anything else may
    be the automatic answer of somebody who is away.
    """
    from pbm_oust.grammar.wording import agrees

    begun = [vocabulary.in_english(word) for word in vocabulary.first_words(subject, 2)]
    if begun == [VERIFY.name, code.text]:
        return subject
    holds_code = code.text in vocabulary.fold(text).split()
    is_meant = holds_code or agrees(subject) or agrees(text) or has_new_password(text)
    return VERIFY.command(code=code, new=None).line(mask=False) if is_meant else None


def advise(command: Command, refusal: Refusal) -> Command | None:
    """Return what to send instead of a command that was refused, or None if nothing is known."""
    own: Command | None = command.form.instead(command, refusal)
    if own:
        return own
    if is_move(command) and isinstance(refusal.reason, NotYourTurn):
        return _queued(command, refusal.reason.game)
    if isinstance(refusal.reason, NothingWritten):
        return command
    kind, userid = command.get("kind"), command.get("userid")
    if isinstance(refusal.reason, NoSuchBoard) and kind:
        userids = (userid,) if userid else ()
        return GAMES.command(kind=kind, userids=userids, which=Filter.ACTIVE)
    game = game_in(refusal.reason)
    return board_as_it_is(game) if game else None


def _queued(move: Command, game: Game) -> Command:
    """Return the command that queues a move, or that shows the board if it could not be played."""
    wish: Wish = move["wish"]
    clauses = (Clause((wish,)),)
    given = {**move.given, "guard": None}
    del given["wish"]
    queue = QUEUE.command(**given, queueing=Queueing.SET, clauses=clauses)
    try:
        QUEUE.try_on(queue, game)
    except Refusal:
        return board_as_it_is(game)
    return queue if isinstance(wish, Place) or wish in PLAYING else board_as_it_is(game)


def tried(meant: Command, game: Game) -> Command | None:
    """Return what was probably meant, if it can be done on a board; otherwise what can be done.

    Only what the board alone decides is tried.
    """
    if meant.is_whole:
        try:
            meant.form.try_on(meant, game)
        except Refusal as refusal:
            return advise(meant, refusal)
    return meant


def filled(meant: Command, game: Game, userid: str) -> Command:
    """Return what a player probably meant, with what the letter about a board knows.

    Where a move is missing, an example stands for it.
    """
    if meant.is_whole:
        return meant
    known = {**of_board(game), "userid": userid, "wish": next_wish(game), "guard": None}
    names = meant.form.names
    return meant.form.command(**{name: known[name] for name in names if name in known})


_USERID, _FIRST_USERID, _SECOND_USERID = "userid", "x", "o"


def owner(work: UnitOfWork) -> Account | None:
    """Return the only account that has the address of a request's sender, or None."""
    return as_owner(work.sender(), work.home).account


def completed(read: Read, work: UnitOfWork) -> Read:
    """Return a challenge that names one player as one by whoever has the sender's address.

    A list of a player is taken for one of their boards. Anything else is returned as it was read.
    """
    line, wrong = read.line, read.command
    if isinstance(wrong, Unreadable) and _lists_player(line, wrong, work.names_for_sender()):
        meant = Line(line.words, table.KIND_FORMS["games"], next(iter(KINDS.values())), 1)
        return structs.replace(read, line=meant, command=Unreadable(table.WhichGame("games")))
    if not isinstance(wrong, Unreadable) or not isinstance(wrong.reason, MissingWord):
        return read
    named = without_options(line.arguments)
    if not (line.form and isinstance(line.form.run, ForEither)) or len(named) != 1:
        return read
    account = owner(work)
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
    is_name = isinstance(wrong.reason, vocabulary.UnknownWord) and is_player(wrong.culprit)
    return line.form is LIST and is_name


def signed(correction: Command | None, reason: Reason, work: UnitOfWork) -> Command | None:
    """Return a command to send; if it lacks a userid, with that of the sender's address.

    A challenge that names one player is by whoever has that address. A sentence about a vacation
    also says when it is.
    """
    if correction is None or work.request.reply:
        return correction
    form = correction.form
    is_challenge = isinstance(form.run, ForEither)
    place = _SECOND_USERID if is_challenge else _USERID
    if place not in form.names or correction.knows(place):
        return correction
    account = owner(work)
    if account is None or correction.get(_FIRST_USERID) == account.userid:
        return correction
    own: dict[str, object] = {_USERID: account.userid}
    if is_challenge:
        own = {_FIRST_USERID: account.userid}
        named = correction.get(_FIRST_USERID)
        own |= {_SECOND_USERID: named} if named else {}
    if isinstance(reason, table.SaidPlainly) and form is VACATION:
        today = work.now().astimezone(account.all_settings.zone).date()
        own["asked"] = leave_said(work.request.line, today)
    return correction.with_values(**own)


def playable(correction: Command | None, game: Game, reader: Reader) -> Command | None:
    """Return what a player may have meant on a board, with an example where they gave no move."""
    if correction is None or reader.userid is None:
        return correction
    lacks_move = "wish" in correction.form.names and not correction.knows("wish")
    meant = filled(correction, game, reader.userid) if lacks_move else correction
    return tried(meant, game)


def board_meant(read: Read, work: UnitOfWork) -> tuple[Game, Reader] | None:
    """Return the board of a mail that looks like an answer to a letter about it, and its player.

    None if whoever has the sender's address does not play there.
    """
    line, wrong = read.line, read.command
    is_answer = isinstance(wrong, Unreadable) and isinstance(wrong.reason, table.AnswerToBoard)
    number = line.words[1].rstrip(":") if is_answer and len(line.words) > 1 else ""
    if line.kind is None or not number.isdecimal():
        return None
    reader = as_owner(work.sender(), work.home)
    game = game_if_any(work.home, line.kind, int(number))
    return (game, reader) if game and reader.userid and game.side_of(reader.userid) else None
