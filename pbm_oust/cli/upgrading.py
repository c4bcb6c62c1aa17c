"""`pbm-oust home upgrade`: the tables of a home, for this version of the program."""

import click

from pbm_oust.cli.operator import Operator, Parsed, pass_operator
from pbm_oust.cli.terminal import say
from pbm_oust.doctor.finding import counted
from pbm_oust.store.configuration import parse_store
from pbm_oust.store.ratings import count_marked
from pbm_oust.store.schema import LATEST
from pbm_oust.store.upgrading import BEFORE
from pbm_oust.store.upgrading import upgrade as bring_up_to_date

_URL = Parsed("URL", parse_store)


@click.command()
@click.option(
    "--owner", type=_URL, default="", help="The URL of the database for the owner of its tables."
)
@pass_operator
def upgrade(operator: Operator, owner: str) -> None:
    """Bring the tables of the home to the version of this program.

    No server may run meanwhile. All of it happens, or nothing. Tables of this version or a later
    one stay as they are; a home without tables gets them.
    """
    home = operator.home
    engine = home.engine
    if owner:
        from pbm_oust.store.postgresql import open_server

        engine = open_server(home.path, owner)
    try:
        boards = engine.database.upgrade(
            BEFORE, lambda connection: bring_up_to_date(home, connection)
        )
    finally:
        engine.close()
    if boards is not None:
        count_marked(home.database)
        say(f"brought up to date: {counted(boards, 'board')}")
    say(f"the tables of {home.path} can be used; this program works with version {LATEST}")
