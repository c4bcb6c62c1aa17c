"""Templates are compiled when pbm_oust is built, and again only if they have changed."""

import shutil
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType

import pytest
from jinja2.compiler import generate

from pbm_oust.languages import LANGUAGES
from pbm_oust.letters.templates import FOLDER, build
from pbm_oust.letters.words import Words
from pbm_oust.service.table import FORMS

SUBJECTS = ("overview", "tutorial", "oust", "churn", *(form.topic for form in FORMS))


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of all templates, which letters are written with; none of them is compiled."""
    ignored = shutil.ignore_patterns("__pycache__", FOLDER)
    copy = shutil.copytree(Path(__file__).parents[2] / "templates", tmp_path / "t", ignore=ignored)
    monkeypatch.setattr(import_module("pbm_oust.templates"), "__path__", [str(copy)])
    return copy


def written() -> tuple[list[str | None], set[str]]:
    """Return the help in all languages, and the templates that were compiled for it."""
    compiled = set[str]()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is generate.__code__:
            compiled.add(frame.f_locals["name"])

    sys.setprofile(note)
    try:
        words = [Words("a@b", language) for language in LANGUAGES.values()]
        pages = [each.help_page(subject) for each in words for subject in SUBJECTS]
        assert all(each.pages for each in words)  # what letters in HTML are made of
    finally:
        sys.setprofile(None)
    return pages, compiled


def test_each_template_is_built_writes_the_same_and_is_not_compiled_again(templates: Path) -> None:
    pages, compiled = written()
    assert "html/letter.html" in compiled
    assert all(pages)
    sources = {str(path.relative_to(templates)) for path in templates.rglob("*.*")}
    made = [str(path.relative_to(templates)) for path in build(templates, templates / FOLDER)]
    assert {path.rsplit(".", 2)[0] for path in made} == {
        f"{FOLDER}/{source}" for source in sources - {"__init__.py"}
    }
    assert written() == (pages, set())


def test_a_template_that_was_changed_is_compiled_again(templates: Path) -> None:
    assert list(build(templates, templates / FOLDER))
    with (templates / "help/tutorial.txt").open("a") as file:
        file.write("\nAnd so on.\n")
    pages, compiled = written()
    assert "And so on." in (pages[SUBJECTS.index("tutorial")] or "")
    assert compiled == {"help/tutorial.txt"}
