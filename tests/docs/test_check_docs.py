"""The check of the documentation finds what is not so, and leaves in peace what is."""

from pathlib import Path

import pytest

from scripts.documents.checking import faults_of, pages, unnamed
from scripts.documents.pages import Page
from scripts.documents.parts import NoSuchPart, with_part
from scripts.documents.rooms import ROOT, rooms
from scripts.documents.written import written
from tests.support.tables import pairs


def faults(text: str, name: str = "page.md") -> list[str]:
    """Return what is wrong with a page in docs/ of this text, without the page's name."""
    page = Page(ROOT / "docs" / name, text)
    return [fault.partition(": ")[2] for fault in faults_of(page)]


@pytest.mark.parametrize(("text", "fault"), pairs(Path(__file__).with_name("checked.txt")))
def test_what_is_not_so_is_a_fault(text: str, fault: str) -> None:
    assert (faults(text) or ["nothing"]) == [fault]


def test_a_fault_names_the_page_and_the_line() -> None:
    page = Page(ROOT / "docs" / "page.md", "First.\n\n[nowhere](nowhere.md)\n")
    assert list(faults_of(page)) == ["docs/page.md:3: there is no nowhere.md"]


@pytest.mark.parametrize("text", ["d4-e5", "queue if F6 then D4", "digest", "--nagtime=7"])
def test_the_page_for_players_shows_what_they_can_write(text: str) -> None:
    assert faults(f"`{text}`", "playing.md") == []


@pytest.mark.parametrize("text", ["shuffle", "--sheep=7", "lend alice a stone"])
def test_the_page_for_players_shows_nothing_else(text: str) -> None:
    assert faults(f"`{text}`", "playing.md") == [f"players cannot write {text!r}"]
    assert faults(f"`{text}`") == []


def test_all_pages_are_looked_at() -> None:
    names = {page.path.relative_to(ROOT).as_posix() for page in pages()}
    assert names >= {"README.md", "CONTRIBUTING.md", "docs/playing.md", "tests/data/README.md"}


def test_a_name_that_a_page_does_not_have_is_found() -> None:
    assert unnamed(["pytest", "ruff", "`smtp`"], "pytest-cov, ruff and `smtp`") == ["pytest"]


def test_what_scripts_write_is_up_to_date() -> None:
    for path, text in written():
        assert path.read_text() == text, f"{path}: scripts/write_docs writes something else"


def test_the_readme_fits_on_a_few_screens() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_a_part_of_a_page_is_exchanged_and_nothing_else() -> None:
    page = "a\n<!-- begin list: by a script -->\nold\n<!-- end list -->\nb\n"
    assert with_part(page, "list", "new\n") == (
        "a\n<!-- begin list: by a script -->\n\nnew\n\n<!-- end list -->\nb\n"
    )


def test_a_part_that_is_missing_is_no_part() -> None:
    with pytest.raises(NoSuchPart, match="'list'"):
        with_part("a page\n", "list", "new")


def test_rooms_are_listed_from_the_top_of_the_house_down() -> None:
    found = rooms()
    assert (found[0], found[-1]) == ("cli/", "refusal.py")
    assert found.index("service/") < found.index("store/") < found.index("rules/")


def test_the_checks_are_made_before_each_commit() -> None:
    assert "scripts/check_docs" in (ROOT / "scripts" / "check").read_text()
