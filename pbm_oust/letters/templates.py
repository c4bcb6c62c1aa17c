"""The templates of letters, ready to be filled in."""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.runtime import Context
from markupsafe import Markup, escape

from pbm_oust.letters.built import FOLDER, Built, Plain
from pbm_oust.letters.marks import unmarked

if TYPE_CHECKING:
    from pbm_oust.letters.translator import Translator


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
