"""The command that carries out the lines in the text of the mail: multiple."""

from dataclasses import replace

from pbm_oust.frozen import frozen
from pbm_oust.grammar.command import Command, Heading, Text
from pbm_oust.grammar.showing import to_stranger
from pbm_oust.play.authentication import look_at_password
from pbm_oust.play.forms import Service, ServiceForm
from pbm_oust.play.notices import Notice, RefusalNotice
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.quota import Cost
from pbm_oust.play.request import Request
from pbm_oust.play.room import MOST_DRAWN, Room
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.store.letters import Draft

MOST_LINES = 20
"""How many commands one mail may hold."""


@frozen
class NoLines(UnreadableReason):
    """There are no commands in the text, or too many."""

    most: int
    """The most that there may be."""


@frozen
class NeedsOwnMail(UnreadableReason):
    """A line of the text is a command that cannot be one of several."""

    name: str


@frozen
class SeveralSenders(UnreadableReason):
    """The lines of the text have different userids or passwords."""


@frozen
class Multiple(Command):
    """Carry out the lines of the text, up to the first that is refused."""


@frozen
class MultipleNotice(Notice):
    """What became of the commands of one mail."""

    template = "multiple"
    done: tuple[tuple[str, Notice, bool], ...]
    """The lines that were carried out, with the answer to each, and whether it is told whole."""
    failed: tuple[tuple[str, Notice], ...]
    """The line that was refused, if one was."""
    left: tuple[str, ...]
    """The lines after that."""


@frozen
class AnsweredElsewhereNotice(Notice):
    """One of several commands was carried out, and its answer is a letter of its own."""

    template = "answered_elsewhere"


def multiple(_command: Multiple, request: Request, work: UnitOfWork, service: Service) -> Handled:
    """Carry out the lines of a mail's text up to the first that is refused, with one answer.

    Each line is a request with its own message key, so that a mail that comes again does none of
    them twice.
    """
    lines = [line for line in request.chat.splitlines() if line.strip()]
    if not 0 < len(lines) <= MOST_LINES:
        raise Unreadable(NoLines(MOST_LINES))
    seen = [service.see(line) for line in lines]
    if name := next(filter(None, (each.alone for each in seen)), None):
        raise Unreadable(NeedsOwnMail(name))
    signed = [each.signature for each in seen if each.signature]
    if signed:
        senders = frozenset.intersection(*(signers for signers, _ in signed))
        password, *others = {each for _, each in signed}
        if others or not senders:
            raise Unreadable(SeveralSenders())
        look_at_password(sorted(senders), password, work)
    answers: list[Notice] = []
    latest: list[Notice] = []

    def collect(notice: Notice, request: Request) -> list[Draft]:
        if not notice.reader.asked:
            return work.write(notice, request)
        # A command that comes again has a different answer.
        latest[:] = [notice]
        return []

    # One board is left for the line that is refused.
    room, has_room = Room(boards=MOST_DRAWN - 1), list[bool]()
    is_proved = False
    for nth, line in enumerate(lines):
        identity = f"{request.identity}\0{nth}"
        latest.clear()
        quiet = replace(work, write=collect, is_within=True, room=room)
        handled = service.handle(replace(request, line=line, chat="", identity=identity), quiet)
        is_proved |= handled.is_proved
        if handled.limit:
            if not answers:
                return handled
            break
        answers += latest or [AnsweredElsewhereNotice(work.sender_of(request))]
        if isinstance(answers[-1], RefusalNotice):
            break
        has_room.append(room.has_boards_of(answers[-1]))
        room = room.beside(answers[-1]) if has_room[-1] else room
    work = replace(work, read={})
    is_userid = work.names_for(request)
    may_show = to_stranger(work.vocabulary, is_userid)
    shown = tuple(each.line.shown(may_show) for each in seen)
    done = tuple(zip(shown, answers, has_room, strict=False))
    failed = tuple(zip(shown, answers, strict=False))[len(done) :]
    left = shown[len(answers) :]
    answer = MultipleNotice(work.sender_of(request), done, failed, left)
    is_all = len(done) == len(lines)
    outcome = Outcome.DONE if is_all else Outcome.DONE_IN_PART
    handled = Handled(outcome, is_proved=is_proved)
    return work.answer(answer, request, handled)


FORMS = (
    ServiceForm(
        "multiple",
        Multiple,
        heading=Heading.GENERAL,
        rank=20,
        text=Text.UNSEEN,
        needs_own_mail=True,
        cost=Cost(work=0),  # its lines are charged
        run=multiple,
    ),
)
