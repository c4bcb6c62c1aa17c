"""Ports that several processes share: which one it is, where any will do."""

import socket

from pbm_oust.frozen import replace
from pbm_oust.store.configuration import Configuration, Endpoint


class Ports:
    """Ports that are the same for all members where the configuration leaves the choice to us."""

    def __init__(self) -> None:
        self._reserved: dict[Endpoint, tuple[Endpoint, socket.socket]] = {}

    def fix(self, configuration: Configuration) -> Configuration:
        """Return a configuration with a port for each endpoint that may have any."""
        return replace(
            configuration,
            smtp=self._fixed(configuration.smtp),
            smtps=self._fixed(configuration.smtps),
            lmtp=self._fixed(configuration.lmtp),
        )

    def _fixed(self, endpoint: Endpoint | None) -> Endpoint | None:
        if endpoint is None or endpoint.path or endpoint.port:
            return endpoint
        if endpoint not in self._reserved:
            family = socket.AF_INET6 if ":" in endpoint.host else socket.AF_INET
            held = socket.socket(family)
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            held.bind((endpoint.host, 0))
            fixed = Endpoint(endpoint.host, held.getsockname()[1])
            self._reserved[endpoint] = fixed, held
        return self._reserved[endpoint][0]
