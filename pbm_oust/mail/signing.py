"""DKIM: our letters are signed as they are handed to the relay (RFC 6376).

Not earlier, so that what is signed is what is sent. All headers are signed that a reader sees or
a mail program acts on, each once more than it is there, so that none can be added.
"""

import os
import stat
from dataclasses import field
from typing import Any

from pbm_oust.frozen import frozen
from pbm_oust.store.configuration import BadConfiguration, Configuration

SIGNED = (
    "From",
    "To",
    "Subject",
    "Date",
    "Message-ID",
    "Reply-To",
    "In-Reply-To",
    "References",
    "Auto-Submitted",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
)
SHORTEST_KEY = 1024
"""In bits; what is signed with a shorter key is taken for unsigned (RFC 8301, section 3.2)."""
_LARGEST_FILE = 64 * 1024
_TRIAL = b"From: trial\r\n\r\n"


@frozen
class Signer:
    """Signs letters for the domain of our address."""

    selector: str
    domain: str
    key: bytes = field(repr=False)
    """The private key of RSA, in PEM."""
    library: Any = field(repr=False)

    def signed(self, letter: bytes) -> bytes:
        """Return a letter as it is on the wire, with its signature on top."""
        dkim = self.library.DKIM(letter)
        present = [name.lower() for name, _ in dkim.headers]
        signed = [name.lower().encode() for name in SIGNED]
        signature: bytes = dkim.sign(
            self.selector.encode(),
            self.domain.encode(),
            self.key,
            canonicalize=(b"relaxed", b"relaxed"),
            include_headers=[name for name in signed for _ in range(present.count(name) + 1)],
        )
        return signature + letter


def read_signer(configuration: Configuration) -> Signer | None:
    """Return what signs letters, or None if they are not signed. Raises BadConfiguration."""
    path = configuration.dkim_key
    if not path:
        return None
    try:
        import dkim
    except ImportError:
        raise BadConfiguration(
            "dkim_key: letters cannot be signed without the library dkimpy; install pbm_oust[dkim]"
        ) from None
    domain = configuration.address.rpartition("@")[2]
    if not domain.isascii():
        raise BadConfiguration("dkim_key: the domain of address cannot be signed for")
    signer = Signer(configuration.dkim_selector, domain, _read_key(path), dkim)
    try:
        bits = dkim.crypto.parse_pem_private_key(signer.key)["modulus"].bit_length()
        signer.signed(_TRIAL)
    except Exception:  # noqa: BLE001 - the library fails in several ways on what is no key
        raise BadConfiguration(
            f"dkim_key: {path} is no private key of RSA in PEM without a password"
        ) from None
    if bits < SHORTEST_KEY:
        raise BadConfiguration(f"dkim_key: {path} has {bits} bits; {SHORTEST_KEY} are the least")
    return signer


def _read_key(path: str) -> bytes:
    """Return the content of a file that only few can read. Raises BadConfiguration."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise BadConfiguration(f"dkim_key: {path} is not a regular file")
            if mode & (stat.S_IRWXO | stat.S_IWGRP):
                raise BadConfiguration(
                    f"dkim_key: others can read or write {path}; give it the mode 0600 or 0640"
                )
            return file.read(_LARGEST_FILE)
    except OSError as error:
        raise BadConfiguration(f"dkim_key: {path}: {error.strerror}") from None
