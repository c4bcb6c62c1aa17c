"""Scripts find what they import, also those that no test runs."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "scripts"
SCRIPTS = sorted(
    path
    for path in FOLDER.iterdir()
    if path.is_file() and path.read_text().startswith("#!/usr/bin/env python3")
)
OURS = "pbm_oust.", "tests.", "scripts."


@pytest.mark.parametrize("script", SCRIPTS, ids=[path.name for path in SCRIPTS])
def test_a_script_finds_what_it_imports_of_ours(script: Path) -> None:
    for node in ast.walk(ast.parse(script.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(OURS):
            module = import_module(str(node.module))
            for each in node.names:
                name = f"{node.module}.{each.name}"
                assert hasattr(module, each.name) or find_spec(name), name
