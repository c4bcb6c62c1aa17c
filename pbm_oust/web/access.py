"""The log of requests: a line for each, which tells neither who asked nor any secret.

Much of an address may be a proof: the link to a board, a link to sign in, or one of these misspelt.
So of a path only what cannot be one is told: the pattern that it has, and games and numbers in it.
"""

import asyncio
import sys
import time
from functools import lru_cache
from http import HTTPMethod
from typing import TextIO

from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pbm_oust.rules.position import Kind

WRITE_SECONDS = 1.0
"""How long a line may wait for others, with which it is written."""
_METHODS = frozenset(method.value for method in HTTPMethod)
_NOTHING = "-"


class AccessLog:
    """Lines about requests, written together, so that a page does not wait for its line.

    They look like all others. It belongs to one event loop.
    """

    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self._stream = stream
        self._waiting: list[str] = []

    def add(self, line: str) -> None:
        """Take a line, which is written within a second."""
        if not self._waiting:
            asyncio.get_running_loop().call_later(WRITE_SECONDS, self.write)
        second, part = divmod(time.time(), 1)
        self._waiting.append(f"{_text_of(int(second))},{int(part * 1000):03d} INFO {line}\n")

    def write(self) -> None:
        """Write the lines that wait."""
        lines, self._waiting = self._waiting, []
        self._stream.write("".join(lines))
        self._stream.flush()


@lru_cache(maxsize=1)
def _text_of(second: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(second))


class Logged:
    """An application with a line in a log about each of its responses, when it has ended."""

    def __init__(self, app: ASGIApp, log: AccessLog) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        begun = time.perf_counter()
        status, size = 500, 0

        async def send_counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, send_counted)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else _NOTHING
            size = 0 if method == "HEAD" else size
            milliseconds = (time.perf_counter() - begun) * 1000
            self._log.add(
                f"method={method} path={path_told(scope)} status={status} bytes={size}"
                f" ms={milliseconds:.0f}"
            )


def path_told(scope: Scope) -> str:
    """Return what the log tells of the path of a request; nothing of one that no page has."""
    route = scope.get("route")
    if not isinstance(route, Route):
        return _NOTHING
    told = {name: _told(name, value) for name, value in scope["path_params"].items()}
    return route.path_format.format_map(told)


def _told(name: str, value: object) -> str:
    """Return a part of a path as the log tells it: by its name, unless it is a game or a number."""
    if isinstance(value, Kind):
        return value.name
    return str(value) if isinstance(value, int) else f"{{{name}}}"
