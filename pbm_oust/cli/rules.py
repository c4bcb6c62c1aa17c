"""`pbm-oust rules`: counting sequences of placements, playing at random, solving small boards."""

import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from traceback import clear_frames

import click
from msgspec import structs

from pbm_oust.cli.common import Refused, grid_named, json_option
from pbm_oust.cli.terminal import Output, progress_bar, say
from pbm_oust.experiments import counting
from pbm_oust.experiments.simulate import Figures, Totals, simulate
from pbm_oust.experiments.solve import (
    Judge,
    Search,
    Worth,
    forced_draws,
    opening_table,
    pack,
    solve,
)
from pbm_oust.robot.proofs import Proofs, can_prove
from pbm_oust.robot.search import lack
from pbm_oust.rules import Grid, Kind

MOST_CELLS = 36
"""Nobody can wait for a search of a board with more cells."""

MEGABYTE = 2**20
PROOFS = 512 * MEGABYTE
"""How much proofs take at most: enough for all boards of docs/experiments.md."""
_BEST_PLAY = {
    Worth.WIN: "the first player wins",
    Worth.DRAW: "a draw",
    Worth.LOSS: "the second player wins",
}


@click.command()
@grid_named
@click.option(
    "--depth", type=click.IntRange(min=1), default=3, show_default=True, help="Placements."
)
@click.option("--divide", "divided", is_flag=True, help="Count by first placement.")
@json_option
def perft(kind: Kind, grid: Grid, depth: int, divided: bool, output: Output) -> None:
    """Count the sequences of placements from the empty board."""
    start = kind.start(grid)
    if divided:
        counts = {grid.format_cell(cell): count for cell, count in counting.divide(start, depth)}
        total = sum(counts.values())
    else:
        counts = {}
        total = counting.count_sequences(start, depth)
    result = {"kind": kind.name, "grid": str(grid), "depth": depth, "sequences": total}
    output.json(result | ({"by_first": counts} if divided else {}))
    for cell, count in counts.items():
        output.say(f"{cell:<4}{count}")
    output.say(f"{kind.name} {grid}, depth {depth}: {total} sequences")


@click.command("simulate")
@grid_named
@click.option("--games", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Same seed, same figures.")
@click.option(
    "--jobs", type=click.IntRange(1, 999), default=1, show_default=True, help="Processes."
)
@json_option
def simulate_(kind: Kind, grid: Grid, games: int, seed: int, jobs: int, output: Output) -> None:
    """Play games at random.

    Every legal placement is equally likely.
    """
    begun = time.perf_counter()
    courses = simulate(kind, grid, games, seed, jobs)
    bar = click.progressbar(courses, length=games, label=f"{kind.name} {grid}", file=sys.stderr)
    with bar as played:
        summary = Totals.of(played)
    per_second = round(summary.total_placements / (time.perf_counter() - begun))
    counted = "placements" if kind.has_chains else "turns"
    fields = {
        "kind": kind.name,
        "grid": str(grid),
        "games": summary.games,
        counted: structs.asdict(getattr(summary, counted)),
        f"{counted}_per_second": per_second,
        "results": summary.results,
        "passes": summary.passes,
        "longest_chain": summary.longest_chain,
    }
    output.json(fields)
    share = summary.results["x"] / summary.games
    output.say(f"{kind.name} {grid}: {summary.games} random games, seed {seed}")
    output.say(f"placements  {_figures(summary.placements)}")
    output.say(f"turns       {_figures(summary.turns)}")
    results = ", ".join(f"{who} {number}" for who, number in summary.results.items())
    output.say(f"results     {results}; x wins {share:.1%}")
    output.say(f"passes      {summary.passes}")
    output.say(f"chain       {summary.longest_chain} placements in the longest turn")
    output.say(f"speed       {per_second:,} {counted} a second")


def _figures(figures: Figures) -> str:
    return (
        f"mean {figures.mean:,.2f}, median {figures.median:,.1f}, "
        f"standard error {figures.stderr:,.2f}"
    )


@click.command("solve")
@grid_named
@click.option("--census", is_flag=True, help="Also count every position that play can reach.")
@click.option(
    "--table",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write what positions are worth here, for the house.",
)
@click.option(
    "--placements",
    type=click.IntRange(min=0),
    default=4,
    show_default=True,
    help="How many placements lead to the positions of the table.",
)
@click.option(
    "--memory",
    metavar="MEGABYTES",
    type=click.IntRange(min=1),
    help="How much it may take, instead of 512 for proofs, or half of what is free for all else.",
)
@json_option
def solve_(
    kind: Kind,
    grid: Grid,
    census: bool,
    table: Path | None,
    placements: int,
    memory: int | None,
    output: Output,
) -> None:
    """Find out who wins a small board.

    Both sides play as well as possible. The compiled core searches for proofs where it is there,
    and else a far slower search, which keeps every position. Boards that are far too large for any
    machine are refused.
    """
    name = f"{kind.name} {grid}"
    if grid.cells.bit_count() > MOST_CELLS:
        raise Refused(f"{name} is too large: nothing above {MOST_CELLS} cells can be solved")
    most_bytes = memory * MEGABYTE if memory else free_memory() // 2
    in_memory = partial(_room, name, most_bytes // counting.bytes_each(grid))
    if can_prove(kind.name, grid):
        judging = partial(_proofs, kind, grid, most_bytes if memory else min(PROOFS, most_bytes))
    else:
        why = lack() or f"the compiled core does not play {kind.name}"
        say(f"This search is slow and takes much memory: {why}.", err=True)
        judging = partial(_searching, grid, in_memory)
    begun = time.perf_counter()
    with judging("who wins") as judge:
        solution = solve(kind, grid, judge)
    winning = [grid.format_cell(cell) for cell in solution.winning]
    found = {
        "kind": kind.name,
        "grid": str(grid),
        "without_swap": _BEST_PLAY[solution.without_swap],
        "with_swap": _BEST_PLAY[solution.with_swap],
        "winning_first_stones": winning,
        "positions": solution.positions,
        "seconds": round(time.perf_counter() - begun, 1),
    }
    won = f"{', '.join(winning) or 'none'} {'wins' if len(winning) < 2 else 'win'}"
    output.say(f"{name}, both sides playing as well as can be")
    output.say(f"without swap  {found['without_swap']}")
    output.say(f"with swap     {found['with_swap']}")
    output.say(f"first stones  {won}")
    output.say(f"positions     {solution.positions:,} searched, in {found['seconds']} seconds")
    with judging("forced draws") as judge:
        forced_by = [side.value for side in forced_draws(kind, grid, judge)]
    found["draw_forced_by"] = forced_by
    output.say(f"forced draw   {' and '.join(forced_by) or 'by neither side'}")
    if census:
        with in_memory("census") as room:
            reachable = counting.count_positions(kind, grid, room)
        found["reachable"] = reachable
        output.say(f"census        {reachable:,} positions can be reached by play")
    if table:
        with judging("table") as judge:
            worths = opening_table(kind, grid, placements, judge)
        found["table"] = len(worths)
        table.write_bytes(pack(worths))
        output.say(f"table         {len(worths):,} after up to {placements} placements")
    output.json(found)


@contextmanager
def _proofs(kind: Kind, grid: Grid, most_bytes: int, label: str) -> Iterator[Judge]:
    """Give what seeks proofs, and draw how many positions it has searched. Raises Refused."""
    with progress_bar(label, counted=True) as draw:
        try:
            judge = Proofs(kind.name, grid, most_bytes, lambda searched: draw(searched, None))
            yield judge
        except MemoryError:
            megabytes = most_bytes // MEGABYTE
            raise Refused(f"there are no {megabytes:,} MB; try --memory with less") from None
        except counting.OutOfRoom:
            raise Refused(f"{kind.name} {grid} was not solved: games last too long") from None
        draw(judge.positions, judge.positions)


@contextmanager
def _searching(
    grid: Grid,
    in_memory: Callable[[str], AbstractContextManager[counting.RoomForPositions]],
    label: str,
) -> Iterator[Judge]:
    """Give the search that keeps every position, in the room that there is for them."""
    with in_memory(label) as room:
        yield Search(grid, room)


@contextmanager
def _room(name: str, positions: int, label: str) -> Iterator[counting.RoomForPositions]:
    """Give the room for a search, and draw how it fills. Raises Refused if it is full."""
    with progress_bar(label, counted=True) as draw:
        room = counting.RoomForPositions(positions, lambda kept: draw(kept, positions))
        try:
            yield room
        except (counting.OutOfRoom, MemoryError) as error:
            clear_frames(error.__traceback__)  # or there is no memory to tell about it
            told = f"{room.kept:,} positions fill the memory"
            raise Refused(f"{name} was not solved: {told}; try a smaller board") from None
        draw(room.kept, positions)


def free_memory(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> int:
    """Return the number of bytes of memory that this process may still take.

    The machine, the container and the process each have a limit, and the lowest one counts. A
    machine that does not tell its free memory counts as having all of it free.
    """
    return max(0, min(_bounds(proc, groups)))


def _bounds(proc: Path, groups: Path) -> Iterator[int]:
    page = os.sysconf("SC_PAGE_SIZE")
    yield os.sysconf("SC_PHYS_PAGES") * page
    if meminfo := _read(proc / "meminfo"):
        fields = dict(line.split(":", 1) for line in meminfo.splitlines())
        if available := fields.get("MemAvailable"):
            yield int(available.split()[0]) * 1024
    if (limit := _read(groups / "memory.max").strip()).isdecimal():
        yield int(limit) - int(_read(groups / "memory.current") or 0)
    address_space, _ = resource.getrlimit(resource.RLIMIT_AS)
    if address_space != resource.RLIM_INFINITY and (sizes := _read(proc / "self" / "statm")):
        yield address_space - int(sizes.split()[0]) * page


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
