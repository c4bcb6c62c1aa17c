"""The editor nano, in which somebody types into a draft."""

import re

from tests.peers.mail_programs.desk import PEERS
from tests.peers.mail_programs.terminal import Terminal

PROGRAM = PEERS / "nano/bin/nano"

_LEAVE = "\x18"


def type_above(screen: Terminal, text: str) -> None:
    """Type lines above what the draft holds, and leave the editor, which writes the draft."""
    screen.wait_to_see(r"GNU nano")
    screen.wait_to_see(r"\[ Read \d+ lines? \]")
    screen.type(text.replace("\n", "\r") + "\r\r")
    screen.wait_to_see(rf"^{re.escape(text.splitlines()[-1])}$")
    screen.type(_LEAVE)
    screen.wait_to_see(r"^Save modified buffer\?")
    screen.type("y")
    screen.wait_to_see(r"^File Name to Write:")
    screen.type("\r")
