"""What mail programs know of HTML and CSS, by the data of caniemail.com."""

import json
import re
from pathlib import Path
from typing import Any

from tests.support import tables
from tests.support.pages import Page

DATA = Path(__file__).parent.parent / "data" / "caniemail" / "extract.json"

PROGRAMS = ("apple-mail", "gmail", "outlook", "thunderbird", "yahoo")

FEATURES = tuple(tables.words(__file__, "features"))
"""The features that letters use, as the data calls them."""

_BEYOND = {"html", "head", "title", "meta", "br", "charset", "content", "href", "name"}
_BEYOND |= {"colspan", "style", "color"}
"""What the data does not have: HTML and CSS began with it."""
_PARTS = {
    **dict.fromkeys(("tr", "td", "th"), "table"),
    "a": "mailto-links",
    "h1": "h1-h6",
    "class": "selector-class",
    "font-family": "font",
    "margin-left": "margin",
    "overflow-x": "overflow",
}
"""What the data has as part of something else."""
_UNITS = {"em": "css-unit-em", "px": "css-unit-px", "%": "css-unit-percent"}
_SHEET = {
    "@media": "css-at-media",
    "!important": "css-important",
    r"\.\w+ \w": "css-selector-descendant",
    r"\s(td|th)\b": "css-selector-type",
}
"""Patterns of what stands in style sheets alone."""


def features_of(html: str) -> set[str]:
    """Return the features that a page uses, as the data calls them."""
    page, names = Page(html), dict[str, set[str]]()
    styles = [value for name, value in page.attributes if name == "style"]
    names["html"] = {*page.tags, *(name for name, _ in page.attributes)} - {"class"}
    names["css"] = {each.partition(":")[0].strip() for style in styles for each in style.split(";")}
    if any(name == "class" for name, _ in page.attributes):
        names["css"].add("class")
    used = {
        f"{language}-{_PARTS.get(name, name)}"
        for language, some in names.items()
        for name in some - _BEYOND
    }
    used |= {_UNITS[unit] for style in styles for unit in re.findall(r"[\d.](em|px|%)", style)}
    for sheet in re.findall(r"<style>(.*?)</style>", html, re.DOTALL):
        used |= {feature for pattern, feature in _SHEET.items() if re.search(pattern, sheet)}
    return used | ({"html-style"} if "<style>" in html else set())


def lacking(feature: str) -> dict[str, str]:
    """Return the programs that do not know all of a feature: `n` or `a` (almost) with notes."""
    data = json.loads(DATA.read_text())["features"][feature]
    return {program: known for program, known in data.items() if not known.startswith("y")}


def extract(data: dict[str, Any]) -> dict[str, Any]:
    """Return what the tests need of the data: what the latest version of each program knows."""
    features = {each["slug"]: each["stats"] for each in data["data"]}
    return {
        "last_update_date": data["last_update_date"],
        "features": {feature: _latest(features[feature]) for feature in FEATURES},
    }


def _latest(stats: dict[str, dict[str, dict[str, str]]]) -> dict[str, str]:
    """Return what the latest versions know of a feature: `u` if nobody has tried a program."""
    known = dict[str, str]()
    for program in PROGRAMS:
        for platform, versions in stats.get(program, {"somewhere": {"": "u"}}).items():
            known[f"{program} {platform}"] = list(versions.values())[-1]
    return known
