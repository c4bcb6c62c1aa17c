"""Templates compiled to Python when pbm_oust is built, because that takes longer than a mail.

A template that is not as it was then is compiled when a letter needs it.
"""

from contextlib import suppress
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import BytecodeCache, Environment, nodes
from jinja2.bccache import Bucket

FOLDER = "built"
"""Where they are, among the templates."""


class Built(BytecodeCache):
    """The compiled templates in a folder, by their names and the checksums of their sources."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Return the name."""
        return name

    def get_source_checksum(self, source: str) -> str:
        """Return a checksum that also changes with the compiler."""
        return sha256(f"{jinja2.__version__}\n{source}".encode()).hexdigest()[:16]

    def load_bytecode(self, bucket: Bucket) -> None:
        """Get the code of a template, if it has been compiled as it is."""
        path = self._path(bucket.key, bucket.checksum)
        with suppress(FileNotFoundError):
            bucket.code = SourceFileLoader(bucket.key, str(path)).get_code(bucket.key)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Do nothing: only a build writes here."""

    def build(self, name: str, source: str, templates: Environment) -> Path:
        """Compile a template, and return the path of what was made."""
        _leave_open(source, templates)
        path = self._path(name, self.get_source_checksum(source))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(templates.compile(source, name, name, raw=True), "utf-8")
        return path

    def _path(self, name: str, checksum: str) -> Path:
        return self._folder / f"{name}.{checksum}.py"


def _leave_open(source: str, templates: Environment) -> None:
    """Give templates filters and tests for all that a source uses; none returns anything yet.

    The compiler calls them with what is constant, to write down what they return. If that fails,
    it leaves the call to whoever writes a letter.
    """
    for node in templates.parse(source).find_all((nodes.Filter, nodes.Test)):
        known: Any = templates.filters if isinstance(node, nodes.Filter) else templates.tests
        known.setdefault(node.name, _not_yet)


def _not_yet(*_: object, **__: object) -> object:
    raise NotImplementedError("it is known when a letter is written")
