import re
from pathlib import Path

import pytest

from tests.transcripts.transcript import names, recorded, replay


@pytest.mark.parametrize("name", names())
def test_the_server_says_what_the_transcript_says(name: str, tmp_path: Path) -> None:
    assert replay(name, tmp_path) == recorded(name)


@pytest.mark.parametrize("name", names())
def test_every_letter_that_says_whose_turn_it_is_says_until_when(name: str) -> None:
    letters = recorded(name)["letters.txt"].split("\n=== ")
    for letter in (" ".join(each.split()) for each in letters):
        turns = len(re.findall(r"It is (your turn,|the turn of) ", letter))
        dates = re.findall(r"(Play by|has until|have until) \d+ \w+ \d{4}, \d\d:\d\d UTC", letter)
        assert turns == len(dates), letter


@pytest.mark.parametrize("name", names())
def test_no_password_is_in_any_letter_or_file(name: str, tmp_path: Path) -> None:
    outcome = replay(name, tmp_path)
    files = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    for text in (*outcome.values(), *files):
        for password in ("wonderland", "lookingglass", "Wonderland"):
            assert password not in text
