"""The check of the documentation finds what is not so, and leaves in peace what is."""

import pytest

from scripts.documents.checking import faults_of, pages, unnamed
from scripts.documents.pages import Page
from scripts.documents.parts import NoSuchPart, with_part
from scripts.documents.rooms import ROOT, rooms
from scripts.documents.written import written


def faults(text: str, name: str = "page.md") -> list[str]:
    """Return what is wrong with a page in docs/ of this text, without the page's name."""
    page = Page(ROOT / "docs" / name, text)
    return [fault.partition(": ")[2] for fault in faults_of(page)]


@pytest.mark.parametrize(
    "text",
    [
        "[rules](rules.md)",
        "[a rule](rules.md#a-board-can-be-blocked)",
        "[elsewhere](https://example.org/nowhere.md)",
        "[code](`[x](nowhere.md)`)",
        "```\n[code](nowhere.md)\n```",
        "`oust move 17 alice PASSWORD D4`",
        "`oust move`, `GAME challenge`",
        "`oust 17` and `oust square 4x4`",
        "`GAME queue BOARD USERID PASSWORD [clear]`",
        "`settings USERID PASSWORD board text`",
        "`réglages alice PASSWORD langue français`",
        "`pbm-oust --home elsewhere games import --as 17 FILE`",
        "`pbm-oust games show oust 17#5 | less --raw`",
        "`pbm-oust COMMAND --help`",
        "`/opt/pbm_oust/bin/pbm-oust outbox flush`",
        "`scripts/league --players 12`",
        "`pbm_oust/rules/NAME.py`",
        "`pbm_oust/languages/CODE`",
        "`games/outbox`",
        "`tests/data/perft.json`",
        "```\npbm_oust/   the program\n  rules/      the games\nLICENSE   what you may do\n```",
    ],
)
def test_what_is_so_is_no_fault(text: str) -> None:
    assert faults(text) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[rules](rulez.md)", "there is no rulez.md"),
        ("[a rule](rules.md#a-rule)", "rules.md has no heading #a-rule"),
        ("[below](#below)", "the page has no heading #below"),
        ("![a board](pictures/board.png)", "there is no pictures/board.png"),
        ('<img src="board.png">', "there is no board.png"),
        ("`oust shuffle 17`", "no command can be read in 'oust shuffle 17'"),
        ("`GAME shuffle BOARD`", "no command can be read in 'GAME shuffle BOARD'"),
        ("```\noust move 17 alice\n```", "no command can be read in 'oust move 17 alice'"),
        ("`lend USERID PASSWORD`", "no command can be read in 'lend USERID PASSWORD'"),
        ("`pbm-oust lend`", "there is no command pbm-oust lend"),
        ("`pbm-oust games lend`", "there is no command pbm-oust games lend"),
        ("```sh\npbm-oust games list --all\n```", "pbm-oust games list has no option --all"),
        ("`pbm-oust --home games list`", "there is no command pbm-oust list"),
        ("`scripts/lend`", "there is no scripts/lend"),
        ("`scripts/league --sheep 12`", "scripts/league has no option --sheep"),
        ("`pbm_oust/rules/go.py`", "there is no pbm_oust/rules/go.py"),
        ("`pbm_oust/attic/NAME.py`", "there is no pbm_oust/attic/NAME.py"),
        (
            "```\npbm_oust/   the program\n  attic/      old things\n```",
            "there is no pbm_oust/attic",
        ),
    ],
)
def test_what_is_not_so_is_a_fault(text: str, fault: str) -> None:
    assert faults(text) == [fault]


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
