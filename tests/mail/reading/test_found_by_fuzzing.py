"""Inputs that once broke a promise of reading or of the grammar: `scripts/fuzz` has found them."""

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parents[2] / "fuzz" / "corpus"
INPUTS = [(path.parent.name, path.name) for path in sorted(CORPUS.glob("*/*"))]


@pytest.mark.parametrize(("target", "name"), INPUTS)
def test_an_input_that_was_found_breaks_no_promise(target: str, name: str) -> None:
    TARGETS[target]((CORPUS / target / name).read_bytes())
