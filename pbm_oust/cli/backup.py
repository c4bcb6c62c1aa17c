"""`pbm-oust backup` and `restore`: copying the home while it is used, and making it from a copy."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from pbm_oust.cli.operator import Operator, Refused, pass_operator
from pbm_oust.cli.terminal import progress_bar, say
from pbm_oust.doctor.finding import counted
from pbm_oust.store import backup as backups
from pbm_oust.store.faults import DatabaseFault, command_line

_folder = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))


@click.command()
@_folder
@pass_operator
def backup(operator: Operator, folder: Path) -> None:
    """Copy the home into DIR, which is empty or not there yet.

    A server may run meanwhile: the copy holds what the home held at one moment. It is private: the
    hashes of passwords and the key are in it.
    """
    home = operator.home_as_it_is  # a mistake in the configuration shall cost no backup
    with progress_bar("copying histories") as progress, refusing(folder):
        copied = backups.back_up(home, folder, progress)
    say(f"{folder} holds {_told(copied)}")


@click.command()
@_folder
@pass_operator
def restore(operator: Operator, folder: Path) -> None:
    """Make the home from a backup in DIR.

    The home is empty or not there yet. Letters that waited when the backup was made are held back,
    since some of them may have left: `outbox list` shows them, and `outbox resume` lets them go.
    """
    with progress_bar("reading histories") as progress, refusing(operator.path):
        copied = backups.restore(folder, operator.path, progress)
    say(f"{operator.path} holds {_told(copied)}")
    if copied.letters:
        resume = command_line(operator.path, "outbox", "resume")
        say(f"letters that waited are held back; to send them:  {resume}")


@contextmanager
def refusing(folder: Path) -> Iterator[None]:
    """Refuse what the body cannot write into a folder, with a sentence that names a file."""
    try:
        yield
    except backups.NotCopied as error:
        raise Refused(str(error)) from None
    except DatabaseFault:
        raise
    except OSError as error:
        raise Refused(str(error) if error.filename else f"{folder}: {error.strerror}") from None


def _told(copied: backups.BackedUp) -> str:
    boards, accounts = counted(copied.boards, "board"), counted(copied.accounts, "account")
    return f"{boards}, {accounts} and {counted(copied.letters, 'letter')}"
