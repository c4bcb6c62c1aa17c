"""TLS: what it protects, what it forgets, and handshakes that never end."""

import os
import re
import signal
import smtplib
import socket
import ssl
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from pbm_oust.mail.clients import MOST_CONNECTIONS_OF_ONE, S220_TLS, Patience
from pbm_oust.mail.session import Protocol
from pbm_oust.mail.tls import Tls, read_certificate
from pbm_oust.store.configuration import BadConfiguration, Configuration
from pbm_oust.store.home import Home
from tests.support.certificates import FOLDER, certificate, trusting
from tests.support.listening import listening
from tests.support.server import ADDRESS, PROGRAM, running
from tests.support.waiting import PATIENCE, wait_until

SHORT = 0.2


def shown_at(port: int, name: str) -> bool:
    """Return whether a server shows a certificate after STARTTLS."""
    with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as client:
        try:
            return client.starttls(context=trusting(name))[0] == 220
        except ssl.SSLCertVerificationError:
            return False


def test_nothing_older_than_tls_1_2_is_spoken() -> None:
    assert certificate().minimum_version == ssl.TLSVersion.TLSv1_2


# Python itself leaves a socket open that was reset before its handshake has begun.
@pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")
@pytest.mark.parametrize("size", [20_000, 260_000, 400_000])
def test_nothing_that_comes_before_tls_is_obeyed_within_it(home: Home, size: int) -> None:
    with (
        listening(home, tls=Tls(certificate())) as port,
        socket.create_connection(("127.0.0.1", port), PATIENCE) as client,
        suppress(OSError),  # of much, the end may come as if it were a handshake
    ):
        assert client.recv(4096).startswith(b"220 ")
        client.sendall(b"STARTTLS\r\n" + b"RSET\r\n" * (size // 6))
        assert client.recv(4096) == f"{S220_TLS}\r\n".encode()
        with trusting().wrap_socket(client, server_hostname="localhost") as protected:
            protected.sendall(b"NOOP x\r\nQUIT\r\n")
            said = b""
            while more := protected.recv(4096):
                said += more
            assert [line[:3] for line in said.splitlines()] == [b"250", b"221"]


@pytest.mark.parametrize("nonsense", [b"", b"EHLO x\r\n", b"\x16\x03\x01\x02\x00\x01"])
def test_handshakes_that_fail_leave_no_connection_behind(home: Home, nonsense: bytes) -> None:
    with listening(home, Protocol.SMTPS, tls=Tls(certificate())) as port:
        for _ in range(MOST_CONNECTIONS_OF_ONE + 1):
            with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
                client.sendall(nonsense)
                client.shutdown(socket.SHUT_WR)
                with suppress(ConnectionResetError):
                    while client.recv(4096):
                        pass
        with smtplib.SMTP_SSL("localhost", port, context=trusting(), timeout=PATIENCE) as client:
            assert client.noop()[0] == 250


def test_a_handshake_that_does_not_come_is_not_waited_for_longer_than_a_line(home: Home) -> None:
    patience = Patience(idle=SHORT)
    with (
        listening(home, Protocol.SMTPS, patience, tls=Tls(certificate())) as port,
        socket.create_connection(("127.0.0.1", port), PATIENCE) as client,
    ):
        assert client.recv(4096) == b""


def write(path: Path, *names: str) -> str:
    path.write_text("".join((FOLDER / name).read_text() for name in names))
    return str(path)


@pytest.mark.parametrize(
    "names", [("first.pem",), ("first.pem", "second.key"), ("README.md",), ("first.key",)]
)
def test_a_certificate_without_its_key_is_no_certificate(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(BadConfiguration, match="are no chain and its key in PEM"):
        read_certificate(Configuration(certificate=write(tmp_path / "pem", *names)))


def test_a_certificate_may_have_its_key_in_its_file(tmp_path: Path) -> None:
    both = write(tmp_path / "pem", "first.pem", "first.key")
    assert read_certificate(Configuration(certificate=both))


def test_a_key_with_a_password_asks_nobody_for_it() -> None:
    configuration = Configuration(
        certificate=str(FOLDER / "first.pem"), certificate_key=str(FOLDER / "locked.key")
    )
    with pytest.raises(BadConfiguration, match="without a password"):
        read_certificate(configuration)


@pytest.mark.slow
def test_a_server_with_a_bad_certificate_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "pbm_oust.toml").write_text('certificate = "/nowhere/cert.pem"\n')
    command = [PROGRAM, "--home", str(tmp_path), "serve", "--address", ADDRESS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2
    reason = "certificate: /nowhere/cert.pem: No such file or directory"
    assert done.stderr.endswith(f"Error: {tmp_path}/pbm_oust.toml: {reason}\n")


@pytest.mark.slow
def test_certificates_are_read_again_on_sighup(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    both = write(tmp_path / "pem", "first.pem", "first.key")
    (home / "pbm_oust.toml").write_text(f'certificate = "{both}"\n')
    with running(home) as server:
        assert shown_at(server.port, "first")
        write(tmp_path / "pem", "second.pem", "first.key")
        os.kill(server.process.pid, signal.SIGHUP)
        assert not shown_at(server.port, "second")
        assert shown_at(server.port, "first")
        write(tmp_path / "pem", "second.pem", "second.key")
        os.kill(server.process.pid, signal.SIGHUP)
        wait_until(lambda: shown_at(server.port, "second"), "the second certificate")
    assert re.search("the configuration stays as it was: .*: certificate: .*", server.log)


def test_a_client_that_leaves_with_its_handshake_is_no_warning(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    came, leaves = ssl.MemoryBIO(), ssl.MemoryBIO()
    shaking = trusting().wrap_bio(came, leaves, server_hostname="localhost")
    with (
        listening(home, Protocol.SMTPS, tls=Tls(certificate())) as port,
        socket.create_connection(("127.0.0.1", port), PATIENCE) as client,
    ):
        while True:
            try:
                shaking.do_handshake()
                break
            except ssl.SSLWantReadError:
                client.sendall(leaves.read())
                came.write(client.recv(65536))
        with suppress(ssl.SSLWantReadError):
            shaking.unwrap()
        client.sendall(leaves.read())
        while client.recv(65536):
            pass
    assert caplog.messages == []
