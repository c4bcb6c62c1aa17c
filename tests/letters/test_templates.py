"""Compiled templates are kept beside others' files, and letters are written without them, too."""

import os
import subprocess
import sys
from pathlib import Path

WRITES = """
from pbm_oust.languages import LANGUAGES
from pbm_oust.letters.templates import filled, text_templates
from pbm_oust.letters.translator import Translator
for language in LANGUAGES.values():
    print(filled(text_templates(Translator(language)), "help/next", {}))
"""

FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
"""
"""Lets a process write no byte to any file."""


def written(temporary: Path, before: str = "") -> str:
    """Return what a process writes whose temporary files go to a folder."""
    environment = os.environ | {"TMPDIR": str(temporary)}
    done = subprocess.run(
        [sys.executable, "-c", before + WRITES],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def kept_in(temporary: Path) -> Path:
    return temporary / f"_jinja2-cache-{os.getuid()}"


def test_what_one_process_compiled_serves_the_next_in_every_language(tmp_path: Path) -> None:
    first = written(tmp_path)
    files = {path.name: path.stat().st_mtime_ns for path in kept_in(tmp_path).iterdir()}
    assert files
    assert kept_in(tmp_path).stat().st_mode & 0o777 == 0o700
    assert written(tmp_path) == first
    assert files == {path.name: path.stat().st_mtime_ns for path in kept_in(tmp_path).iterdir()}


def test_nothing_is_taken_from_a_folder_of_others_or_from_damaged_files(tmp_path: Path) -> None:
    right = written(tmp_path)
    for path in kept_in(tmp_path).iterdir():
        path.write_bytes(path.read_bytes()[:20])
    assert written(tmp_path) == right
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    kept_in(elsewhere).symlink_to(kept_in(tmp_path))
    for path in kept_in(tmp_path).iterdir():
        path.unlink()
    assert written(elsewhere) == right
    assert not list(kept_in(tmp_path).iterdir())


def test_a_full_disk_stops_no_letter(tmp_path: Path) -> None:
    right = written(tmp_path)
    for path in kept_in(tmp_path).iterdir():
        path.unlink()
    assert written(tmp_path, before=FULL) == right
    assert not list(kept_in(tmp_path).iterdir())
