"""The command group and what all of its commands share."""

import os
import traceback
from pathlib import Path

import click

from pbm_oust import __version__
from pbm_oust.cli.gathered import Gathered
from pbm_oust.cli.operator import Operator
from pbm_oust.cli.terminal import say, say_text
from pbm_oust.rules.kinds import KINDS


@click.group(
    cls=Gathered,
    elsewhere={
        "backup": "backup:backup",
        "broadcast": "broadcast:broadcast",
        "deliver": "serving:deliver",
        "doctor": "doctor:doctor",
        "games": "games:games",
        "mail": "serving:mail",
        "outbox": "outbox:outbox",
        "players": "players:players",
        "ratings": "ratings:ratings",
        "restore": "backup:restore",
        "rules": "rules:rules",
        "serve": "serving:serve",
        "standings": "ratings:standings",
        "sweep": "sweeping:sweep",
    },
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"KIND is a game: {' or '.join(KINDS)}. Each command explains itself with --help.",
)
@click.option(
    "--home",
    type=click.Path(path_type=Path),
    metavar="DIRECTORY",
    envvar="PBM_OUST_HOME",
    default=Path("games"),
    show_default=True,
    help="The directory that holds everything the server knows.",
)
@click.version_option(__version__, package_name="pbm_oust")
@click.pass_context
def main(context: click.Context, home: Path) -> None:
    """Run and look after a play-by-email server for Mark Steere's games.

    Exit status: 0 done, 1 refused, 2 wrong usage.
    """
    os.umask(0o077)
    context.obj = operator = Operator(home)
    context.call_on_close(operator.close)


def run() -> None:
    """Run the command line; report errors of the disk or the network like any refusal."""
    try:
        main()
    except OSError as error:
        say(f"Error: {error}", err=True)
        raise SystemExit(1) from None
    except Exception:  # noqa: BLE001 - the outermost edge
        say_text(traceback.format_exc(), err=True)
        raise SystemExit(1) from None
