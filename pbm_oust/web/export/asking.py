"""Asking an application in this process, without a server."""

import asyncio
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp


@dataclass(frozen=True, slots=True)
class Answer:
    """What an application answers."""

    status: int
    media_type: str
    """Without its parameters; empty if it does not say."""
    content: bytes

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode()


class Asking:
    """Asks an application, as a browser does whose user reads a language."""

    def __init__(self, app: ASGIApp, language: str) -> None:
        self._app = app
        self._headers = [(b"accept-language", language.encode())]
        self._runner = asyncio.Runner()

    def get(self, address: str) -> Answer:
        """Return what is answered at a path with what is asked there."""
        return self._runner.run(self._get(address))

    def close(self) -> None:
        """End the event loop."""
        self._runner.close()

    async def _get(self, address: str) -> Answer:
        path, _, query = address.partition("?")
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "query_string": query.encode(),
            "headers": self._headers,
        }
        said = list[MutableMapping[str, Any]]()

        async def send(message: MutableMapping[str, Any]) -> None:
            said.append(message)

        await self._app(scope, _receive, send)
        media_type = Headers(raw=said[0]["headers"]).get("content-type", "").partition(";")[0]
        content = b"".join(message.get("body", b"") for message in said[1:])
        return Answer(said[0]["status"], media_type, content)


async def _receive() -> MutableMapping[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}
