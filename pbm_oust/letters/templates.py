"""The templates of letters and pages, ready to be filled in."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from markupsafe import Markup, escape

from pbm_oust.languages import Language
from pbm_oust.letters.translator import Translator

_SAID = {"_": "gettext", "gettext": "gettext", "ngettext": "ngettext", "pgettext": "pgettext"}
"""What templates call to say a message, by what a translator calls it."""
_TOLD = ["date_in_subject", "date_text", "decimal", "factor", "grid_text", "moment_text", "ordinal"]
_FILTERS = ["answer", "either", "in_time_of", "line", "listed", "option", "word"]
"""What else of a translator templates call, and what changes values there."""


def text_templates(translator: Translator) -> Environment:
    """Return the templates of plain text in one language.

    Two shortcuts for them alone, because most letters are filled in by them: an attribute is an
    attribute, never the item of a dictionary, and a call is a call.
    """
    quick = _templates(translator, autoescape=False)
    quick.getattr = getattr
    quick.context_class = _Context
    templates: Environment = quick
    templates.globals.update({name: getattr(translator, said) for name, said in _SAID.items()})
    return templates


def html_templates(translator: Translator) -> Environment:
    """Return the templates of HTML in one language; they escape what they are given."""
    templates: Environment = _templates(translator, autoescape=True)
    for name, said in _SAID.items():
        templates.globals[name] = _escaping(getattr(translator, said))
    return templates


def filled(templates: Environment, name: str, given: dict[str, object]) -> str:
    """Return what a template of plain text writes."""
    template = templates.get_template(f"{name}.txt")
    # What Template.render does besides takes longer than a short letter.
    context = _Context(templates, templates.globals | given, template.name, template.blocks)
    return "".join(template.root_render_func(context)).strip("\n")


def _escaping(say: Callable[..., str]) -> Callable[..., Markup]:
    """Return what says a message in HTML: the message is HTML as it is, and no fact in it is."""

    def said(*message: object, **facts: object) -> Markup:
        text = say(*message, **{name: escape(fact) for name, fact in facts.items()})
        return Markup(text)  # noqa: S704 - messages are ours  # nosec B704

    return said


class _Context(Context):
    """What a template is filled in with; nothing that is called from one asks for it."""

    def call(
        self,
        called: Callable[..., Any],
        /,
        *given: Any,
        _loop_vars: object = None,
        _block_vars: object = None,
        **named: Any,
    ) -> Any:
        """Call something, without a search for what it may ask for."""
        return called(*given, **named)


class _Compiled(BytecodeCache):
    """The templates that a process has compiled in one language: it says what is constant."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Get the code of a template."""
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        self._code[bucket.key, bucket.checksum] = bucket.code


@cache
def _compiled_in(language: Language) -> _Compiled:
    return _Compiled()


def _templates(translator: Translator, *, autoescape: bool) -> Any:
    # A game may bring a folder of its own. A template is read once: a process has those that it
    # began with.
    templates: Any = Environment(  # the callers choose what is escaped  # nosec B701
        autoescape=autoescape,  # noqa: S701 - plain text is not escaped
        loader=FileSystemLoader(list(import_module("pbm_oust.templates").__path__)),
        bytecode_cache=_compiled_in(translator.language),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        extensions=["jinja2.ext.i18n"],
    )
    templates.newstyle_gettext = True
    templates.policies["ext.i18n.trimmed"] = True
    templates.globals.update({name: getattr(translator, name) for name in _TOLD})
    templates.filters.update({name: getattr(translator, name) for name in _FILTERS})
    return templates
