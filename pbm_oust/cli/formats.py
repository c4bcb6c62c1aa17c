"""`pbm-oust games export`, `import` and `analyse`: games in other forms.

They are SGF and JSON, there and back, and a table of what a search says about a game that is over.
"""

import re
import time
from collections.abc import Callable, Iterator

import click

from pbm_oust.board.formats import parse_any
from pbm_oust.board.formats.sgf import format_sgf, has_tree
from pbm_oust.board.formats.sheet import BadGame, Sheet, read_sheet
from pbm_oust.board.formats.structured import format_structured
from pbm_oust.board.game import Game
from pbm_oust.board.history import BadHistory
from pbm_oust.board.notation import MOST_GIVEN, format_action
from pbm_oust.cli.games import state_of, summary
from pbm_oust.cli.operator import (
    Operator,
    Refused,
    as_json,
    board_number,
    import_argument,
    kind_name,
    large_option,
    pass_operator,
    print_json,
    print_table,
    read_import,
)
from pbm_oust.cli.terminal import progress_bar, say, say_data
from pbm_oust.doctor.finding import counted
from pbm_oust.mail.reading import UnreadableMail, whole_texts
from pbm_oust.robot.analysis import (
    SECONDS,
    Analysis,
    Evaluation,
    evaluation_fields,
    judged,
    line_text,
    notes_of,
    turning_points,
)
from pbm_oust.robot.search import can_search, lack
from pbm_oust.rules.position import Kind
from pbm_oust.service.house import keep, kept
from pbm_oust.store.index import BoardName, entry_of
from pbm_oust.store.open_boards import NotImported, import_game, plan_import

_FORMATS: dict[str, Callable[[Sheet], str]] = {
    "sgf": format_sgf,
    "json": format_structured,
}
_HEADER = re.compile(rb"From |[A-Za-z-]+:[ \t]")
"""How a mail begins."""

MOST_SECONDS = 3600
"""How long a position may be searched."""
_CERTAIN = {0.0: "lost", 0.5: "draw", 1.0: "won"}


@click.command()
@kind_name
@board_number
@click.option("--sgf", is_flag=True, help="SGF, which programs for Go can show.")
@click.option("--json", is_flag=True, help="One JSON object.")
@pass_operator
def export(operator: Operator, kind: Kind, board: int, **forms: bool) -> None:
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
        raise Refused(f"{path}: {error}") from None
    say_data(f"{_FORMATS[chosen[0]](sheet).rstrip()}\n".encode())


@click.command("import")
@import_argument
@click.option(
    "--as",
    "number",
    type=click.IntRange(1, MOST_GIVEN),
    metavar="N",
    help="The number of the board; the next one by default.",
)
@click.option("--dry-run", is_flag=True, help="Check everything and write nothing.")
@large_option
@pass_operator
def import_(operator: Operator, file: str, number: int | None, dry_run: bool, large: bool) -> None:
    """Make a board from a game in FILE, or on standard input.

    The game may be SGF or JSON from `games export`, a history, or a text or mail with SGF, as the
    last mails of a game are, quoted, attached or not; gzip may have compressed it. Every record is
    checked against the rules. Both players of a game that goes on need accounts. Nobody is mailed.
    """
    name, data = read_import(file, large=large)
    try:
        draft = parse_any(_text(data))
        if dry_run:
            game = plan_import(draft, operator.home, operator.home.now(), number)
        else:
            game = import_game(draft, operator.prepared_home(), operator.home.now(), number)
    except (BadGame, NotImported) as error:
        raise Refused(f"{name}: {error}") from None
    told = "would import" if dry_run else "imported"
    records = counted(len(game.records), "record")
    say(f"{told} {game.name}: {game.x} (x), {game.o} (o), {records}")


def _text(data: bytes) -> str:
    """Return the text of a file, or of a mail in a file."""
    if _HEADER.match(data):
        try:
            texts = whole_texts(data)
        except UnreadableMail as error:
            raise BadGame("the mail", str(error)) from None
        if found := next(filter(has_tree, texts), ""):
            return found
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadGame(f"line {line}", "the text is not UTF-8") from None


@click.command()
@kind_name
@board_number
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, max=MOST_SECONDS, min_open=True),
    default=SECONDS,
    show_default=True,
    metavar="N",
    help="How long each position is searched, on one core.",
)
@click.option("--sgf", is_flag=True, help="Print SGF with comments, of which Sabaki draws a curve.")
@as_json
@pass_operator
def analyse(
    operator: Operator, kind: Kind, board: int, seconds: float, sgf: bool, as_json: bool
) -> None:
    """Say how likely x was to win after each record of a game.

    Beside that stands how to go on best from there. The game must be over. It takes --seconds for
    each record, and less where the end is near. x is the side, whoever owned it at the time; !
    marks the turning points. The result is kept in the home, where pages show it. What is kept is
    printed at once if it was searched for as long.
    """
    if sgf and as_json:
        raise click.UsageError("--sgf and --json are two forms; choose one of them")
    game = operator.game(kind, board)
    if not game.result:
        raise Refused(f"{game.name} is not over, and only games that are over are analysed")
    analysis = _analysis(operator, game, seconds)
    if sgf:
        say_data(format_sgf(Sheet(game), notes_of(analysis)).encode())
    elif as_json:
        print_json(summary(entry_of(game)) | _fields(game, analysis))
    else:
        heading = f"{game.name}, {game.header.grid}: {state_of(entry_of(game))}"
        say(f"{heading}; {analysis.seconds:g} s a position")
        print_table(("", "#", "BY", "PLAYED", "X WINS", "BEST FROM THERE"), _rows(game, analysis))


def _analysis(operator: Operator, game: Game, seconds: float) -> Analysis:
    """Return an analysis that is kept, or a deeper one, which is kept from then on."""
    home = operator.prepared_home()
    found = kept(home, game)
    if found and found.seconds >= seconds:
        return found
    header = game.header
    if not can_search(header.kind.name, header.grid):
        reason = lack() or f"the house does not search {header.kind.name} on {header.grid}"
        raise Refused(f"{game.name} cannot be analysed: {reason}")
    evaluations, number = list[Evaluation](), len(game.records) + 1
    with progress_bar("searching") as progress:
        for evaluation in judged(game, seconds, time.perf_counter):
            evaluations.append(evaluation)
            progress(len(evaluations), number)
    analysis = Analysis.of(game, seconds, evaluations)
    keep(home, game, analysis)
    return analysis


def _rows(game: Game, analysis: Analysis) -> Iterator[tuple[object, ...]]:
    """Yield what the table says about the start, and then about each record."""
    turning = turning_points(game, analysis)
    first, *later = analysis.evaluations
    yield "", 0, "", "", _rate(first), line_text(first)
    for record, evaluation in zip(game.records, later, strict=True):
        mark = "!" if record.number in turning else ""
        played = record.by, format_action(record.action)
        yield mark, record.number, *played, _rate(evaluation), line_text(evaluation)


def _rate(evaluation: Evaluation) -> str:
    """Return how likely x is to win, in a word where that is certain."""
    return _CERTAIN[evaluation.x_wins] if evaluation.is_certain else f"{evaluation.x_wins:.1%}"


def _fields(game: Game, analysis: Analysis) -> dict[str, object]:
    return {
        "seconds": analysis.seconds,
        "turning_points": turning_points(game, analysis),
        "positions": [
            {"after": number, **evaluation_fields(evaluation)}
            for number, evaluation in enumerate(analysis.evaluations)
        ],
    }
