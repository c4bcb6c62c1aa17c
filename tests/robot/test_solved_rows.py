"""The solved boards of docs/experiments.md, by a solver that shares no code with the program."""

import shutil
import subprocess
from pathlib import Path

import pytest

from pbm_oust.rules import Grid, parse_grid
from tests.support.core import needs_core
from tests.support.rings import slow
from tests.support.solved import SOLVED

ROOT = Path(__file__).parents[2]
ROWS = {grid: (row.who, row.stones) for (kind, grid), row in SOLVED.items() if kind == "oust"}
"""By grid: who wins Oust there, and with which first stones."""
QUICK, LARGEST = 12, 21
"""The most cells of boards that are tried at once, and of those that are tried at all."""
HARD = "square 7x3"
"""A board of no more cells that takes the other solver too long."""


def cells_of(name: str) -> int:
    return parse_grid(name).cells.bit_count()


TRIED = [name for name in ROWS if cells_of(name) <= LARGEST and name != HARD]


@pytest.fixture(scope="module")
def solver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The solver, compiled."""
    compiler, made = shutil.which("cc") or "", tmp_path_factory.mktemp("solver") / "solver"
    source = ROOT / "tests" / "support" / "solver.c"
    subprocess.run([compiler, "-O2", "-o", made, source], check=True)
    return made


def solved_by(solver: Path, grid: Grid) -> tuple[str, str]:
    """Return who wins Oust on a grid and with which first stones, by the other solver."""
    cells = list(grid.each(grid.cells))
    numbers = {cell: nth for nth, cell in enumerate(cells)}
    lines = [str(len(cells))]
    for cell in cells:
        beside = [numbers[each] for each in grid.each(grid.around[cell])]
        lines.append(" ".join(map(str, [len(beside), *beside])))
    told = subprocess.run(
        [solver], input="\n".join(lines), text=True, capture_output=True, check=True
    )
    worth, *winning = map(int, told.stdout.split())
    names = [grid.format_cell(cells[number]) for number in winning]
    return {1: "first", -1: "second"}[worth], ", ".join(names) or "none"


@needs_core
@pytest.mark.parametrize(
    "name", [name if cells_of(name) <= QUICK else slow(name) for name in TRIED]
)
def test_another_solver_proves_the_same(name: str, solver: Path) -> None:
    assert solved_by(solver, parse_grid(name)) == ROWS[name]


def test_many_rows_are_tried() -> None:
    assert len(TRIED) >= 20
