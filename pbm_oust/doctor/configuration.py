"""The configuration: it can be read, and its parts fit together."""

from collections.abc import Iterator
from pathlib import Path

from pbm_oust.doctor.finding import Examiner, Finding
from pbm_oust.mail.tls import read_certificate
from pbm_oust.store.configuration import (
    BadConfiguration,
    Configuration,
    Endpoint,
    parse_configuration,
)
from pbm_oust.store.home import Home

LONGEST_LOCAL_PART = 40
"""The most characters before the @ that leave room for our tags (RFC 5321, section 4.5.3.1.1)."""

_on = Examiner("configuration")


def check(home: Home) -> Iterator[Finding]:
    """Yield findings about `pbm_oust.toml`."""
    name = home.configuration.name
    try:
        configuration = parse_configuration(home.read_configuration())
        read_certificate(configuration)
    except (BadConfiguration, OSError) as error:
        yield _on.bad(f"{name}: {error}", "The server does not start until this is mended")
        return
    where = configuration.relay or "the outbox only"
    text = f"{configuration.address} takes commands, letters go to {where}"
    yield from _on.all_or(text, _parts(configuration, name))


def _parts(configuration: Configuration, name: str) -> Iterator[Finding]:
    local, _, host = configuration.address.rpartition("@")
    if len(local) > LONGEST_LOCAL_PART:
        yield _on.bad(
            f"{name}: address: {local} has {len(local)} characters before the @",
            f"Take one of at most {LONGEST_LOCAL_PART}, so that there is room for tags behind it",
        )
    if configuration.relay and host == "localhost":
        yield _on.bad(
            f"{name}: address: {configuration.address} cannot be answered from another host",
            "Set the address to which players write",
        )
    for key in ("mail_servers", "proxies", "web_proxies"):
        for network in getattr(configuration, key):
            if network.prefixlen == 0:
                yield _on.bad(
                    f"{name}: {key}: {network} is every host there is",
                    "Name only hosts of your own",
                )
    is_brought_by_socket = configuration.lmtp is not None and configuration.lmtp.path
    if configuration.authserv_id and not (configuration.mail_servers or is_brought_by_socket):
        yield _on.bad(
            f"{name}: authserv_id: no mail comes from a mail server of yours, so nothing counts",
            "Name the mail server in mail_servers, or let it hand mail over at a Unix socket",
        )
    if not (configuration.smtp or configuration.smtps or configuration.lmtp):
        yield _on.note(
            f"{name}: neither smtp nor smtps nor lmtp is set, so mail comes by deliver only"
        )
    for key, endpoint in (("smtp", configuration.smtp), ("lmtp", configuration.lmtp)):
        if endpoint and endpoint == configuration.relay:
            yield _on.bad(
                f"{name}: relay: {endpoint} is where the server itself listens for {key}",
                "Name the mail server that letters are handed to",
            )
        yield from _socket(key, endpoint, name)


def _socket(key: str, endpoint: Endpoint | None, name: str) -> Iterator[Finding]:
    folder = Path(endpoint.path).parent if endpoint and endpoint.path else None
    if folder and not folder.is_dir():
        yield _on.bad(
            f"{name}: {key}: there is no folder {folder} for the socket",
            "Make it, or name another path",
        )
