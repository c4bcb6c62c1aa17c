"""The command group, and where all of its commands are.

Nothing here needs more than click: each command imports what it needs when it runs.
"""

import atexit
import os
import signal
from typing import NoReturn

import click

from pbm_oust import __version__
from pbm_oust.cli.gathered import Elsewhere, Gathered


@click.group(
    cls=Gathered,
    elsewhere={
        "backup": Elsewhere(
            "backup:backup", "Copy the home into DIR, which is empty or not there yet."
        ),
        "broadcast": Elsewhere(
            "broadcast:broadcast", "Write to all players, or to those named with --to."
        ),
        "deliver": Elsewhere(
            "delivering:deliver", "Take one message from standard input, for a pipe or .forward."
        ),
        "doctor": Elsewhere("doctor:doctor", "Say what is wrong with the home, and what to do."),
        "house": Elsewhere("house:house", "Let the house play on the boards that wait for it."),
        "mail": Elsewhere(
            "mailing:mail", "Mail a command to the running server and print its answer."
        ),
        "ratings": Elsewhere("ratings:ratings", "Show how the ratings came about, game by game."),
        "restore": Elsewhere("backup:restore", "Make the home from a backup in DIR."),
        "serve": Elsewhere("serving:serve", "Take mail and answer it, until told to stop."),
        "standings": Elsewhere("ratings:standings", "List players by rating."),
        "web": Elsewhere("web:web", "Serve pages with the boards, until told to stop."),
        "sweep": Elsewhere(
            "sweeping:sweep", "Do what is due: reminders, games lost on time, digests."
        ),
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
    cls=Gathered,
    elsewhere={
        "accept": Elsewhere(
            "histories:accept", "Let an edited history be the history of its board."
        ),
        "adopt": Elsewhere("rulings:adopt", "Hand a side to another player."),
        "analyse": Elsewhere(
            "analysing:analyse", "Say how likely x was to win after each record of a game."
        ),
        "award": Elsewhere("rulings:award", "End a game: a side wins, or it is a draw."),
        "challenge": Elsewhere(
            "setting_up:challenge", "Set up a board for two players; USERID1 moves first."
        ),
        "export": Elsewhere("formats:export", "Print a game as SGF or JSON."),
        "extend": Elsewhere("rulings:extend", "Give the player to move more time."),
        "history": Elsewhere("histories:history", "Print the history of a board."),
        "import": Elsewhere(
            "formats:import_", "Make a board from a game in FILE, or on standard input."
        ),
        "list": Elsewhere("games:list_", "List boards."),
        "show": Elsewhere("boards:show", "Draw a board as it is, or as it was after record N."),
        "undo": Elsewhere("rulings:undo", "Take the latest turn back, all parts of it."),
        "verify": Elsewhere(
            "histories:verify",
            "Replay histories, and compare their files.",
        ),
        "void": Elsewhere("rulings:void", "End a game as never begun."),
        "why": Elsewhere(
            "causes:why", "Tell which mail led to record N of a board, or to its latest one."
        ),
    },
)
def games() -> None:
    """Look at boards, set them up, rule on them, export them."""


@main.group(
    cls=Gathered,
    elsewhere={
        "copy": Elsewhere(
            "copying:copy",
            "Copy the home in folder FROM into the home in folder TO, and compare all of it.",
        ),
        "rebuild": Elsewhere("histories:rebuild", "Make the database from the files of histories."),
        "upgrade": Elsewhere(
            "upgrading:upgrade", "Bring the tables of the home to the version of this program."
        ),
    },
)
def home() -> None:
    """Look after the home as a whole."""


@main.group(
    cls=Gathered,
    elsewhere={
        "flush": Elsewhere("outbox:flush", "Hand all letters that wait to the relay now."),
        "hold": Elsewhere(
            "outbox:hold",
            "Hold back the letters that wait, until you resume them.",
        ),
        "list": Elsewhere("outbox:list_", "List letters that wait, are held back, or failed."),
        "remove": Elsewhere("outbox:remove", "Remove letters that failed or are held back."),
        "resume": Elsewhere("outbox:resume", "Let the letters go that a restore holds back."),
        "retry": Elsewhere("outbox:retry", "Send failed letters again."),
        "show": Elsewhere("outbox:show", "Print a letter."),
    },
)
def outbox() -> None:
    """Look after letters that have not left yet."""


@main.group(
    cls=Gathered,
    elsewhere={
        "add": Elsewhere("players:add", "Add an account."),
        "disable": Elsewhere("players:disable", "Close an account until it is enabled again."),
        "enable": Elsewhere("players:enable", "Open a disabled account again."),
        "export": Elsewhere("transfer:export", "Write all accounts to FILE as lines of JSON."),
        "import": Elsewhere("transfer:import_", "Add the accounts of an export in FILE."),
        "list": Elsewhere("players:list_", "List accounts."),
        "merge": Elsewhere(
            "renaming:merge", "Join a player's account with another one of theirs, INTO."
        ),
        "passwd": Elsewhere("players:passwd", "Give an account a new password."),
        "rename": Elsewhere(
            "renaming:rename", "Give a player another userid, in all histories too."
        ),
        "show": Elsewhere("players:show", "Show an account with everything that it keeps."),
    },
)
def players() -> None:
    """Look after accounts."""


@main.group(
    cls=Gathered,
    elsewhere={
        "perft": Elsewhere(
            "rules:perft", "Count the sequences of placements from the empty board."
        ),
        "simulate": Elsewhere("rules:simulate_", "Play games at random."),
        "solve": Elsewhere("solving:solve_", "Find out who wins a small board."),
    },
)
def rules() -> None:
    """Experiment with the rules."""


INTERRUPTED = 130
"""The exit status of a command that Ctrl-C has ended."""


class Done(SystemExit):
    """A command has done all that it had to do, and printed what it had to print."""

    code: int

    def end(self) -> NoReturn:
        """End the process without freeing its objects one by one, which takes long."""
        atexit._run_exitfuncs()
        os._exit(self.code)


class _Keyboard:
    """Whether Ctrl-C was pressed; that ends a command, whatever the command makes of it."""

    was_interrupted = False

    def __init__(self) -> None:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._interrupt)

    def _interrupt(self, *_: object) -> None:
        self.was_interrupted = True
        raise KeyboardInterrupt


def run() -> None:
    """Run the command line; report errors of the disk or the network like any refusal."""
    # Python looks for the code of `-c` and `-m` in the working directory first, multiprocessing's
    # too: no process that is started below this one shall.
    os.environ["PYTHONSAFEPATH"] = "1"
    keyboard = _Keyboard()
    try:
        main()
    except Done as done:
        done.end()
    except SystemExit as end:
        if keyboard.was_interrupted and end.code:
            Done(INTERRUPTED).end()
        raise
    except BaseException as error:  # noqa: BLE001 - the outermost edge
        from pbm_oust.cli.terminal import say, say_text

        if keyboard.was_interrupted:
            say("Aborted!", err=True)
            Done(INTERRUPTED).end()
        if isinstance(error, OSError):
            say(f"Error: {error}", err=True)
        else:
            import traceback

            say_text(traceback.format_exc(), err=True)
        raise SystemExit(1) from None
