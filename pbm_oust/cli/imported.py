"""Files that are imported: read whole, up to a limit."""

import click

from pbm_oust.cli.operator import Refused

LARGEST_IMPORT = 4 * 2**20
"""The most bytes of a file that is imported, unless it is known to be large."""

large_option = click.option(
    "--large", is_flag=True, help="Take a file of more than 4 MB, which may need much memory."
)


def read_import(file: str, *, large: bool) -> bytes:
    """Return the content of a file, or of standard input for `-`. Raises Refused if too large."""
    with click.open_file(file, "rb") as opened:
        data: bytes = opened.read(-1 if large else LARGEST_IMPORT + 1)
    if not large and len(data) > LARGEST_IMPORT:
        name = "standard input" if file == "-" else click.format_filename(file)
        raise Refused(f"{name} has more than 4 MB; to take it all the same, give --large")
    return data
