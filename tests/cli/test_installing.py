import shutil
import subprocess
import sys
import zipfile
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

DATA = (
    *("templates/mail/board.txt", "templates/html/letter.html", "templates/web/board.svg"),
    *("grammar/courtesies.toml", "mail/reading/phrases.toml", "mail/reading/charsets.toml"),
    *("render/strokes.toml", "letters/pictures.toml", "templates/web/feed.atom"),
    *(
        "board/puzzles/oust.toml",
        "web/static/style.css",
        "web/static/script.js",
        "web/static/icon.svg",
    ),
)


@pytest.mark.slow
def test_a_wheel_carries_the_templates_and_the_catalogues(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in ("pbm_oust", "templates"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("*.mo"))
    (source / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/catalogues.py", source / "scripts")
    for name in ("setup.cfg", "setup.py", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, source)
    # First an archive of the sources, and out of that the wheel.
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, source],
        check=True,
        capture_output=True,
    )
    assert not list(source.rglob("*.mo"))
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
        record = archive.read(next(name for name in archive.namelist() if name.endswith("/RECORD")))
    installed = tmp_path / "installed" / "pbm_oust"
    for name in DATA:
        assert (installed / name).exists(), name
    assert b"pbm_oust/languages/fr/LC_MESSAGES/pbm_oust.mo" in record
    environment = {"PYTHONPATH": str(tmp_path / "installed"), "PYTHONUTF8": "1"}
    where = "import pbm_oust; print(pbm_oust.__file__)"
    assert _python(where, tmp_path, environment).startswith(str(tmp_path / "installed"))
    assert _python(SHOW, tmp_path, environment).startswith("Oust is by Mark Steere (2007).")
    assert _python(SHOW_IN_FRENCH, tmp_path, environment).startswith(IN_FRENCH)


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
