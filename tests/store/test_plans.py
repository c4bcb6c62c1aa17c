"""Every statement of the tables is served by an index, and this is checked for all of them."""

import ast
from importlib import import_module
from pathlib import Path
from types import ModuleType

import apsw
import pytest

from pbm_oust import store
from pbm_oust.store.migrations import migrate
from tests.store.conftest import LISTINGS
from tests.support.plans import ReadsWholeTable, served_by_indexes

VERBS = ("SELECT ", "INSERT ", "UPDATE ", "DELETE ")


def statements() -> list[tuple[str, str]]:
    """Return the statements that stand in the modules of the store, with the modules."""
    found = []
    for path in sorted(Path(store.__file__).parent.glob("*.py")):
        module = import_module(f"{store.__name__}.{path.stem}")
        tree = list(ast.walk(ast.parse(path.read_text())))
        beginnings = {
            _text_of(node, module) for node in tree if isinstance(node, ast.FormattedValue)
        }
        for node in tree:
            text = _text_of(node, module)
            if text.startswith(VERBS) and text not in beginnings:
                found.append((path.stem, text))
    return found


def _text_of(node: ast.AST, module: ModuleType) -> str:
    """Return a text as it stands; one that begins with a text of its module goes on behind that."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.FormattedValue):
        found = getattr(module, ast.unparse(node.value), None)
        return found if isinstance(found, str) else "?"
    if isinstance(node, ast.JoinedStr):
        return "".join(_text_of(value, module) for value in node.values)
    return ""


@pytest.mark.parametrize(("module", "statement"), statements())
def test_a_statement_reads_no_whole_table(module: str, statement: str) -> None:
    """Only listings do that mean all of it."""
    connection = apsw.Connection(":memory:")
    migrate(connection)
    values = (None,) * statement.count("?")
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
