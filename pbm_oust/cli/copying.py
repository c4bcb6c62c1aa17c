"""`pbm-oust home copy`: a whole home into another one, whichever engines keep them."""

from contextlib import closing
from pathlib import Path

import click

from pbm_oust.cli.backup import refusing
from pbm_oust.cli.terminal import progress_bar, say
from pbm_oust.doctor.finding import counted
from pbm_oust.store.copying import copy_home
from pbm_oust.store.home import Home

_home = click.Path(path_type=Path, file_okay=False, exists=True)


@click.command()
@click.argument("source", metavar="FROM", type=_home)
@click.argument("target", metavar="TO", type=_home)
def copy(source: Path, target: Path) -> None:
    """Copy the home in folder FROM into the home in folder TO, and compare all of it.

    Each is kept by what its pbm_oust.toml names: files of its own, or a database server. TO holds
    nothing yet but that file, or a copy that was broken off, which goes on. No server may run on
    either. Letters that waited are held back: `outbox resume` lets them go.
    """
    with (
        closing(Home(source)) as there,
        closing(Home(target)) as here,
        progress_bar("copying histories") as progress,
        refusing(target),
    ):
        copied = copy_home(there, here, progress)
    boards, accounts = counted(copied.boards, "board"), counted(copied.accounts, "account")
    rows = counted(copied.rows, "row")
    say(f"{target} holds {boards}, {accounts} and {rows} in all, which are those of {source}")
    if copied.letters:
        say(f"letters are held back; to send them: pbm-oust --home {target} outbox resume")
