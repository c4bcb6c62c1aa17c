"""`pbm-oust home upgrade`: the tables of a home, for this version of the program."""

import click

from pbm_oust.cli.operator import Operator, Parsed, pass_operator
from pbm_oust.cli.terminal import say
from pbm_oust.store.configuration import parse_store
from pbm_oust.store.schema import LATEST

_URL = Parsed("URL", parse_store)


@click.command()
@click.option(
    "--owner", type=_URL, default="", help="The URL of the database for the owner of its tables."
)
@pass_operator
def upgrade(operator: Operator, owner: str) -> None:
    """Bring the tables of the home to the version of this program.

    A server that may change them does so when it starts. Tables of a later version stay as they
    are. Programs of the version before can work with the tables as well, unless the changes of this
    version say otherwise.
    """
    engine = operator.home.engine
    if owner:
        from pbm_oust.store.postgresql import open_server

        engine = open_server(operator.home.path, owner)
    try:
        engine.database.write(lambda _transaction: None)
    finally:
        engine.close()
    say(f"the tables of {operator.home.path} can be used; this program works with version {LATEST}")
