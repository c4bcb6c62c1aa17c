"""The URL of a database: what it may be, so that no message shows a part of a password."""

from ipaddress import ip_address

import psycopg
from psycopg.conninfo import conninfo_to_dict

_WRONG = (
    "what stands behind postgresql:// cannot be read. It is written USER@HOST/DATABASE, with "
    "special characters percent-encoded (@ is %40, / is %2F), and with no parameters but those of "
    "libpq. A password belongs in ~/.pgpass"
)
"""The sentence for all that is wrong: what the library says may quote a password."""


def check_url(url: str) -> None:
    """Raise ValueError unless a URL can be read, and its names are names.

    Where a password has characters that are not encoded, a part of it is taken for the name of a
    host or of the database, and names are shown.
    """
    try:
        found = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise ValueError(_WRONG) from None
    hosts, addresses, ports = (_listed(found.get(key)) for key in ("host", "hostaddr", "port"))
    are_names = (
        all(map(_is_host, [*hosts, *addresses])),
        all(port == "" or port.isdecimal() for port in ports),
        not set("@/:") & set(str(found.get("dbname") or "")),
    )
    if not all(are_names):
        raise ValueError(_WRONG)


def _listed(value: object) -> list[str]:
    """Return what a parameter has for each of several hosts."""
    return str(value or "").split(",")


def _is_host(text: str) -> bool:
    """Return whether this may be a name, an address, or the folder of a socket."""
    if "@" in text:
        return False
    if text.startswith("/"):
        return True
    try:
        ip_address(text)
    except ValueError:
        return not set("/:") & set(text)
    return True
