"""`pbm-oust rules`: counting sequences of placements, playing games at random."""

import sys
import time
from dataclasses import asdict
from typing import Any

import click

from pbm_oust.cli.operator import KIND, as_json, grid_from, grid_options, print_json
from pbm_oust.cli.terminal import say
from pbm_oust.experiments.counting import count_sequences, divide
from pbm_oust.experiments.simulate import Figures, Summary, simulate
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Kind


@click.command()
@click.argument("kind", type=KIND)
@grid_options
@click.option(
    "--depth", type=click.IntRange(min=1), default=3, show_default=True, help="Placements."
)
@click.option("--divide", "divided", is_flag=True, help="Count by first placement.")
@as_json
def perft(
    kind: Kind,
    size: str | None,
    hexagonal: str | None,
    depth: int,
    divided: bool,
    as_json: bool,
) -> None:
    """Count the sequences of placements from the empty board."""
    grid = grid_from(kind, size, hexagonal)
    start = kind.start(grid)
    if divided:
        counts = {grid.format_cell(cell): count for cell, count in divide(start, depth)}
        total = sum(counts.values())
    else:
        counts = {}
        total = count_sequences(start, depth)
    if as_json:
        result = {"kind": kind.name, "grid": str(grid), "depth": depth, "sequences": total}
        print_json(result | ({"by_first": counts} if divided else {}))
        return
    for cell, count in counts.items():
        say(f"{cell:<4}{count}")
    say(f"{kind.name} {grid}, depth {depth}: {total} sequences")


@click.command("simulate")
@click.argument("kind", type=KIND)
@grid_options
@click.option("--games", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Same seed, same figures.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@as_json
def simulate_(
    kind: Kind,
    size: str | None,
    hexagonal: str | None,
    games: int,
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Play games at random.

    Every legal placement is equally likely.
    """
    grid = grid_from(kind, size, hexagonal)
    begun = time.perf_counter()
    courses = simulate(kind, grid, games, seed, jobs)
    bar = click.progressbar(courses, length=games, label=f"{kind.name} {grid}", file=sys.stderr)
    with bar as played:
        summary = Summary.of(played)
    per_second = round(summary.total_placements / (time.perf_counter() - begun))
    if as_json:
        print_json(_simulated(kind, grid, summary, per_second))
        return
    share = summary.results["x"] / summary.games
    say(f"{kind.name} {grid}: {summary.games} random games, seed {seed}")
    say(f"placements  {_figures(summary.placements)}")
    say(f"turns       {_figures(summary.turns)}")
    results = ", ".join(f"{who} {number}" for who, number in summary.results.items())
    say(f"results     {results}; x wins {share:.1%}")
    say(f"passes      {summary.passes}")
    say(f"chain       {summary.longest_chain} placements in the longest turn")
    counted = "placements" if kind.has_chains else "turns"
    say(f"speed       {per_second:,} {counted} a second")


def _simulated(kind: Kind, grid: Grid, summary: Summary, per_second: int) -> dict[str, Any]:
    counted = "placements" if kind.has_chains else "turns"
    return {
        "kind": kind.name,
        "grid": str(grid),
        "games": summary.games,
        counted: asdict(getattr(summary, counted)),
        f"{counted}_per_second": per_second,
        "results": summary.results,
        "passes": summary.passes,
        "longest_chain": summary.longest_chain,
    }


def _figures(figures: Figures) -> str:
    return (
        f"mean {figures.mean:,.2f}, median {figures.median:,.1f}, "
        f"standard error {figures.stderr:,.2f}"
    )
