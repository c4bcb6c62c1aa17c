"""What a kind says of itself."""

import re
from pathlib import Path
from random import Random

import pbm_oust
from pbm_oust.experiments.simulate import play
from pbm_oust.grammar.words import ALIASES
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import How, Kind
from pbm_oust.service.table import FORMS
from pbm_oust.store.index import DRAW
from tests.support.kinds import grids_of, short_games, small_grids


def test_it_is_registered_by_its_name(kind: Kind) -> None:
    assert KINDS[kind.name] is kind


def test_nothing_but_the_registry_imports_it(kind: Kind) -> None:
    module = type(kind.start(kind.default_grid)).__module__
    package, _, name = module.rpartition(".")
    imports = re.compile(
        rf"^from {re.escape(module)} import|^from {re.escape(package)} import .*\b{name}\b", re.M
    )
    files = Path(*pbm_oust.__path__).rglob("*.py")
    found = {file.stem for file in files if imports.search(file.read_text())}
    assert found <= {"kinds"}


def test_its_name_fits_into_an_address(kind: Kind) -> None:
    assert re.fullmatch("[a-z]{1,16}", kind.name)


def test_its_name_is_no_word_of_a_command_in_any_language(kind: Kind) -> None:
    topics = {word for form in FORMS for word in form.name.split()}
    assert kind.name not in topics | ALIASES.keys()


def test_it_is_played_on_its_default_grids_and_on_none_of_another_shape(kind: Kind) -> None:
    assert all(grid.shape is shape for shape, grid in kind.defaults.items())
    assert all(kind.plays_on(grid) for grid in kind.defaults.values())
    others = [grid for grid in small_grids() if grid.shape not in kind.defaults]
    assert not any(kind.plays_on(grid) for grid in others)


def test_it_is_played_on_small_grids_too_so_that_these_tests_can_play_it(kind: Kind) -> None:
    assert grids_of(kind)


def test_it_is_played_at_random_for_experiments(kind: Kind) -> None:
    for grid in grids_of(kind)[:3]:
        course = play(kind, grid, Random(1))
        assert isinstance(course.result.how, kind.endings)
        assert course.placements >= course.turns
        assert (course.longest_chain > 1) <= kind.has_chains


def test_its_endings_are_words_of_its_own(kind: Kind) -> None:
    words = [str(ending.value) for ending in kind.endings]
    assert all(re.fullmatch("[a-z]+", word) for word in words)
    assert not {*words} & {DRAW, *(how.value for how in How)}


def test_every_ending_of_its_own_comes_about_in_a_short_game(kind: Kind) -> None:
    assert {result.how for result in short_games(kind)} == {*kind.endings}
