"""`pbm-oust rules`: the rules counted."""

import click

from pbm_oust.cli.operator import KIND, as_json, grid_from, grid_options, print_json
from pbm_oust.experiments.perft import count_sequences, divide
from pbm_oust.rules.position import Kind


@click.group()
def rules() -> None:
    """Experiment with the rules."""


@rules.command()
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
        click.echo(f"{cell:<4}{count}")
    click.echo(f"{kind.name} {grid}, depth {depth}: {total} sequences")
