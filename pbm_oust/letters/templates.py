"""The templates of letters and pages, ready to be filled in; the Subjects that stand in them."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from pickle import UnpicklingError  # the name of an error  # nosec B403
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from jinja2.ext import extract_from_ast
from jinja2.runtime import Context
from markupsafe import Markup, escape

from pbm_oust.grammar.vocabulary import fold
from pbm_oust.languages import LANGUAGES
from pbm_oust.letters.translator import Translator, catalogue_of

_I18N = "jinja2.ext.i18n"

_SAID = {"_": "gettext", "gettext": "gettext", "ngettext": "ngettext", "pgettext": "pgettext"}
"""The names by which templates say a message, and the methods of a translator for them."""
_TOLD = ["date_in_subject", "date_text", "decimal", "factor", "grid_text", "moment_text", "ordinal"]
_FILTERS = ["answer", "either", "in_time_of", "line", "listed", "option", "word"]
"""The other methods of a translator that are globals and filters of templates."""


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
    """Fill in a template of plain text."""
    template = templates.get_template(f"{name}.txt")
    # What Template.render does besides takes longer than a short letter.
    context = _Context(templates, templates.globals | given, template.name, template.blocks)
    return "".join(template.root_render_func(context)).strip("\n")


def _escaping(say: Callable[..., str]) -> Callable[..., Markup]:
    """Make a function say its message in HTML: facts in it are escaped, the message is not."""

    def said(*message: object, **facts: object) -> Markup:
        text = say(*message, **{name: escape(fact) for name, fact in facts.items()})
        return Markup(text)  # noqa: S704 - messages are ours  # nosec B704

    return said


class _Context(Context):
    """The variables of a template of text, for functions that do not ask for them."""

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


class _Compiled(FileSystemBytecodeCache):
    """Compiled templates, kept for the next process in a folder below /tmp of this user alone."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Get the code of a template, unless a power cut has left only a part of it."""
        try:
            super().load_bytecode(bucket)
        except (OSError, EOFError, UnpicklingError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template, unless the disk is full."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


@cache
def _compiled() -> _Compiled | None:
    """Return the templates compiled before; None if others could write where they are kept."""
    with suppress(OSError, RuntimeError):
        return _Compiled()
    return None


def _folders() -> list[str]:
    """Return the folders of all templates; a game may bring one of its own."""
    return list(import_module("pbm_oust.templates").__path__)


def _templates(translator: Translator, *, autoescape: bool) -> Any:
    # A template is read once: a process has those that it began with.
    templates: Any = Environment(  # the callers choose what is escaped  # nosec B701
        autoescape=autoescape,  # noqa: S701 - plain text is not escaped
        loader=FileSystemLoader(_folders()),
        bytecode_cache=_compiled(),
        optimized=False,  # the same code serves all languages
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        extensions=[_I18N],
    )
    templates.newstyle_gettext = True
    templates.policies["ext.i18n.trimmed"] = True
    templates.globals.update({name: getattr(translator, name) for name in _TOLD})
    templates.filters.update({name: getattr(translator, name) for name in _FILTERS})
    return templates


# The Subjects of letters, as answers have them: `first steps`, `your settings, alice`

_LONGEST = 200
"""How many characters of a Subject are looked at."""
_SAY_WHICH = ("%(board)s", "%(line)s")
_PLACE = re.compile(r"%\\\(\w+\\\)s")
"""A place in a message, escaped, that a letter fills in."""


def is_own_subject(subject: str) -> bool:
    """Return whether a Subject is one that a letter of ours can have, in any language.

    Those about a board or a puzzle are not looked for: they say which one is meant.
    """
    return bool(_own().fullmatch(" ".join(fold(subject[:_LONGEST]).split())))


@cache
def _own() -> re.Pattern[str]:
    """Return the pattern of the Subjects in the templates, with their translations."""
    messages = [each for each in _messages() if not each[0].startswith(_SAY_WHICH)]
    said = set[str]()
    for catalogue in map(catalogue_of, LANGUAGES.values()):
        for message in messages:
            said |= {catalogue.ngettext(message[0], message[-1], count) for count in (1, 2)}
            said.add(catalogue.gettext(message[0]))
    return re.compile("|".join(_PLACE.sub(".+", re.escape(fold(each))) for each in sorted(said)))


def _messages() -> Iterator[tuple[str, ...]]:
    """Yield the messages of the Subjects: one, or one for one thing and one for several."""
    environment = Environment(autoescape=True, extensions=[_I18N])
    for template in sorted(chain(*(Path(folder, "mail").iterdir() for folder in _folders()))):
        for line in template.read_text("utf-8").splitlines():
            if line.startswith("Subject:"):
                for _, _, message in extract_from_ast(environment.parse(line)):
                    said = (message,) if isinstance(message, str) else message or ()
                    yield tuple(filter(None, said))
