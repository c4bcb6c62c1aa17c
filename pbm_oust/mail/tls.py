"""TLS: the certificate that clients are shown, read from its files."""

import ssl
from dataclasses import dataclass

from pbm_oust.store.configuration import BadConfiguration, Configuration


@dataclass(slots=True)
class Tls:
    """The TLS context for new connections; None if there is none."""

    context: ssl.SSLContext | None = None


def read_certificate(configuration: Configuration) -> ssl.SSLContext | None:
    """Return the TLS context of a configuration, from the files as they are.

    Raises BadConfiguration.
    """
    certificate, key = configuration.certificate, configuration.certificate_key
    if not certificate:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    for name, path in (("certificate", certificate), ("certificate_key", key or certificate)):
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            raise BadConfiguration(f"{name}: {path}: {error.strerror}") from None
    try:
        # An empty password is a wrong one: OpenSSL would ask for it at the terminal.
        context.load_cert_chain(certificate, key or None, password="")  # no secret # nosec B106
    except (ssl.SSLError, ValueError):
        raise BadConfiguration(
            f"certificate: {certificate} and {key or 'the key in it'} are no chain and its key "
            "in PEM, without a password"
        ) from None
    return context
