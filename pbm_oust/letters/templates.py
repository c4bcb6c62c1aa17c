"""The templates of letters, ready to be filled in."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, nodes
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.runtime import Context
from markupsafe import Markup, escape

from pbm_oust.letters.layout import unmarked

if TYPE_CHECKING:
    from pbm_oust.letters.translator import Translator


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


_SAID = {"_": "gettext", "gettext": "gettext", "ngettext": "ngettext", "pgettext": "pgettext"}
"""What templates call to say a message, by what a translator calls it."""


def text_templates(translator: "Translator") -> Environment:
    """Return the templates of plain text in one language.

    What they write has no marks but those of what is Marked.
    """
    templates: Environment = _of_text(_folders())
    templates.globals.update({name: getattr(translator, said) for name, said in _SAID.items()})
    return templates


def html_templates(translator: "Translator") -> Environment:
    """Return the templates of HTML in one language; they escape what they are given."""
    templates: Environment = _of_html(_folders())
    for name, said in _SAID.items():
        templates.globals[name] = _escaping(getattr(translator, said))
    return templates


def _escaping(say: Callable[..., str]) -> Callable[..., Markup]:
    """Return what says a message in HTML: the message is HTML as it is, and no fact in it is."""

    def said(*message: object, **facts: object) -> Markup:
        text = say(*message, **{name: escape(fact) for name, fact in facts.items()})
        return Markup(text)  # noqa: S704 - messages are ours  # nosec B704

    return said


def filled(templates: Environment, name: str, given: dict[str, object]) -> str:
    """Return what a template of plain text writes."""
    template = templates.get_template(f"{name}.txt")
    # What Template.render does besides takes longer than a short letter.
    context = Context(templates, templates.globals | given, template.name, template.blocks)
    return "".join(template.root_render_func(context)).strip("\n")


def _folders() -> list[str]:
    """Return the folders that hold templates; a game may bring its own."""
    return list(import_module("pbm_oust.templates").__path__)


def build(folder: Path, target: Path) -> Iterator[Path]:
    """Compile the templates in a folder, and yield the paths of what was made."""
    for make, suffix in ((_of_text, "txt"), (_of_html, "html")):
        templates = make([str(folder)])
        for name in templates.list_templates([suffix]):
            source = (folder / name).read_text("utf-8")
            yield Built(target).build(name, source, templates)


def _of_text(folders: Sequence[str]) -> Any:
    return _templates(folders, autoescape=False, finalize=unmarked)


def _of_html(folders: Sequence[str]) -> Any:
    return _templates(folders, autoescape=True)


def _templates(folders: Sequence[str], *, autoescape: bool, **options: Any) -> Any:
    # A template is read once: a process has those that it began with.
    templates: Any = Environment(  # the callers choose what is escaped  # nosec B701
        autoescape=autoescape,  # noqa: S701 - plain text is not escaped
        loader=FileSystemLoader(folders),
        bytecode_cache=Built(Path(folders[0]) / FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        extensions=["jinja2.ext.i18n"],
        **options,
    )
    templates.policies["ext.i18n.trimmed"] = True
    templates.newstyle_gettext = True
    templates.code_generator_class = Plain
    return templates
