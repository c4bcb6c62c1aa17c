import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHOW = "from pbm_oust.mail.words import Words; print(Words('a@b').help_page('oust'))"


def test_a_wheel_carries_the_templates(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in ("pbm_oust", "templates"):
        shutil.copytree(ROOT / name, source / name)
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, source],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    templates = tmp_path / "installed" / "pbm_oust" / "templates"
    assert (templates / "mail" / "board.txt").exists()
    assert (templates / "html" / "letter.html").exists()
    environment = {"PYTHONPATH": str(tmp_path / "installed")}
    where = "import pbm_oust; print(pbm_oust.__file__)"
    assert _python(where, tmp_path, environment).startswith(str(tmp_path / "installed"))
    assert _python(SHOW, tmp_path, environment).startswith("Oust is by Mark Steere (2007).")


def test_an_editable_install_finds_the_templates_from_any_folder(tmp_path: Path) -> None:
    assert _python(SHOW, tmp_path, {}).startswith("Oust is by Mark Steere (2007).")


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
