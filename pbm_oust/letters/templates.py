"""The templates of letters, ready to be filled in."""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.runtime import Context

from pbm_oust.letters.built import FOLDER, Built
from pbm_oust.letters.marks import unmarked

if TYPE_CHECKING:
    from pbm_oust.letters.translator import Translator


class _Plain(Context):
    """Calls functions as they are: none of ours wants to know which template calls it."""

    def call(self, function: Callable[..., object], *args: object, **given: object) -> object:
        """Return what a function returns."""
        if given:
            given.pop("_block_vars", None)
            given.pop("_loop_vars", None)
        return function(*args, **given)


def text_templates(translator: "Translator") -> Environment:
    """Return the templates of plain text in one language.

    What they write has no marks but those of what is Marked.
    """
    templates: Environment = _of_text(_folders())
    templates.context_class = _Plain
    templates.globals.update(
        _=translator.gettext,
        gettext=translator.gettext,
        ngettext=translator.ngettext,
        pgettext=translator.pgettext,
    )
    return templates


def html_templates(translator: "Translator") -> Environment:
    """Return the templates of HTML in one language; they escape what they are given."""
    escaping = _of_html(_folders())
    escaping.install_gettext_translations(translator.catalogue, newstyle=True)
    templates: Environment = escaping
    return templates


def filled(templates: Environment, name: str, given: dict[str, object]) -> str:
    """Return what a template of plain text writes."""
    template = templates.get_template(f"{name}.txt")
    # What Template.render does besides takes longer than a short letter.
    context = _Plain(templates, templates.globals | given, template.name, template.blocks)
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
    templates: Any = Environment(  # nosec B701
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
    return templates
