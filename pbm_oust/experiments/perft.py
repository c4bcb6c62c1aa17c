"""Counting the sequences of so many placements."""

from collections.abc import Iterator

from pbm_oust.rules.position import Position


def count_sequences(position: Position, depth: int) -> int:
    """Return the number of sequences of `depth` placements from a position.

    Every placement of a turn counts. A forced pass is made in between and does not count. A game
    that is over has no further placements.
    """
    if depth == 0:
        return 1
    position = past_forced_pass(position)
    placements = position.placements()
    if depth == 1:
        return placements.bit_count()
    return sum(
        count_sequences(position.place(cell), depth - 1) for cell in position.grid.each(placements)
    )


def divide(position: Position, depth: int) -> Iterator[tuple[int, int]]:
    """Yield each first placement with the number of sequences of `depth` that begin with it."""
    position = past_forced_pass(position)
    for cell in position.grid.each(position.placements()):
        yield cell, count_sequences(position.place(cell), depth - 1)


def past_forced_pass(position: Position) -> Position:
    """Return the position itself or, if the side to move must pass, the one after the pass."""
    if position.result or position.has_placement():
        return position
    return position.pass_turn()
