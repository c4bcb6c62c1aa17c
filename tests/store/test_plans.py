"""Every statement of the tables is served by an index, and this is checked for all of them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from pbm_oust import store
from pbm_oust.store import index, letters
from pbm_oust.store.database import Row, Snapshot, Value
from pbm_oust.store.sqlite import SqliteDatabase, make_tables
from tests.support.plans import VERBS, ReadsWholeTable, check_plan, served_by_indexes

OPEN_ENDED = (" ", " FROM", "'", "(")
WITHOUT_NAMES = re.compile(
    r"(FROM|WHERE) \?($| ORDER)|FROM \?|FROM \({}|INTO (\w+ \()?\?|VALUES \?$"
)
"""What is found in a statement whose table, columns or rows are named where it is carried out."""


def statements() -> list[tuple[str, str]]:
    """Return the statements that stand in the modules of the store, with the modules.

    Those that are put together are looked at where tests carry them out.
    """
    found = []
    for path in sorted(Path(store.__file__).parent.glob("*.py")):
        if path.stem in ("upgrading", "postgresql"):
            continue  # one reads all of another form, once; the other has another engine
        tree = ast.parse(path.read_text())
        texts = dict(_constants(tree))
        parts = [node for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)]
        beginnings = {_text_of(part, texts) for part in parts}
        for node in ast.walk(tree):
            text = _text_of(node, texts)
            if not text.startswith(VERBS) or text in beginnings or text.endswith(OPEN_ENDED):
                continue
            if not WITHOUT_NAMES.search(text):
                found.append((path.stem, text))
    return found


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names of a module that mean texts, and the texts."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and (text := _text_of(node.value, {})):
            yield ast.unparse(node.targets[0]), text


def _text_of(node: ast.AST, texts: dict[str, str]) -> str:
    """Return a text as it stands, with those that are named in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.FormattedValue):
        return texts.get(ast.unparse(node.value), "?")
    if isinstance(node, ast.JoinedStr):
        return "".join(_text_of(part, texts) for part in node.values)
    return ""


@pytest.mark.parametrize(("module", "statement"), statements())
def test_a_statement_reads_no_whole_table(module: str, statement: str) -> None:
    """Only listings do that mean all of it."""
    connection = apsw.Connection(":memory:")
    make_tables(connection)
    numbers = re.findall(r"\?(\d+)", statement)
    count = max(map(int, numbers)) if numbers else statement.count("?")
    check_plan(connection, statement, (None,) * count)
    connection.close()


def test_a_statement_of_the_program_that_reads_a_whole_table_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So are those that are put together where they are carried out."""
    with served_by_indexes():
        database = SqliteDatabase(tmp_path / "pbm_oust.db")
        monkeypatch.setattr(letters, "SELECT", "SELECT * FROM letters WHERE subject = ? --")
        with database.read() as snapshot, pytest.raises(ReadsWholeTable):
            letters.all_letters(snapshot, letters.LetterState.WAITING)
        with database.read() as snapshot:
            snapshot.rows("SELECT * FROM letters")
        database.close()


class Asked(Snapshot):
    """Keeps what it is asked for, and finds nothing."""

    def __init__(self) -> None:
        self.asked = list[tuple[str, tuple[Value, ...]]]()

    def rows(self, statement: str, *values: Value) -> list[Row]:
        self.asked.append((statement, values))
        return []


def test_damaged_boards_of_a_player_are_found_among_few_rows() -> None:
    """The others of the player are not gone through."""
    connection, snapshot = apsw.Connection(":memory:"), Asked()
    make_tables(connection)
    index.damaged_boards(snapshot, "oust", ["alice"])
    ((statement, values),) = snapshot.asked
    plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
    assert "userid=? AND state=? AND is_owner=? AND kind=?" in str(plan)
    connection.close()
