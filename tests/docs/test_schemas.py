"""What programs read of ours, as docs/formats.md says: histories, and JSON as in its schemas."""

import json
import runpy
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from pbm_oust.board.formats import result_fields
from pbm_oust.board.notation import format_action, format_time
from pbm_oust.board.sheet import read_sheet
from pbm_oust.cli.main import main
from pbm_oust.store.home import Home
from scripts.documents.command_line import leaves
from scripts.documents.schemas import OF_COMMANDS, OF_PAGES
from tests.support import tables
from tests.support.command_line import done, run
from tests.support.document import block
from tests.support.home_by_mail import ALICE, BOB, Talk, copy_of
from tests.support.website import Website, website

ROOT = Path(__file__).parents[2]
SCHEMAS: dict[str, Any] = json.loads((ROOT / "docs" / "schemas.json").read_text())
TABLES = tables.of(__file__)
tabled = tables.tabled(__file__)


def closed(schema: Any) -> Any:
    """Return a schema whose objects have no other names than it says."""
    if isinstance(schema, list):
        return list(map(closed, schema))
    if not isinstance(schema, dict):
        return schema
    further = {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {}
    return {name: closed(part) for name, part in schema.items()} | further


@cache
def schema_of(name: str) -> Draft202012Validator:
    return Draft202012Validator({**closed(SCHEMAS), "$ref": f"#/$defs/{name}"})


def check(name: str, output: str) -> Any:
    """Return what an output says. Raises ValidationError if it is not as the schema has it."""
    said = json.loads(output)
    schema_of(name).validate(said)
    return said


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Return a home where there is something for each command to print."""
    talk = Talk.begin(tmp_path_factory.mktemp("schemas") / "home", ALICE, BOB)
    for number in (1, 2, 3):
        done(talk.home, "games", "import", str(ROOT / "games" / "oust" / f"{number}.txt"))
    for (words,) in TABLES["what has happened before"]:
        if words.startswith("pbm-oust "):
            done(talk.home, *words.split()[1:])
        else:
            talk.send(*words.split(": ", 1))
            assert talk.outcome.startswith("done"), words
    return talk.home


def name_in(words: str) -> str:
    """Return the name of the command in a line."""
    (name,) = [each for each in OF_COMMANDS if f"{words} ".startswith(f"{each} ")]
    return name


@tabled("words")
def test_what_commands_print(words: str, home: Home, tmp_path: Path) -> None:
    copy = copy_of(home, tmp_path / "home")
    name = name_in(words)
    printed = run(copy, *words.split(), "--json")
    said = check(name, printed.stdout)
    assert said or name == "tournaments verify", "there is nothing to see"


@tabled("name", "path")
def test_what_pages_answer(name: str, path: str, pages: Website) -> None:
    assert check(name, pages.get(path).text)


@pytest.fixture(scope="module")
def pages(home: Home) -> Iterator[Website]:
    home.database.close()
    with website(home.path) as pages:
        yield pages


@pytest.mark.parametrize(
    "name",
    [
        *("games export", "page of a ladder", "page of a tournament", "page of an opening"),
        "page of health",
    ],
)
def test_what_the_documents_show(name: str) -> None:
    assert check(name, block(name, {}))


def test_what_a_program_prints_is_compared_as_the_document_says(home: Home) -> None:
    script = [sys.executable, "-c", block("validate.py", {})]
    for command, status in (("list", 0), ("verify", 1)):
        printed = done(home, "games", command, "--json")
        ran = subprocess.run(script, input=printed, text=True, cwd=ROOT, capture_output=True)
        assert ran.returncode == status, ran.stderr


def test_each_command_with_json_and_each_page_is_tried() -> None:
    commands = {
        " ".join(path)
        for path, command in leaves(main)
        if any("--json" in option.opts for option in command.params)
    }
    tried = {name_in(words) for (words,) in TABLES["what commands print"]}
    assert set(OF_COMMANDS) == commands == tried
    assert [name for name, _ in TABLES["what pages answer"]] == list(OF_PAGES)


def test_the_schemas_are_schemas_and_take_no_other_values() -> None:
    Draft202012Validator.check_schema(SCHEMAS)
    right = {"takes_mail": True, "trouble": None, "text": None}
    check("page of health", json.dumps(right))
    for wrong in ({**right, "more": 1}, {"takes_mail": True}, {**right, "takes_mail": "yes"}):
        with pytest.raises(ValidationError):
            check("page of health", json.dumps(wrong))


HISTORIES = sorted([*ROOT.glob("games/*/*.txt"), *ROOT.glob("tests/transcripts/*/*/[0-9]*.txt")])


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_history_is_read_by_a_few_lines_as_by_the_program(path: Path, tmp_path: Path) -> None:
    (tmp_path / "read.py").write_text(block("read_history.py", {}))
    read = runpy.run_path(str(tmp_path / "read.py"))["read_history"]
    header, records, result = read(path)
    sheet = read_sheet(path.read_bytes())
    ended = result_fields(sheet.game.result)
    assert header == dict(sheet.header)
    assert result == (ended and [ended["winner"] or "draw", ended["how"]])
    assert records == [
        (
            each.number,
            each.by,
            format_action(each.action).split(),
            format_time(each.at),
            each.message_key,
        )
        for each in sheet.game.records
    ]
