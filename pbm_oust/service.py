"""A command, who sent it, and the time become records, accounts and notices."""

from contextlib import suppress
from dataclasses import replace

from pbm_oust.actions import (
    accounts,
    broadcasting,
    exporting,
    forgetting,
    inviting,
    leaving,
    looking,
    noting,
    play,
    proving,
    queue,
    ratings,
    replay,
    seek,
    settling,
    starting,
    submitting,
    talk,
    vacation,
)
from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Actor, Handled, Request
from pbm_oust.actions.signing import authenticate
from pbm_oust.advice import advise
from pbm_oust.boards import read_game
from pbm_oust.commands.aliases import ALIASES, language_of
from pbm_oust.commands.answers import is_of_letter, read_answer
from pbm_oust.commands.challenge import Challenge, Replay
from pbm_oust.commands.line import Line
from pbm_oust.commands.multiple import Multiple
from pbm_oust.commands.table import VOCABULARY, Command, Signed, parse_line
from pbm_oust.commands.words import language_like
from pbm_oust.game import Game
from pbm_oust.limits import Counted
from pbm_oust.notices import Notice, RefusalNotice, Told
from pbm_oust.refusal import Barred, NotAllowed, Refusal, Unread, Unreadable
from pbm_oust.rules.kinds import KINDS

_SIGNED = play.SIGNED | looking.SIGNED | talk.SIGNED
_SIGNED |= settling.SIGNED | inviting.SIGNED | noting.SIGNED | broadcasting.SIGNED
_SIGNED |= exporting.SIGNED | vacation.SIGNED | accounts.SIGNED | leaving.SIGNED
_SIGNED |= queue.SIGNED | submitting.SIGNED | seek.SIGNED
_UNSIGNED = accounts.UNSIGNED | play.UNSIGNED | looking.UNSIGNED | ratings.UNSIGNED
_UNSIGNED |= forgetting.UNSIGNED | proving.UNSIGNED | replay.UNSIGNED
MOST_LINES = 20
"""How many commands one mail may hold."""


def handle(request: Request, desk: Desk) -> Handled:
    """Carry out a request: what it does and the letters about it are on the disk on return.

    Raises OSError, DamagedHistory or BadAccount where that was not possible through no fault of
    the sender; nothing has changed then.
    """
    if request.reply is None:
        return _carry_out(*parse_line(request.line), request, desk)
    answer = read_answer(request.line, request.chat, request.reply)
    reply = None if answer.is_whole else request.reply
    request = replace(request, chat=answer.text, reply=reply)
    return _carry_out(answer.line, answer.command, request, desk, answer.instead)


def _carry_out(
    line: Line,
    command: Command | Unreadable,
    request: Request,
    desk: Desk,
    instead: str | None = None,
) -> Handled:
    """Carry out a command that was read from a line, or refuse what could not be read.

    `instead` is what may have been meant by an answer that could not be read.
    """
    spoken = language_of(line.words[: line.own_words or 1])
    if not spoken and isinstance(command, Unreadable) and command.reason is Unread.UNKNOWN_WORD:
        spoken = language_like(command.culprit, VOCABULARY.difference(ALIASES))
    if spoken:
        request = replace(request, language=spoken)
    actor = None
    try:
        if isinstance(command, Unreadable):
            raise command
        if isinstance(command, Multiple):
            return carry_out_all(command, request, desk)
        if not isinstance(command, Signed):
            return _UNSIGNED[type(command)](command, request, desk)
        actor = _authenticate(command, request, desk)
        if actor is None:
            return answer_done_before(request, desk)
        handled = _SIGNED[type(command)](command, actor, request, desk)
        leaving.bring_back(command, actor, handled, desk)
        return handled
    except Refusal as refusal:
        if isinstance(command, Challenge | Replay):
            actor = starting.actor_among((command.x, command.o), request, desk)
        return _refuse(refusal, line, command, actor, request, desk, instead)


def _authenticate(command: Signed, request: Request, desk: Desk) -> Actor | None:
    """Return the player whose command it is; None where this mail changed the password or account.

    Raises NotAllowed.
    """
    try:
        return authenticate(command.userid, command.password, request, desk)
    except NotAllowed:
        if desk.was_done(command.userid, request):
            return None
        raise


def carry_out_all(command: Multiple, request: Request, desk: Desk) -> Handled:
    """Carry out the lines of a mail's text up to the first that is refused; answer them in one.

    Each line is a request of its own, with an id of its own, so that a mail that comes again does
    none of them twice.
    """
    lines = [line for line in request.chat.splitlines() if line.strip()]
    if not 0 < len(lines) <= MOST_LINES:
        raise Unreadable(Unread.NO_LINES, most=MOST_LINES)
    if any(isinstance(parse_line(line)[1], Multiple) for line in lines):
        raise Unreadable(Unread.MULTIPLE_WITHIN)
    answers: list[Notice] = []

    def collect(notice: Notice, request: Request) -> list[bytes]:
        if not notice.reader.asked:
            return desk.write(notice, request)
        answers.append(notice)
        return []

    quiet = replace(desk, write=collect, is_within=True)
    for nth, line in enumerate(lines):
        identity = f"{request.identity}\0{nth}"
        handle(replace(request, line=line, chat="", identity=identity), quiet)
        if len(answers) == nth:
            answers.append(Told(desk.sender_of(request), "answered_elsewhere", {}))
        if isinstance(answers[-1], RefusalNotice):
            break
    is_userid = desk.names_for(request)
    shown = [parse_line(line)[0].shown(VOCABULARY, is_userid) for line in lines]
    steps = list(zip(shown, answers, strict=False))
    done = [step for step in steps if not isinstance(step[1], RefusalNotice)]
    facts = {"done": done, "failed": steps[len(done) :], "left": shown[len(steps) :]}
    answer = Told(desk.sender_of(request), "multiple", facts)
    return desk.answer(answer, request, Handled(f"{len(done)} of {len(lines)} lines done"))


def refuse(refusal: Refusal, request: Request, desk: Desk) -> Handled:
    """Answer a mail that does not even have one line that could be a command."""
    return _refuse(refusal, Line(()), refusal, None, request, desk)


def _refuse(
    refusal: Refusal,
    line: Line,
    command: Command | Refusal,
    actor: Actor | None,
    request: Request,
    desk: Desk,
    instead: str | None = None,
) -> Handled:
    """Answer with what was sent, what is wrong with it, and what to send instead."""
    if isinstance(refusal, Unreadable) and not desk.is_within:
        reply = request.reply
        counted = (Counted.PUZZLE, reply.userid) if reply else (Counted.RIDDLE, request.sender)
        if desk.is_too_often(*counted):
            return Handled("silent: too many mails that could not be read")
    if isinstance(refusal, Unreadable) and request.reply:
        with suppress(NotAllowed):
            kind, number = KINDS[request.reply.kind], request.reply.board
            refusal.facts["game"] = read_game(desk.home, kind, number)
    is_userid = desk.names_for(request)
    # The Subject of our own letter is nothing that the sender wrote.
    is_ours = refusal.reason is Unread.ANSWER_TO_BOARD and is_of_letter(request.line)
    as_sent = "" if is_ours else line.shown(VOCABULARY, is_userid)
    if isinstance(command, Refusal) or refusal.reason in _WRONG_PASSWORDS:
        right = str(refusal.facts.get("right") or refusal.facts.get("resembles") or "")
        correction = line.correction(is_userid, refusal.culprit, right)
    else:
        correction = advise(command, refusal)
    culprit_at = line.place_in(as_sent, refusal.culprit)
    notice = RefusalNotice(
        desk.sender_of(request),
        refusal,
        as_sent,
        culprit="" if culprit_at is None else refusal.culprit,
        culprit_at=culprit_at or 0,
        correction=None if correction == as_sent else correction,
        answer=instead or "",
    )
    game = refusal.facts.get("game")
    board = game.name if isinstance(game, Game) else ""
    handled = Handled(f"refused: {refusal}", board)
    if actor and request.message_id and refusal.reason is not Barred.REFUSED_BEFORE:
        return desk.answer_refused(notice, actor, request, handled)
    return desk.answer(notice, request, handled)


def answer_done_before(request: Request, desk: Desk) -> Handled:
    """Answer a mail that was carried out when it came before."""
    answer = Told(desk.sender_of(request), "done_before", {})
    return desk.answer(answer, request, Handled("done before"))


_WRONG_PASSWORDS = (Barred.WRONG_PASSWORD, Barred.WRONG_PASSWORD_CASE)
