"""The general commands: multiple, which carries out the lines of the text of a mail, and help."""

from collections.abc import Iterable, Sequence
from functools import cache
from pkgutil import get_data

from msgspec import Struct, structs

from pbm_oust.accounts.tags import SheetReply
from pbm_oust.board import Game
from pbm_oust.board.history import read_history
from pbm_oust.experiments.features import LEARNED
from pbm_oust.grammar.form import Command, Cost, Form, to_stranger
from pbm_oust.grammar.notation import Heading, Text
from pbm_oust.grammar.parts import Rest
from pbm_oust.grammar.vocabulary import fold, in_english
from pbm_oust.languages import LANGUAGES, WordList
from pbm_oust.play.authentication import look_at_password
from pbm_oust.play.notices import (
    MOST_DRAWN,
    Capacity,
    Notice,
    RefusalNotice,
    ShownBoard,
    sheet_of,
)
from pbm_oust.play.request import Handled, Outcome, Request, silent
from pbm_oust.play.unit_of_work import ForAnybody, Service, UnitOfWork, as_owner
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import KINDS
from pbm_oust.store.letters import Draft

HEADING = Heading.GENERAL

MOST_LINES = 20
"""How many commands one mail may hold."""


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
    """What became of the commands of one mail."""

    done: tuple[tuple[str, Notice, bool], ...]
    """The lines that were carried out, with the answer to each, and whether it is told whole."""
    failed: tuple[tuple[str, Notice], ...]
    """The lines that were refused, with the answer to each."""
    left: tuple[str, ...]
    """The lines that were not carried out because of that."""
    unread: str = ""
    """What the mail says above all lines, if it is none of them."""

    def answer(self) -> SheetReply | None:
        """Return that an answer plays on the boards that the letter shows as they are now."""
        answers = (*(answer for _, answer, _ in self.done), *(answer for _, answer in self.failed))
        return sheet_of(
            (shown.game for answer in answers for shown in answer.shows()), self.reader.account
        )


class AnsweredElsewhereNotice(Notice, frozen=True):
    """One of several commands was carried out, and its answer is a letter of its own."""


class Subcommand(Struct, frozen=True):
    """One of several commands of a mail."""

    line: str
    """What the sender wrote, as it may be shown."""
    request: Request
    board: str = ""
    """The board that it is for, if those for other boards do not depend on it."""


def multiple(work: UnitOfWork, service: Service) -> Handled:
    """Carry out the lines of a mail's text up to the first that is refused, with one answer."""
    lines = [line for line in work.request.chat.splitlines() if line.strip()]
    if not 0 < len(lines) <= MOST_LINES:
        raise Unreadable(NoLines(MOST_LINES))
    read = [service.parse(line) for line in lines]
    is_proved = look_at_all([command for _, command in read], work)
    if work.request.doubt and not is_proved:
        return silent(work.request.doubt)
    work = work.answering(structs.replace(work.request, doubt=None, mark=None))
    may_show = to_stranger(work.vocabulary, work.names_for_sender())
    tasks = [
        Subcommand(shown.shown(may_show), structs.replace(work.request, line=line, chat=""))
        for (shown, _), line in zip(read, lines, strict=True)
    ]
    return carry_out_all(tasks, work, service)


def look_at_all(read: Iterable[Command | Unreadable], work: UnitOfWork) -> bool:
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
    return look_at_password(sorted(senders), password, work)


def carry_out_all(
    tasks: Sequence[Subcommand], work: UnitOfWork, service: Service, unread: str = ""
) -> Handled:
    """Carry out the commands of a mail, with one answer; after a refusal, those for other boards.

    Each is a request with its own message key, so that a mail that comes again does none of them
    twice. `unread` is what the mail says that is none of them.
    """
    latest: list[Notice] = []

    def collect(notice: Notice, request: Request) -> list[Draft]:
        if not notice.reader.asked:
            return work.write(notice, request)
        # A command that comes again has a different answer.
        latest[:] = [notice]
        return []

    # One board is left for the line that is refused.
    room = Capacity(boards=MOST_DRAWN - 1)
    is_proved = is_guess = False
    done: list[tuple[str, Notice, bool]] = []
    failed: list[tuple[str, Notice]] = []
    left: list[str] = []
    stopped, is_full = set[str](), False
    for nth, task in enumerate(tasks):
        if is_full or task.board in stopped:
            left.append(task.line)
            continue
        identity = f"{work.request.identity}\0{nth}"
        latest.clear()
        quiet = structs.replace(work, write=collect, is_within=True, room=room)
        handled = service.handle(
            structs.replace(task.request, identity=identity, left_out=""), quiet
        )
        is_proved |= handled.is_proved
        is_guess |= handled.is_guess
        if handled.limit:
            if not (done or failed):
                return handled
            is_full = True
            left.append(task.line)
            continue
        answer = latest[-1] if latest else AnsweredElsewhereNotice(work.sender())
        if isinstance(answer, RefusalNotice):
            failed.append((task.line, answer))
            stopped.add(task.board)
            continue
        has_room = len(answer.shows()) <= room.boards
        done.append((task.line, answer, has_room))
        room = room.beside(answer) if has_room else room
    work = structs.replace(work, read={})
    reader = work.sender()
    reader = structs.replace(reader, left_out=work.request.left_out if is_proved else "")
    told = MultipleNotice(reader, tuple(done), tuple(failed), tuple(left), unread)
    outcome = Outcome.DONE if len(done) == len(tasks) else Outcome.DONE_IN_PART
    return work.answer(told, Handled(outcome, is_proved=is_proved, is_guess=is_guess))


SUBJECTS = ("tutorial", "board", "figures", "time", "house", "index", "commands")
"""The subjects of the help that are neither commands nor games."""
PLAY = "play"
"""What stands behind the name of a game to ask how it is played well: `help oust play`."""
PLAYED = {f"{name} {PLAY}": kind for name, kind in KINDS.items() if name in LEARNED}
"""The games of which the help says that, by the subjects of it."""
START = "start"
"""What somebody asks about who writes for the first time."""

_WORDS = frozenset((*SUBJECTS, PLAY, START)).union(
    *(language.words[WordList.COMMANDS].values() for language in LANGUAGES.values())
)
"""The words that other languages may translate."""


class HelpNotice(Notice, frozen=True):
    """The pages of the help that were asked for; the overview if none was named."""

    subjects: tuple[str, ...]
    has_house: bool = False
    """Whether the house plays here."""


class StartNotice(Notice, frozen=True):
    """What this server is and how to begin, for somebody who knows nothing yet."""

    has_house: bool
    """Whether the house plays here."""
    example: Game
    """What a game looks like."""

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the example."""
        return (ShownBoard(self.example, is_now=False),)


@cache
def example_game() -> Game:
    """Return a game that has just begun, after a turn that takes a stone."""
    return read_history(get_data(__package__, "example.txt") or b"").game


def _read_subjects(words: Sequence[str]) -> tuple[str, ...]:
    plain = filter(None, (fold(word).strip(":") for word in words))
    subjects = list[str]()
    for subject in map(in_english, plain):
        both = f"{subjects[-1]} {subject}" if subjects else ""
        if both in PLAYED:
            subjects[-1] = both
        else:
            subjects.append(subject)
    return tuple(dict.fromkeys(subjects))


def give_help(work: UnitOfWork, subjects: tuple[str, ...]) -> Handled:
    """Mail the help about these subjects, or the overview if there are none.

    It is in the language in which it is asked for.
    """
    reader, asked = as_owner(work.sender(), work.home), work.request.spoken
    if asked:
        reader = structs.replace(reader, settings=structs.replace(reader.settings, language=asked))
    if subjects == (START,):
        return work.answer(StartNotice(reader, work.has_house, example_game()))
    return work.answer(HelpNotice(reader, subjects, work.has_house))


MULTIPLE = Form(
    "multiple",
    is_of_kind=False,
    text=Text.UNSEEN,
    needs_own_mail=True,
    cost=Cost(work=0),  # its lines are charged
    run=ForAnybody(multiple, takes_service=True),
)
FORMS: tuple[Form[ForAnybody], ...] = (
    Form(
        "help",
        rest=Rest(
            ("subjects",),
            ("[SUBJECT..]",),
            _read_subjects,
            tuple,
            least=0,
            fixed=_WORDS,
            word_lists=(WordList.COMMANDS,),
        ),
        is_of_kind=False,
        cost=Cost(is_help=True),
        run=ForAnybody(give_help),
    ),
    MULTIPLE,
)
