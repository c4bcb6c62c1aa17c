"""`pbm-oust games list`, `show`, `history`, `why`, `export`, `import` and `analyse`.

Boards are looked at, and come and go in other forms. What a search says about a game that is over
is a table.
"""

import re
import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from textwrap import wrap
from typing import Any

import click
from msgspec import structs

from pbm_oust.accounts.account import Account
from pbm_oust.board import Game, Summary
from pbm_oust.board.formats import in_format, parse_any, record_fields, summary_fields
from pbm_oust.board.history import BadHistory
from pbm_oust.board.notation import MOST_GIVEN, format_action, format_time, format_wish
from pbm_oust.board.sgf import decoded, format_sgf, has_tree
from pbm_oust.board.sheet import BadGame, Sheet, read_sheet
from pbm_oust.cli import common, terminal
from pbm_oust.cli.terminal import Output
from pbm_oust.doctor import counted
from pbm_oust.grammar.values import BoardAt, Filter
from pbm_oust.languages import ENGLISH
from pbm_oust.letters.words import words_in
from pbm_oust.mail.reading import UnreadableMail, whole_texts
from pbm_oust.play.context import Look
from pbm_oust.play.moving import Channel, Provenance, origin_of
from pbm_oust.refusal import NotAllowed
from pbm_oust.render.text import GLYPHS, Glyphs, board_text, players_text
from pbm_oust.robot import analysis as analyses
from pbm_oust.robot.judging import judged
from pbm_oust.robot.search import can_search, lack
from pbm_oust.robot.turning import TurningPoint, explained
from pbm_oust.rules import KINDS, How, Kind, Side
from pbm_oust.store.analyses import keep, kept
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.database import Snapshot
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.index import BoardName, entry_of
from pbm_oust.store.letters import LetterState, answers_about
from pbm_oust.store.open_boards import NotImported, import_game, plan_import, source_of


def _styled(letters: tuple[str, str], colour: str) -> tuple[str, str]:
    usual, latest = letters
    return click.style(usual, fg=colour, bold=False), click.style(latest, fg=colour, bold=True)


_COLOURED = Glyphs(x=_styled(GLYPHS.x, "red"), o=_styled(GLYPHS.o, "cyan"))

MOST_DEADLINES = 200
"""Of how many boards in play a list has the deadlines, unless all are wanted."""
PAUSE = 0.5
"""Seconds between two looks at the size of the history."""

_WAYS = {
    Channel.MAIL: "by a mail",
    Channel.QUEUED: "queued before, and followed at once on the record of a mail",
    Channel.PASSED: "the server passed for the player after the record of a mail",
    Channel.SWEEP: "by a sweep, because it was due",
    Channel.HOUSE: "by the house, a program of this server",
    Channel.OPERATOR: "by the operator",
    Channel.IMPORTED: "imported with the game",
    Channel.UNKNOWN: "by a mail of which nothing is kept",
}
_STATES = {
    LetterState.WAITING: "waits in the outbox",
    LetterState.HELD: "is held in the outbox",
    LetterState.FAILED: "has failed",
    LetterState.FILE: "is a file in the outbox",
}


@common.command("list", has_json=True)
@click.argument("kind", type=common.KIND, required=False)
@click.option(
    "--player",
    type=common.USERID,
    metavar="USERID",
    help="Only the boards of this player.",
    shell_complete=common.complete_userids,
)
@click.option(
    "--which",
    type=click.Choice([each.value for each in Filter]),
    default=Filter.ALL.value,
    show_default=True,
    help="All boards, active ones, those that are over, or those that wait for the player.",
)
@click.option(
    "--all",
    "is_whole",
    is_flag=True,
    help=f"With the deadlines of more than {MOST_DEADLINES} boards in play, which takes long.",
)
def list_(
    operator: common.Operator,
    kind: Kind | None,
    player: str | None,
    which: str,
    *,
    is_whole: bool,
    output: Output,
) -> None:
    """List boards.

    The histories of boards in play are read for their deadlines, unless there are many.
    """
    found, damaged = list[Summary](), False
    player = player or ""
    for each in [kind] if kind else KINDS.values():
        for entry in operator.boards.entries(each, player):
            if isinstance(entry, DamagedHistory):
                terminal.say(f"Error: {entry}", err=True)
                damaged = True
            elif _is_wanted(entry, Filter(which), player):
                found.append(entry)
    if player and not found and not operator.knows(player):
        raise common.Refused(f"there is no player {player}")
    deadline_of = _deadlines(operator, found, is_whole=is_whole)
    columns: terminal.Columns[Summary] = {
        "BOARD": lambda board: board.name,
        "GRID": "grid",
        "X": "x",
        "O": "o",
        "RECORDS": "records",
        "STATE": state_of,
        "DEADLINE": "deadline",
    }
    output.items(
        found, lambda board: summary_fields(board) | {"deadline": deadline_of(board)}, columns
    )
    if damaged:
        raise SystemExit(1)


def _is_wanted(entry: Summary, which: Filter, player: str) -> bool:
    """Return whether a board belongs on a list for a player, or for all if none is named."""
    is_theirs = player in ("", entry.x, entry.o)
    if which is Filter.NEXT:
        return is_theirs and entry.result is None and player in ("", entry.to_move)
    return is_theirs and which in (Filter.ALL, Filter.INACTIVE if entry.result else Filter.ACTIVE)


def _deadlines(
    operator: common.Operator, boards: Sequence[Summary], *, is_whole: bool
) -> Callable[[Summary], str | None]:
    """Return a function: the deadline of a board, whose history is read for it; None if it is over.

    Of more than so many boards it gives none and says so, unless all are wanted.
    """
    active = sum(each.result is None for each in boards)
    if active > MOST_DEADLINES and not is_whole:
        terminal.say(
            f"the deadlines of {active} boards in play are left out; --all shows them", err=True
        )
        return lambda _board: None
    accounts: dict[str, Account | None] = {}

    def deadline(board: Summary) -> str | None:
        if board.result:
            return None
        return _deadline_of(operator, operator.game(board.kind, board.board), accounts)

    return deadline


def _deadline_of(
    operator: common.Operator, game: Game, accounts: dict[str, Account | None] | None = None
) -> str | None:
    """Return the deadline of the player to move; None if the game is over or nobody knows.

    `accounts` are those that were read before.
    """
    home = operator.home
    if game.result:
        return None
    with suppress(DatabaseFault), home.database.read() as snapshot:
        on = Look(snapshot, home, home.now(), accounts=accounts)
        return format_time(on.clock_of(game).deadline)
    return None


def state_of(board: Summary) -> str:
    """Return whose turn it is, or who won and how: `dave won, capture`."""
    if board.result is None:
        side = board.side_to_move
        return f"{board.to_move} ({side.value if side else ''}) to move"
    how, winner = board.result.how, board.winner
    if how is How.VOID:
        return "never begun"
    if how is How.AGREED:
        return f"{winner} won, award" if winner else "draw"
    return f"{winner} won, {how.value}" if winner else f"draw, {how.value}"


@common.command(has_json=True)
@common.board_at_named
@click.option(
    "--watch",
    "is_watched",
    is_flag=True,
    help="Draw it again after each record, until the game is over.",
)
def show(
    operator: common.Operator, kind: Kind, board: BoardAt, is_watched: bool, output: Output
) -> None:
    """Draw a board as it is, or as it was after record N."""
    if is_watched:
        if output.is_json or board.number is not None:
            raise click.UsageError("--watch goes neither with --json nor with #N")
        _watch(operator, kind, board.board)
        return
    game = operator.game(kind, board.board)
    if board.number is not None:
        if board.number > len(game.records):
            raise common.Refused(f"{game.name} has {counted(len(game.records), 'record')}")
        game = game.after(board.number)
    if output.is_json:
        deadline = {"deadline": _deadline_of(operator, game)}
        output.json(summary_fields(entry_of(game)) | deadline | _stone_fields(game))
    else:
        terminal.page(terminal.TerminalText(f"{_headed(game)}\n"))


def _stone_fields(game: Game) -> dict[str, Any]:
    grid, position = game.header.grid, game.position
    return {
        "stones": {side.value: grid.names(position.stones(side)) for side in Side},
        "tally": {side.value: list(position.tally(side)) for side in Side},
        "placements": [] if game.result else grid.names(position.placements()),
        "must_pass": game.must_pass,
    }


def _heading(game: Game) -> str:
    """Return the name, the grid and the state of a board."""
    return f"{game.name}, {game.header.grid}: {state_of(entry_of(game))}"


def _headed(game: Game) -> terminal.TerminalText:
    """Return a board as it is printed, below its heading."""
    return terminal.TerminalText(f"{terminal.shown(_heading(game))}\n\n{_drawn(game)}")


def _drawn(game: Game) -> terminal.TerminalText:
    """Return a board with its players, in colours if there are any."""
    glyphs = _COLOURED if terminal.has_colours() else GLYPHS
    board = board_text(game.position, game.latest_stones(), glyphs)
    return terminal.TerminalText(f"{terminal.shown(players_text(game))}\n\n{board}")


def _watch(operator: common.Operator, kind: Kind, board: int) -> None:
    """Draw a board until its game is over or the person at the keyboard presses Ctrl-C.

    Raises Refused if there is no such board, and DamagedHistory.
    """
    path = operator.home.history_path(BoardName(kind.name, board))
    size, seen = -1, None
    try:
        while seen is None or not seen.result:
            grown = path.stat().st_size if path.exists() else 0
            if grown != size:
                game = operator.game(kind, board)
                if game != seen:
                    _draw(game, is_first=seen is None)
                size, seen = grown, game
            else:
                time.sleep(PAUSE)
    except KeyboardInterrupt:
        terminal.say()


def _draw(game: Game, *, is_first: bool) -> None:
    if terminal.is_terminal():
        click.clear()
    elif not is_first:
        terminal.say()
    terminal.say(_headed(game))


@common.command(has_json=True)
@common.board_named
def history(operator: common.Operator, kind: Kind, board: int, output: Output) -> None:
    """Print the history of a board.

    In JSON, x and o are the players as the game stands, and at_start as the header names them.
    """
    if output.is_json:
        game = operator.game(kind, board)
        records = [record_fields(record) for record in game.records]
        header = {"X": game.header.x, "O": game.header.o}
        output.json(summary_fields(entry_of(game)) | {"at_start": header, "records": records})
    else:
        terminal.page(operator.history(kind, board).decode("utf-8", "replace"))


@common.command(has_json=True)
@common.board_at_named
def why(operator: common.Operator, kind: Kind, board: BoardAt, output: Output) -> None:
    """Tell which mail led to record N of a board, or to its latest one.

    What is kept about a mail goes after a year, or with the account of its player.
    """
    game = operator.game(kind, board.board)
    try:
        with operator.home.database.read() as snapshot:
            origin = origin_of(snapshot, game, board.number)
            answer = _answer_to(snapshot, origin)
    except NotAllowed:
        raise common.Refused(f"{game.name} has {counted(len(game.records), 'record')}") from None
    output.json(_origin_fields(origin, answer))
    record = origin.record
    owner = f"{origin.mover} ({record.by})" if origin.mover else "the server"
    said = f"{owner}, {format_action(record.action)}, {format_time(record.at)}"
    output.say(f"{game.name} record {record.number}: {said}")
    output.rows(_origin_rows(origin, answer))


def _answer_to(snapshot: Snapshot, origin: Provenance) -> str | None:
    """Return the state of the letter that answered the mail; None if there was no mail."""
    cause = origin.cause
    if cause is None or cause.mail is None:
        return None
    states = answers_about(snapshot, game=origin.game, record=cause.until, userid=cause.mail.userid)
    return ", ".join(_STATES[state] for state in states) or "has left the outbox"


def _origin_rows(origin: Provenance, answer: str | None) -> list[tuple[str, str]]:
    cause = origin.cause
    rows = [("how", _WAYS[origin.way])]
    if cause is None:
        return rows
    rows.append(("came" if cause.mail else "imported", format_time(cause.came)))
    if cause.mail:
        rows += [
            ("player", cause.mail.userid),
            ("from", cause.mail.sender),
            ("Message-ID", cause.mail.message_id or "none"),
            ("id", cause.mail.mail_id or "none"),
            ("records", f"{cause.record} to {cause.until}"),
            ("answer", f"the board after record {cause.until}; it {answer}"),
        ]
    return rows


def _origin_fields(origin: Provenance, answer: str | None) -> dict[str, Any]:
    """Return the origin of a record as JSON."""
    header, cause = origin.game.header, origin.cause
    mail = cause.mail if cause else None
    return {
        "kind": header.kind.name,
        "board": header.board,
        "record": record_fields(origin.record),
        "way": origin.way.value,
        "came": format_time(cause.came) if cause else None,
        "records": [cause.record, cause.until] if cause else None,
        "mail": {
            "userid": mail.userid,
            "from": mail.sender,
            "message_id": mail.message_id or None,
            "id": mail.mail_id or None,
            "answer": answer,
        }
        if mail
        else None,
    }


_HEADER = re.compile(rb"From |[A-Za-z-]+:[ \t]")
"""How a mail begins."""

MOST_SECONDS = 3600
"""How long a position may be searched."""
_CERTAIN = {0.0: "lost", 0.5: "draw", 1.0: "won"}


@common.command()
@common.board_named
@click.option("--sgf", is_flag=True, help="SGF, which programs for Go can show.")
@click.option("--json", is_flag=True, help="One JSON object.")
def export(operator: common.Operator, kind: Kind, board: int, **forms: bool) -> None:
    """Print a game as SGF or JSON.

    `games import` reads it back without loss.
    """
    chosen = [form for form, is_chosen in forms.items() if is_chosen]
    if not chosen:
        raise click.UsageError("say in which form: --sgf or --json")
    if len(chosen) > 1:
        named = " and ".join(f"--{form}" for form in chosen)
        raise click.UsageError(f"{named} are two forms; choose one of them")
    try:
        sheet = read_sheet(operator.history(kind, board))
    except BadHistory as error:
        path = operator.home.history_path(BoardName(kind.name, board))
        raise common.Refused(f"{path}: {error}") from None
    terminal.say_data(in_format(chosen[0], sheet).encode())


@common.command("import")
@common.import_argument
@click.option(
    "--as",
    "number",
    type=click.IntRange(1, MOST_GIVEN),
    metavar="N",
    help="The number of the board; the next one by default.",
)
@click.option(
    "--into",
    is_flag=True,
    help="Put it where it says that it belongs: a tournament, a ladder, or behind another board.",
)
@click.option("--dry-run", is_flag=True, help="Check everything and write nothing.")
@common.large_option
def import_(
    operator: common.Operator, file: str, number: int | None, into: bool, dry_run: bool, large: bool
) -> None:
    """Make a board from a game in FILE, or on standard input.

    The game may be SGF or JSON from `games export`, a history, or a text or mail with SGF, as the
    last mails of a game are, quoted, attached or not; gzip may have compressed it. Every record is
    checked against the rules. Both players of a game that goes on need accounts. Nobody is mailed.
    What the game says of tournaments and ladders is left out without --into.
    """
    name, data = common.read_import(file, large=large)
    try:
        draft = parse_any(_text(data))
        make = plan_import if dry_run else import_game
        home = operator.home if dry_run else operator.prepared_home()
        game = make(draft, home, operator.home.now(), number, into=into)
    except (BadGame, NotImported) as error:
        raise common.Refused(f"{name}: {error}") from None
    except NotAllowed as refusal:
        raise common.Refused(str(refusal.reason)) from None
    told = "would import" if dry_run else "imported"
    records = counted(len(game.records), "record")
    terminal.say(f"{told} {game.name}: {game.x} (x), {game.o} (o), {records}")
    if source := source_of(draft):
        said = source.remark.decode().strip()
        terminal.say(f"kept: {said}" if into else f"left out, as --into is not given: {said}")


def _text(data: bytes) -> str:
    """Return the text of a file, or of a mail in a file."""
    if _HEADER.match(data):
        try:
            texts = whole_texts(data)
        except UnreadableMail as error:
            raise BadGame("the mail", str(error)) from None
        if found := next(filter(has_tree, texts), ""):
            return found
    if text := decoded(data):
        return text
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadGame(f"line {line}", "the text is not UTF-8") from None


@common.command(has_json=True)
@common.board_named
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, max=MOST_SECONDS, min_open=True),
    default=analyses.SECONDS,
    show_default=True,
    metavar="N",
    help="How long each position is searched, in processor time.",
)
@click.option("--sgf", is_flag=True, help="Print SGF with comments, of which Sabaki draws a curve.")
def analyse(
    operator: common.Operator, kind: Kind, board: int, seconds: float, sgf: bool, output: Output
) -> None:
    """Say how likely x was to win after each record of a game.

    Beside that stands how to go on best from there, and below it why the game turned. The game must
    be over. It takes --seconds for each record, and less where the end is near. x is the side,
    whoever owned it at the time; ! marks the turning points. The result is kept in the home, where
    pages show it. What is kept is printed at once if it was searched for as long.
    """
    if sgf and output.is_json:
        raise click.UsageError("--sgf and --json are two forms; choose one of them")
    game = operator.game(kind, board)
    if not game.result:
        raise common.Refused(f"{game.name} is not over, and only games that are over are analysed")
    analysis = _analysis(operator, game, seconds)
    points, words = explained(game, analysis), words_in(ENGLISH, "")
    said = {point.number: words.turned(point) for point in points}
    if sgf:
        terminal.say_data(format_sgf(Sheet(game), analyses.notes_of(analysis, said)).encode())
        return
    turning = [_point_fields(point, said[point.number]) for point in points]
    fields = {"turning_points": turning, **_fields(analysis)}
    output.json(summary_fields(entry_of(game)) | fields)
    output.say(f"{_heading(game)}; {analysis.seconds:g} s a position")
    headings = ("", "#", "BY", "PLAYED", "X WINS", "BEST FROM THERE")
    output.rows([headings, *_rows(game, analysis, said)])
    for text in said.values():
        output.say()
        for line in wrap(text, subsequent_indent="  "):
            output.say(line)


def _analysis(operator: common.Operator, game: Game, seconds: float) -> analyses.Analysis:
    """Return an analysis that is kept, or a deeper one, which is kept from then on."""
    home = operator.prepared_home()
    found = home.ask(kept, game)
    if found and found.seconds >= seconds:
        return found
    header = game.header
    if not can_search(header.kind.name, header.grid):
        reason = lack() or f"the house does not search {header.kind.name} on {header.grid}"
        raise common.Refused(f"{game.name} cannot be analysed: {reason}")
    evaluations, number = list[analyses.Evaluation](), len(game.records) + 1
    with terminal.progress_bar("searching") as progress:
        for evaluation in judged(game, seconds, time.thread_time):
            evaluations.append(evaluation)
            progress(len(evaluations), number)
    analysis = analyses.Analysis.of(game, seconds, evaluations)
    home.do(keep, game, analysis)
    return analysis


def _rows(
    game: Game, analysis: analyses.Analysis, turning: Container[int]
) -> Iterator[tuple[object, ...]]:
    """Yield what the table says about the start, and then about each record."""
    first, *later = analysis.evaluations
    yield "", 0, "", "", _rate(first), analyses.line_text(first)
    for record, evaluation in zip(game.records, later, strict=True):
        mark = "!" if record.number in turning else ""
        played = record.by, format_action(record.action)
        yield mark, record.number, *played, _rate(evaluation), analyses.line_text(evaluation)


def _rate(evaluation: analyses.Evaluation) -> str:
    """Return the chance of x to win, in a word where it is certain."""
    return _CERTAIN[evaluation.x_wins] if evaluation.is_certain else f"{evaluation.x_wins:.1%}"


def _point_fields(point: TurningPoint, said: str) -> dict[str, object]:
    """Return a turning point as JSON."""
    return {
        "number": point.number,
        "player": point.player,
        "chances": [round(chance, 4) for chance in point.chances],
        "reasons": [
            {
                name: format_wish(value) if name == "turn" and value else value
                for name, value in {"word": why.word, **structs.asdict(why)}.items()
            }
            for why in point.reasons
        ],
        "better": [format_wish(wish) for wish in point.better],
        "words": said,
    }


def _fields(analysis: analyses.Analysis) -> dict[str, object]:
    return {
        "seconds": analysis.seconds,
        "positions": [
            {"after": number, **analyses.evaluation_fields(evaluation)}
            for number, evaluation in enumerate(analysis.evaluations)
        ],
    }
