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
from jinja2.compiler import CodeGenerator, Frame, MacroRef

FOLDER = "built"
"""Where they are, among the templates."""
_COMPILER = f"{jinja2.__version__} plain"


class Plain(CodeGenerator):
    """Compiles what a template names to what Python names so, which runs several times faster.

    An attribute is an attribute, never the item of a dictionary; a call is a call, which does not
    tell from which template it comes; a macro is a function whose parameters have no names.
    """

    # The compiler finds these by the names of its nodes.

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """Write an attribute; those of `self` are blocks, which the compiler looks up."""
        if isinstance(node.node, nodes.Name) and node.node.name == "self":
            super().visit_Getattr(node, frame)
            return
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def visit_Test(self, node: nodes.Test, frame: Frame) -> None:  # noqa: N802
        """Write a test; of an attribute, whether it is defined."""
        if node.name == "defined" and isinstance(node.node, nodes.Getattr):
            self.write("hasattr(")
            self.visit(node.node.node, frame)
            self.write(f", {node.node.attr!r})")
        else:
            super().visit_Test(node, frame)

    def visit_Call(  # noqa: N802
        self, node: nodes.Call, frame: Frame, forward_caller: bool = False
    ) -> None:
        """Write a call."""
        if node.dyn_args or node.dyn_kwargs:
            super().visit_Call(node, frame, forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for given in (*node.args, *node.kwargs):
            self.visit(given, frame)
            self.write(", ")
        self.write(")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        """Write what the name of a macro stands for."""
        if macro_ref.accesses_varargs:
            super().macro_def(macro_ref, frame)
            return
        self.write("macro")
        self.writeline(f"macro.__defaults__ = (missing,) * {len(macro_ref.node.defaults)}")

    def return_buffer_contents(self, frame: Frame, force_unescaped: bool = False) -> None:
        """Write how a macro returns what it has written."""
        super().return_buffer_contents(frame)

    def _import_common(self, node: nodes.Import | nodes.FromImport, frame: Frame) -> None:
        if node.with_context:
            super()._import_common(node, frame)
            return
        self.write("environment.get_template(")
        self.visit(node.template, frame)
        self.write(").module")


class Built(BytecodeCache):
    """The compiled templates in a folder, by their names and the checksums of their sources."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Return the name."""
        return name

    def get_source_checksum(self, source: str) -> str:
        """Return a checksum that also changes with the compiler."""
        return sha256(f"{_COMPILER}\n{source}".encode()).hexdigest()[:16]

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
