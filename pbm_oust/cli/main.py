"""The command group, and where all of its commands are.

Nothing here needs more than click: each command imports what it needs when it runs.
"""

import atexit
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from pbm_oust import __version__


class LazyGroup(click.Group):
    """A group whose commands are imported when they run, as click's documentation shows it.

    Until then the first sentences of their help stand for them, in lists and in completion.
    `lazy_subcommands` names each with its module in this package and the sentence. It has its name
    there, perhaps with an underscore behind it. Those in `_HIDDEN` are in no list.
    """

    def __init__(
        self, *words: Any, lazy_subcommands: Mapping[str, tuple[str, str]], **options: Any
    ) -> None:
        super().__init__(*words, **options)
        self._lazy_subcommands = lazy_subcommands
        for name, (_, sentence) in lazy_subcommands.items():
            self.add_command(click.Command(name, help=sentence))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands that are for people."""
        return [name for name in super().list_commands(ctx) if name not in _HIDDEN]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names, imported, and the words that follow."""
        name, command, rest = super().resolve_command(ctx, args)
        if name and name in self._lazy_subcommands:
            module = vars(import_module(f"{__package__}.{self._lazy_subcommands[name][0]}"))
            command = module.get(f"{name}_") or module[name]
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that the words name; whatever an error quotes, a terminal shows it."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            from pbm_oust.cli.terminal import shown

            vars(error)["message"] = shown(error.message or "")
            raise


_COMMANDS: Mapping[str, tuple[str, str]] = {
    "backup": ("home", "Copy the home into DIR, which is empty or not there yet."),
    "broadcast": ("players", "Write to all players, or to those named with --to."),
    "deliver": ("deliver", "Take one message from standard input, for a pipe or .forward."),
    "doctor": ("home", "Say what is wrong with the home, and what to do."),
    "gtp": ("gtp", "Play as an engine of the Go Text Protocol (GTP), version 2."),
    "house": ("serve", "Let the house play on the boards that wait for it."),
    "mail": ("outbox", "Mail a command to the running server and print its answer."),
    "ratings": ("players", "Show how the ratings came about, game by game."),
    "restore": ("home", "Make the home from a backup in DIR."),
    "serve": ("serve", "Take mail and answer it, until told to stop."),
    "standings": ("players", "List players by rating."),
    "sweep": ("rulings", "Do what is due: reminders, games lost on time, digests."),
    "web": ("serve", "Serve pages with the boards, until told to stop."),
    "games accept": ("home", "Let an edited history be the history of its board."),
    "games adopt": ("rulings", "Hand a side to another player."),
    "games analyse": ("games", "Say how likely x was to win after each record of a game."),
    "games award": ("rulings", "End a game: a side wins, or it is a draw."),
    "games challenge": ("rulings", "Set up a board for two players; USERID1 moves first."),
    "games export": ("games", "Print a game as SGF or JSON."),
    "games extend": ("rulings", "Give the player to move more time."),
    "games history": ("games", "Print the history of a board."),
    "games import": ("games", "Make a board from a game in FILE, or on standard input."),
    "games list": ("games", "List boards."),
    "games show": ("games", "Draw a board as it is, or as it was after record N."),
    "games undo": ("rulings", "Take the latest turn back, all parts of it."),
    "games verify": ("home", "Replay histories, and compare their files."),
    "games void": ("rulings", "End a game as never begun."),
    "games why": ("games", "Tell which mail led to record N of a board, or to its latest one."),
    "home copy": (
        "home",
        "Copy the home in folder FROM into the home in folder TO, and compare all of it.",
    ),
    "home rebuild": ("home", "Make the database from the files of histories."),
    "home upgrade": ("home", "Bring the tables of the home to the version of this program."),
    "outbox flush": ("outbox", "Hand all letters that wait to the relay now."),
    "outbox hold": ("outbox", "Hold back the letters that wait, until you resume them."),
    "outbox list": ("outbox", "List letters that wait, are held back, or failed."),
    "outbox remove": ("outbox", "Remove letters that failed, are held back or cannot be written."),
    "outbox resume": ("outbox", "Let the letters go that a restore holds back."),
    "outbox retry": ("outbox", "Send failed letters again."),
    "outbox send": ("serve", "Write and send letters for a server, until it ends."),
    "outbox show": ("outbox", "Print a letter."),
    "players add": ("players", "Add an account."),
    "players disable": ("players", "Close an account until it is enabled again."),
    "players enable": ("players", "Open a disabled account again."),
    "players export": ("players", "Write all accounts to FILE as lines of JSON."),
    "players import": ("players", "Add the accounts of an export in FILE."),
    "players list": ("players", "List accounts."),
    "players merge": ("players", "Join a player's account with another one of theirs, INTO."),
    "players passwd": ("players", "Give an account a new password."),
    "players rename": ("players", "Give a player another userid, in all histories too."),
    "players show": ("players", "Show an account with everything that it keeps."),
    "rules perft": ("rules", "Count the sequences of placements from the empty board."),
    "rules simulate": ("rules", "Play games at random."),
    "rules solve": ("rules", "Find out who wins a small board."),
    "tournaments cancel": ("tournaments", "Cancel a tournament."),
    "tournaments create": ("tournaments", "Open a tournament for players to enter."),
    "tournaments extend": ("tournaments", "Put the start of a tournament off."),
    "tournaments ladder": ("tournaments", "Show the ladder of a game, or change it."),
    "tournaments list": ("tournaments", "List tournaments."),
    "tournaments remove": ("tournaments", "Take a player out of a tournament."),
    "tournaments show": (
        "tournaments",
        "Show who takes part in a tournament, and the tables of its latest round.",
    ),
    "tournaments start": ("tournaments", "Start a tournament now."),
    "tournaments verify": ("tournaments", "Compare tournaments with their boards."),
}
"""The module of each command in this package, and the first sentence of its help."""
_HIDDEN = frozenset(("send",))
"""The commands that only the program itself runs."""
_GROUPS = {
    "games": "Look at boards, set them up, rule on them, export them.",
    "home": "Look after the home as a whole.",
    "outbox": "Look after letters that have not left yet.",
    "players": "Look after accounts.",
    "rules": "Experiment with the rules.",
    "tournaments": "Set up tournaments and look after them.",
}
"""The purpose of each group of commands, by the first word of them all."""


def _commands(group: str = "") -> Mapping[str, tuple[str, str]]:
    """Return the commands of a group, or those without one, by their own words."""
    found = ((name.rpartition(" "), command) for name, command in _COMMANDS.items())
    return {name: command for (first, _, name), command in found if first == group}


def _show_version(context: click.Context, parameter: click.Parameter, is_wanted: bool) -> None:
    if is_wanted and not context.resilient_parsing:
        sys.stdout.write(f"pbm-oust, version {_version()}\n")
        context.exit()


def _version() -> str:
    """Return the version; between releases with the present commit, if this is a checkout."""
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    if ".dev" in __version__ and os.path.exists(os.path.join(checkout, ".git")):
        import subprocess  # it asks git for the commit  # nosec B404

        with suppress(OSError):  # no git
            words = ["git", "rev-parse", "--short=9", "HEAD"]
            asked = subprocess.run(words, cwd=checkout, capture_output=True, text=True)  # noqa: S603 - the words are ours # nosec B603 B607
            if asked.returncode == 0:
                return f"{__version__}+g{asked.stdout.strip()}"
    return __version__


def _usual_home() -> str:
    """Return the home of whoever names none: `games` in a checkout, else where users keep data.

    That is `$XDG_DATA_HOME/pbm_oust`: see the XDG Base Directory Specification, version 0.8.
    """
    if os.path.exists(os.path.join("pbm_oust", "cli", "main.py")):
        return "games"
    data = os.environ.get("XDG_DATA_HOME", "")
    data = data if os.path.isabs(data) else os.path.expanduser(os.path.join("~", ".local", "share"))
    return os.path.join(data, "pbm_oust")


@click.group(
    cls=LazyGroup,
    lazy_subcommands=_commands(),
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="KIND is the name of a game. Each command explains itself with --help.",
)
@click.option(
    "--home",
    type=click.Path(),
    metavar="DIRECTORY",
    envvar="PBM_OUST_HOME",
    default=_usual_home(),
    show_default=True,
    help="The directory that holds everything the server knows.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def main(home: str) -> None:
    """Run and look after a play-by-email server for Mark Steere's games.

    Exit status: 0 done, 1 refused, 2 wrong usage, 130 interrupted by Ctrl-C.
    """
    os.umask(0o077)


def set_home(path: str) -> None:
    """Let commands work on a home unless another one is named, and let their help say so."""
    (option,) = (each for each in main.params if each.name == "home")
    option.default = path


for _group, _sentence in _GROUPS.items():
    main.add_command(LazyGroup(_group, help=_sentence, lazy_subcommands=_commands(_group)))


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
