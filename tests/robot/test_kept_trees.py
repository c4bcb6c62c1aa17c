"""Trees are kept from one turn to the next, wherever the game has gone as they did."""

import random

from msgspec.structs import replace

from pbm_oust.board import Deed, Game, Place
from pbm_oust.board.header import Terms
from pbm_oust.commands.challenge import origin_after
from pbm_oust.robot.player import decide
from pbm_oust.robot.search import Searched, Searcher, Trees
from pbm_oust.rules import Side
from tests.support.core import needs_core
from tests.support.games import new_game, play
from tests.support.thinking import counting_clock, done

pytestmark = needs_core

NO_SWAP = Terms(swap=False)


def grown(game: Game, clock_reads: int = 300) -> Searched:
    """Return a tree of a game that has grown."""
    searcher = Searcher(game.header.kind.name, game.header.grid, random.Random(1))
    root, clock = searcher.root(game.position), counting_clock()
    searcher.grow(root, lambda: clock() < clock_reads)
    return root


def played(game: Game, cell: int) -> Game:
    """Return a game after a placement that takes nothing."""
    return done(game, Place((game.header.grid.format_cell(cell),)))


def answered(trees: Trees) -> tuple[Game, int]:
    """Keep a tree after its best turn; return the game after the best answer, and its visits."""
    game = new_game("square 5x5", NO_SWAP)
    root = grown(game)
    first = root.best()
    reply = first.node.best()
    visits = reply.node.visits
    trees.keep(game, root, [first.cell])
    return played(played(game, first.cell), reply.cell), visits


def test_after_the_answer_a_tree_goes_on_from_there() -> None:
    trees = Trees()
    game, visits = answered(trees)
    node = trees.take(game)
    assert node
    assert node.position.stones(Side.X) == game.position.stones(Side.X)
    assert node.position.stones(Side.O) == game.position.stones(Side.O)
    assert node.visits == visits > 1
    assert len(trees) == 0


def test_a_game_that_went_another_way_has_no_tree() -> None:
    trees = Trees()
    answered(trees)
    game = new_game("square 5x5", NO_SWAP)
    one, other = list(game.header.grid.each(game.position.placements()))[:2]
    root = grown(game)
    trees.keep(game, root, [one])
    assert trees.take(played(game, other)) is None
    assert len(trees) == 0


def test_a_turn_that_is_taken_back_is_looked_up_where_it_stands() -> None:
    trees = Trees()
    game = new_game("square 5x5", NO_SWAP)
    root = grown(game)
    cell = root.best().cell
    trees.keep(game, root, [cell])
    game = played(game, cell)
    asked = game.act(game.to_move.other, Deed.UNDO, game.latest, "f" * 16)
    back = asked.act(game.to_move, Deed.ACCEPT, game.latest, "e" * 16)
    assert back.position == new_game("square 5x5", NO_SWAP).position
    assert trees.take(back) is None


def test_a_swap_leaves_a_tree_as_it_is() -> None:
    trees = Trees()
    game = play(new_game("square 7x7"), "x D4")
    root = grown(game)
    visits = root.visits
    trees.keep(game, root, [])
    swapped = done(game, Deed.SWAP)
    node = trees.take(swapped)
    assert node
    assert (node.position, node.visits) == (swapped.position, visits)


def test_the_trees_that_were_not_needed_for_longest_go_first() -> None:
    games = [new_game(f"square {size}x{size}", NO_SWAP) for size in (5, 6, 7)]
    games = [Game.start(replace(each.header, board=nth)) for nth, each in enumerate(games, 1)]
    sizes = Trees()
    for game in games:
        sizes.keep(game, grown(game, 30), [])
    trees = Trees(sizes.memory - 1)
    for game in games:
        trees.keep(game, grown(game, 30), [])
    assert trees.memory <= sizes.memory - 1
    assert trees.take(games[0]) is None
    assert trees.take(games[2]) is not None


def test_a_player_goes_on_with_its_tree() -> None:
    trees, rng, game = Trees(), random.Random(1), new_game("square 7x7", NO_SWAP)
    decision = decide(game, 200, rng, counting_clock(), trees)
    assert decision.root
    trees.keep(game, decision.root, decision.cells)
    game = done(game, decision.wish)
    node = trees.take(game)
    assert node
    trees.keep(game, node, [])
    reply = node.best().cell
    game = played(game, reply)
    again = decide(game, 1, rng, counting_clock(), trees)
    assert not done(game, again.wish).result
    assert again.root
    assert again.root.visits > again.looks


def test_of_churn_no_tree_is_kept() -> None:
    trees, game = Trees(), new_game("hex 3", NO_SWAP, kind="churn")
    trees.keep(game, grown(game, 30), [])
    assert len(trees) == 0


def test_games_with_kept_trees_are_played_to_the_end() -> None:
    one, other, rng = Trees(), Trees(), random.Random(1)
    game = new_game("square 5x5", NO_SWAP)
    while not game.result:
        trees = one if len(game.line) % 2 else other
        decision = decide(game, 12, rng, counting_clock(), trees)
        if decision.root:
            trees.keep(game, decision.root, decision.cells)
        game = done(game, decision.wish)
    assert game.result


def test_a_board_that_goes_on_from_another_one_has_trees_too() -> None:
    before = new_game("square 7x7", NO_SWAP)
    for cell in ("A1", "G7", "C1", "E7"):
        before = done(before, Place((cell,)))
    origin = origin_after(before, 4)
    game = Game.start(replace(before.header, board=2, origin=origin))
    trees, root = Trees(), grown(game)
    first = root.best()
    reply = first.node.best()
    visits = reply.node.visits
    trees.keep(game, root, [first.cell])
    node = trees.take(played(played(game, first.cell), reply.cell))
    assert node
    assert node.visits == visits


def test_a_tree_that_is_too_large_makes_no_room_for_itself() -> None:
    games = [new_game(f"square {size}x{size}", NO_SWAP) for size in (5, 7)]
    games = [Game.start(replace(each.header, board=nth)) for nth, each in enumerate(games, 1)]
    sizes = Trees()
    sizes.keep(games[0], grown(games[0], 5), [])
    trees = Trees(sizes.memory)
    trees.keep(games[0], grown(games[0], 5), [])
    trees.keep(games[1], grown(games[1], 300), [])
    assert trees.memory <= sizes.memory
    assert len(trees) == 1


def test_trees_of_boards_that_are_over_go() -> None:
    games = [Game.start(replace(new_game("square 5x5").header, board=nth)) for nth in (1, 2)]
    trees = Trees()
    for game in games:
        trees.keep(game, grown(game, 30), [])
    trees.keep_only({games[1].name})
    assert [trees.take(game) is not None for game in games] == [False, True]
