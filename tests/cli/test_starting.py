"""The command line imports little before it knows what to do."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from pbm_oust.cli.main import LazyGroup, main
from scripts.documents.command_line import leaves
from tests.support import tables
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, home_of
from tests.support.listening import listening_at_home_of
from tests.support.outbox import letters
from tests.support.rings import slow
from tests.support.server import PROGRAM

tabled = tables.tabled(__file__)

SCRIPT = """
import atexit, json, sys
import click
before = set(sys.modules)
atexit.register(lambda: print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr))
from pbm_oust.cli import run
run()
"""
LIGHT = {"pbm_oust", "pbm_oust.cli", "pbm_oust.cli.main"}
COMPLETION = {"_PBM_OUST_COMPLETE": "bash_complete"}
MOST_OTHERS = 15
"""How many modules of Python and click there may be besides those that `import click` brings."""
MOST_FOR_SMTPLIB = 50
"""How many there may be for `deliver`, which hands a mail over with smtplib."""
FOR_DELIVER = {
    *("pbm_oust.cli.deliver", "pbm_oust.cli.terminal", "pbm_oust.render", "pbm_oust.store"),
    *("pbm_oust.mail", "pbm_oust.mail.delivery", "pbm_oust.mail.own_socket"),
    *("pbm_oust.render.visible", "pbm_oust.store.disk"),
}
FOR_OTHERS = {
    *("aiosmtpd", "asyncio", "multiprocessing", "ssl", "subprocess"),  # a server
    *("babel", "difflib", "lxml"),  # another language, a slip of the pen, a mail in HTML
}
MOST_OF_OURS = 250
MOST_FOR_A_LETTER = 126
"""How many modules of others there may be: jinja2, email, apsw, msgspec and concurrent.futures
bring most."""


def imported(*words: str, stdin: str = "", **environment: str) -> set[str]:
    """Return the modules that a command line imports besides click."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words],
        input=stdin,
        capture_output=True,
        text=True,
        env=environment,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@tabled("words", "typed", "at", words=str.split)
def test_what_needs_no_home_imports_the_table_of_commands_alone(
    words: list[str], typed: str, at: str
) -> None:
    completion = COMPLETION | {"COMP_WORDS": typed, "COMP_CWORD": at}
    found = imported(*words, **completion if typed else {})
    ours = {each for each in found if each.startswith("pbm_oust")}
    assert ours == LIGHT
    assert len(found - ours) <= MOST_OTHERS, sorted(found - ours)


def test_the_module_is_the_command_line_too() -> None:
    module = [sys.executable, "-m", "pbm_oust"]
    asked, refused = (subprocess.run([*module, word], capture_output=True) for word in ("-h", "no"))
    assert asked.stdout.startswith(b"Usage: python -m pbm_oust [OPTIONS] COMMAND [ARGS]...")
    assert (asked.returncode, refused.returncode) == (0, 2)


def test_a_mail_that_is_handed_to_the_server_costs_few_imports(tmp_path: Path) -> None:
    home = home_of(tmp_path)
    with listening_at_home_of(home, ADDRESS):
        found = imported("--home", str(tmp_path), "deliver", stdin="From: a@b.org\n\nhelp\n")
    ours = {each for each in found if each.startswith("pbm_oust")}
    assert ours == LIGHT | FOR_DELIVER
    assert len(found - ours) <= MOST_FOR_SMTPLIB, sorted(found - ours)
    assert [letter.to for letter in letters(home)] == ["a@b.org"]


@pytest.mark.parametrize("line", ["oust show 1", slow("help")])
def test_a_mail_that_deliver_takes_itself_imports_what_it_needs(line: str, tmp_path: Path) -> None:
    board = [(ALICE, "oust challenge alice bob wonderland")]
    home = home_of(tmp_path, ALICE, BOB, mails=board)
    before = len(letters(home))
    mail = f"From: a@b.org\nSubject: {line}\n\n"
    found = imported("--home", str(tmp_path), "deliver", stdin=mail)
    assert [letter.to for letter in letters(home)[before:]] == ["a@b.org"]
    ours = {each for each in found if each.startswith("pbm_oust")}
    assert {each.partition(".")[0] for each in found} & FOR_OTHERS == set()
    assert len(ours) <= MOST_OF_OURS, sorted(ours)
    assert len(found - ours) <= MOST_FOR_A_LETTER, sorted(found - ours)


def test_the_table_says_of_each_command_what_its_help_begins_with() -> None:
    there = [main.resolve_command(click.Context(main), [name])[1] for name in names_in(main)]
    groups = [main, *(each for each in there if isinstance(each, LazyGroup))]
    for group in groups:
        context = click.Context(group)
        for name in names_in(group):
            listed = group.get_command(context, name)
            _, command, _ = group.resolve_command(context, [name])
            assert listed
            assert command
            assert _sentence(listed) == _sentence(command)
    assert len(list(leaves(main))) > len(groups)


def names_in(group: click.Group) -> list[str]:
    """Return the names of the commands of a group."""
    return group.list_commands(click.Context(group))


def _sentence(command: click.Command) -> Any:
    return " ".join((command.help or "").split("\n\n")[0].split()).partition(". ")[0].rstrip(".")


@tabled(
    "words",
    "closed",
    "status",
    "printed",
    fast=3,
    words=str.split,
    status=int,
    printed=tables.unescaped,
)
def test_a_stream_that_is_closed_or_full_leads_to_no_traceback(
    words: list[str], closed: str, status: int, printed: str, tmp_path: Path
) -> None:
    home_of(tmp_path, ALICE)
    line = ["sh", "-c", f'exec "$@" {closed}', "sh", PROGRAM, "--home", str(tmp_path), *words]
    ended = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert ended.returncode == status
    said = ended.stdout + ended.stderr
    assert printed in said
    assert "Traceback" not in said
    assert "Exception ignored" not in said
