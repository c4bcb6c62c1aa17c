"""Handing a mail to the server of a home, which takes it as `deliver` would itself.

Nothing here needs more than a socket, so that a mail costs little time.
"""

from pathlib import Path

from pbm_oust.mail.qmqp import LATER, Handed, first_netstring, request
from pbm_oust.store.own_socket import FOR_DELIVER, connect

_PATIENCE = 600
"""Seconds that the server may take to answer."""
_MOST = 4096


class Reply(str):
    """What the server says to a mail: one letter of QMQP, and a text in the words of SMTP."""

    __slots__ = ()

    @property
    def letter(self) -> str:
        """K, Z or D."""
        return self[:1]

    @property
    def text(self) -> str:
        """Why."""
        return self[1:]


def hand_over(home: Path, mail: Handed) -> Reply | None:
    """Hand a mail to the server of a home, and return its reply, or None if none can be reached.

    If the server goes away during the mail it may have taken it: the reply says to try again.
    """
    try:
        connection = connect(home, FOR_DELIVER)
    except OSError:
        return None
    if connection is None:
        return None
    with connection:
        try:
            connection.settimeout(_PATIENCE)
            connection.sendall(request(mail))
            said = b""
            while more := connection.recv(_MOST):
                said += more
            return Reply(first_netstring(said)[0].decode("utf-8", "replace"))
        except (OSError, ValueError) as error:
            return Reply(f"{LATER}4.3.0 the server has gone away: {error}")
