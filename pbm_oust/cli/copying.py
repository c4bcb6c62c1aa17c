"""`pbm-oust home copy`: a whole home into another one, or its histories into a folder of files."""

from contextlib import closing
from pathlib import Path

import click

from pbm_oust.cli.backup import refusing
from pbm_oust.cli.terminal import progress_bar, say
from pbm_oust.doctor.finding import counted
from pbm_oust.store.backup import copy_home
from pbm_oust.store.faults import command_line
from pbm_oust.store.home import Home

_home = click.Path(path_type=Path, file_okay=False, exists=True)
_folder = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("source", metavar="FROM", type=_home)
@click.argument("target", metavar="[TO]", type=_home, required=False)
@click.option(
    "--follow",
    "folder",
    metavar="DIR",
    type=_folder,
    help="Keep the histories of FROM as files in DIR, up to date until told to stop.",
)
@click.option("--once", is_flag=True, help="With --follow: end as soon as all is up to date.")
def copy(source: Path, target: Path | None, folder: Path | None, *, once: bool) -> None:
    """Copy the home in folder FROM into the home in folder TO, and compare all of it.

    Each is kept by what its pbm_oust.toml names: files of its own, or a database server. TO holds
    nothing yet but that file, or a copy that was broken off, which goes on. No server may run on
    either. Letters that waited are held back: `outbox resume` lets them go.

    With --follow DIR, copy the histories alone, while servers use FROM. That is for a home on a
    database server; else the histories are files already. Each file is replaced whole, so readers
    never see half a record. Who goes on after an interruption copies what has changed meanwhile.
    """
    if (target is None) == (folder is None):
        raise click.UsageError("name either a home TO, or a folder with --follow")
    if once and folder is None:
        raise click.UsageError("--once goes with --follow")
    with closing(Home(source)) as there:
        if folder is not None:
            from pbm_oust.cli.mirroring import follow

            follow(there, folder, once=once)
        elif target is not None:
            _copy(there, target)


def _copy(there: Home, target: Path) -> None:
    """Copy a home into a new one, and say what that one holds."""
    with (
        closing(Home(target)) as here,
        progress_bar("copying histories") as progress,
        refusing(target),
    ):
        copied = copy_home(there, here, progress)
    boards, accounts = counted(copied.boards, "board"), counted(copied.accounts, "account")
    rows = counted(copied.rows, "row")
    say(f"{target} holds {boards}, {accounts} and {rows} in all, which are those of {there.path}")
    if copied.letters:
        resume = command_line(target, "outbox", "resume")
        say(f"letters are held back; to send them:  {resume}")
