"""Notices and their templates: one class for each, and each field of use."""

import pkgutil
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files

import pytest
from jinja2 import Environment, nodes

import pbm_oust
from pbm_oust.play.notices import BoardOutcomeNotice, Notice, TimedNotice

SHARED = (Notice, BoardOutcomeNotice, TimedNotice)
"""The classes that are no notices by themselves."""
ELSEWHERE = {"reader", "refusal", "correction", "instead", "answered", "replied"}
"""The fields that templates need not use: whom it is told, and what has words of its own."""
FOLDER = files("pbm_oust.templates") / "mail"


def notice_classes() -> Iterator[type[Notice]]:
    """Yield the classes of notices, each from the module in which it stands."""
    for module in pkgutil.walk_packages(pbm_oust.__path__, "pbm_oust."):
        if module.name.split(".")[1] in ("play", "commands", "service"):
            for each in vars(import_module(module.name)).values():
                is_notice = isinstance(each, type) and issubclass(each, Notice)
                if is_notice and each not in SHARED and each.__module__ == module.name:
                    yield each


CLASSES = list(notice_classes())


def names_in(path: str) -> set[str]:
    """Return the names that a template uses, and those of the template that it goes on from."""
    source = files("pbm_oust.templates").joinpath(path).read_text("utf-8")
    parsed = Environment(autoescape=True, extensions=["jinja2.ext.i18n"]).parse(source)
    names = {name.name for name in parsed.find_all(nodes.Name)}
    for extended in parsed.find_all(nodes.Extends):
        names |= names_in(extended.template.as_const())
    return names


def test_every_template_of_mail_has_exactly_one_class_of_notices() -> None:
    templates = {each.name.removesuffix(".txt") for each in FOLDER.iterdir()}
    assert Counter(each.template for each in CLASSES) == Counter(templates)


@pytest.mark.parametrize("notice", CLASSES, ids=lambda each: each.template)
def test_a_template_uses_every_field_of_its_notice(notice: type[Notice]) -> None:
    own = {*notice.__struct_fields__} - ELSEWHERE
    assert own <= names_in(f"mail/{notice.template}.txt")
