"""Commands of one mail: each is a request of its own, and one letter answers them all."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct, structs

from pbm_oust.accounts.asks import Ask
from pbm_oust.grammar.form import Command, to_stranger
from pbm_oust.play.authentication import look_at_password
from pbm_oust.play.context import Context, Outcome
from pbm_oust.play.notices import MOST_DRAWN, Capacity, Notice, RefusalNotice, sheet_of
from pbm_oust.play.request import Ending, Handled, Request
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.service import table
from pbm_oust.service.answers import Read
from pbm_oust.service.corrections import completed

MOST_LINES = 20
"""How many commands one mail may hold."""
_MOST_BROKEN = 200
"""In how many lines mail programs may have broken them: more than the longest text needs."""


class NoLines(UnreadableReason, frozen=True):
    """There are no commands in the text, or too many."""

    most: int
    """The most that there may be."""


class NeedsOwnMail(UnreadableReason, frozen=True):
    """A line of the text is a command that cannot be one of several."""

    name: str


class SeveralSenders(UnreadableReason, frozen=True):
    """The lines of the text have different userids or passwords."""


class MultipleNotice(Notice, frozen=True):
    """The outcomes of the commands of one mail."""

    done: tuple[tuple[str, Notice, bool], ...]
    """The lines that were carried out, with the answer to each, and whether it is told whole."""
    failed: tuple[tuple[str, Notice], ...]
    """The lines that were refused, with the answer to each."""
    left: tuple[str, ...]
    """The lines that were not carried out because of that."""
    unread: str = ""
    """The text above all lines, if it is none of them."""

    def ask(self) -> Ask | None:
        """Return that an answer plays on the boards that the letter shows as they are now."""
        answers = (*(answer for _, answer, _ in self.done), *(answer for _, answer in self.failed))
        return sheet_of(
            (shown.game for answer in answers for shown in answer.shows()), self.reader.account
        )


class AnsweredElsewhereNotice(Notice, frozen=True):
    """One of several commands was carried out, and its answer is a letter of its own."""


class Subcommand(Struct, frozen=True):
    """A command of a mail that holds several."""

    line: str
    """The line that the sender wrote, as it may be shown."""
    request: Request
    board: str = ""
    """The board that it is for, if those for other boards do not depend on it."""


CarryOut = Callable[[Request, Context], tuple[Notice | None, Handled]]
"""Carries out one of several requests of a mail, with all letters about it but for its answer."""


def carry_out_lines(on: Context, carry_out: CarryOut) -> Outcome:
    """Carry out the commands in a mail's text up to the first that is refused, with one answer.

    If one of them cannot be read, none is carried out, and the answer says why.
    """
    text = on.request.chat
    is_short = sum(map(bool, map(str.strip, text.splitlines()))) <= _MOST_BROKEN
    lines = table.lines_of(text) if is_short else []
    if not 0 < len(lines) <= MOST_LINES:
        raise Unreadable(NoLines(MOST_LINES))
    read = [completed(on, Read(*table.parse_line(line))) for line in lines]
    is_proved = look_at_all(on, [each.command for each in read])
    if on.request.doubt and not is_proved:
        return Outcome(Ending.SILENT, why=on.request.doubt)
    on = on.answering(structs.replace(on.request, doubt=None, mark=None))
    may_show = to_stranger(table.VOCABULARY, on.names_for_sender())
    tasks = [
        Subcommand(each.line.shown(may_show), structs.replace(on.request, line=line, chat=""))
        for each, line in zip(read, lines, strict=True)
    ]
    unread = next((n for n, each in enumerate(read) if isinstance(each.command, Unreadable)), None)
    return carry_out_all(on, tasks, carry_out, first=unread)


def look_at_all(on: Context, read: Iterable[Command | Unreadable]) -> bool:
    """Look at the commands of a mail before any is carried out: at their one password, once.

    Return whether that is right.

    Raises Unreadable for those that cannot be in one mail, and NotDerived.
    """
    commands = [each for each in read if isinstance(each, Command)]
    for each in commands:
        if each.form.needs_own_mail:
            raise Unreadable(NeedsOwnMail(each.form.name))
    signed = [each for each in commands if each.proof]
    if not signed:
        return False
    senders = set(signed[0].signers).intersection(*(each.signers for each in signed))
    password, *others = {each.proof for each in signed if each.proof}
    if others or not senders:
        raise Unreadable(SeveralSenders())
    return look_at_password(on, sorted(senders), password)


def carry_out_all(
    on: Context,
    tasks: Sequence[Subcommand],
    carry_out: CarryOut,
    unread: str = "",
    first: int | None = None,
) -> Outcome:
    """Carry out the commands of a mail, with one answer; after a refusal, those for other boards.

    With a `first`, that one alone is tried, because it cannot be read.

    Each is a request with its own message key, so that a mail that comes again does none of them
    twice. `unread` is what the mail says that is none of them.
    """
    # One board is left for the line that is refused.
    room = Capacity(boards=MOST_DRAWN - 1)
    is_proved = is_guess = is_full = False
    done: list[tuple[str, Notice, bool]] = []
    failed: list[tuple[str, Notice]] = []
    left: list[str] = []
    stopped = set[str]()
    for nth, task in enumerate(tasks):
        if is_full or task.board in stopped or first not in (None, nth):
            left.append(task.line)
            continue
        with on.transaction.part():
            answer, handled = carry_out(
                _numbered(task.request, on.request, nth), on.beside_others(room)
            )
        is_proved |= handled.is_proved
        is_guess |= handled.is_guess
        if handled.limit:
            if not (done or failed):
                return Outcome(Ending.SILENT, why=handled.why, limit=handled.limit)
            is_full = True
            left.append(task.line)
            continue
        answer = answer or AnsweredElsewhereNotice(on.asker())
        if isinstance(answer, RefusalNotice):
            failed.append((task.line, answer))
            stopped.add(task.board)
            continue
        has_room = len(answer.shows()) <= room.boards
        done.append((task.line, answer, has_room))
        room = room.beside(answer) if has_room else room
    reader = on.beside_others(room).asker()
    reader = structs.replace(reader, left_out=on.request.left_out if is_proved else "")
    told = MultipleNotice(reader, tuple(done), tuple(failed), tuple(left), unread)
    ending = Ending.DONE if len(done) == len(tasks) else Ending.DONE_IN_PART
    return Outcome(ending, (told,), is_proved=is_proved, is_guess=is_guess)


def _numbered(request: Request, mail: Request, nth: int) -> Request:
    """Return one of several requests of a mail, with what sets it apart from the others."""
    identity, *former = (f"{each}\0{nth}" for each in (mail.identity, *mail.former))
    return structs.replace(request, identity=identity, former=tuple(former), left_out="")
