"""Clean roots of Debian, in which programs run as on hosts of their own."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

MEMORY = Path("/dev/shm")  # noqa: S108 - names in it are new
"""Where files are written without waiting for a disk, which Debian's tools do after each."""


@dataclass(frozen=True)
class Root:
    """A folder that is the root of the programs in it."""

    path: Path

    def command(self, *words: str, user: str = "") -> list[str]:
        """Return the command line that runs a program in here, perhaps as some user."""
        within = ["unshare", "--mount-proc", "--root", str(self.path)]
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        return [*within, *(as_user if user else []), *words]

    def run(self, *words: str, user: str = "", stdin: str = "") -> str:
        """Return what a program prints that ends well."""
        done = subprocess.run(
            self.command(*words, user=user),
            input=stdin,
            env={
                **{name: value for name, value in os.environ.items() if name.endswith("_proxy")},
                "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "DEBIAN_FRONTEND": "noninteractive",
                "LC_ALL": "C.UTF-8",
            },
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def has(self, path: str) -> bool:
        """Return whether there is a file, a folder or a link at a path."""
        return os.path.lexists(self.path / path.removeprefix("/"))


@contextmanager
def new_root(suite: str, shared: Path) -> Iterator[Root]:
    """Make a clean and small root of a release of Debian, for the body of the `with`."""
    options = "--variant=minbase", "--skip=cleanup/apt/lists", "--format=tar"
    first = made_once(shared / suite, lambda file: _bootstrap(suite, file, *options))
    with TemporaryDirectory(prefix="pbm_oust-", dir=MEMORY) as folder:
        root = Path(folder)
        subprocess.run(["tar", "--extract", "--file", first], cwd=root, check=True)
        shutil.copy("/etc/resolv.conf", root / "etc")
        yield Root(root)


@contextmanager
def foreign_root(suite: str, architecture: str, *packages: str) -> Iterator[Root]:
    """Unpack packages of Debian for another machine, for the body of the `with`.

    Nothing in them is run or set up: programs run one by one, in an emulator at `EMULATOR`.
    """
    with TemporaryDirectory(prefix="pbm_oust-", dir=MEMORY) as folder:
        root = Path(folder)
        wanted = [f"--architectures={architecture}", f"--include={','.join(packages)}"]
        _bootstrap(suite, root, "--variant=extract", *wanted)
        shutil.copy("/usr/bin/qemu-aarch64-static", root / EMULATOR[1:])
        (root / "proc").mkdir(exist_ok=True)
        yield Root(root)


EMULATOR = "/emulator"


def _bootstrap(suite: str, target: Path, *options: str) -> None:
    targets = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    mirror = subprocess.run(targets, capture_output=True, text=True, check=True).stdout.split()[0]
    with TemporaryDirectory(prefix="pbm_oust-", dir=MEMORY) as folder:
        subprocess.run(
            ["mmdebstrap", "--quiet", *options, suite, str(target), mirror],
            env={**os.environ, "TMPDIR": folder},
            check=True,
        )


def made_once(path: Path, make: Callable[[Path], None]) -> Path:
    """Return a path once one of the processes of the tests has made what is there."""
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            make(path)
    return path


def shared_by_all(factory: pytest.TempPathFactory) -> Path:
    """Return a folder that is the same in all processes of a run of the tests."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def instructions(dockerfile: str) -> list[tuple[str, str]]:
    """Return each instruction of a Dockerfile: its name, and what follows."""
    lines = dockerfile.replace("\\\n", "").splitlines()
    parted = [line.partition(" ") for line in lines if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in parted]
