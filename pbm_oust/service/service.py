"""A command, who sent it, and the time become records, accounts and notices."""

from contextlib import suppress
from dataclasses import dataclass, replace

from pbm_oust.commands.challenge import Challenge
from pbm_oust.commands.leave import bring_back
from pbm_oust.commands.multiple import Multiple, MultipleWithin, NoLines
from pbm_oust.commands.replay import Replay
from pbm_oust.commands.verify import Verify
from pbm_oust.grammar.aliases import ALIASES, language_of
from pbm_oust.grammar.line import Line
from pbm_oust.grammar.words import UnknownWord, language_like
from pbm_oust.play.authentication import WrongPassword, WrongPasswordCase, authenticate
from pbm_oust.play.notices import Notice, RefusalNotice
from pbm_oust.play.request import Action, Actor, Handled, RefusedBefore, Request
from pbm_oust.play.starting import actor_among
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, Refusal, Unreadable, UnreadableReason
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.answers import is_of_letter, read_answer
from pbm_oust.service.corrections import advise
from pbm_oust.service.masking import without_passwords
from pbm_oust.service.table import MODULES, VOCABULARY, AnswerToBoard, Command, Signed, parse_line
from pbm_oust.store.limits import Counted
from pbm_oust.store.open_boards import read_game

_SIGNED: dict[type, Action] = {}
_UNSIGNED: dict[type, Action] = {}
for _module in MODULES:
    _SIGNED |= getattr(_module, "SIGNED", {})
    _UNSIGNED |= getattr(_module, "UNSIGNED", {})
MOST_LINES = 20
"""How many commands one mail may hold."""


@dataclass(frozen=True, slots=True)
class MultipleNotice(Notice):
    """What became of the commands of one mail."""

    template = "multiple"
    done: tuple[tuple[str, Notice], ...]
    """The lines that were carried out, with the answer to each."""
    failed: tuple[tuple[str, Notice], ...]
    """The line that was refused, if one was."""
    left: tuple[str, ...]
    """The lines behind that."""


@dataclass(frozen=True, slots=True)
class AnsweredElsewhereNotice(Notice):
    """A command of several was carried out, and its answer is a letter of its own."""

    template = "answered_elsewhere"


@dataclass(frozen=True, slots=True)
class DoneBeforeNotice(Notice):
    """A mail has come again, and what it asked for is done."""

    template = "done_before"


def handle(request: Request, work: UnitOfWork) -> Handled:
    """Carry out a request: what it does and the letters about it are on the disk on return.

    Raises OSError, DamagedHistory or BadAccount where that was not possible through no fault of
    the sender; nothing has changed then.
    """
    work = replace(work, vocabulary=VOCABULARY)
    if request.reply is None:
        return _carry_out(*parse_line(request.line), request, work)
    answer = read_answer(request.line, request.chat, request.reply)
    reply = None if answer.is_whole else request.reply
    request = replace(request, chat=answer.text, reply=reply)
    return _carry_out(answer.line, answer.command, request, work, answer.instead)


def _carry_out(
    line: Line,
    command: Command | Unreadable,
    request: Request,
    work: UnitOfWork,
    instead: str | None = None,
) -> Handled:
    """Carry out a command that was read from a line, or refuse what could not be read.

    `instead` is what may have been meant by an answer that could not be read.
    """
    spoken = language_of(line.words[: line.own_words or 1])
    if not spoken and isinstance(command, Unreadable) and isinstance(command.reason, UnknownWord):
        spoken = language_like(command.culprit, VOCABULARY.difference(ALIASES))
    if spoken:
        request = replace(request, language=spoken)
    actor = None
    try:
        if isinstance(command, Unreadable):
            raise command
        if isinstance(command, Multiple):
            return carry_out_all(command, request, work)
        # A code may come back with the new password in the text.
        if not isinstance(command, Verify):
            password = command.password if isinstance(command, Signed) else None
            request = replace(request, chat=without_passwords(request.chat, password))
        if not isinstance(command, Signed):
            return _UNSIGNED[type(command)](command, request, work)
        actor = _authenticate(command, request, work)
        if actor is None:
            return answer_done_before(request, work)
        handled = _SIGNED[type(command)](command, actor, request, work)
        bring_back(command, actor, handled, work)
        return handled
    except Refusal as refusal:
        if isinstance(command, Challenge | Replay):
            actor = actor_among((command.x, command.o), request, work)
        return _refuse(refusal, line, command, actor, request, work, instead)


def _authenticate(command: Signed, request: Request, work: UnitOfWork) -> Actor | None:
    """Return the player whose command it is; None where this mail changed the password or account.

    Raises NotAllowed.
    """
    try:
        return authenticate(command.userid, command.password, request, work)
    except NotAllowed:
        if work.was_done(command.userid, request):
            return None
        raise


def carry_out_all(command: Multiple, request: Request, work: UnitOfWork) -> Handled:
    """Carry out the lines of a mail's text up to the first that is refused; answer them in one.

    Each line is a request of its own, with an id of its own, so that a mail that comes again does
    none of them twice.
    """
    lines = [line for line in request.chat.splitlines() if line.strip()]
    if not 0 < len(lines) <= MOST_LINES:
        raise Unreadable(NoLines(MOST_LINES))
    if any(isinstance(parse_line(line)[1], Multiple) for line in lines):
        raise Unreadable(MultipleWithin())
    answers: list[Notice] = []

    def collect(notice: Notice, request: Request) -> list[bytes]:
        if not notice.reader.asked:
            return work.write(notice, request)
        answers.append(notice)
        return []

    quiet = replace(work, write=collect, is_within=True)
    for nth, line in enumerate(lines):
        identity = f"{request.identity}\0{nth}"
        handle(replace(request, line=line, chat="", identity=identity), quiet)
        if len(answers) == nth:
            answers.append(AnsweredElsewhereNotice(work.sender_of(request)))
        if isinstance(answers[-1], RefusalNotice):
            break
    is_userid = work.names_for(request)
    shown = tuple(parse_line(line)[0].shown(VOCABULARY, is_userid) for line in lines)
    steps = tuple(zip(shown, answers, strict=False))
    done = tuple(step for step in steps if not isinstance(step[1], RefusalNotice))
    failed, left = steps[len(done) :], shown[len(steps) :]
    answer = MultipleNotice(work.sender_of(request), done, failed, left)
    return work.answer(answer, request, Handled(f"{len(done)} of {len(lines)} lines done"))


def refuse(refusal: Refusal, request: Request, work: UnitOfWork) -> Handled:
    """Answer a mail that does not even have one line that could be a command."""
    return _refuse(refusal, Line(()), refusal, None, request, work)


def _refuse(
    refusal: Refusal,
    line: Line,
    command: Command | Refusal,
    actor: Actor | None,
    request: Request,
    work: UnitOfWork,
    instead: str | None = None,
) -> Handled:
    """Answer with what was sent, what is wrong with it, and what to send instead."""
    if isinstance(refusal, Unreadable) and not work.is_within:
        reply = request.reply
        counted = (Counted.PUZZLE, reply.userid) if reply else (Counted.RIDDLE, request.sender)
        if work.is_too_often(*counted):
            return Handled("silent: too many mails that could not be read")
    reason, answered = refusal.reason, None
    if isinstance(refusal, Unreadable) and request.reply:
        with suppress(NotAllowed):
            kind, number = KINDS[request.reply.kind], request.reply.board
            answered = read_game(work.home, kind, number)
    is_userid = work.names_for(request)
    # The Subject of our own letter is nothing that the sender wrote.
    is_ours = isinstance(reason, AnswerToBoard) and is_of_letter(request.line)
    as_sent = "" if is_ours else line.shown(VOCABULARY, is_userid)
    if isinstance(command, Refusal) or isinstance(reason, WrongPassword | WrongPasswordCase):
        right = reason.instead if isinstance(reason, UnreadableReason) else None
        correction = line.correction(is_userid, refusal.culprit, right or "")
    else:
        correction = advise(command, refusal)
    culprit_at = line.place_in(as_sent, refusal.culprit)
    notice = RefusalNotice(
        work.sender_of(request),
        refusal,
        as_sent,
        culprit="" if culprit_at is None else refusal.culprit,
        culprit_at=culprit_at or 0,
        correction=None if correction == as_sent else correction,
        instead=instead or "",
        answered=answered,
        replied=request.reply.purpose if request.reply else None,
    )
    handled = Handled(f"refused: {refusal}", notice.game.name if notice.game else "")
    if actor and request.message_id and not isinstance(reason, RefusedBefore):
        return work.answer_refused(notice, actor, request, handled)
    return work.answer(notice, request, handled)


def answer_done_before(request: Request, work: UnitOfWork) -> Handled:
    """Answer a mail that was carried out when it came before."""
    notice = DoneBeforeNotice(work.sender_of(request))
    return work.answer(notice, request, Handled("done before"))
