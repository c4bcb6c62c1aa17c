"""Files that are imported: read whole, up to a limit."""

import click

from pbm_oust.cli.operator import Refused

LARGEST_IMPORT = 4 * 2**20
"""The most bytes of a file that is imported, unless it is known to be large."""

_GZIP = b"\x1f\x8b"
"""How a file begins that gzip has compressed (RFC 1952, section 2.3.1)."""

large_option = click.option(
    "--large", is_flag=True, help="Take a file of more than 4 MB, which may need much memory."
)


def read_import(file: str, *, large: bool) -> bytes:
    """Return the content of a file, or of standard input for `-`; without the compression of gzip.

    Raises Refused if it is too large, or if its compression is damaged.
    """
    name = "standard input" if file == "-" else click.format_filename(file)
    most = -1 if large else LARGEST_IMPORT + 1
    with click.open_file(file, "rb") as opened:
        data: bytes = opened.read(most)
    if data.startswith(_GZIP):
        import gzip
        import zlib
        from io import BytesIO

        try:
            data = gzip.GzipFile(fileobj=BytesIO(data)).read(most)
        except (OSError, EOFError, zlib.error) as error:
            raise Refused(f"{name}: gzip has not made this, or not all of it is here") from error
    if not large and len(data) > LARGEST_IMPORT:
        raise Refused(f"{name} has more than 4 MB; to take it all the same, give --large")
    return data
