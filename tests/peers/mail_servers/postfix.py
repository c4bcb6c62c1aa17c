"""A Postfix of its own: Debian's package with settings, queue and log in a folder, on loopback."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.peers.mail_servers.host import PEERS, Host, stop
from tests.peers.settings import filled
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE, wait_until

PACKAGE = PEERS / "postfix"
LIBRARIES = PACKAGE / "usr/lib/postfix"
ENVIRONMENT = {"LD_LIBRARY_PATH": str(LIBRARIES), "PATH": "/usr/bin:/bin"}


QUEUES = "active bounce corrupt defer deferred flush hold incoming private saved trace"


@dataclass
class Postfix:
    """A Postfix that runs for a host; mail to other hosts goes to the port `outside`."""

    host: Host
    folder: Path
    outside: int

    @property
    def log(self) -> str:
        """What it has logged."""
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""

    @property
    def sendmail(self) -> str:
        """The command with which programs of this host hand it their mail."""
        libraries = f"/usr/bin/env LD_LIBRARY_PATH={LIBRARIES}"
        return f"{libraries} {PACKAGE}/usr/sbin/sendmail -C {self.folder}/etc -oi -oem"

    def wait_for_log(self, pattern: str) -> str:
        """Wait for a line of the log that has a pattern in it, and return it."""
        found = wait_until(lambda: re.search(f".*{pattern}.*", self.log), f"a log line {pattern}")
        return found[0] if found else ""

    def queue(self) -> list[dict[str, Any]]:
        """Return what is in the queue, with the reasons why it is there."""
        return [json.loads(line) for line in self._run("postqueue", "-j").splitlines()]

    def wait_until_put_off(self, reason: str) -> None:
        """Wait until there is one message in the queue, put off for a reason.

        For another one it may be as well: a connection was kept from before, and is lost. Then it
        is tried again, as it would be minutes later.
        """

        def is_put_off() -> bool:
            reasons = [
                recipient.get("delay_reason", "")
                for message in self.queue()
                for recipient in message["recipients"]
            ]
            if any(reasons) and reason not in reasons[0]:
                self.flush()
            return len(reasons) == 1 and reason in reasons[0]

        wait_until(is_put_off, f"a message that waits because of {reason}")

    def reload(self) -> None:
        """Let it read its settings again."""
        pid = int((self.folder / "queue/pid/master.pid").read_text())
        os.kill(pid, signal.SIGHUP)
        self.wait_for_log("reload -- version")

    def flush(self) -> None:
        """Try everything in the queue again."""
        self._run("postqueue", "-f")

    def flush_until_empty(self) -> None:
        """Try everything in the queue again and again, as it may miss that right after a reload."""

        def is_empty() -> bool:
            self.flush()
            return self.queue() == []

        wait_until(is_empty, "an empty queue")

    def configure(self, settings: str, services: str = "") -> None:
        """Write these settings and services behind what every instance has."""
        home = self.host.home.stat()
        private = filled(
            "postfix.cf",
            folder=self.folder,
            package=PACKAGE,
            outside=self.outside,
            mail=self.host.mail,
            uid=home.st_uid,
            gid=home.st_gid,
        )
        debian, replaced = re.subn(
            r"^smtp      inet",
            f"127.0.0.1:{self.host.smtp_port} inet",
            (PACKAGE / "usr/share/postfix/master.cf.dist").read_text(),
            flags=re.MULTILINE,
        )
        assert replaced == 1
        for name, text in (
            ("main.cf", f"{private}\n{settings}"),
            ("master.cf", f"{debian}\n{services}"),
        ):
            path = self.folder / "etc" / name
            path.write_text(text)
            os.utime(path, (0, 0))  # Postfix waits until a file is some seconds old

    def make_folders(self) -> None:
        """Make the folders that the package makes at /var/spool/postfix and elsewhere."""
        for path in ("etc", "queue/pid"):
            (self.folder / path).mkdir(parents=True)
        for path in ("data", "spool", *(f"queue/{name}" for name in QUEUES.split())):
            self._make_folder(path, 0o700, "root")
        self._make_folder("queue/public", 0o710, "postdrop")
        self._make_folder("queue/maildrop", 0o730, "postdrop")

    def _make_folder(self, path: str, mode: int, group: str) -> None:
        (self.folder / path).mkdir()
        shutil.chown(self.folder / path, "postfix", group)
        (self.folder / path).chmod(mode)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the master process in the foreground, as leader of a group of its own."""
        with (self.folder / "printed").open("wb") as printed:
            return subprocess.Popen(
                [LIBRARIES / "sbin/master", "-c", self.folder / "etc", "-d"],
                env=ENVIRONMENT,
                stdout=printed,
                stderr=printed,
                start_new_session=True,
            )

    def _run(self, command: str, *arguments: str) -> str:
        done = subprocess.run(
            [PACKAGE / "usr/sbin" / command, "-c", self.folder / "etc", *arguments],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def running_postfix(
    host: Host, settings: str, services: str = "", outside: int | None = None
) -> Iterator[Postfix]:
    """Run a Postfix with these settings and services for the body of the `with`."""
    postfix = Postfix(host, host.folder / "postfix", outside or free_port())
    postfix.make_folders()
    postfix.configure(settings, services)
    master = postfix.start()
    try:
        wait_until(host.takes_mail, "Postfix")
        yield postfix
    finally:
        stop(master)
        print((postfix.folder / "printed").read_text(), postfix.log)
