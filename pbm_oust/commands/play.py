"""The commands that play: move and its short forms, preview, submit, confirm and queue."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from enum import Enum

from msgspec import structs

from pbm_oust.accounts import queue as ahead
from pbm_oust.accounts.account import Account
from pbm_oust.accounts.asks import Topic
from pbm_oust.accounts.items import Submission, submitted_on
from pbm_oust.accounts.queue import MOST_CLAUSES, Clause, Plan
from pbm_oust.board import PLAYING, Deed, Game, Wish
from pbm_oust.board.notation import format_wish
from pbm_oust.board.reasons import GameOver, MayHaveBoard, NotYourTurn, OfBoard, game_in
from pbm_oust.grammar import wish as wishes
from pbm_oust.grammar.form import AnsweredBy, Command, Form
from pbm_oust.grammar.notation import Blank, Heading, Text
from pbm_oust.grammar.parts import Rest
from pbm_oust.grammar.values import BOARD, OF_BOARD, of_board, read_guard
from pbm_oust.grammar.vocabulary import MOST_WORDS, first_words, fold, in_english, split_words
from pbm_oust.play import moving
from pbm_oust.play.context import Context, Outcome, answered, done
from pbm_oust.play.notices import BoardNotice, BoardOutcomeNotice, News, ShownBoard
from pbm_oust.play.request import RefusedBefore
from pbm_oust.play.unit_of_work import ForAnybody, ForPlayer
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable, UnreadableReason
from pbm_oust.rules import Kind

HEADING = Heading.PLAYING


def _move_instead(command: Command, refusal: Refusal) -> Command | None:
    """Return a move that can be made, if the board waits for one by this player.

    One that comes too early can be queued.
    """
    early = refusal.reason.game if isinstance(refusal.reason, NotYourTurn) else None
    possible = _possible_move(command, refusal)
    return possible or (_queued_instead(command, early) if early else None)


def _queued_instead(move: Command, game: Game) -> Command | None:
    """Return the command that queues a move, if it could be played."""
    given = {**move.given, "guard": None}
    wish: Wish = given.pop("wish")
    if isinstance(wish, Deed) and wish not in PLAYING:
        return None
    queued = QUEUE.command(**given, queueing=Queueing.SET, clauses=(Clause((wish,)),))
    try:
        _try_queue(queued, game)
    except Refusal:
        return None
    return queued


def _possible_move(command: Command, refusal: Refusal) -> Command | None:
    game, userid = game_in(refusal.reason), command["userid"]
    if game is None or game.result or game.player_to_move != userid:
        return None
    is_old = isinstance(refusal.reason, moving.OtherRecord | moving.OldAnswer | RefusedBefore)
    given: Wish = command["wish"]
    wish = wishes.possible_wish(game, given) if is_old else wishes.wish_instead(game, refusal)
    return suggested(game, userid, wish) if wish else None


def _try_move(command: Command, game: Game) -> None:
    side = moving.side_on(command["userid"], game)
    moving.check_guard(command["guard"], game)
    game.act(side, command["wish"], game.latest, key="")


def _try_preview(command: Command, game: Game) -> None:
    moving.check_guard(command["guard"], game)
    game.act(game.to_move, command["wish"], game.latest, key="")


def _read_placements(words: Sequence[str]) -> tuple[Wish, int | None]:
    wish, guard = wishes.read_wish(words)
    if isinstance(wish, Deed):
        raise Unreadable(wishes.BadPlacement(), words[0])
    return wish, guard


def suggested(game: Game, userid: str, wish: Wish) -> Command:
    """Return the move that makes a wish the next record of a board."""
    number = game.next_number
    return MOVE.command(**of_board(game), userid=userid, wish=wish, guard=number)


def move(on: Context, kind: Kind, board: int, wish: Wish, guard: int | None) -> Outcome:
    """Place stones, pass, swap or resign; only as record number `guard`, if that is given.

    It adds a record and what follows from it to a board, and shows the board to both players.
    """

    def wished(game: Game) -> Wish:
        moving.check_guard(guard, game)
        return wish

    return moving.carry_out(on, kind, board, wished)


def preview(on: Context, kind: Kind, board: int, wish: Wish, guard: int | None) -> Outcome:
    """Show a board as it would be after these placements; nothing changes."""
    game = on.game(kind, board)
    moving.check_guard(guard, game)
    acted = game.act(game.to_move, wish, on.now, on.key)
    return answered(BoardNotice(on.asker(), News.PREVIEW, acted), board=game.name)


_SUBMITTED = (*PLAYING, Deed.RESIGN, Deed.DECLINE)


class NothingSubmitted(OfBoard, NotAllowedReason, frozen=True):
    """No move waits for confirmation."""


class ChangedSinceSubmit(OfBoard, NotAllowedReason, frozen=True):
    """The board is not as it was when the move was submitted."""

    number: int
    """The record number that the move would have had."""
    wish: Wish
    """The move."""


def _submit_instead(command: Command, refusal: Refusal) -> Command | None:
    """Return what could be submitted, if the move could not be made."""
    move = _possible_move(command, refusal)
    return SUBMIT.command(**move.given) if move else None


def _confirm_instead(command: Command, refusal: Refusal) -> Command | None:
    """Return the beginning of a submission, if the board has changed since the last one."""
    if not isinstance(refusal.reason, ChangedSinceSubmit):
        return None
    at = of_board(refusal.reason.game)
    return SUBMIT.command(**at, userid=command["userid"], wish=Blank("PLACEMENTS"))


class SubmittedNotice(BoardOutcomeNotice, frozen=True):
    """A move that waits until the reader confirms it."""

    submission: Submission
    supposed: Game
    """The game as it would be after the move."""

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the board as it would be."""
        return (ShownBoard(self.supposed, is_now=False),)


def _read_submitted(words: Sequence[str]) -> tuple[Wish, int | None]:
    wish, guard = wishes.read_wish(words)
    if isinstance(wish, Deed) and wish not in _SUBMITTED:
        raise Unreadable(wishes.NoTurn(wishes.names_of(_SUBMITTED)), words[0])
    return wish, guard


_SUBMITTED_SHOWN = ("PLACEMENTS[#N]", f"{'|'.join(wishes.names_of(_SUBMITTED))}[#N]")


def submit(on: Context, kind: Kind, board: int, wish: Wish, guard: int | None) -> Outcome:
    """Draw a board as it would be after a move, and keep the move until it is confirmed."""
    game, account = on.game(kind, board), on.own
    side = moving.side_of(on, game)
    moving.check_guard(guard, game)
    supposed = game.act(side, wish, game.time_of_next(on.now), on.key)
    others = (each for each in account.submissions if not each.is_on(game))
    kept = (each for each in others if not moving.is_over(on, each.kind, each.board))
    submitted = Submission.of(kind.name, board, game.next_number, wish)
    account = on.save(structs.replace(account, submissions=(*kept, submitted)))
    told = SubmittedNotice(on.reader_at(account), game, submitted, supposed)
    return done([told], game.name)


def confirm(on: Context, kind: Kind, board: int) -> Outcome:
    """Make the move that a player has submitted, if the board has not changed since."""

    def wished(game: Game) -> Wish:
        submission = submitted_on(on.own.submissions, game)
        if submission is None:
            raise NotAllowed(NothingSubmitted(game))
        if not game.meets_guard(submission.number):
            raise NotAllowed(ChangedSinceSubmit(game, submission.number, submission.wish))
        return submission.wish

    return moving.carry_out(on, kind, board, wished)


_IF, _THEN = re.compile(r"\bif\b"), re.compile(r"\bthen\b")
_WORD = re.compile(r"[^\W\d_]+")


class Queueing(Enum):
    """A change of the queue of a board."""

    SHOW = "show"
    CLEAR = "clear"
    SET = "set"


_QUEUEING = frozenset({"if", "then", Queueing.CLEAR.value})
"""The words of the command besides those for what is played."""


class BadQueue(UnreadableReason, frozen=True):
    """The words are neither a turn nor clauses of `if` and `then`."""

    most: int
    """The most answers that there may be."""


class YourOwnTurn(OfBoard, NotAllowedReason, frozen=True):
    """It is the player's own turn, so there is nothing to wait for."""


class SeveralFirst(OfBoard, NotAllowedReason, frozen=True):
    """It is the player's own turn, and they name several turns to begin with."""


class TooManyQueued(OfBoard, NotAllowedReason, frozen=True):
    """More would be queued on the board than one may have there."""

    most: int


class NotQueued(OfBoard, NotAllowedReason, frozen=True):
    """The turn to be dropped is not queued."""

    clause: str


class QueuedAfterEnd(OfBoard, NotAllowedReason, frozen=True):
    """The game would be over after a turn that is not the last one."""

    condition: str
    """That turn."""
    is_own: bool
    """Whether it is an answer."""


class QueuedWithinTurn(OfBoard, NotAllowedReason, frozen=True):
    """A player would have to go on after what was given as their turn."""

    condition: str
    """What was given."""
    is_own: bool
    """Whether it is an answer."""


def _queue_instead(command: Command, refusal: Refusal) -> Command | None:
    """Return a move if it is the player's turn, or else the same for the board as it is."""
    match refusal.reason:
        case YourOwnTurn(game=game):
            first: Clause = command["clauses"][0]
            wish = (
                wishes.possible_wish(game, first.turns[0])
                if first.is_for_any
                else wishes.next_wish(game)
            )
            return suggested(game, command["userid"], wish) if wish else None
        case moving.OtherRecord(game=game):
            renewed = command.with_values(guard=game.next_number)
            with suppress(Refusal):
                _try_queue(renewed, game)
                return renewed
    return None


def _try_queue(command: Command, game: Game) -> None:
    if command["queueing"] is Queueing.SET:
        _checked(command["clauses"], command["guard"], command["userid"], game)


def _checked(
    clauses: Sequence[Clause], guard: int | None, userid: str, game: Game
) -> tuple[Wish | None, tuple[Clause, ...]]:
    """Return the turn that is played at once, if it is the player's, and what waits after that.

    Raises a refusal for what could never be played.
    """
    if game.result:
        raise NotAllowed(GameOver(game))
    first: Wish | None = None
    if game.player_to_move == userid:
        clauses = _from_own_turn(clauses, game)
        first = clauses[0].turns[0]
    moving.check_guard(guard, game)
    for clause in clauses:
        if first or not clause.is_for_any:
            _check_turns(clause.turns, game, userid)
        elif clause.depth:
            raise NotAllowed(NotYourTurn(game))
        else:
            game.check_cells(clause.turns[0])
    if first:
        clauses = [Clause(clause.turns[1:]) for clause in clauses if clause.depth]
    return first, tuple(clauses)


def _from_own_turn(clauses: Sequence[Clause], game: Game) -> list[Clause]:
    """Return clauses that all begin with the turn that is played at once.

    It need not be said again in front of each. Raises NotAllowed if there is none, or several, and
    if nothing is to be queued after it.
    """
    first = {clause.turns[0] for clause in clauses if clause.is_for_any}
    if not first or not any(clause.depth or not clause.is_for_any for clause in clauses):
        raise NotAllowed(YourOwnTurn(game))
    if len(first) > 1:
        raise NotAllowed(SeveralFirst(game))
    return [clause if clause.is_for_any else Clause((*first, *clause.turns)) for clause in clauses]


def _check_turns(turns: Sequence[Wish], game: Game, userid: str) -> None:
    """Raise a refusal if turns cannot be made one after the other by the two players."""
    for nth, turn in enumerate(turns):
        supposed = " ".join(map(format_wish, turns[:nth]))
        is_own, told = game.player_to_move == userid, format_wish(turn)
        try:
            after = game.act(game.to_move, turn, game.latest, key="")
        except Refusal as refusal:
            told_to = "" if is_own else game.player_to_move
            raise _supposing(refusal, supposed, told_to) from None
        if nth + 1 < len(turns) and after.result:
            raise NotAllowed(QueuedAfterEnd(game, told, is_own, supposed=supposed))
        if nth + 1 < len(turns) and after.player_to_move == game.player_to_move:
            raise NotAllowed(QueuedWithinTurn(game, told, is_own, supposed=supposed))
        game = after


_Queued = tuple[Queueing, tuple[Clause, ...], int | None]


def _read_queue(words: Sequence[str]) -> _Queued:
    """Return what some words queue, and the number behind `#`. Raises Unreadable."""
    if not words:
        return Queueing.SHOW, (), None
    words = [_WORD.sub(_in_english, word) for word in words]
    if fold(words[0]) == Queueing.CLEAR.value:
        return Queueing.CLEAR, _read_clauses(" ".join(words[1:])), None
    text, hash_sign, number = " ".join(words).partition("#")
    guard = read_guard(f"#{number.strip()}") if hash_sign else None
    return Queueing.SET, _read_clauses(text), guard


def _in_english(word: re.Match[str]) -> str:
    """Return `if`, `then` or `clear` for a word that means that, or else the word."""
    meant = in_english(word[0], _QUEUEING)
    return meant if meant in _QUEUEING else word[0]


def _read_clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses in a text, or the answer to any turn that it is. Raises Unreadable."""
    if not _IF.search(text):
        return (Clause((_read_turn(text),)),) if text else ()
    clauses = tuple(_read_clause(part) for part in text.split(";") if part.strip())
    if sum(clause.depth + 1 for clause in clauses) > MOST_CLAUSES:
        raise Unreadable(BadQueue(MOST_CLAUSES))
    return clauses


def _read_clause(text: str) -> Clause:
    first, *pairs = _IF.split(text)
    turns = [first] if first.strip(" ,") else []
    for pair in pairs:
        turns += _THEN.split(pair) if len(_THEN.findall(pair)) == 1 else [""]
    if not pairs or not all(turn.strip(" ,") for turn in turns):
        raise Unreadable(BadQueue(MOST_CLAUSES))
    return Clause(tuple(map(_read_turn, turns)))


def _in_one_line(lines: Iterable[str]) -> str:
    """Return the clauses on some lines in one; a line goes on from one above it that stands out."""
    found, above = list[str](), list[tuple[int, str]]()
    for line in lines:
        words = line.strip()
        indent = line.index(words)
        above = [each for each in above if each[0] < indent]
        begun = above[-1][1] if above else ""
        if begun and found[-1] == begun:
            found.pop()
        found.append(f"{begun} {words}".strip())
        above.append((indent, found[-1]))
    return "; ".join(found)


def _read_turn(text: str) -> Wish:
    wish, _ = wishes.read_wish(text.split())
    if isinstance(wish, Deed) and wish not in PLAYING:
        raise Unreadable(wishes.NoTurn(wishes.names_of(PLAYING)), text.strip())
    return wish


def _write_queue(queued: _Queued) -> list[str]:
    """Return the words that are read as what is queued."""
    queueing, clauses, guard = queued
    if queueing is Queueing.SHOW:
        return []
    words = "; ".join(map(str, clauses))
    if queueing is Queueing.CLEAR:
        return [Queueing.CLEAR.value, *([words] if words else [])]
    return [words if guard is None else f"{words}#{guard}"]


class QueuedNotice(BoardOutcomeNotice, frozen=True):
    """The turns that the reader has queued on a board."""

    plans: tuple[Clause, ...]
    """A clause for each answer."""
    dropped: tuple[Clause, ...] = ()
    """What waited before, and no longer does because of this command."""
    is_cleared: bool = False
    """Whether it was to be dropped."""

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the board."""
        return (ShownBoard(self.game),)


_CLAUSES_SHOWN = "if PLACEMENTS then PLACEMENTS[ if ..][#N]"


def queue(
    on: Context,
    kind: Kind,
    board: int,
    queueing: Queueing,
    clauses: tuple[Clause, ...],
    guard: int | None,
) -> Outcome:
    """Queue what to play on a board after the other player's turns, or show or drop what is queued.

    What was queued there before stays, but for other answers to the same turns. In the player's own
    turn, a turn to begin with is played at once.
    """
    game, account = on.game(kind, board), on.own
    before = ahead.waiting(account.queue, account.userid, game)
    if queueing is Queueing.SHOW:
        moving.side_on(account.userid, game)
        return answered(_queued(on, game, account, before))
    moving.side_of(on, game)
    if queueing is Queueing.SET and not game.result and game.player_to_move == account.userid:
        return _play_first(on, game, clauses, guard)
    standing = ahead.standing(account.queue, account.userid, game)
    queued = tuple(standing)
    if queueing is Queueing.SET:
        _, waits = _checked(clauses, guard, account.userid, game)
        queued = ahead.with_clauses(queued, waits)
    for clause in clauses if queueing is Queueing.CLEAR else ():
        if clause not in ahead.tree(queued):
            raise NotAllowed(NotQueued(game, str(clause)))
        queued = ahead.without_clause(queued, clause)
    if queueing is Queueing.CLEAR and not clauses:
        queued = ()
    account = on.save(_with_queued(on, game, queued, standing, game.next_number))
    told = _queued(on, game, account, before, is_cleared=queueing is Queueing.CLEAR)
    return done([told], game.name)


def _queued(
    on: Context,
    game: Game,
    account: Account,
    before: Sequence[Clause],
    *,
    is_cleared: bool = False,
) -> QueuedNotice:
    queued = ahead.waiting(account.queue, account.userid, game)
    is_left = {each for clause in queued for each in clause.beginnings}
    dropped = tuple(clause for clause in before if clause not in is_left)
    return QueuedNotice(on.reader_at(account), game, ahead.tree(queued), dropped, is_cleared)


def _play_first(on: Context, game: Game, clauses: Sequence[Clause], guard: int | None) -> Outcome:
    """Play the turn with which clauses begin, and queue what follows it."""
    first, rest = _checked(clauses, guard, on.player.userid, game)
    queued = ahead.with_clauses((), rest)
    on.save(_with_queued(on, game, queued, {}, game.next_number + 1))
    wish: Wish = first or Deed.PASS
    return moving.carry_out(on, game.header.kind, game.header.board, lambda _game: wish)


def _with_queued(
    on: Context, game: Game, queued: Sequence[Clause], before: Mapping[Clause, Plan], number: int
) -> Account:
    """Return the account with what is queued on a board; new is what is not among those before.

    What it has on boards that are over is left out. Raises NotAllowed if that is too much.
    """
    if len(ahead.tree(queued)) > ahead.MOST_ANSWERS:
        raise NotAllowed(TooManyQueued(game, ahead.MOST_ANSWERS))
    others = (plan for plan in on.own.queue if not plan.is_on(game))
    kept = (plan for plan in others if not moving.is_over(on, plan.kind, plan.board))
    at = game.header.kind.name, game.header.board, number, on.key
    plans = (before.get(clause) or Plan.of(*at, clause) for clause in queued)
    return structs.replace(on.own, queue=(*kept, *plans))


def _supposing(refusal: Refusal, supposed: str = "", told_to: str = "") -> Refusal:
    """Return a refusal about a turn that was only supposed."""
    reason = refusal.reason
    if not isinstance(reason, MayHaveBoard):
        return refusal
    reason = structs.replace(reason, supposed=supposed, told_to=told_to)
    return type(refusal)(reason, refusal.culprit)


def _with_clauses(command: Command, text: str) -> tuple[Command, str]:
    """Return a command with what lines of the text queue, and the text that the other player sees.

    These never see lines that queue, even if they cannot be read, nor what stands below `queue`.
    """
    lines, is_queue = text.split("\n"), command.form is QUEUE
    below = [line for line in lines if _is_clause(line)]
    begun = {"queueing": Queueing.SET, "clauses": (), **command.given}
    wish: Wish | None = begun.pop("wish", None)
    is_deed = isinstance(wish, Deed) and wish not in PLAYING
    if not below or is_deed or begun["queueing"] is Queueing.CLEAR:
        return command, "" if is_queue else text
    above = format_wish(wish) if wish else "; ".join(map(str, begun["clauses"]))
    between = "; " if "if " in above else " "
    words = split_words(f"{above}{between}{_in_one_line(below)}")
    queued = QUEUE.command(" ".join(words))
    begun |= {"queueing": Queueing.SET, "clauses": queued["clauses"]}
    begun["guard"] = begun.get("guard") or queued["guard"]
    rest = "\n".join(line for line in lines if wish and line not in below)
    return QUEUE.command(**begun), rest


def _is_clause(line: str) -> bool:
    """Return whether a line has a turn behind `if`, and goes on with `then`."""
    words = first_words(line, MOST_WORDS)
    meant = [in_english(word, _QUEUEING) for word in words]
    if meant[:1] != ["if"] or "then" not in meant:
        return False
    return meant[1] in wishes.DEEDS or bool(wishes.CELLS.match(fold(words[1])))


MOVE = Form(
    "move",
    OF_BOARD,
    wishes.rest_of_wish(wishes.WISH_SHOWN, wishes.read_wish),
    answers={Topic.PLAY: AnsweredBy.WORDS},
    with_lines=_with_clauses,
    instead=_move_instead,
    try_on=_try_move,
    run=ForPlayer(move),
)


def _short_form(deed: Deed) -> Form[ForPlayer]:
    """Return the short form of a deed: `oust resign 17 alice secret`."""
    return Form(
        deed.value,
        OF_BOARD,
        short_for=MOVE,
        implied={"wish": deed, "guard": None},
        instead=_move_instead,
        try_on=_try_move,
        run=MOVE.run,
    )


PREVIEW = Form(
    "preview",
    (BOARD,),
    wishes.rest_of_wish(wishes.WISH_SHOWN[:1], _read_placements),
    try_on=_try_preview,
    run=ForAnybody(preview),
)
SUBMIT = Form(
    "submit",
    OF_BOARD,
    wishes.rest_of_wish(_SUBMITTED_SHOWN, _read_submitted),
    instead=_submit_instead,
    try_on=_try_move,
    run=ForPlayer(submit),
)
QUEUE = Form(
    "queue",
    OF_BOARD,
    Rest(
        ("queueing", "clauses", "guard"),
        ("PLACEMENTS[#N]", _CLAUSES_SHOWN, "[clear[ if ..]]"),
        _read_queue,
        _write_queue,
        least=0,
        fixed=_QUEUEING | wishes.DEEDS,
        write_answer=lambda queued, _board: _write_queue((*queued[:2], None)),
    ),
    text=Text.UNSEEN,
    with_lines=_with_clauses,
    instead=_queue_instead,
    try_on=_try_queue,
    run=ForPlayer(queue),
)
FORMS: tuple[Form[ForPlayer | ForAnybody], ...] = (
    MOVE,
    QUEUE,
    SUBMIT,
    Form("confirm", OF_BOARD, instead=_confirm_instead, run=ForPlayer(confirm)),
    PREVIEW,
    _short_form(Deed.RESIGN),
    _short_form(Deed.DECLINE),
)
