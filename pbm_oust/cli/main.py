"""The command group, and where all of its commands are.

Nothing here needs more than click: each command imports what it needs when it runs.
"""

import atexit
import os
import signal
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from pbm_oust import __version__


class LazyGroup(click.Group):
    """A group whose commands are imported when they run, as click's documentation shows it.

    Until then the first sentences of their help stand for them, in lists and in completion.
    `lazy_subcommands` names each with its module in this package, its name there, and the sentence.
    """

    def __init__(
        self, *words: Any, lazy_subcommands: Mapping[str, tuple[str, str]], **options: Any
    ) -> None:
        super().__init__(*words, **options)
        self._lazy_subcommands = lazy_subcommands
        for name, (_, sentence) in lazy_subcommands.items():
            self.add_command(click.Command(name, help=sentence))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names, imported, and the words that follow."""
        name, command, rest = super().resolve_command(ctx, args)
        if name and name in self._lazy_subcommands:
            module, _, attribute = self._lazy_subcommands[name][0].partition(":")
            command = getattr(import_module(f"{__package__}.{module}"), attribute)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that the words name; whatever an error quotes, a terminal shows it."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            from pbm_oust.cli.terminal import shown

            vars(error)["message"] = shown(error.message or "")
            raise


@click.group(
    cls=LazyGroup,
    lazy_subcommands={
        "backup": ("home:backup", "Copy the home into DIR, which is empty or not there yet."),
        "broadcast": ("players:broadcast", "Write to all players, or to those named with --to."),
        "deliver": (
            "deliver:deliver",
            "Take one message from standard input, for a pipe or .forward.",
        ),
        "doctor": ("home:doctor", "Say what is wrong with the home, and what to do."),
        "house": ("serve:house", "Let the house play on the boards that wait for it."),
        "mail": ("outbox:mail", "Mail a command to the running server and print its answer."),
        "ratings": ("players:ratings", "Show how the ratings came about, game by game."),
        "restore": ("home:restore", "Make the home from a backup in DIR."),
        "serve": ("serve:serve", "Take mail and answer it, until told to stop."),
        "standings": ("players:standings", "List players by rating."),
        "sweep": ("rulings:sweep", "Do what is due: reminders, games lost on time, digests."),
        "web": ("serve:web", "Serve pages with the boards, until told to stop."),
    },
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="KIND is the name of a game. Each command explains itself with --help.",
)
@click.option(
    "--home",
    type=click.Path(),
    metavar="DIRECTORY",
    envvar="PBM_OUST_HOME",
    default="games",
    show_default=True,
    help="The directory that holds everything the server knows.",
)
@click.version_option(__version__, package_name="pbm_oust")
def main(home: str) -> None:
    """Run and look after a play-by-email server for Mark Steere's games.

    Exit status: 0 done, 1 refused, 2 wrong usage, 130 interrupted by Ctrl-C.
    """
    os.umask(0o077)


@main.group(
    cls=LazyGroup,
    lazy_subcommands={
        "accept": ("home:accept", "Let an edited history be the history of its board."),
        "adopt": ("rulings:adopt", "Hand a side to another player."),
        "analyse": ("games:analyse", "Say how likely x was to win after each record of a game."),
        "award": ("rulings:award", "End a game: a side wins, or it is a draw."),
        "challenge": ("rulings:challenge", "Set up a board for two players; USERID1 moves first."),
        "export": ("games:export", "Print a game as SGF or JSON."),
        "extend": ("rulings:extend", "Give the player to move more time."),
        "history": ("games:history", "Print the history of a board."),
        "import": ("games:import_", "Make a board from a game in FILE, or on standard input."),
        "list": ("games:list_", "List boards."),
        "show": ("games:show", "Draw a board as it is, or as it was after record N."),
        "undo": ("rulings:undo", "Take the latest turn back, all parts of it."),
        "verify": ("home:verify", "Replay histories, and compare their files."),
        "void": ("rulings:void", "End a game as never begun."),
        "why": ("games:why", "Tell which mail led to record N of a board, or to its latest one."),
    },
)
def games() -> None:
    """Look at boards, set them up, rule on them, export them."""


@main.group(
    cls=LazyGroup,
    lazy_subcommands={
        "copy": (
            "home:copy",
            "Copy the home in folder FROM into the home in folder TO, and compare all of it.",
        ),
        "rebuild": ("home:rebuild", "Make the database from the files of histories."),
        "upgrade": ("home:upgrade", "Bring the tables of the home to the version of this program."),
    },
)
def home() -> None:
    """Look after the home as a whole."""


@main.group(
    cls=LazyGroup,
    lazy_subcommands={
        "flush": ("outbox:flush", "Hand all letters that wait to the relay now."),
        "hold": ("outbox:hold", "Hold back the letters that wait, until you resume them."),
        "list": ("outbox:list_", "List letters that wait, are held back, or failed."),
        "remove": ("outbox:remove", "Remove letters that failed or are held back."),
        "resume": ("outbox:resume", "Let the letters go that a restore holds back."),
        "retry": ("outbox:retry", "Send failed letters again."),
        "show": ("outbox:show", "Print a letter."),
    },
)
def outbox() -> None:
    """Look after letters that have not left yet."""


@main.group(
    cls=LazyGroup,
    lazy_subcommands={
        "add": ("players:add", "Add an account."),
        "disable": ("players:disable", "Close an account until it is enabled again."),
        "enable": ("players:enable", "Open a disabled account again."),
        "export": ("players:export", "Write all accounts to FILE as lines of JSON."),
        "import": ("players:import_", "Add the accounts of an export in FILE."),
        "list": ("players:list_", "List accounts."),
        "merge": ("players:merge", "Join a player's account with another one of theirs, INTO."),
        "passwd": ("players:passwd", "Give an account a new password."),
        "rename": ("players:rename", "Give a player another userid, in all histories too."),
        "show": ("players:show", "Show an account with everything that it keeps."),
    },
)
def players() -> None:
    """Look after accounts."""


@main.group(
    cls=LazyGroup,
    lazy_subcommands={
        "perft": ("rules:perft", "Count the sequences of placements from the empty board."),
        "simulate": ("rules:simulate_", "Play games at random."),
        "solve": ("rules:solve_", "Find out who wins a small board."),
    },
)
def rules() -> None:
    """Experiment with the rules."""


INTERRUPTED = 130
"""The exit status of a command that Ctrl-C has ended."""


def run() -> None:
    """Run the command line; report errors of the disk or the network like any refusal."""
    # Python looks for the code of `-c` and `-m` in the working directory first, multiprocessing's
    # too: no process that is started below this one shall.
    os.environ["PYTHONSAFEPATH"] = "1"
    was_interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal was_interrupted
        was_interrupted = True
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        main()
    except SystemExit as end:
        if not (was_interrupted and end.code):
            raise
    except BaseException as error:  # noqa: BLE001 - the outermost edge
        from pbm_oust.cli.terminal import say, say_text

        if was_interrupted:
            say("Aborted!", err=True)
        elif isinstance(error, OSError):
            say(f"Error: {error}", err=True)
        else:
            import traceback

            say_text(traceback.format_exc(), err=True)
        if not was_interrupted:
            raise SystemExit(1) from None
    # Threads and processes that still work are not waited for.
    atexit._run_exitfuncs()
    os._exit(INTERRUPTED)
