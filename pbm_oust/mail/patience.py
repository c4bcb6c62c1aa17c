"""How long the listener waits for a client."""

from pbm_oust.frozen import frozen


@frozen
class Patience:
    """Limits in seconds: for one line, and for a whole session. A message comes at a least rate."""

    idle: float = 60
    session: float = 600
    bytes_a_second: float = 100
    wrong_password: float = 2
    """How long the answer to a message with a wrong password waits."""
    answer: float = 60
    """How long a client waits at most until we know what becomes of its message."""


class TooSlow(Exception):
    """A client has used up our patience; the message is the reply."""
