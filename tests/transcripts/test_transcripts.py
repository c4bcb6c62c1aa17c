from pathlib import Path

import pytest

from tests.transcripts.transcript import names, recorded, replay


@pytest.mark.parametrize("name", names())
def test_the_server_says_what_the_transcript_says(name: str, tmp_path: Path) -> None:
    assert replay(name, tmp_path) == recorded(name)


@pytest.mark.parametrize("name", names())
def test_no_password_is_in_any_letter_or_file(name: str, tmp_path: Path) -> None:
    outcome = replay(name, tmp_path)
    files = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    for text in (*outcome.values(), *files):
        for password in ("wonderland", "lookingglass", "Wonderland"):
            assert password not in text
