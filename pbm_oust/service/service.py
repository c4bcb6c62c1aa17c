"""A command, who sent it, and the time become records, accounts and notices."""

from contextlib import suppress
from dataclasses import dataclass, replace

from pbm_oust.grammar.aliases import ALIASES, language_of
from pbm_oust.grammar.command import Command, Partial, Text
from pbm_oust.grammar.line import Line
from pbm_oust.grammar.parts import IsUserid
from pbm_oust.grammar.words import UnknownWord, language_like
from pbm_oust.play.authentication import WrongPassword, WrongPasswordCase
from pbm_oust.play.forms import Service
from pbm_oust.play.notices import Notice, RefusalNotice
from pbm_oust.play.request import Actor, Handled, RefusedBefore, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, Refusal, Unreadable, UnreadableReason
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.answers import is_of_letter, read_answer
from pbm_oust.service.corrections import advise
from pbm_oust.service.masking import without_passwords
from pbm_oust.service.table import VOCABULARY, AnswerToBoard, form_of, format_command, parse_line
from pbm_oust.store.open_boards import read_game
from pbm_oust.store.rate_limits import Counted


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
    return work.retried(lambda attempt: _handle(request, attempt))


def _handle(request: Request, work: UnitOfWork) -> Handled:
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
    instead: Command | Partial | None = None,
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
        form = form_of(command)
        if form.text is not Text.UNSEEN:
            chat = without_passwords(request.chat, form.password_of(command))
            request = replace(request, chat=chat)
        try:
            actor = form.actor(command, request, work)
        except NotAllowed:
            if form.was_done(command, request, work):
                return answer_done_before(request, work)
            raise
        return form.carry_out(command, actor, request, work, _SERVICE)
    except Refusal as refusal:
        return _refuse(refusal, line, command, actor, request, work, instead)


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
    instead: Command | Partial | None = None,
) -> Handled:
    """Answer with what was sent, what is wrong with it, and what to send instead."""
    if isinstance(refusal, Unreadable) and not work.is_within:
        reply = request.reply
        counted = (
            (Counted.UNREADABLE_ANSWERS, reply.userid)
            if reply
            else (Counted.UNREADABLE_MAILS, request.sender)
        )
        if work.is_too_often(*counted):
            return Handled("silent: too many mails that could not be read")
    reason, answered = refusal.reason, None
    if isinstance(refusal, Unreadable) and request.reply:
        with suppress(NotAllowed):
            kind, number = KINDS[request.reply.kind], request.reply.board
            answered = read_game(work.home, kind, number)
    correction: Command | Partial | None
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
        correction=None if correction and format_command(correction) == as_sent else correction,
        instead=instead,
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


def _shown(line: str, is_userid: IsUserid) -> str:
    return parse_line(line)[0].shown(VOCABULARY, is_userid)


_SERVICE = Service(lambda line: parse_line(line)[1], handle, _shown)
