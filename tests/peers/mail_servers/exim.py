"""An Exim of its own: Debian's package, its split configuration in a folder, on loopback."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.peers.mail_servers.host import PEERS, Host, stop
from tests.support.document import block
from tests.support.waiting import PATIENCE, wait_until

PROGRAM = PEERS / "exim4-daemon-light/usr/sbin/exim4"
CONFIGURATION = PEERS / "exim4-config"
ACCOUNT = "Debian-exim"
"""The account that Exim has from its start; it is never root here."""

ANSWERS = """
dc_eximconfig_configtype='internet'
dc_other_hostnames='games.example.org'
dc_local_interfaces='127.0.0.1'
dc_use_split_config='true'
dc_localdelivery='mail_spool'
dc_readhost=''
dc_relay_domains=''
dc_relay_nets=''
dc_smarthost=''
dc_minimaldns='false'
dc_hide_mailname=''
CFILEMODE='644'
"""
"""The file in which Debian keeps what was said when the package was installed."""

PRIVATE = {
    "main/000_private": """
CONFDIR = @FOLDER@/etc
SPOOLDIR = @FOLDER@/spool
DC_minimaldns = 1
MAIN_HARDCODE_PRIMARY_HOSTNAME = games.example.org
MAIN_QUALIFY_DOMAIN = games.example.org
log_file_path = @FOLDER@/log/%slog
daemon_smtp_ports = @PORT@
tls_advertise_hosts =
deliver_drop_privilege
""",
    "router/050_players": """
players:
  driver = accept
  domains = example.org
  local_parts = alice : bob
  transport = players

nowhere:
  driver = redirect
  domains = ! +local_domains
  allow_fail
  data = :fail: mail stays on this host
""",
    "transport/30_players": """
players:
  driver = appendfile
  maildir_format
  directory = @MAIL@/${lookup{$local_part}lsearch{@FOLDER@/etc/players}}
  return_path_add
  user = Debian-exim
""",
}
"""What keeps the instance to itself, and mailboxes for the players' domain."""


@dataclass
class Exim:
    """An Exim that runs for a host."""

    host: Host
    folder: Path

    @property
    def log(self) -> str:
        """What it has logged."""
        return "".join(path.read_text() for path in sorted((self.folder / "log").iterdir()))

    def wait_for_log(self, pattern: str) -> None:
        """Wait for a line of the log that has a pattern in it."""
        wait_until(lambda: re.search(pattern, self.log), f"a log line {pattern}")

    def queue(self) -> str:
        """Return what is in the queue, as Exim prints it."""
        return self._run("-bp")

    def flush(self) -> None:
        """Try everything in the queue again."""
        self._run("-qff")

    def configure(self, files: dict[str, str]) -> None:
        """Let Debian's script put these files and its own together."""
        shutil.copytree(CONFIGURATION / "etc/exim4", self.folder / "etc")
        for name, text in (PRIVATE | files).items():
            own = text.replace("@FOLDER@", str(self.folder)).replace("@MAIL@", str(self.host.mail))
            path = self.folder / "etc/conf.d" / name
            path.write_text(own.replace("@PORT@", str(self.host.smtp_port)))
        (self.folder / "etc/update-exim4.conf.conf").write_text(ANSWERS)
        (self.folder / "etc/players").write_text("alice: alice\nbob: bob\n")
        script = CONFIGURATION / "usr/sbin/update-exim4.conf"
        made = self.folder / "exim4.conf"
        subprocess.run(
            [script, "--confdir", self.folder / "etc", "--output", made],
            check=True,
            capture_output=True,
        )
        places = {
            "/usr/sbin/exim4": str(shutil.copy(PROGRAM, self.folder)),
            "/etc/aliases": f"{self.folder}/etc/aliases",
            "/etc/email-addresses": f"{self.folder}/etc/email-addresses",
        }
        text = made.read_text()
        for place, own in places.items():
            assert place in text
            text = text.replace(place, own)
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
