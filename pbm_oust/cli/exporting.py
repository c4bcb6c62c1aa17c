"""`pbm-oust web export`."""

import re
from pathlib import Path

import click

from pbm_oust.cli.operator import Operator, Parsed, Refused, now, pass_operator
from pbm_oust.cli.terminal import progress_bar, say
from pbm_oust.cli.web import needs_libraries
from pbm_oust.doctor.finding import counted
from pbm_oust.languages import LANGUAGES
from pbm_oust.store.faults import command_line
from pbm_oust.store.published import NotPublished

POSITIONS = ("none", "svg", "png")
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?")


def parse_place(text: str) -> str:
    """Return the address of a folder on the web, without a slash at its end. Raises ValueError."""
    if text and not _ADDRESS.fullmatch(text):
        raise ValueError(f"{text!r} is not written https://games.example.org/boards")
    return text.removesuffix("/")


@click.command("export")
@click.option(
    "--language",
    type=click.Choice([*LANGUAGES]),
    default="en",
    show_default=True,
    help="The language of the pages.",
)
@click.option(
    "--positions",
    type=click.Choice(POSITIONS),
    default="svg",
    show_default=True,
    help="Of past positions: nothing, a page and an SVG, or a PNG too, which takes long.",
)
@click.option(
    "--address",
    type=Parsed("URL", parse_place),
    help="Where people find the files, as in https://games.example.org/boards.",
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@pass_operator
def export(
    operator: Operator, language: str, positions: str, address: str | None, folder: Path
) -> None:
    """Write all pages as files into DIR, as far as they have changed.

    Any web server can hand them out, at any path, and a browser can open them from the disk. DIR is
    empty, not there yet, or from an earlier export. Feeds need an --address, or web_address in
    pbm_oust.toml.
    """
    needs_libraries()
    from pbm_oust.web.export.order import Order
    from pbm_oust.web.export.places import Past
    from pbm_oust.web.export.whole import export as export_whole

    configuration, home = operator.configuration, operator.prepared_home()
    if folder.resolve().is_relative_to(operator.path.resolve()):
        raise Refused(f"{folder} lies in the home, which is nobody else's; take another folder")
    base = configuration.web_address if address is None else address
    past = Past(positions)
    order = Order(operator.path, folder, configuration.address, base, language, past, now)
    try:
        done = export_whole(home, order, progress_bar)
    except NotPublished as error:
        raise Refused(str(error)) from None
    boards, pages = counted(done.boards, "board"), counted(done.pages, "other page")
    files = f"{counted(done.written, 'file')} written, {done.removed} removed"
    say(f"{folder} holds {boards} and {pages}: {files}")
    for each in done.damaged:
        doctor = command_line(operator.path, "doctor")
        say(f"Error: {each} cannot be read; to see why:  {doctor}", err=True)
    if done.damaged:
        raise SystemExit(1)
