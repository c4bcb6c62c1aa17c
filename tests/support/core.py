"""The compiled core in tests: without a compiler they do without it, but never in CI."""

import os
from importlib import import_module
from types import ModuleType

import pytest

from pbm_oust.robot.search import IS_THERE

needs_core = pytest.mark.skipif(
    not IS_THERE and "CI" not in os.environ, reason="there is no compiled core"
)


def compiled_core() -> ModuleType:
    """Return the module of the core; without it, the tests of whoever asks are skipped."""
    load = import_module if "CI" in os.environ else pytest.importorskip
    return load("pbm_oust.robot._core")
