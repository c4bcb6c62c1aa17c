"""Regular expressions are compiled when they are used, and each of them can be."""

import re
from importlib import import_module
from pkgutil import walk_packages

import pytest

import pbm_oust
from pbm_oust.regex import regex

MODULES = sorted(
    found.name
    for found in walk_packages(pbm_oust.__path__, "pbm_oust.")
    if "__main__" not in found.name
)


def test_it_does_what_a_compiled_one_does() -> None:
    late, compiled = regex("(?P<letter>[a-z])([0-9])", re.IGNORECASE), re.compile("b(.)")
    found = late.fullmatch("D4")
    assert found
    assert found["letter"] == "D"
    assert late.sub("-", "d4 x") == "- x"
    assert late.pattern == "(?P<letter>[a-z])([0-9])"
    assert late.groupindex == {"letter": 1}
    assert regex(rb"\d").search(b"a1")
    assert compiled.findall("bc") == regex("b(.)").findall("bc")


def test_it_is_not_compiled_before_it_is_used() -> None:
    broken = regex("(")
    assert broken.pattern == "("
    with pytest.raises(re.error):
        broken.search("")


@pytest.mark.parametrize("name", MODULES)
def test_each_expression_of_the_program_can_be_compiled(name: str) -> None:
    for value in vars(import_module(name)).values():
        for each in value.values() if isinstance(value, dict) else [value]:
            if type(each) is type(regex("")):
                assert each.flags >= 0
