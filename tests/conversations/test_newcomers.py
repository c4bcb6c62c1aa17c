"""What people write who have never seen the server, and what leads them on."""

from pathlib import Path

import pytest

from tests.support.accounts import codes
from tests.support.home_by_mail import ALICE, BOB, Talk

STRANGER = "eve@example.net"


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.begin(tmp_path, ALICE, BOB)


@pytest.mark.parametrize(
    "line",
    [
        "I enjoy boardgames",
        "In summer I play boardgames",
        "S wonderful boardgames",
        "f bob",
        "de gaulle boardgames",
    ],
)
def test_one_or_two_letters_are_no_command(line: str, talk: Talk) -> None:
    sent = talk.send(STRANGER, line)
    assert [each.partition(":")[0] for each in sent] == [STRANGER]
    assert not list(codes(talk.home))
