"""Games of a kind in the forms of other programs, and back in the same bytes."""

from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from pbm_oust.cli import main
from pbm_oust.rules.position import Kind
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from tests.support.games import history_of
from tests.support.happenings import FORMATS, anything_goes, taken_back, with_remarks, written
from tests.support.kinds import grids_of, short_games


@pytest.mark.parametrize("form", FORMATS)
def test_a_history_comes_back_in_the_same_bytes(kind: Kind, form: str) -> None:
    grids = grids_of(kind)
    for seed in range(8):
        game = anything_goes(kind.name, str(grids[-1 - seed % len(grids)]), seed)
        history = with_remarks(history_of(game), Random(seed))
        assert taken_back(written(form, history)) == history


@pytest.mark.parametrize("form", FORMATS)
def test_games_of_every_ending_come_back_in_the_same_bytes(kind: Kind, form: str) -> None:
    for chance in short_games(kind).values():
        history = history_of(chance.game()).decode()
        assert taken_back(written(form, history)) == history


@pytest.mark.parametrize("form", FORMATS)
def test_the_operator_exports_a_game_and_imports_it_elsewhere(
    kind: Kind, form: str, tmp_path: Path
) -> None:
    chance = next(iter(short_games(kind).values()))
    here, there = Home(tmp_path / "here"), Home(tmp_path / "there")
    path = here.history_path(BoardName(kind.name, 17))
    path.parent.mkdir(parents=True)
    path.write_bytes(history_of(chance.game()))
    told = _run(here, "games", "export", kind.name, "17", f"--{form}")
    _run(there, "games", "import", "-", "--as", "17", stdin=told)
    assert there.history_path(BoardName(kind.name, 17)).read_bytes() == path.read_bytes()
    assert _run(there, "games", "verify").startswith(f"{kind.name} 17: ok, ")


def _run(home: Home, *arguments: str, stdin: str = "") -> str:
    result = CliRunner().invoke(main, ["--home", str(home.path), *arguments], input=stdin)
    assert result.exit_code == 0, result.output
    return result.output
