"""Servers of the standard library that answer in a thread of their own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import TCPServer, UDPServer

from pbm_oust.store.configuration import Endpoint


@contextmanager
def serving_in_thread(server: TCPServer | UDPServer) -> Iterator[Endpoint]:
    """Let a server of 127.0.0.1 answer for the body of the `with`, and yield where it listens."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield Endpoint("127.0.0.1", server.server_address[1])
        finally:
            server.shutdown()
            thread.join()
