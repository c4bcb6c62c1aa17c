"""The webmail Roundcube, its pages made by PHP's own web server, in a folder of its own."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from tests.peers.mail_programs.desk import PEERS
from tests.peers.mail_programs.imap import serving_imap
from tests.peers.mail_programs.leashed import leashed
from tests.peers.settings import filled
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE, wait_until

_PACKAGES = PEERS / "roundcube"
_PROGRAM = _PACKAGES / "usr/share/roundcube"
_EXTENSIONS = "ctype dom fileinfo iconv intl mbstring pdo pdo_sqlite posix sockets tokenizer xml"


@contextmanager
def serving_roundcube(folder: Path, maildir: Path, smtp: int, *, html: bool) -> Iterator[str]:
    """Serve Roundcube on a Maildir for the body of the `with`; yield its address.

    What is written goes to the port `smtp` of this host. `html` settles which editor answers are
    written in.
    """
    for name in ("config", "logs", "temp", "public_html"):
        (folder / name).mkdir(parents=True)
    for name in ("program", "skins", "plugins", "index.php"):
        (folder / name).symlink_to(_PROGRAM / name)
    for name in ("program", "skins", "plugins"):
        (folder / "public_html" / name).symlink_to(_PROGRAM / name)
    shutil.copy(_PACKAGES / "var/lib/roundcube/public_html/index.php", folder / "public_html")
    for name in ("defaults.inc.php", "mimetypes.php"):
        shutil.copy(_PACKAGES / "etc/roundcube" / name, folder / "config")
    with closing(sqlite3.connect(folder / "database")) as database:
        database.executescript((_PROGRAM / "SQL/sqlite.initial.sql").read_text())
    with serving_imap(folder / "imap", maildir) as imap:
        settings = filled(
            "roundcube.php", folder=folder, imap=imap, smtp=smtp, htmleditor=int(html)
        )
        (folder / "config/config.inc.php").write_text(settings)
        with _serving_php(folder) as address:
            yield address


@contextmanager
def _serving_php(folder: Path) -> Iterator[str]:
    (modules,) = (_PACKAGES / "usr/lib/php").glob("20*")
    (program,) = (_PACKAGES / "usr/bin").glob("php8*")
    settings = filled("php.ini", folder=modules, packages=_PACKAGES, temporary=folder / "temp")
    loaded = "".join(f"extension = {name}\n" for name in _EXTENSIONS.split())
    (folder / "php.ini").write_text(settings + loaded)
    port = free_port()
    place = f"127.0.0.1:{port}"
    command: list[str | Path] = [program, "-n", "-c", folder / "php.ini", "-S", place]
    environment = os.environ | {"PHP_CLI_SERVER_WORKERS": "4"}
    command += ["-t", folder / "public_html"]
    with leashed(command, environment, folder / "printed"):
        wait_until(lambda: _answers(port), "Roundcube")
        yield f"http://{place}/"


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/")
        return b"Roundcube" in connection.getresponse().read()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
