"""`pbm-oust games export` and `games import`: games in other formats, and back."""

import re
from collections.abc import Callable

import click

from pbm_oust.board.formats import parse_any
from pbm_oust.board.formats.sgf import format_sgf, has_tree
from pbm_oust.board.formats.sheet import BadGame, Sheet, read_sheet
from pbm_oust.board.formats.structured import format_structured
from pbm_oust.board.history import BadHistory
from pbm_oust.board.notation import MOST_GIVEN
from pbm_oust.cli.completion import complete_boards
from pbm_oust.cli.imported import large_option, read_import
from pbm_oust.cli.operator import KIND, Operator, Refused, pass_operator
from pbm_oust.cli.terminal import say, say_data
from pbm_oust.doctor.finding import counted
from pbm_oust.mail.reading import UnreadableMail, whole_texts
from pbm_oust.rules.position import Kind
from pbm_oust.store.index import BoardName
from pbm_oust.store.open_boards import NotImported, import_game, plan_import

_FORMATS: dict[str, Callable[[Sheet], str]] = {
    "sgf": format_sgf,
    "json": format_structured,
}
_HEADER = re.compile(rb"From |[A-Za-z-]+:[ \t]")
"""How a mail begins."""


@click.command()
@click.argument("kind", type=KIND)
@click.argument("board", type=click.IntRange(min=1), shell_complete=complete_boards)
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
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True), default="-")
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
    data = read_import(file, large=large)
    try:
        draft = parse_any(_text(data))
        if dry_run:
            game = plan_import(draft, operator.home, operator.home.now(), number)
        else:
            game = import_game(draft, operator.prepared_home(), operator.home.now(), number)
    except (BadGame, NotImported) as error:
        name = "standard input" if file == "-" else click.format_filename(file)
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
