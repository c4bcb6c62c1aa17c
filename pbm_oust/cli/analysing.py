"""`pbm-oust games analyse`: what a search says about a game that is over."""

import time
from collections.abc import Iterator

import click

from pbm_oust.board.formats.sgf import format_sgf
from pbm_oust.board.formats.sheet import Sheet
from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_action
from pbm_oust.cli.boards import state_of, summary
from pbm_oust.cli.completion import complete_boards
from pbm_oust.cli.operator import (
    KIND,
    Operator,
    Refused,
    as_json,
    pass_operator,
    print_json,
    print_table,
)
from pbm_oust.cli.terminal import progress_bar, say, say_data
from pbm_oust.robot.analysis import (
    SECONDS,
    Analysis,
    Verdict,
    judged,
    keep,
    kept,
    line_text,
    notes_of,
    turning_points,
    verdict_fields,
)
from pbm_oust.rules.position import Kind

MOST_SECONDS = 3600

_CERTAIN = {0.0: "lost", 0.5: "draw", 1.0: "won"}


@click.command()
@click.argument("kind", type=KIND)
@click.argument("board", type=click.IntRange(min=1), shell_complete=complete_boards)
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
        print_json(summary(game) | _fields(game, analysis))
    else:
        say(f"{game.name}, {game.header.grid}: {state_of(game)}; {analysis.seconds:g} s a position")
        print_table(("", "#", "BY", "PLAYED", "X WINS", "BEST FROM THERE"), _rows(game, analysis))


def _analysis(operator: Operator, game: Game, seconds: float) -> Analysis:
    """Return an analysis that is kept, or a deeper one, which is kept from then on."""
    home = operator.prepared_home()
    found = kept(home, game)
    if found and found.seconds >= seconds:
        return found
    verdicts, number = list[Verdict](), len(game.records) + 1
    with progress_bar("searching") as progress:
        for verdict in judged(game, seconds, time.perf_counter):
            verdicts.append(verdict)
            progress(len(verdicts), number)
    analysis = Analysis.of(game, seconds, verdicts)
    keep(home, game, analysis)
    return analysis


def _rows(game: Game, analysis: Analysis) -> Iterator[tuple[object, ...]]:
    """Yield what the table says about the start, and then about each record."""
    turning = turning_points(game, analysis)
    first, *later = analysis.verdicts
    yield "", 0, "", "", _rate(first), line_text(first)
    for record, verdict in zip(game.records, later, strict=True):
        mark = "!" if record.number in turning else ""
        played = record.by, format_action(record.action)
        yield mark, record.number, *played, _rate(verdict), line_text(verdict)


def _rate(verdict: Verdict) -> str:
    """Return how likely x is to win, in a word where that is certain."""
    return _CERTAIN[verdict.x_wins] if verdict.is_certain else f"{verdict.x_wins:.1%}"


def _fields(game: Game, analysis: Analysis) -> dict[str, object]:
    return {
        "seconds": analysis.seconds,
        "turning_points": turning_points(game, analysis),
        "positions": [
            {"after": number, **verdict_fields(verdict)}
            for number, verdict in enumerate(analysis.verdicts)
        ],
    }
