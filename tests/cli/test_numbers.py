"""Numbers and dates of the command line that are larger than anything the home has."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pbm_oust.cli import common
from pbm_oust.cli.main import main
from scripts.documents.command_line import leaves
from tests.support.command_line import done, run
from tests.support.histories import lay_samples

HUGE = str(2**63)
DATES = ("9999-12-31", "9999-12-31T23:59Z")
WORDS = {
    **dict.fromkeys(("x", "o", "userid"), "demo_ann"),
    "kind": "oust",
    "winner": "x",
    "side": "x",
    "duration": "3d",
    "title": "Cup",
}
"""What stands for the arguments that are no numbers."""


def cases() -> Iterator[tuple[str, ...]]:
    """Yield a line for each number or date that a command takes where it has to be one of ours."""
    for words, command in leaves(main):
        arguments = [each for each in command.params if isinstance(each, click.Argument)]
        plain = [WORDS.get(each.name or "", "1") for each in arguments]
        for nth, each in enumerate(arguments):
            if isinstance(each.type, click.IntRange) or each.type is common.BOARD_AT:
                yield (*words, *plain[:nth], HUGE, *plain[nth + 1 :])
        dates = [each for each in command.params if isinstance(each.type, click.DateTime)]
        yield from ((*words, each.opts[0], date, *plain) for each in dates for date in DATES)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("home")
    lay_samples(path)
    done(path, "tournaments", "create", "oust", "Cup", "--size", "7", "--starts", "2099-03-01")
    return path


@pytest.mark.parametrize("line", list(cases()), ids=" ".join)
def test_what_no_board_and_no_calendar_has_is_refused_in_a_sentence(
    line: tuple[str, ...], home: Path
) -> None:
    refused = run(home, *line)
    assert refused.exit_code in (1, 2), refused.output
    assert isinstance(refused.exception, SystemExit), refused.exception
    assert "Error: " in refused.output


def test_a_start_is_not_put_off_beyond_the_last_date(home: Path) -> None:
    for _ in range(10):
        put_off = run(home, "tournaments", "extend", "oust", "1", "520w")
    assert "that is too far ahead; the last time possible is 2" in put_off.output
    assert put_off.exit_code == 1
