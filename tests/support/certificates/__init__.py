"""Certificates for tests, and clients that trust them."""

import socket
import ssl
from pathlib import Path

from pbm_oust.mail.tls import read_certificate
from pbm_oust.store.configuration import Configuration

FOLDER = Path(__file__).parent


def certificate(name: str = "first") -> ssl.SSLContext:
    """Return what a server needs to show a certificate."""
    pem, key = (str(FOLDER / f"{name}.{end}") for end in ("pem", "key"))
    context = read_certificate(Configuration(certificate=pem, certificate_key=key))
    assert context
    return context


def trusting(name: str = "first") -> ssl.SSLContext:
    """Return what a client needs that trusts a certificate and no other."""
    return ssl.create_default_context(cafile=FOLDER / f"{name}.pem")


def secured(client: socket.socket) -> ssl.SSLSocket:
    """Return a connection with TLS, after the handshake."""
    return trusting().wrap_socket(client, server_hostname="localhost")
