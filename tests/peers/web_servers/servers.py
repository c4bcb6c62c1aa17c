"""Web servers in front of the pages: nginx and Caddy, with the settings of the document."""

import os
import shutil
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.peers.browsers.view import package
from tests.peers.mail_programs.leashed import leashed
from tests.peers.mail_servers.host import OWNER, open_folder
from tests.peers.settings import filled
from tests.support import certificates
from tests.support.document import block, example
from tests.support.ports import free_port
from tests.support.waiting import wait_until

HOST = "localhost"
"""Whom the certificate is for."""
_NAMED = "games.example.org"
_LISTEN = "127.0.0.1:8080"


@contextmanager
def nginx(pages: int) -> Iterator[int]:
    """Run nginx in front of a port."""
    with _folder("nginx", "sbin/nginx") as folder:
        port = free_port()
        site = example(
            "nginx.conf",
            {
                _LISTEN: f"127.0.0.1:{pages}",
                "listen 80": f"listen 127.0.0.1:{free_port()}",
                "listen 443": f"listen 127.0.0.1:{port}",
                f"server_name {_NAMED}": f"server_name {HOST}",
                f"/etc/letsencrypt/live/{_NAMED}/fullchain.pem": f"{folder}/first.pem",
                f"/etc/letsencrypt/live/{_NAMED}/privkey.pem": f"{folder}/first.key",
            },
        )
        (folder / "pbm_oust").write_text(site)
        (folder / "nginx.conf").write_text(filled("nginx.conf", folder=folder))
        with _running([folder / "nginx", "-e", "stderr", "-c", folder / "nginx.conf"], port):
            yield port
        assert not (folder / "access.log").read_text()


@contextmanager
def caddy(pages: int) -> Iterator[int]:
    """Run Caddy in front of a port."""
    with _folder("caddy", "bin/caddy") as folder:
        port = free_port()
        site = block(
            "caddy/Caddyfile",
            {
                f"{_NAMED} {{": f"{HOST}:{port} {{\nbind 127.0.0.1\n"
                f"tls {folder}/first.pem {folder}/first.key",
                _LISTEN: f"127.0.0.1:{pages}",
            },
        )
        (folder / "Caddyfile").write_text(filled("Caddyfile", site=site))
        with _running([folder / "caddy", "run", "--config", folder / "Caddyfile"], port):
            yield port


@contextmanager
def _folder(name: str, program: str) -> Iterator[Path]:
    """Make a folder of another account with a program and a certificate."""
    with open_folder() as parent:
        folder = parent / "server"
        folder.mkdir()
        shutil.copy(package(name) / program, folder)
        for file in ("first.pem", "first.key"):
            shutil.copy(certificates.FOLDER / file, folder)
        for each in (folder, *folder.iterdir()):
            shutil.chown(each, OWNER, OWNER)
        yield folder


@contextmanager
def _running(command: Sequence[str | Path], port: int) -> Iterator[None]:
    """Run a program as another account, when it listens at a port."""
    folder = Path(command[0]).parent
    printed = folder.parent / "printed"
    account = ("setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    with leashed([*account, *command], environment, printed):
        try:
            wait_until(lambda: _listens(port), "a web server")
            yield
        finally:
            print(printed.read_text(errors="replace"))


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
