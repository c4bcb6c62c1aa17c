"""Every statement of the tables is served by an index, and this is checked for all of them."""

import ast
import re
from pathlib import Path

import apsw
import pytest

from pbm_oust import store
from pbm_oust.store.letters import SELECT
from pbm_oust.store.migrations import migrate
from tests.store.conftest import LISTINGS
from tests.support.plans import ReadsWholeTable, served_by_indexes

VERBS = ("SELECT ", "INSERT ", "UPDATE ", "DELETE ")


def statements() -> list[tuple[str, str]]:
    """Return the statements that stand in the modules of the store, with the modules."""
    found = []
    for path in sorted(Path(store.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            text = _text_of(node)
            if text.startswith(VERBS) and text != SELECT:
                found.append((path.stem, text))
    return found


def _text_of(node: ast.AST) -> str:
    """Return a text as it stands; one that begins with {SELECT} goes on where that ends."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.FormattedValue):
        return SELECT if ast.unparse(node.value) == "SELECT" else "?"
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text_of, node.values))
    return ""


@pytest.mark.parametrize(("module", "statement"), statements())
def test_a_statement_reads_no_whole_table(module: str, statement: str) -> None:
    """Only listings do that mean all of it."""
    connection = apsw.Connection(":memory:")
    migrate(connection)
    numbers = re.findall(r"\?(\d+)", statement)
    values = (None,) * (max(map(int, numbers)) if numbers else statement.count("?"))
    for _, _, _, step in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values):
        is_meant = statement in LISTINGS or str(step).endswith(LISTINGS)
        assert is_meant or not str(step).startswith("SCAN"), step
    connection.close()


def test_a_statement_that_reads_a_whole_table_is_refused() -> None:
    with served_by_indexes():
        connection = apsw.Connection(":memory:")
        migrate(connection)
        with pytest.raises(ReadsWholeTable):
            connection.execute("SELECT * FROM letters WHERE subject = ?", ("help",))
        connection.close()
