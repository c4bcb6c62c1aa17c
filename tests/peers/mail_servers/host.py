"""A folder that stands for an operator's host: program, home and mailboxes, open to other accounts.

Mail servers run programs as accounts of their own, which see neither the folders of the tests nor,
often enough, the Python that runs them.
"""

import os
import re
import shlex
import shutil
import signal
import smtplib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from tests.support.document import block, settings, unit
from tests.support.player import Letters, read_maildir
from tests.support.ports import free_port
from tests.support.server import Server, started
from tests.support.waiting import PATIENCE, wait_until

ROOT = Path(__file__).parents[3]
PEERS = ROOT / ".peers"
OWNER = "games"
"""The account that owns the home; every Debian has it."""

COMMANDS = "pbmserv@games.example.org"
TAGGED = "pbmserv+bounces.tag@games.example.org"


@contextmanager
def open_folder() -> Iterator[Path]:
    """Make a folder that every account may enter, for the body of the `with`."""
    folder = Path(tempfile.mkdtemp(prefix="pbm_oust-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        wait_until(lambda: _is_removed(folder), f"{folder} removed")


def _is_removed(folder: Path) -> bool:
    """Remove a folder, unless a process that is about to end still writes there."""
    try:
        shutil.rmtree(folder)
    except OSError:
        return False
    return True


def install(folder: Path) -> None:
    """Install the program into a virtual environment that other accounts can use."""
    python = _python_for_others()
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python3*/site-packages")
    shutil.copytree(ROOT / "pbm_oust", site / "pbm_oust")
    shutil.copytree(ROOT / "templates", site / "pbm_oust" / "templates")
    for needed in _needed_by(distribution("pbm_oust")):
        for path in needed.files or []:
            if ".." not in path.parts:
                target = site / path
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(needed.locate_file(path)), target)
    version = site.parent.name.removeprefix("python")
    if version != "{}.{}".format(*sys.version_info):
        _install_compiled(site, version)
    program = folder / "bin" / "pbm-oust"
    program.write_text(f"#!{folder}/bin/python\nfrom pbm_oust.cli import run\n\nrun()\n")
    program.chmod(0o755)
    subprocess.run([folder / "bin" / "python", "-m", "compileall", "-q", site], check=True)
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
    message = f"{OWNER} cannot run what is in {folder}: TMPDIR has to be open to all accounts"
    assert _works_for_others(str(program), "--help"), message


def _install_compiled(site: Path, version: str) -> None:
    """Install what is made for one version of Python as it is made for another."""
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:")
    options = ("--upgrade", f"--python-version={version}", f"--target={site}")
    subprocess.run([*pip, *options, "lxml"], check=True)


def _python_for_others() -> str:
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    for python in (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        real = str(Path(python).resolve())
        if Path(real).exists() and _works_for_others(real, "-c", check):
            return real
    raise AssertionError(f"there is no Python 3.11 or newer that {OWNER} may run")


def _works_for_others(*command: str) -> bool:
    try:
        run = subprocess.run(
            command, user=OWNER, group=OWNER, extra_groups=[], cwd="/", capture_output=True
        )
    except PermissionError:
        return False
    return run.returncode == 0


def _needed_by(needing: Distribution) -> Iterator[Distribution]:
    for requirement in needing.requires or []:
        name = re.match(r"[\w.-]+", requirement)
        if name and "extra ==" not in requirement:
            try:
                needed = distribution(name[0])
            except PackageNotFoundError:
                continue  # needed on other systems only
            yield needed
            yield from _needed_by(needed)


def stop(daemon: subprocess.Popen[bytes]) -> None:
    """End a daemon that leads a session of its own."""
    daemon.terminate()
    try:
        daemon.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(daemon.pid, signal.SIGKILL)
        daemon.wait()


@dataclass(frozen=True)
class Host:
    """A home, the ports of the mail server and of LMTP, and the program; players' mail is here."""

    folder: Path
    installed: Path
    """Where the program is, as /opt/pbm_oust is in the document."""
    smtp_port: int
    lmtp_port: int

    @property
    def home(self) -> Path:
        """The home, which belongs to the owner only."""
        return self.folder / "home"

    @property
    def mail(self) -> Path:
        """The folder for the mailboxes of players."""
        return self.folder / "mail"

    @property
    def port(self) -> int:
        """Where players send mail to: the mail server."""
        return self.smtp_port

    @property
    def commands(self) -> str:
        """Where players send commands."""
        return COMMANDS

    def letters_to(self, address: str) -> Letters:
        """Return the letters in the mailbox of an address, which the mail server makes."""
        box = self.mail / address.partition("@")[0]
        is_made = all((box / part).is_dir() for part in ("tmp", "new", "cur"))
        return read_maildir(box) if is_made else {}

    @property
    def places(self) -> dict[str, str]:
        """What stands in the place of the document's paths and accounts."""
        return {
            "/opt/pbm_oust": str(self.installed),
            "/var/lib/pbm_oust": str(self.home),
            "=pbm_oust": f"={OWNER}",
        }

    @property
    def places_of_unit(self) -> dict[str, str]:
        """What stands in the place of the program, the home and the account of a unit."""
        return {
            "=pbm-oust": f"={self.installed}/bin/pbm-oust",
            "/var/lib/pbm_oust": str(self.home),
        }

    @property
    def postfix_settings(self) -> str:
        """What the document says of Postfix with LMTP and of the relay."""
        lmtp = {"127.0.0.1:8024": f"127.0.0.1:{self.lmtp_port}"}
        return block("postfix-lmtp/main.cf", lmtp) + block("postfix-relay/main.cf", {})

    def client(self) -> smtplib.SMTP:
        """Connect to the mail server. Raises OSError."""
        return smtplib.SMTP("127.0.0.1", self.smtp_port, "localhost", timeout=PATIENCE)

    def takes_mail(self) -> bool:
        """Return whether the mail server answers."""
        try:
            with self.client() as smtp:
                return smtp.noop()[0] == 250
        except OSError:
            return False

    def configure(self, name: str = "pbm_oust.toml") -> None:
        """Write the configuration of the document into the home."""
        ports = {"127.0.0.1:8024": f"127.0.0.1:{self.lmtp_port}"} if name == "pbm_oust.toml" else {}
        relay = {"127.0.0.1:25": f"127.0.0.1:{self.smtp_port}"}
        (self.home / "pbm_oust.toml").write_text(block(name, ports | relay))

    @contextmanager
    def serving(self) -> Iterator[Server]:
        """Run the command of the example's systemd unit, as the owner of the home."""
        (command,) = settings(unit("pbm_oust.service", self.places_of_unit), "ExecStart")
        with started(shlex.split(command), self.home, user=OWNER) as server:
            yield server

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command of the program on the home, as its owner."""
        program = self.installed / "bin" / "pbm-oust"
        return subprocess.run(
            [program, "--home", self.home, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            user=OWNER,
            group=OWNER,
            extra_groups=[],
        )


@contextmanager
def new_host(installed: Path) -> Iterator[Host]:
    """Make a host with an empty home for the body of the `with`."""
    before = os.umask(0o022)
    try:
        with open_folder() as folder:
            host = Host(folder, installed, free_port(), free_port())
            for path in (host.home, host.mail):
                path.mkdir(mode=0o700)
                shutil.chown(path, OWNER, OWNER)
            yield host
    finally:
        os.umask(before)
