"""Userids that nobody gets: the house's, and those that pass for whoever runs the server. Pure."""

from pbm_oust.accounts.account import HOUSE

_OF_MAIL = {
    *("abuse", "bounces", "ftp", "hostmaster", "list", "listmaster", "mail", "mailer-daemon"),
    *("majordomo", "news", "noc", "noreply", "no-reply", "postmaster", "usenet", "uucp"),
    *("webmaster", "www"),
}
"""Names that a mail system keeps for itself (RFC 2142), or that mail programs expect there."""

_OF_STAFF = {
    *("admin", "admins", "administrator", "daemon", "help", "helpdesk", "info", "moderator"),
    *("nobody", "owner", "robot", "root", "security", "staff", "superuser", "support"),
    *("sysadmin", "system"),
}
_OURS = {"pbm", "pbm-oust", "pbm_oust", "pbmserv"}

RESERVED_USERIDS = frozenset((*_OF_MAIL, *_OF_STAFF, *_OURS, *HOUSE))


def is_reserved(userid: str) -> bool:
    """Return whether a new account cannot have a userid; an account that has it keeps it."""
    return userid.lower() in RESERVED_USERIDS
