import configparser
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo

ROOT = Path(__file__).parents[2]
SHOW = "from pbm_oust.letters.words import Words; print(Words('a@b').help_page('oust'))"
SHOW_IN_FRENCH = (
    "from pbm_oust.languages import LANGUAGES; from pbm_oust.letters.words import Words; "
    "print(Words('a@b', LANGUAGES['fr']).help_page('oust'))"
)
IN_FRENCH = "Oust est un jeu créé par Mark Steere (2007)."


def test_every_room_is_installed() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    folders = (ROOT / "pbm_oust").rglob("__init__.py")
    rooms = {".".join(path.parent.relative_to(ROOT).parts) for path in folders}
    assert set(setup["options"]["packages"].split()) == rooms | {
        "pbm_oust.documents",
        "pbm_oust.templates",
    }


@pytest.mark.slow
def test_an_editable_install_finds_the_templates_and_catalogues_from_any_folder(
    tmp_path: Path,
) -> None:
    environment = {"PYTHONUTF8": "1"}
    assert _python(SHOW, tmp_path, environment).startswith("Oust is by Mark Steere (2007).")
    assert _python(SHOW_IN_FRENCH, tmp_path, environment).startswith(IN_FRENCH)


def test_the_catalogues_of_an_editable_install_are_those_of_the_messages(tmp_path: Path) -> None:
    compiled = "pbm_oust/languages/fr/LC_MESSAGES/pbm_oust.mo"
    for name in ("pbm_oust", "scripts"):
        ignored = shutil.ignore_patterns("*.mo", "__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    subprocess.run(
        [sys.executable, "scripts/catalogues.py"], cwd=tmp_path, check=True, capture_output=True
    )
    assert _messages(tmp_path / compiled) == _messages(ROOT / compiled)


def test_between_releases_the_version_of_a_checkout_names_its_commit(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        named = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        run = subprocess.run(["git", *named, *words], cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return run.stdout.strip()

    def version() -> str:
        code = "from pbm_oust.cli.main import main; main(['--version'])"
        told = _python(code, tmp_path, {**os.environ, "PYTHONPATH": str(tmp_path)})
        return told.strip().removeprefix("pbm-oust, version ")

    package = tmp_path / "pbm_oust"
    for name in ("__init__.py", "cli/__init__.py", "cli/main.py"):
        (package / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "pbm_oust" / name, package / name)

    def is_version(text: str) -> None:
        (package / "__init__.py").write_text(f'__version__ = "{text}"\n')

    is_version("9.1.1.dev0")
    assert version() == "9.1.1.dev0"
    for words in (["init", "--quiet"], ["add", "pbm_oust"], ["commit", "--message=a"]):
        git(*words)
    assert version() == f"9.1.1.dev0+g{git('rev-parse', '--short=9', 'HEAD')}"
    is_version("9.1.1")
    assert version() == "9.1.1"


def _messages(path: Path) -> list[tuple[object, object]]:
    """Return the messages of a catalogue with their ids; its head says which Babel has made it."""
    with path.open("rb") as file:
        return [(message.id, message.string) for message in read_mo(file) if message.id]


def _python(code: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
