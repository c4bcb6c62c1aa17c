"""What the compiled core proves agrees with searches that share no code with it."""

import random
import signal
import subprocess
import sys
from itertools import pairwise
from threading import Thread
from typing import cast

import pytest

from pbm_oust.board import Place, Terms
from pbm_oust.experiments.counting import OutOfRoom, RoomForPositions
from pbm_oust.experiments.solve import Search, Worth, forced_draws, solve
from pbm_oust.robot.proofs import Proofs
from pbm_oust.robot.search import (
    Searcher,
    always,
    lattice_of,
    net_on,
    proofs_on,
    stones_of,
)
from pbm_oust.rules import KINDS, Grid, Position, Side, parse_grid
from pbm_oust.rules.grid import hexagon, square
from pbm_oust.rules.oust import Oust
from tests.robot.test_solved_boards import following, reachable
from tests.support.core import compiled_core
from tests.support.games import new_game, standing_at
from tests.support.rings import fast_if, first_is_fast, slow
from tests.support.solved import SOLVED
from tests.support.thinking import churn_by_chance, decided, times

_core = compiled_core()

MEGABYTE = 2**20
SMALL = [
    *(("oust", name) for name in ("square 2x2", "square 4x2", "square 3x3", "hex 2", "hex 1,4")),
    ("churn", "hex 1,2"),
    ("churn", "hex 2"),
    slow("oust", "hex 2,3"),
    slow("oust", "square 4x3"),
]


def proofs_of(kind: str, grid: Grid, megabytes: int = 64) -> Proofs:
    return Proofs(kind, grid, megabytes * MEGABYTE)


# What is true


@pytest.mark.parametrize(("kind", "name"), SMALL)
def test_each_position_of_a_small_board_is_worth_what_a_plain_search_finds(
    kind: str, name: str
) -> None:
    grid = parse_grid(name)
    search, known = Search(grid, RoomForPositions(10**6)), proofs_of(kind, grid)
    for position in reachable(KINDS[kind].start(grid)):
        assert known.worth(position) is search.worth(position)


def test_boards_that_can_be_blocked_have_positions_that_are_draws() -> None:
    grid = square(3)
    known = proofs_of("oust", grid)
    worths = {known.worth(position) for position in reachable(KINDS["oust"].start(grid))}
    assert worths == {*Worth}


@pytest.mark.parametrize(("kind", "name"), SMALL)
def test_a_side_that_wants_nothing_but_a_draw_gets_what_a_plain_search_finds(
    kind: str, name: str
) -> None:
    grid = parse_grid(name)
    for seeker in Side:
        search, known = Search(grid, RoomForPositions(10**6)), proofs_of(kind, grid)
        for position in reachable(KINDS[kind].start(grid)):
            assert known.worth(position, seeker) is search.worth(position, seeker)


def by_chance(kind: str, grid: Grid, seed: int) -> list[Position]:
    """Return the positions of a game by chance in which a side can place."""
    rng, position, found = random.Random(seed), KINDS[kind].start(grid), list[Position]()
    while not position.result:
        cells = list(grid.each(position.placements()))
        found += [position] if cells else []
        position = position.place(rng.choice(cells)) if cells else position.pass_turn()
    return found


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("oust", "square 5x4"),
        slow("churn", "hex 3"),
        *(slow("oust", name) for name in ("square 7x7", "hex 3,4", "hex 5")),
        slow("churn", "hex 2,5"),
    ],
)
def test_positions_of_games_by_chance_are_worth_what_a_plain_search_finds(
    kind: str, name: str
) -> None:
    grid, compared = parse_grid(name), list[Worth]()
    known = proofs_of(kind, grid)
    for seed in range(8):
        search = Search(grid, RoomForPositions(2000))
        for position in reversed(by_chance(kind, grid, seed)):
            try:
                worth = search.worth(position)
            except OutOfRoom:
                break
            assert known.worth(position) is worth
            compared.append(worth)
    assert len(compared) > 20
    assert {Worth.WIN, Worth.LOSS} <= {*compared}


LARGEST, LONG = 5_000_000, 1_000_000
"""Boards that take more positions are not sought again; those that take so many, only who wins."""
ROWS = {named: row for named, row in SOLVED.items() if row.positions <= LARGEST}


@pytest.mark.parametrize("named", fast_if(lambda named: ROWS[named].positions < 50_000, ROWS))
def test_the_boards_that_are_told_to_be_solved_are(named: tuple[str, str]) -> None:
    (kind, name), row = named, ROWS[named]
    grid = parse_grid(name)
    solution = solve(KINDS[kind], grid, proofs_of(kind, grid, 512))
    assert solution.without_swap is (Worth.WIN if row.who == "first" else Worth.LOSS)
    assert (solution.with_swap, solution.positions) == (Worth.LOSS, row.positions)
    assert bool(solution.winning) is (row.who == "first")
    assert ", ".join(map(grid.format_cell, solution.winning)) == row.stones.replace("none", "")
    if row.positions < LONG:
        assert forced_draws(KINDS[kind], grid, proofs_of(kind, grid, 512)) == []


def test_many_boards_are_told_to_be_solved() -> None:
    assert len(ROWS) >= 28
    assert {kind for kind, _ in ROWS} == {"oust", "churn"}


# What it needs


@pytest.mark.parametrize("name", ["square 5x3", "square 4x4", "hex 3", "hex 1,5"])
def test_a_table_that_is_far_too_small_costs_time_and_changes_no_answer(name: str) -> None:
    grid, kind = parse_grid(name), KINDS["oust"]
    plenty, tiny = proofs_of("oust", grid), Proofs("oust", grid, 0)
    enough, little = solve(kind, grid, plenty), solve(kind, grid, tiny)
    assert little.positions > enough.positions > 256
    assert (little.without_swap, little.winning) == (enough.without_swap, enough.winning)


def test_proofs_take_no_more_memory_than_they_may() -> None:
    script = """
import re
from pathlib import Path
from pbm_oust.experiments.solve import solve
from pbm_oust.robot.proofs import Proofs
from pbm_oust.rules import KINDS, parse_grid
def taken(megabytes, name):
    solve(KINDS["oust"], parse_grid(name), Proofs("oust", parse_grid(name), megabytes * 2**20))
    most, = re.findall(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())
    return int(most) / 1024
print(taken(1, "square 3x3"), taken(1, "square 6x3"), taken(64, "square 6x3"))
"""
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    first, same, more = map(float, run.stdout.split())
    assert same - first < 4
    assert 4 < more - same < 68


def test_a_proof_goes_on_where_it_stopped() -> None:
    asked = *stones_of(churn_by_chance(34, seed=0)), _core.WIN
    core = _core.Proofs(*lattice_of(hexagon(3)), True, 2**16, [])
    steps = 0
    while core.reaches(*asked) is None:
        assert 0 < core.prove(*asked, 1000) <= 1000
        steps += 1
    assert steps > 1
    assert core.prove(*asked, 1000) == 0


class Enough(Exception):
    """A search is to end."""


def test_whoever_watches_a_search_can_end_it_and_nobody_else_uses_its_proofs_meanwhile() -> None:
    told = list[int]()
    asked = *stones_of(KINDS["oust"].start(square(5))), _core.WIN
    core = _core.Proofs(*lattice_of(square(5)), False, 2**16, [])

    def watch(searched: int) -> None:
        told.append(searched)
        with pytest.raises(RuntimeError, match="a search is using"):
            core.reaches(*asked)
        if len(told) == 3:
            raise Enough

    with pytest.raises(Enough):
        core.prove(*asked, sys.maxsize, watch)
    assert [after - before for before, after in pairwise(told)] == [65_536] * 2
    assert core.reaches(*asked) is None
    assert core.prove(*asked, 10) == 10


def test_other_threads_run_during_a_search() -> None:
    has_run, ends = list[bool](), list[bool]()
    other = Thread(target=lambda: has_run.append(True))

    def watch(searched: int) -> None:
        if searched == 0:
            other.start()
        ends[:] = has_run
        if has_run:
            raise Enough

    core = _core.Proofs(*lattice_of(square(6)), False, 2**16, [])
    with pytest.raises(Enough):
        core.prove(b"", b"", _core.WIN, sys.maxsize, watch)
    other.join()
    assert ends == [True]


def test_control_c_ends_a_search() -> None:
    core = _core.Proofs(*lattice_of(square(6)), False, 2**16, [])
    with pytest.raises(KeyboardInterrupt):
        core.prove(b"", b"", _core.WIN, sys.maxsize, lambda _: signal.raise_signal(signal.SIGINT))
    assert core.reaches(b"", b"", _core.WIN) is None


# What trees make of it


def test_a_won_position_is_proved_again_where_what_wins_was_overwritten() -> None:
    position, other = churn_by_chance(34, 3), churn_by_chance(34, 100)
    searching = Searcher("churn", position.grid, random.Random(1), seconds=60)
    few = _core.Proofs(*lattice_of(position.grid), True, 64, [])
    searching._proofs = few

    def wins(each: Position) -> bool | None:
        won: bool | None = few.reaches(*stones_of(each), _core.WIN)
        return won

    few.prove(*stones_of(position), _core.WIN, 1_000_000)
    assert wins(position)
    few.prove(*stones_of(other), _core.WIN, 400)
    assert wins(position)
    assert all(wins(each) is None for each in following(position))
    root = searching.root(position)
    searching.grow(root, times(10))
    assert root.proved == 1.0
    assert wins(root.best().node.position) is False


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_plays_what_is_proved_to_win(seed: int) -> None:
    position: Position = churn_by_chance(45, seed)
    rng = random.Random(seed)
    searcher = Searcher("churn", position.grid, random.Random(1))
    is_won = proofs_of("churn", position.grid).worth(position) is Worth.WIN
    winner = position.to_move if is_won else position.to_move.other
    while not position.result:
        if position.to_move is winner:
            root = searcher.root(position)
            searcher.grow(root, always)
            position = root.best().node.position
        else:
            cells = list(position.grid.each(position.placements()))
            position = position.place(rng.choice(cells))
    assert position.result.winner is winner


def good_game(seed: int) -> list[Position]:
    """Return the positions with a placement of a game on 7x7 between players that prove nothing."""
    rng, found = random.Random(seed), list[Position]()
    position: Position = KINDS["oust"].start(square(7))
    searcher = Searcher("oust", position.grid, rng, is_proving=False)
    while not position.result:
        root = searcher.root(position)
        searcher.grow(root, most=2000 if len(found) > 3 else 10)
        found += [position] if position.has_placement() else []
        position = root.best().node.position
    return found


def is_won(position: Position, side: Side, known: Proofs) -> bool:
    """Return whether a side has won or will."""
    if position.result:
        return position.result.winner is side
    return known.worth(position) is (Worth.WIN if position.to_move is side else Worth.LOSS)


ENOUGH = 6000
"""So many looks at the clock leave time for a proof."""


@pytest.mark.parametrize("seed", first_is_fast(range(7)))
def test_the_house_plays_the_last_ten_placements_on_7x7_perfectly(seed: int) -> None:
    known, game = proofs_of("oust", square(7)), new_game("square 7x7", Terms(swap=False))
    careless = Searcher("oust", square(7), random.Random(seed), is_proving=False)
    position = good_game(seed)[-10]
    house = (
        position.to_move if is_won(position, position.to_move, known) else position.to_move.other
    )
    while not position.result:
        if not position.has_placement():
            position = position.pass_turn()
        elif position.to_move is house:
            decision = decided(standing_at(game, cast(Oust, position)), ENOUGH)
            assert decision.value == 1.0
            for cell in cast(Place, decision.wish).cells:
                position = position.place(position.grid.parse_cell(cell))
            assert is_won(position, house, known)
        else:
            root = careless.root(position)
            careless.grow(root, most=300)
            position = root.best().node.position
    assert position.result.winner is house


def test_a_position_that_is_lost_is_known_to_be() -> None:
    position = next(
        each
        for each in reversed(good_game(1))
        if proofs_of("oust", each.grid, 1).worth(each) is Worth.LOSS
    )
    searcher = Searcher("oust", position.grid, random.Random(1))
    root = searcher.root(position)
    searcher.grow(root, times(1000))
    assert searcher.is_lost(position)


def test_proofs_of_another_grid_or_another_game_are_refused() -> None:
    for proofs in proofs_on("churn", hexagon(2)), proofs_on("oust", hexagon(3)):
        with pytest.raises(ValueError, match="no proofs of this game on this grid"):
            _core.Tree(
                *lattice_of(hexagon(3)),
                eye=_core.CHURN_BY_CHANCE,
                net=net_on("oust", hexagon(3)),
                curiosity=1.0,
                x=b"",
                o=b"",
                to_move=False,
                is_mid_turn=False,
                seed=1,
                proofs=proofs,
                proving=1,
                resting=1,
                most_bytes=2**20,
                picks_lowest=False,
            )
