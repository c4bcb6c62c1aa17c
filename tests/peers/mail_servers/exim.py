"""An Exim of its own: Debian's package, its split configuration in a folder, on loopback."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.peers.mail_servers.host import PEERS, Host, stop
from tests.peers.settings import FOLDER, with_values
from tests.support.document import block
from tests.support.waiting import PATIENCE, wait_until

PROGRAM = PEERS / "exim4-daemon-light/usr/sbin/exim4"
CONFIGURATION = PEERS / "exim4-config"
ACCOUNT = "Debian-exim"
"""The account that Exim has from its start; it is never root here."""


@dataclass
class Exim:
    """An Exim that runs for a host."""

    host: Host
    folder: Path

    @property
    def log(self) -> str:
        """What it has logged."""
        return "".join(path.read_text() for path in sorted((self.folder / "log").iterdir()))

    def wait_until_put_off(self, reason: str) -> None:
        """Wait until a message was put off for a reason."""
        wait_until(lambda: re.search(f"== .*{reason}", self.log), f"a log line {reason}")

    def queue(self) -> list[str]:
        """Return what is in the queue, as Exim prints it."""
        return self._run("-bp").splitlines()

    def flush_until_empty(self) -> None:
        """Try everything in the queue again and again."""

        def is_empty() -> bool:
            self._run("-qff")
            return self.queue() == []

        wait_until(is_empty, "an empty queue")

    def configure(self, files: dict[str, str]) -> None:
        """Let Debian's script put these files and its own together."""
        etc = self.folder / "etc"
        shutil.copytree(CONFIGURATION / "etc/exim4", etc)
        own = FOLDER / "exim4"
        private = {str(path.relative_to(own)): path.read_text() for path in own.glob("*/*")}
        places = {"folder": self.folder, "mail": self.host.mail, "port": self.host.smtp_port}
        for name, text in (private | files).items():
            (etc / "conf.d" / name).write_text(with_values(text, **places))
        shutil.copy(FOLDER / "update-exim4.conf.conf", etc)
        (self.folder / "etc/players").write_text("alice: alice\nbob: bob\n")
        script = CONFIGURATION / "usr/sbin/update-exim4.conf"
        made = self.folder / "exim4.conf"
        subprocess.run(
            [script, "--confdir", etc, "--output", made], check=True, capture_output=True
        )
        names = {
            "/usr/sbin/exim4": str(shutil.copy(PROGRAM, self.folder)),
            "/etc/aliases": f"{self.folder}/etc/aliases",
            "/etc/email-addresses": f"{self.folder}/etc/email-addresses",
        }
        text = made.read_text()
        for name, here in names.items():
            assert name in text
            text = text.replace(name, here)
        made.write_text(text)
        for name in ("aliases", "email-addresses"):
            (self.folder / "etc" / name).touch()
        for path in (self.host.mail, self.folder / "spool", self.folder / "log"):
            path.mkdir(exist_ok=True)
            shutil.chown(path, ACCOUNT, ACCOUNT)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the daemon in the foreground, in a session of its own."""
        with (self.folder / "printed").open("wb") as printed:
            return subprocess.Popen(
                self._command("-bdf"), stdout=printed, stderr=printed, start_new_session=True
            )

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            self._command(*arguments), capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _command(self, *arguments: str) -> list[str]:
        account = f"--reuid={ACCOUNT} --regid={ACCOUNT} --clear-groups --reset-env"
        program = [str(self.folder / PROGRAM.name), "-C", str(self.folder / "exim4.conf")]
        return ["setpriv", *account.split(), *program, *arguments]


def exim_files(lmtp_port: int) -> dict[str, str]:
    """Return the files of the document for Exim's conf.d, by their names in it."""
    port = {"port = 8024": f"port = {lmtp_port}"}
    return {
        "router/350_pbm_oust": block("exim4/conf.d/router/350_pbm_oust", {}),
        "transport/30_pbm_oust": block("exim4/conf.d/transport/30_pbm_oust", port),
    }


@contextmanager
def running_exim(host: Host, files: dict[str, str]) -> Iterator[Exim]:
    """Run an Exim with these files in its conf.d for the body of the `with`."""
    exim = Exim(host, host.folder / "exim")
    exim.configure(files)
    daemon = exim.start()
    try:
        wait_until(host.takes_mail, "Exim")
        yield exim
    finally:
        stop(daemon)
        print((exim.folder / "printed").read_text(), exim.log)
