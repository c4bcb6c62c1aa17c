"""Files of players are not believed what no command can have done."""

import json
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.command_line import run
from tests.support.home_by_mail import ALICE, BOB, CAROL, home_of, mailed

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


def away(*vacations: tuple[str, str]) -> dict[str, object]:
    return {"vacations": [{"begins": begins, "ends": ends} for begins, ends in vacations]}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"joined": "9999-12-31T23:59:59Z"}, "no time at which it can have happened"),
        ({"joined": "0001-01-01T00:00:00Z"}, "no time at which it can have happened"),
        ({"disabled": [{"since": "2999-01-01T00:00:00Z"}]}, "no time at which it can have"),
        ({"signed_off": [{"since": "9999-01-01T00:00:00Z"}]}, "no time at which it can have"),
        ({"addresses": [f"a{nth}@x.example" for nth in range(1_000)]}, "at most 10"),
        ({"addresses": [ALICE, OURS]}, "the address of this server"),
        ({"addresses": ["PBMserv@example.com"]}, "the address of this server"),
        (away(("2026-11-01T00:00:00Z", "9999-01-01T00:00:00Z")), "30 days in a year"),
        (away(("9998-11-01T00:00:00Z", "9998-11-02T00:00:00Z")), "more than 365 days ahead"),
        (
            away(
                *(
                    (f"2026-{m:02}-{d:02}T00:00:00Z",) * 2
                    for m in range(1, 13)
                    for d in (1, 8, 9, 10, 11, 12)
                )
            ),
            "30 days in a year",
        ),
        ({"userid": "gone-1"}, "gone-1 is reserved"),
        ({"userid": "Gone-23"}, "gone-23 is reserved"),
    ],
)
def test_an_account_that_no_command_can_have_made_is_refused(
    lines: list[str], other: Home, changed: dict[str, object], reason: str
) -> None:
    second = json.dumps(json.loads(lines[1]) | changed)
    for arguments in (["--dry-run"], []):
        refused = run(other, "players", "import", *arguments, stdin=f"{lines[0]}\n{second}\n")
        assert refused.exit_code == 1
        assert "standard input: line 2: " in refused.output
        assert reason in refused.output
    assert other.userids() == ["carol"]


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
