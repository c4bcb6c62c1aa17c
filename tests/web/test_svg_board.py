"""Boards as SVG: every part of the picture is where the rules have it, and needs nothing else."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations, groupby, pairwise
from math import dist, hypot

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from pbm_oust.board import Game
from pbm_oust.board.game import placement_of
from pbm_oust.languages import ENGLISH
from pbm_oust.letters.translator import Translator
from pbm_oust.render.html import COLOURS, INK, UNMARKED, WOOD, Marks
from pbm_oust.render.svg import (
    HALF,
    NAME_SCALE,
    STROKE_HEIGHT,
    STROKES,
    Layout,
    board_svg,
    effect,
    layout_of,
    strokes_around,
    without_names,
)
from pbm_oust.render.text import star_points
from pbm_oust.render.visible import visible_line
from pbm_oust.rules import KINDS, Grid, Position, Side, parse_grid
from pbm_oust.rules.grid import COLUMNS
from pbm_oust.rules.position import taken
from tests.support.boards import board
from tests.support.contrast import contrast
from tests.support.drawn import GRIDS, played
from tests.support.naive import point_of
from tests.support.naive_churn import NaiveChurn
from tests.support.rings import examples
from tests.support.strategies import ChurnPlay, Play, churn_plays, games, plays

SVG = "{http://www.w3.org/2000/svg}"
WORDS = "oust 17", Translator(ENGLISH).gettext

Point = tuple[float, float]
Line = frozenset[Point]


def parsed(svg: str) -> etree._Element:
    """Return a picture as an element; it has to be well-formed without any entity of HTML."""
    return etree.fromstring(svg.encode())


def with_taps(position: Position, marks: Marks = UNMARKED) -> etree._Element:
    """Return a picture on which one can tap."""
    return parsed(board_svg(position, marks, *WORDS, taps=lambda cell: f"?play={cell}"))


def points_of(picture: etree._Element, words: str) -> list[Point]:
    """Return the middles of the circles in the group of these classes."""
    circles = picture.findall(f".//{SVG}g[@class='{words}']/{SVG}circle")
    return [(float(circle.get("cx", "")), float(circle.get("cy", ""))) for circle in circles]


def places_of(grid: Grid, some: int) -> list[Point]:
    """Return where cells are drawn."""
    return [layout_of(grid).places[cell] for cell in grid.each(some)]


def lines_in(path: str) -> Iterator[Line]:
    """Yield the straight lines that a path draws, each as its two ends."""
    x = y = start_x = start_y = 0.0
    for command, text in re.findall(r"([MmlhHvVz])([^MmlhHvVz]*)", path):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", text)] or [0.0]
        size = 2 if command in "Mml" else 1
        for nth in range(0, len(numbers), size):
            before, (first, *rest) = (x, y), numbers[nth : nth + size]
            match command:
                case "M":
                    x, y = first, rest[0]
                case "m" | "l":
                    x, y = x + first, y + rest[0]
                case "h" | "H":
                    x = x + first if command == "h" else first
                case "v" | "V":
                    y = y + first if command == "v" else first
                case _:
                    x, y = start_x, start_y
            if command in "Mm":
                start_x, start_y = x, y
            elif before != (x, y):
                yield frozenset({before, (x, y)})


def names_in(path: str) -> dict[str, list[Point]]:
    """Return where each coordinate is written: the middle of its strokes."""
    letters = {strokes: letter for letter, strokes in STROKES.items()}
    found = re.findall(r"M(-?\d+) (-?\d+)([^M]+)", path)
    glyphs = [(int(left), int(top), letters[strokes]) for left, top, strokes in found]
    names: dict[str, list[Point]] = {}
    while glyphs:
        left, top, name = glyphs.pop(0)
        last = left
        while name.isdigit() and glyphs and glyphs[0][1] == top and glyphs[0][0] - last == 13:
            last, _, digit = glyphs.pop(0)
            name += digit
        middle = (left + last + 10) / 2, top + STROKE_HEIGHT / 2
        names.setdefault(name, []).append((middle[0] * NAME_SCALE, middle[1] * NAME_SCALE))
    return names


def near(*points: Point) -> list[object]:
    """Return points as whole units come close to them."""
    return [pytest.approx(point, abs=0.4) for point in points]


def is_within(layout: Layout, name: str, middle: Point) -> bool:
    """Return whether a coordinate is in the picture, where the board is inset."""
    left, top, scale = layout.inset
    across, down = (13 * len(name) - 3) * NAME_SCALE / 2, STROKE_HEIGHT * NAME_SCALE / 2
    return (
        left + scale * (middle[0] - across) > 0
        and left + scale * (middle[0] + across) < layout.width
        and top + scale * (middle[1] - down) > 0
        and top + scale * (middle[1] + down) < layout.height
    )


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_cells_are_drawn_as_far_apart_as_neighbours_exactly_where_they_touch(
    kind: str, grid: str
) -> None:
    cells, places = parse_grid(grid), layout_of(parse_grid(grid)).places
    assert sorted(places) == sorted(cells.names_of)
    for one, other in combinations(places, 2):
        apart = dist(places[one], places[other])
        assert apart > 2 * HALF - 1
        assert (apart <= 2 * HALF) == bool(cells.neighbours(one) & other)


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_columns_and_rows_run_as_on_the_board_of_plain_text(kind: str, grid: str) -> None:
    cells, places = parse_grid(grid), layout_of(parse_grid(grid)).places
    for row in cells.rows:
        xs, ys = zip(*map(places.__getitem__, row), strict=True)
        assert list(xs) == sorted(xs)
        assert len(set(ys)) == 1
    heights = [places[row[0]][1] for row in cells.rows]
    assert heights == sorted(heights, reverse=True)
    assert list(places.values()) == sorted(places.values(), key=lambda place: place[::-1])


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_every_stone_is_one_circle_at_its_cell_among_those_of_its_side(
    kind: str, grid: str
) -> None:
    for seed in range(10):
        position, latest = played(kind, grid, seed)
        picture = with_taps(position, Marks(latest))
        for side in Side:
            stones = places_of(position.grid, position.stones(side))
            assert sorted(points_of(picture, f"stones {side.value}")) == sorted(stones)


@examples(30)
@given(plays)
def test_rings_are_in_the_latest_stones_and_dashes_where_stones_were_and_are_no_more(
    play: Play,
) -> None:
    for before, cell, after in play.steps():
        marks = Marks(cell, taken(before, after) | cell)
        picture = parsed(board_svg(after, marks, *WORDS))
        mover = before.to_move.value
        rings = points_of(picture, f"latest {mover}")
        assert rings == places_of(after.grid, cell & after.stones(before.to_move))
        assert not points_of(picture, f"latest {before.to_move.other.value}")
        assert points_of(picture, "taken") == places_of(after.grid, taken(before, after))


@examples(30)
@given(plays | churn_plays)
def test_a_picture_tells_how_each_of_its_stones_came_and_which_went_meanwhile(
    play: Play | ChurnPlay,
) -> None:
    steps = [(before, cell, after) for before, cell, after in play.steps() if cell]
    grid, stones = play.grid, Counter[str]()
    made = [
        (before.to_move, placement_of(grid.format_cell(cell), before, after))
        for before, cell, after in steps
    ]
    svg = board_svg(steps[-1][2], UNMARKED, *WORDS, moves=made)
    words = parsed(svg).get("data-moves", "").split()
    for _, _, after in steps:
        stones[words.pop(0).removeprefix("+")] += 1
        while words and words[0].startswith("-"):
            stones[words.pop(0).removeprefix("-")] -= 1
        assert +stones == Counter(
            f"{side.value}{x:g},{y:g}"
            for side in Side
            for x, y in places_of(grid, after.stones(side))
        )
        assert min(stones.values()) >= 0


@examples(50)
@given(games())
def test_the_latest_two_turns_are_those_of_the_two_sides(game: Game) -> None:
    moves = game.latest_two_turns
    placed = [
        (move.side, each)
        for move in game.line
        for each in (move.action if isinstance(move.action, tuple) else ())
    ]
    assert moves == tuple(placed[len(placed) - len(moves) :])
    assert len([*groupby(side for side, _ in moves)]) <= 2
    own = [side is game.line[-1].side for side, _ in moves]
    assert game.latest_turn == tuple(each for _, each in moves[len(moves) - sum(own) :])


@pytest.mark.parametrize("grid", [grid for _, grid in GRIDS if "square" in grid])
def test_lines_of_a_square_board_join_all_neighbours_and_nothing_else(grid: str) -> None:
    cells, layout = parse_grid(grid), layout_of(parse_grid(grid))
    lines = list(lines_in(layout.lines))
    assert len(lines) == sum(cells.size)
    joined = set()
    for line in lines:
        on = sorted(
            place
            for place in layout.places.values()
            if sum(dist(place, end) for end in line) == dist(*line)
        )
        assert {on[0], on[-1]} == line
        joined |= {frozenset(pair) for pair in pairwise(on)}
    neighbours = {
        frozenset({layout.places[cell], layout.places[other]})
        for cell in cells.names_of
        for other in cells.each(cells.neighbours(cell))
    }
    assert joined == neighbours
    stars = [layout.places[cell] for cell in cells.each(star_points(cells))]
    assert re.findall(r"M(\d+) (\d+)h0", layout.stars) == [(str(x), str(y)) for x, y in stars]


@pytest.mark.parametrize("grid", [grid for _, grid in GRIDS if "hex" in grid])
def test_each_side_of_a_hexagonal_cell_is_drawn_once_and_the_outer_ones_are_the_edge(
    grid: str,
) -> None:
    layout = layout_of(parse_grid(grid))
    sides = Counter(
        frozenset((corner_x + x, corner_y + y) for corner_x, corner_y in side)
        for x, y in layout.places.values()
        for side in lines_in(layout.cell)
    )
    assert Counter(lines_in(layout.lines)) == {
        side: 1 for side, count in sides.items() if count == 2
    }
    assert Counter(lines_in(layout.edge)) == {
        side: 1 for side, count in sides.items() if count == 1
    }


@pytest.mark.parametrize("size", range(2, 26))
def test_coordinates_of_a_square_board_stand_left_of_rows_and_below_columns(
    size: int,
) -> None:
    grid = parse_grid(f"square {size}x{27 - size}")
    layout, (columns, rows) = layout_of(grid), grid.size
    names = names_in(layout.names)
    assert list(names) == [*COLUMNS[:columns], *map(str, range(rows, 0, -1))]
    for column in range(1, columns + 1):
        x, _ = layout.places[grid.cell_at(column, 1)]
        assert names[COLUMNS[column - 1]] == near((x, layout.height + 8))
    for row in range(1, rows + 1):
        _, y = layout.places[grid.cell_at(1, row)]
        assert names[str(row)] == near((-8, y))
    assert all(is_within(layout, name, *middles) for name, middles in names.items())


@pytest.mark.parametrize("grid", [grid for _, grid in GRIDS if "hex" in grid])
def test_coordinates_of_a_hexagonal_board_stand_left_of_rows_and_below_columns(grid: str) -> None:
    cells, layout = parse_grid(grid), layout_of(parse_grid(grid))
    names = names_in(layout.names)
    columns = cells.stride - 1
    assert len(names) == columns + len(cells.rows)
    for number, row in enumerate(cells.rows, 1):
        x, y = layout.places[row[0]]
        assert names[str(number)] == near((x - 32, y))
    for number in range(1, columns + 1):
        lowest = next(cell for cell in map(cells.cell_at, [number] * 25, range(1, 26)) if cell)
        x, y = layout.places[lowest]
        assert names[COLUMNS[number - 1]] == near((x + 17, y + 28))
    assert all(is_within(layout, name, *middles) for name, middles in names.items())
    for middle in chain.from_iterable(names.values()):
        assert all(dist(middle, place) > 1.5 * HALF for place in layout.places.values())


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_a_board_without_its_coordinates_fills_its_picture(kind: str, grid: str) -> None:
    layout = layout_of(parse_grid(grid))
    across, down = zip(*layout.places.values(), strict=True)
    for places, length in ((across, layout.width), (down, layout.height)):
        assert HALF < min(places) <= 27
        assert min(places) + max(places) == length
    left, top, scale = layout.inset
    assert left > 0
    assert top >= 0
    assert 0.75 < scale < 1


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_a_small_picture_shows_the_board_alone(kind: str, grid: str) -> None:
    layout, box = layout_of(parse_grid(grid)), without_names(parse_grid(grid))
    x, y, width, height = map(float, re.findall(r"[\d.]+", box))
    left, top, scale = layout.inset
    assert [x, y] == pytest.approx([left, top], abs=0.1)
    assert [width, height] == pytest.approx([scale * layout.width, scale * layout.height], abs=0.6)


def test_every_letter_and_digit_has_strokes_of_its_own_that_stay_in_its_box() -> None:
    assert set(STROKES) == {*COLUMNS, *"0123456789"}
    assert len(set(STROKES.values())) == len(STROKES)
    straight = [letter for letter, strokes in STROKES.items() if not set(strokes) & set("acs")]
    assert len(straight) > 10
    for letter in straight:
        for line in lines_in(f"M0 0{STROKES[letter]}"):
            assert all(-1 <= x <= 11 and 0 <= y <= STROKE_HEIGHT for x, y in line)
    assert strokes_around(20, 30, "T") == f"M15 23{STROKES['T']}"


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_each_placement_is_a_link_with_its_name_and_a_sign_for_what_it_does(
    kind: str, grid: str
) -> None:
    for seed in range(10):
        position, latest = played(kind, grid, seed)
        picture, places = with_taps(position, Marks(latest)), layout_of(position.grid).places
        expected = []
        joining = position.grid.neighbours(position.stones(position.to_move))
        for cell in places:
            if cell & position.placements():
                name, (x, y) = position.grid.format_cell(cell), places[cell]
                does = effect(position, cell, WORDS[1]) if cell & joining else ""
                said, sign = f"{name}{does}", "#b-c" if cell & position.capturing() else "#b-p"
                expected.append([f"?play={name}", said, sign, str(x), str(y)])
        links = list(picture.iter(f"{SVG}a"))
        found = [
            [link.get("href"), link.get("aria-label"), *map(link[0].get, ("href", "x", "y"))]
            for link in links
        ]
        assert found == expected
        side = position.to_move
        for link in links:
            group = link.getparent()
            assert group is not None
            assert group.get("class") == f"taps {side.value}"
            assert group.get("fill") == COLOURS[side]


@examples(30)
@given(plays)
def test_what_a_placement_takes_is_said_with_the_size_of_its_group(play: Play) -> None:
    for before, cell, after in play.steps():
        if cell & before.capturing():
            number = taken(before, after).bit_count()
            group = before.grid.flood(cell, after.stones(before.to_move)).bit_count()
            said = f" takes {number}, in a group of {group}"
            assert effect(before, cell, WORDS[1]) == said


@examples(20)
@given(churn_plays)
def test_churn_says_what_a_placement_costs_and_never_that_it_takes(play: ChurnPlay) -> None:
    naive = NaiveChurn.start(str(play.grid))
    for before, cell, _ in play.steps():
        point = point_of(play.grid.format_cell(cell))
        verdict = naive.judge(point)
        if cell & before.grid.neighbours(before.stones(before.to_move)):
            said = effect(before, cell, WORDS[1])
            gone = [group for group in naive.own_groups() if group <= verdict.taken]
            assert said.startswith(f" makes a group of {verdict.group}")
            assert ("goes" in said, "go," in said) == (len(gone) == 1, len(gone) > 1)
            figures = [int(each) for each in re.findall("[0-9]+", said)]
            assert figures == [verdict.group, *([len(verdict.taken)] if gone else [])]
        naive = naive.place(point)


@examples(40)
@given(plays)
def test_points_where_nothing_may_be_placed_are_dimmed_if_they_are_few(play: Play) -> None:
    for position in play.positions():
        empty = position.grid.cells & ~position.occupied
        barred = empty & ~position.placements()
        path = with_taps(position).find(f"{SVG}g/{SVG}path[@class='barred']")
        is_few = position.placements() and 0 < 3 * barred.bit_count() <= empty.bit_count()
        assert (path is not None) == bool(is_few)
        if path is not None:
            places = re.findall(r"M(\d+) (\d+)", path.get("d", ""))
            assert [(float(x), float(y)) for x, y in places] == places_of(position.grid, barred)


@pytest.mark.parametrize("grid", ["square 7x7", "hex 5"])
def test_what_is_tapped_is_the_whole_cell_and_what_captures_looks_different(grid: str) -> None:
    position = KINDS["oust"].start(parse_grid(grid))
    plain, capturing = (with_taps(position).find(f".//{SVG}g[@id='b-{sign}']") for sign in "pc")
    assert plain is not None
    assert capturing is not None
    assert [part.tag for part in plain] == [f"{SVG}path", f"{SVG}circle"]
    assert [part.tag for part in capturing] == [f"{SVG}path", f"{SVG}circle", f"{SVG}path"]
    for sign in (plain, capturing):
        target = sign[0]
        assert target.get("fill") is None
        assert target.get("fill-opacity") == "0"
        corners = {end for line in lines_in(target.get("d", "")) for end in line}
        assert min(hypot(*corner) for corner in corners) >= HALF
        assert {x for x, _ in corners} >= {-HALF, HALF}


def test_a_board_without_anything_to_tap_is_an_image_and_one_with_links_is_a_group() -> None:
    position = board(". . / . .")
    over = board("x x / x x")
    assert parsed(board_svg(position, UNMARKED, *WORDS)).get("role") == "img"
    assert with_taps(position).get("role") == "group"
    for picture in (with_taps(over), parsed(board_svg(position, UNMARKED, *WORDS))):
        assert picture.get("role") == "img"
        assert not list(picture.iter(f"{SVG}a"))


@examples(50)
@given(st.text(), st.text())
def test_words_and_addresses_come_through_whatever_they_hold(title: str, address: str) -> None:
    position = board(". . x / o . .")
    svg = board_svg(position, UNMARKED, title, WORDS[1], taps=lambda cell: address + cell)
    picture = parsed(svg)
    assert picture[0].tag == f"{SVG}title"
    assert (picture[0].text or "") == visible_line(title)
    assert picture[1].text == "Blue: C2. White: A1"
    for link in picture.iter(f"{SVG}a"):
        assert (link.get("href") or "").startswith(visible_line(address))
    assert len(list(picture.iter())) == len(list(with_taps(position).iter()))


ALLOWED = "svg title desc defs radialGradient stop g path rect circle a use"


@pytest.mark.parametrize(("kind", "grid"), GRIDS)
def test_a_picture_stands_alone_without_styles_scripts_fonts_or_files(kind: str, grid: str) -> None:
    position, latest = played(kind, grid, 4)
    picture = with_taps(position, Marks(latest))
    # This would be the colour of the links of a page.
    assert "currentColor" not in etree.tostring(picture, encoding="unicode")
    ids = [element.get("id", "") for element in picture.iter() if element.get("id")]
    assert len(set(ids)) == len(ids)
    for element in picture.iter():
        name = etree.QName(element)
        assert name.namespace == SVG[1:-1]
        assert name.localname in ALLOWED.split()
        assert not [each for each in element.attrib if str(each).startswith(("style", "on", "{"))]
        for value in re.findall(r"url\(#([^)]*)\)", " ".join(map(str, element.attrib.values()))):
            assert value in ids
        if name.localname == "use":
            assert element.get("href", "")[1:] in ids
    box = [float(number) for number in picture.get("viewBox", "").split()]
    layout = layout_of(position.grid)
    assert box == [0, 0, layout.width, layout.height]


def test_boards_with_different_prefixes_share_no_ids_on_a_page() -> None:
    position = board(". x / o .")
    found = [
        set(
            re.findall(
                r'id="([^"]*)"', board_svg(position, UNMARKED, *WORDS, taps=str, prefix=each)
            )
        )
        for each in ("b", "c")
    ]
    assert len(found[0]) == len(found[1]) == 4
    assert not found[0] & found[1]


@pytest.mark.parametrize(
    ("grid", "alone", "tapped"),
    [("square 11x11", 6_000, 12_000), ("hex 7", 7_000, 15_000), ("square 19x19", 9_000, 32_000)],
)
def test_a_board_is_small(grid: str, alone: int, tapped: int) -> None:
    for seed in range(10):
        position, latest = played("oust", grid, seed)
        drawn = board_svg(position, Marks(latest), *WORDS)
        links = board_svg(position, Marks(latest), *WORDS, taps=lambda cell: f"?play={cell}")
        for svg, most in ((drawn, alone), (links, tapped)):
            assert len(re.sub("<desc>.*</desc>", "", svg)) < most


def test_sides_are_told_apart_by_light_and_dark_alone_and_stones_from_the_board() -> None:
    picture = with_taps(board(". x / o ."))
    shades = {
        side: [
            str(stop.get("stop-color"))
            for stop in picture.iterfind(f".//{SVG}radialGradient[@id='b-{side.value}']/{SVG}stop")
        ]
        for side in Side
    }
    for dark in shades[Side.X]:
        assert contrast(dark, WOOD) >= 3
        for light in shades[Side.O]:
            assert contrast(dark, light) >= 3
    for side in Side:
        group = picture.find(f".//{SVG}g[@class='stones {side.value}']")
        assert group is not None
        assert contrast(str(group.get("stroke")), WOOD) >= 3
    assert contrast(INK, WOOD) >= 4.5
