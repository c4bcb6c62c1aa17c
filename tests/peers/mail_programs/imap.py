"""A mailbox by IMAP: Dovecot's `imap`, one process for each connection, without its master.

The login is ours, since Dovecot's own looks for its parts in the folders of the system.
"""

import os
import shlex
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import IO

from tests.peers.mail_programs.desk import PEERS
from tests.peers.settings import filled
from tests.support.answering import serving_in_thread

PASSWORD = "caterpillar"

_PACKAGE = PEERS / "dovecot/usr"
_LIBRARIES = _PACKAGE / "lib/dovecot"


class _Door(StreamRequestHandler):
    """Takes a login, and leaves the rest of the conversation to Dovecot."""

    server: "_Mailbox"

    def handle(self) -> None:
        self.wfile.write(b"* OK [CAPABILITY IMAP4rev1] ready\r\n")
        while line := self.rfile.readline().decode():
            tag, command, *words = shlex.split(line)
            if command.upper() == "LOGIN" and words[-1] == PASSWORD:
                self._let_in(tag)
                return
            known = {"CAPABILITY": "* CAPABILITY IMAP4rev1\r\n", "ID": "* ID NIL\r\n"}
            is_known = command.upper() in known
            answer = known.get(command.upper(), "") + f"{tag} {'OK' if is_known else 'NO'} .\r\n"
            self.wfile.write(answer.encode())

    def _let_in(self, tag: str) -> None:
        environment = {"LD_LIBRARY_PATH": str(_LIBRARIES), "IMAPLOGINTAG": tag}
        with (
            (self.server.folder / "log").open("ab") as log,
            subprocess.Popen(
                self.server.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment | {"HOME": str(self.server.folder), "USER": "alice"},
            ) as imap,
        ):
            assert imap.stdin is not None
            assert imap.stdout is not None
            answering = threading.Thread(target=self._hand_out, args=(imap.stdout,), daemon=True)
            answering.start()
            with suppress(ConnectionError), imap.stdin as asked:
                while line := self.rfile.readline():
                    asked.write(line)
                    asked.flush()
            answering.join()

    def _hand_out(self, answers: IO[bytes]) -> None:
        """Pass on what Dovecot answers until it has ended, and end the connection then."""
        with suppress(OSError):
            while answer := os.read(answers.fileno(), 65536):
                self.connection.sendall(answer)
            self.connection.shutdown(socket.SHUT_RDWR)


class _Mailbox(ThreadingTCPServer):
    daemon_threads = True

    def __init__(self, folder: Path, maildir: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Door)
        self.folder = folder
        settings = folder / "dovecot.conf"
        places = {"libraries": _LIBRARIES, "folder": folder, "maildir": maildir}
        settings.write_text(filled("dovecot.conf", owner=maildir.owner(), **places))
        reading = (_PACKAGE / "bin/doveconf", "-f", "service=imap", "-m", "imap", "-c", settings)
        self.command = [*map(str, reading), "-e", str(_LIBRARIES / "imap")]


@contextmanager
def serving_imap(folder: Path, maildir: Path) -> Iterator[int]:
    """Serve a Maildir for the body of the `with`; yield the port. Settings go into the folder."""
    folder.mkdir()
    shutil.chown(folder, maildir.owner())
    with serving_in_thread(_Mailbox(folder, maildir)) as endpoint:
        yield endpoint.port
