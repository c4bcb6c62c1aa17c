"""A release is installed as its users do, on clean hosts, and a game is played there."""

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import tarfile
import venv
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.peers.packages.roots import (
    EMULATOR,
    Root,
    foreign_root,
    instructions,
    made_once,
    new_root,
    shared_by_all,
)
from tests.support.document import settings
from tests.support.player import Letters, Player, latest_mail, play_to_the_end
from tests.support.ports import free_port
from tests.support.server import ADDRESS, Server, started

ROOT = Path(__file__).parents[3]
HOME, CONFIGURATION = "/var/lib/pbm_oust", "/etc/pbm_oust.toml"
BESIDE = f"{HOME}.before"
"""Where the home is copied to before an upgrade."""
BACKUPS = "/var/backups/pbm_oust"
UNIT, NIGHTLY = "pbm_oust.service", "pbm_oust-backup.service"
BEFORE = "0.1.9"
ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_by_all(tmp_path_factory)


@pytest.fixture(scope="session")
def release(shared: Path) -> Path:
    """The folder of the release that `scripts/release` checks, or of one of what is committed."""
    if made := os.environ.get("PBM_OUST_DIST"):
        return Path(made)
    return made_once(shared / "release", _make)


def _make(folder: Path) -> None:
    subprocess.run([str(ROOT / "scripts" / "release"), "--only-make", str(folder)], check=True)


@pytest.fixture(scope="session")
def package(release: Path) -> Path:
    (path,) = release.glob(f"*_{ARCHITECTURE}.deb")
    return path


@pytest.fixture(scope="session")
def wheel(release: Path) -> Path:
    (path,) = release.glob(f"*_{platform.machine()}.whl")
    return path


def players_at(server: Server) -> tuple[Player, Player]:
    return Player("alice", "wonderland", server), Player("bob", "lookingglass", server)


def game_begun(server: Server) -> Letters:
    """Let two people sign up and begin a game by mail, and return the latest letter of each."""
    players = players_at(server)
    for player in players:
        player.sign_up()
    players[0].send("oust challenge alice bob wonderland -size=3")
    return latest_mail(players)


def game_played(server: Server, latest: Letters) -> None:
    """Let the two play the game to its end."""
    players = players_at(server)
    for player in players:
        player.new_mail()
    play_to_the_end(players, latest)


# ---- The package of Debian ----


@contextmanager
def serving(root: Root) -> Iterator[Server]:
    """Run the server as its unit does."""
    (line,) = settings(unit(root, UNIT), "ExecStart")
    (user,) = settings(unit(root, UNIT), "User")
    with started(root.command(*shlex.split(line), user=user), root.path / HOME[1:]) as server:
        yield server


def unit(root: Root, name: str) -> str:
    return (root.path / "lib/systemd/system" / name).read_text()


def install(root: Root, package: str) -> None:
    root.run("apt-get", "install", "-qq", "--no-install-recommends", "-y", package)


def as_before(root: Root, package: str) -> str:
    """Return a package that is the same but for its version, which is an earlier one."""
    root.run("dpkg-deb", "--raw-extract", package, "/srv/before")
    control = root.path / "srv" / "before" / "DEBIAN" / "control"
    changed = re.sub(r"^Version: .*", f"Version: {BEFORE}", control.read_text(), flags=re.MULTILINE)
    control.write_text(changed)
    root.run("dpkg-deb", "-Znone", "--build", "/srv/before", "/srv/before.deb")
    return "/srv/before.deb"


@pytest.mark.parametrize("suite", ["bookworm", "trixie"])
def test_the_package_is_installed_upgraded_removed_and_purged(
    suite: str, package: Path, shared: Path
) -> None:
    with new_root(suite, shared) as root:
        shutil.copy(package, root.path / "srv" / "pbm-oust.deb")
        install(root, as_before(root, "/srv/pbm-oust.deb"))
        assert root.run("dpkg-query", "--show", "pbm-oust") == f"pbm-oust\t{BEFORE}\n"
        root.run("test", "-w", BESIDE, user="pbm_oust")
        usual = (root.path / CONFIGURATION[1:]).read_text()
        changed = f'address = "{ADDRESS}"\nsmtp = "127.0.0.1:0"\n{usual}'
        (root.path / CONFIGURATION[1:]).write_text(changed)
        with serving(root) as server:
            latest = game_begun(server)
        install(root, "/srv/pbm-oust.deb")
        assert (root.path / CONFIGURATION[1:]).read_text() == changed
        with serving(root) as server:
            Player("mallory", "", server).send("oust showas alice lookingglass all")
            game_played(server, latest)
        assert "oust 1: ok" in root.run("pbm-oust", "games", "verify")
        told = root.run("pbm-oust", "doctor")
        assert "BAD" not in told
        assert "search with the compiled core" in told
        check_what_comes_with_it(root)
        check_what_fail2ban_finds(root, server.log)
        root.run("apt-get", "remove", "-qq", "-y", "pbm-oust")
        assert root.has(f"{HOME}/pbm_oust.db")
        assert root.has(CONFIGURATION)
        assert not root.has("/usr/lib/pbm-oust")
        root.run("apt-get", "purge", "-qq", "-y", "pbm-oust")
        for gone in (HOME, BESIDE, CONFIGURATION):
            assert not root.has(gone)
        assert "pbm_oust" not in (root.path / "etc/passwd").read_text()
        (kept,) = (root.path / BACKUPS[1:]).iterdir()
        assert (kept / "pbm_oust.db").is_file()


def check_what_comes_with_it(root: Root) -> None:
    """Check that units are enabled, the nightly backup works, and the shell completes."""
    wants = root.path / "etc/systemd/system"
    enabled = {path.name for path in wants.glob("*.wants/*")}
    assert enabled >= {UNIT, "pbm_oust-backup.timer"}
    (line,), (user,) = (settings(unit(root, NIGHTLY), name) for name in ("ExecStart", "User"))
    root.run(*shlex.split(line), user=user)
    for page in ("man1/pbm-oust.1.gz", "man5/pbm_oust.toml.5.gz"):
        assert root.has(f"/usr/share/man/{page}")
    for file in ("docs/operate.md", "docs/schemas.json", "pbm_oust.cdx.json"):
        assert root.run("test", "-f", f"/usr/share/doc/pbm-oust/{file}") == ""
    assert f"[default: {HOME}]" in root.run("pbm-oust", "--help")
    offered = root.run(
        "bash",
        "-c",
        ". /usr/share/bash-completion/completions/pbm-oust; COMP_WORDS=(pbm-oust game); "
        "COMP_CWORD=1; _pbm_oust_completion pbm-oust; echo ${COMPREPLY[@]}",
    )
    assert offered == "games\n"


def check_what_fail2ban_finds(root: Root, log: str) -> None:
    """Check that fail2ban finds the one guess in a log."""
    install(root, "fail2ban")
    (root.path / "srv" / "log").write_text(log)
    found = root.run("fail2ban-regex", "/srv/log", "/etc/fail2ban/filter.d/pbm_oust.conf")
    assert "Failregex: 1 total" in found


def test_the_package_for_arm64_plays_with_the_core(release: Path) -> None:
    (package,) = release.glob("*_arm64.deb")
    libraries = "python3-minimal", "libpython3-stdlib", "python3-click", "python3-jinja2"
    with foreign_root("bookworm", "arm64", *libraries) as root:
        subprocess.run(["dpkg-deb", "--extract", package, root.path], check=True)
        (root.path / "srv").mkdir(mode=0o700)
        python = [EMULATOR, "/usr/lib/pbm-oust/bin/python3"]

        def does(*words: str, stdin: str = "") -> str:
            return root.run(*python, "/usr/bin/pbm-oust", "--home", "/srv", *words, stdin=stdin)

        assert root.run(*python, "-c", "import os; print(os.uname().machine)") == "aarch64\n"
        does("players", "add", "alice", "alice@example.org", "--password", "wonderland")
        assert "search with the compiled core" in does("doctor")
        for line in (
            "oust challenge alice house2 wonderland -size=5 -noswap",
            "oust move 1 alice wonderland C3",
        ):
            does("deliver", stdin=f"From: alice@example.org\nSubject: {line}\n\n")
        does("house")
        assert "2 o " in does("games", "history", "oust", "1")


# ---- The container ----


def test_the_steps_of_the_container_make_a_server(release: Path, shared: Path) -> None:
    text = (release / "container" / "Dockerfile").read_text()
    for port in ("8025", "8080"):
        assert f"0.0.0.0:{port}" in text
        text = text.replace(f"0.0.0.0:{port}", f"127.0.0.1:{port}").replace(port, str(free_port()))
    steps = instructions(text)
    last = dict(steps)
    suite = last["FROM"].removeprefix("debian:").removesuffix("-slim")
    with new_root(suite, shared) as root:
        for name, rest in steps:
            if name == "COPY":
                source, target = rest.split()
                shutil.copy(release / "container" / source, root.path / target[1:])
            elif name == "RUN":
                root.run("sh", "-c", rest)
        assert last["VOLUME"].split() == [HOME, BESIDE]
        command: Sequence[str] = [*json.loads(last["ENTRYPOINT"]), *json.loads(last["CMD"])]
        command = root.command(*command, "--address", ADDRESS, user=last["USER"])
        with started(command, root.path / HOME[1:]) as server:
            game_played(server, game_begun(server))
            root.run(*json.loads(last["HEALTHCHECK"].removeprefix("CMD ")), user=last["USER"])


# ---- The wheel and the sources ----


# The wheel has been built from the sources; a release tries these by themselves, too.
@pytest.mark.parametrize(
    "form", [f"*_{platform.machine()}.whl", *["*.tar.gz"] * ("PBM_OUST_DIST" in os.environ)]
)
def test_what_pip_installs_is_the_program_with_the_core(
    form: str, release: Path, tmp_path: Path
) -> None:
    (path,) = release.glob(form)
    venv.create(tmp_path / "venv", with_pip=True)
    program = tmp_path / "venv" / "bin" / "pbm-oust"
    pip = [str(program.with_name("python")), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, f"{path}[web]"], check=True)
    home = tmp_path / "home"
    command = [str(program), "--home", str(home), "serve", "--address", ADDRESS]
    with started([*command, "--smtp", "127.0.0.1:0"], home, folder=tmp_path) as server:
        game_played(server, game_begun(server))
    told = subprocess.run(
        [program, "--home", home, "doctor"], capture_output=True, text=True, cwd=tmp_path
    )
    assert "search with the compiled core" in told.stdout


def test_the_wheel_is_for_all_pythons_and_holds_the_program_and_its_templates(wheel: Path) -> None:
    assert "-cp311-abi3-manylinux" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not re.search(r"\.dist-info/|/$", name)}
    listed = ["git", "ls-files", "pbm_oust", "docs", "templates"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    plain = {name for name in files.split() if not name.endswith((".c", ".h", ".po"))}
    places = {"docs/": "pbm_oust/documents/", "templates/": "pbm_oust/templates/"}
    at_home = {re.sub("^(docs|templates)/", lambda found: places[found[0]], name) for name in plain}
    assert names == at_home | {
        "pbm_oust/languages/fr/LC_MESSAGES/pbm_oust.mo",
        "pbm_oust/robot/_core.abi3.so",
    }


def test_the_version_is_the_same_everywhere(release: Path, package: Path, wheel: Path) -> None:
    (sources,) = release.glob("*.tar.gz")
    version = sources.name.removeprefix("pbm_oust-").removesuffix(".tar.gz")
    assert wheel.name.split("-")[1] == version
    assert package.name.split("_")[1].replace("~", ".") == version


def test_the_bill_of_materials_lies_beside_the_wheel_and_in_it(release: Path, wheel: Path) -> None:
    bill = (release / "pbm_oust.cdx.json").read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/pbm_oust.cdx.json"))
        assert re.fullmatch(r"pbm_oust-[^/]+\.dist-info/sboms/pbm_oust\.cdx\.json", name)
        assert archive.read(name) == bill
    named = {each["name"] for each in json.loads(bill)["components"]}
    assert named >= {"aiosmtpd", "apsw", "lxml", "starlette"}


def test_the_sources_are_all_that_is_committed(release: Path) -> None:
    (sources,) = release.glob("*.tar.gz")
    with tarfile.open(sources) as archive:
        names = {each.name.partition("/")[2] for each in archive if each.isfile()}
    made = {name for name in names if name.startswith("pbm_oust.egg-info/")} | {"PKG-INFO"}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    assert names - made == set(listed.stdout.split())


def test_checksums_are_those_of_all_files(release: Path) -> None:
    summed = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    checked = subprocess.run(summed, cwd=release, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    files = {str(path.relative_to(release)) for path in release.rglob("*") if path.is_file()}
    assert {line.removesuffix(": OK") for line in checked.stdout.splitlines()} == (
        files - {"SHA256SUMS"}
    )
