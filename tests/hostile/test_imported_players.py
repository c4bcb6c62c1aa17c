"""Files of players are not believed what no command can have done."""

import json
from pathlib import Path

import pytest

from pbm_oust.store.accounts import all_userids
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.accounts import make_account
from tests.support.command_line import run
from tests.support.home_by_mail import ALICE, BOB, CAROL, home_of, mailed

tabled = tables.tabled(__file__)

OURS = "pbmserv@example.com"


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    """Two players, as another home has exported them."""
    home = home_of(tmp_path / "from", ALICE, BOB)
    return run(home, "players", "export").stdout.splitlines()


@pytest.fixture
def other(tmp_path: Path) -> Home:
    home = home_of(tmp_path / "to", CAROL)
    home.configuration.write_text(f'address = "{OURS}"\n')
    return home


@tabled("changed", "reason")
def test_an_account_that_no_command_can_have_made_is_refused(
    lines: list[str], other: Home, changed: str, reason: str
) -> None:
    second = json.dumps(json.loads(lines[1]) | json.loads(changed))
    for arguments in (["--dry-run"], []):
        refused = run(other, "players", "import", *arguments, stdin=f"{lines[0]}\n{second}\n")
        assert refused.exit_code == 1
        assert "standard input: line 2: " in refused.output
        assert reason in refused.output
    assert other.ask(all_userids) == ["carol"]


def test_what_commands_have_made_is_taken(tmp_path: Path, other: Home) -> None:
    home = home_of(tmp_path / "full", ALICE, BOB)
    make_account(home, "dora", "jabberwocky", *(f"dora{nth}@example.org" for nth in range(5)))
    for line in (
        "vacation alice wonderland 2027-01-10 30",
        "watch alice wonderland bob",
        "oust seek alice wonderland",
        "settings alice wonderland digest 8",
        "signoff bob lookingglass",
    ):
        mailed(home, ALICE, line)
    exported = run(home, "players", "export").stdout
    taken = run(other, "players", "import", stdin=exported)
    assert taken.output == "imported 3 accounts\n"
    assert set(exported.splitlines()) <= set(run(other, "players", "export").stdout.splitlines())
