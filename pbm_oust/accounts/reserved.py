"""Userids that nobody gets: the house's, and those that pass for whoever runs the server. Pure."""

from pbm_oust.accounts.account import HOUSE

_OF_MAIL = {
    *("abuse", "bounces", "ftp", "hostmaster", "list", "listmaster", "mail", "mailer-daemon"),
    *("majordomo", "news", "noc", "noreply", "no-reply", "postmaster", "usenet", "uucp"),
    *("webmaster", "www"),
}
"""Names that a mail system keeps for itself (RFC 2142), or that mail programs expect there."""

_OF_STAFF = {
    *("admin", "admins", "administrator", "daemon", "help", "helpdesk", "info", "mod", "mods"),
    *("moderator", "nobody", "official", "operator", "owner", "robot", "root", "security"),
    *("server", "staff", "superuser", "support", "sysadmin", "sysop", "sysops", "system"),
}
_OURS = {"pbm", "pbm-oust", "pbm_oust", "pbmserv", "pbmserver"}

RESERVED_USERIDS = frozenset((*_OF_MAIL, *_OF_STAFF, *_OURS, *HOUSE))

_LOOK_ALIKE = str.maketrans(
    {
        **dict(zip("0134578i", "oleastbl", strict=True)),
        "m": "rn",
        "w": "vv",
        "-": "",
        "_": "",
    }
)
"""What a character is taken for: the simplest that looks like it."""


def is_reserved(userid: str) -> bool:
    """Return whether a new account cannot have a userid; an account that has it keeps it.

    It looks like a reserved one if only hyphens, a number at the end, or characters that look alike
    tell them apart: house4, house-1, housel, r00t.
    """
    return not _looks_of(userid.lower()).isdisjoint(_RESERVED_LOOKS)


def _looks_of(userid: str) -> frozenset[str]:
    """Return how a userid looks with and without the number at its end."""
    whole = userid.translate(_LOOK_ALIKE)
    return frozenset((whole, userid.rstrip("0123456789-_").translate(_LOOK_ALIKE)))


_RESERVED_LOOKS = frozenset[str]().union(*map(_looks_of, RESERVED_USERIDS))
