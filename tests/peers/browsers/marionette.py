"""Firefox's own remote control, Marionette, for selenium: what a geckodriver would translate else.

Marionette takes the commands of WebDriver over a socket, under names of its own. Each message is a
JSON text behind its length.
"""

import json
import socket
from typing import Any

from selenium.webdriver.remote.command import Command

from tests.support import tables
from tests.support.waiting import PATIENCE, Hung

_NAMES = tables.named(__file__, "names")
"""The names of Marionette by those of selenium, of the commands that the tests need."""

"""Seconds that a command may take."""


class Marionette:
    """A connection to a Firefox that has been started with `--marionette`."""

    client_config = None

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._incoming = self._socket.makefile("rb")
        self._number = 0
        self._received()

    def execute(self, command: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out a command of selenium, and return what its drivers would answer."""
        given = {name: value for name, value in params.items() if name != "sessionId"}
        given |= {"flags": ["eForceQuit"]} if command == Command.QUIT else {}
        given = {"acceptInsecureCerts": False} if command == Command.NEW_SESSION else given
        given |= {"full": False} if command == Command.SCREENSHOT else {}
        self._number += 1
        message = json.dumps([0, self._number, _NAMES[command], given]).encode()
        self._socket.sendall(b"%d:%b" % (len(message), message))
        _, number, fault, result = self._received()
        assert number == self._number
        if fault:
            return {"status": 500, "value": json.dumps({"value": fault})}
        is_wrapped = isinstance(result, dict) and set(result) == {"value"}
        return {"value": result["value"] if is_wrapped else result}

    def close(self) -> None:
        """End the connection."""
        self._incoming.close()
        self._socket.close()

    def _received(self) -> Any:
        """Return the next message. Raises Hung if none comes."""
        try:
            return self._read()
        except TimeoutError:
            raise Hung("Firefox says nothing") from None

    def _read(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            digit = self._incoming.read(1)
            assert digit, "Firefox has ended"
            length += digit
        return json.loads(self._incoming.read(int(length[:-1])))
