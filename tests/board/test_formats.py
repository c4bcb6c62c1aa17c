"""SGF and JSON: what is written is taken back without loss, in whatever state."""

import re
from contextlib import suppress
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board import Game, Place, Ruling, Verb
from pbm_oust.board.formats import parse_any
from pbm_oust.board.header import Terms
from pbm_oust.board.history import read_history
from pbm_oust.board.sgf import decoded, format_bare_sgf, format_sgf
from pbm_oust.board.sheet import BadGame, Sheet, format_game, format_moves, read_sheet
from pbm_oust.rules import How, Result, Side
from tests.support import tables
from tests.support.document import block
from tests.support.games import EXAMPLE, history_of, new_game, play
from tests.support.happenings import FORMATS, GRIDS, anything_goes, refused, taken_back, written
from tests.support.mails import grown
from tests.support.strategies import games, relaxed

tabled = tables.tabled(__file__)

every_format = pytest.mark.parametrize("form", FORMATS)


# Without loss


@every_format
@relaxed
@given(games())
def test_any_game_at_any_moment_comes_back(form: str, game: Game) -> None:
    history = history_of(game).decode()
    assert taken_back(written(form, history)) == history


@every_format
@relaxed
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=120))
def test_any_remark_comes_back(form: str, text: str) -> None:
    history = EXAMPLE.replace("   3 o", f"#{text}\n   3 o")
    text = "".join(history)
    if not text.split("\n")[11].startswith("# challenge"):
        assert taken_back(written(form, history)) == history


@every_format
def test_what_a_crash_left_of_the_last_lines_is_finished_as_the_server_would(form: str) -> None:
    torn = EXAMPLE.replace("= x resign\n", "= x re")
    assert taken_back(written(form, torn)) == EXAMPLE


def test_a_history_file_is_taken_as_it_is() -> None:
    assert taken_back(EXAMPLE) == EXAMPLE
    assert taken_back(EXAMPLE.removesuffix("\n")) == EXAMPLE


@every_format
def test_a_game_is_taken_back_as_a_board_of_another_number(form: str) -> None:
    checked = parse_any(written(form, EXAMPLE)).check().on_board(4)
    assert checked.history == EXAMPLE.replace("Board: 17", "Board: 4")


@every_format
def test_lines_of_a_header_that_nobody_knows_yet_are_carried_as_they_stand(form: str) -> None:
    pieces = parse_any(written(form, EXAMPLE)).pieces
    assert [piece.text for piece in pieces] == EXAMPLE.splitlines()


def test_the_example_of_the_documentation_is_a_game() -> None:
    checked = parse_any(block("games export", {})).check()
    assert checked.game.result == Result(Side.X, How.RESIGN)
    assert checked.history.split("\n")[9] == "# challenge 5781015b25123edc"


SGF = written("sgf", EXAMPLE)
MAIL = """From: Alice <alice@example.org>
Subject: our game (see below)
Content-Type: text/plain

Here is our game; (I won.)

"""
WRITTEN_BY_OTHERS = {
    "text before": f"Here is our game.\n\n{SGF}",
    "a mail": f"{MAIL}{SGF}\n-- \nAlice (;-)\n",
    "a quote": "Alice wrote:\n" + "".join(f"> {line}\n" for line in SGF.splitlines()),
    "a quote with bars": "".join(f"| {line}\n" for line in SGF.splitlines()),
    "text that looks like a game": f"Look (; nice [1])\n\n{SGF}",
    "a byte order mark": f"\ufeff{SGF}",
    "CRLF": SGF.replace("\n", "\r\n"),
    "values broken at spaces": re.sub(r"(?<=\w) (?=\w)", "\n", SGF),
    "values broken as in a mail": re.sub(r"(?<=\w) (?=\w)", " \r\n", SGF),
    "values broken at their ends": re.sub(r"(?<=[A-Z]\[)(\w[^\[\]]*)", "\n\\1\r\n", SGF),
    "values broken twice": re.sub(r"(?<=\w) (?=\w)", "\n \n", SGF),
    "values broken behind a backslash": re.sub(r"(?<=\d)(?=\d\d)", "\\\\\n", SGF),
    "set in": SGF.replace("\n", "\n\t  "),
    "apart": SGF.replace(";", "\n ;\n").replace("][", "]\n["),
    "escapes": SGF.replace(":", "\\:"),
    "long names": SGF.replace("FF[", "FileFormat[")
    .replace(";B[", ";Black[")
    .replace(";W[", ";White["),
}


@pytest.mark.parametrize("text", WRITTEN_BY_OTHERS.values(), ids=list(WRITTEN_BY_OTHERS))
def test_sgf_is_read_as_other_programs_and_mails_write_it(text: str) -> None:
    assert text != SGF
    assert parse_any(text).check().history == EXAMPLE


# Refused with the place and the reason


@tabled("form", "old", "new", "where", "reason")
def test_what_is_no_game_is_refused_with_the_place_and_the_reason(
    form: str, old: str, new: str, where: str, reason: str
) -> None:
    history = (
        EXAMPLE.replace("   1 x", "# challenge 00ff00ff00ff00ff\n   1 x") if new == "[" else EXAMPLE
    )
    text = written(form, history).replace("PBMREMARK[10 ", "PBMREMARK[o ")
    assert old in text
    error = refused(text.replace(old, grown(new), 1))
    assert (error.where, reason in error.reason) == (where, True), error


@every_format
@relaxed
@given(
    st.integers(0, 2000),
    st.integers(0, 30),
    st.sampled_from(["", "[", "]", ";", "(", "9", "\\", '"', ">"]),
)
def test_a_text_with_any_piece_replaced_is_read_or_refused(
    form: str, start: int, length: int, piece: str
) -> None:
    text = written(form, EXAMPLE)
    start %= len(text)
    changed = text[:start] + piece + text[start + length :]
    with suppress(BadGame):
        checked = parse_any(changed).check()
        assert read_history(checked.history.encode()).game == checked.game


@pytest.mark.parametrize("text", ["", "{", "(", "[]", "{}", "(;)", "hello", "{" * 100_000])
def test_what_is_nothing_of_the_kind_is_refused(text: str) -> None:
    assert refused(text).reason


# A game as its moves alone: what is left of it where there is no room for more


GAME = read_history(EXAMPLE.encode()).game


def test_a_line_has_what_was_done_on_a_day() -> None:
    assert format_game(GAME) == (
        "Kind: oust\n"
        "Board: 17\n"
        "Grid: square 13x13\n"
        "X: rrognlie\n"
        "O: marksteere\n"
        "Options: swap rated nagtime=7 forfeittime=21\n"
        "Started: 2026-11-20T15:36:00Z\n"
        "\n"
        "   1 2026-11-20 x G7\n"
        "   2 2026-11-21 o swap o G5 x D4 o K10\n"
        "   6 2026-11-22 x G6*1 C10 o resign\n"
        "= x resign\n"
    )


def test_a_long_day_goes_on_in_the_next_line() -> None:
    game = new_game("square 9x9", Terms(swap=False))
    for nth in range(20):
        cell = "ABCDEFGHJ"[nth % 9] + "159"[nth // 9]
        game = game.act(game.to_move, Place((cell,)), game.latest, f"{nth:016x}")
    first, *later = format_moves(game).split("\n")
    assert later
    assert max(map(len, (first, *later))) <= 75
    assert first.startswith("   1 2026-11-20 x A1 o B1 ")
    assert all(re.match(r" {16}[xo] [A-J]\d", line) for line in later)


def test_a_game_without_a_result_has_no_line_for_it() -> None:
    assert format_moves(GAME.after(2)).endswith("\n   2 2026-11-21 o swap")


def test_bare_sgf_is_sgf_without_properties_of_ours_and_without_the_days_between() -> None:
    whole, bare = format_sgf(Sheet(GAME)), format_bare_sgf(GAME)
    without = re.sub(r"PBM[A-Z]+(\[(\\.|[^\]\\])*\])+", "", whole)
    assert bare == without.replace("2026-11-20,2026-11-21,2026-11-22", "2026-11-20,2026-11-22")
    assert "PBM" not in bare


# SGF as other programs see it: a library for Go reads it and plays it through


sgfmill, boards = (import_module(f"sgfmill.{name}") for name in ("sgf", "boards"))


def shown_by_sgfmill(text: str) -> list[set[tuple[str, str]]]:
    """Return the stones that a library for Go sees at each record that the nodes say."""
    game = sgfmill.Sgf_game.from_bytes(text.encode())
    board = boards.Board(game.get_size())
    seen: list[set[tuple[str, str]]] = []
    for node in game.get_main_sequence()[1:]:
        if node.has_property("PBMRECORD"):
            seen.append(set())
        for colour, points in zip(("b", "w", None), node.get_setup_stones(), strict=True):
            for row, column in points:  # as they are: setting stones takes none off
                board.board[row][column] = colour
        colour, move = node.get_move()
        if move:
            board.play(*move, colour)
        seen[-1] = {(colour, name(at)) for colour, at in board.list_occupied_points()}
    return seen


def name(at: tuple[int, int]) -> str:
    return f"{'ABCDEFGHJKLMNOPQRSTUVWXYZ'[at[1]]}{at[0] + 1}"


@pytest.mark.parametrize(("kind", "grid"), [each for each in GRIDS if each[1] != "square 7x3"])
@pytest.mark.parametrize("seed", range(8))
def test_a_library_for_go_sees_the_stones_that_are_on_the_board(
    kind: str, grid: str, seed: int
) -> None:
    game = anything_goes(kind, grid, seed)
    on = game.header.grid
    assert shown_by_sgfmill(format_sgf(Sheet(game))) == [
        {
            (colour, cell)
            for side, colour in ((Side.X, "b"), (Side.O, "w"))
            for cell in on.names(game.after(number).position.stones(side))
        }
        for number in range(1, len(game.records) + 1)
    ]


def root_of(text: str) -> Any:
    return sgfmill.Sgf_game.from_bytes(text.encode()).get_root()


def test_sgf_says_in_the_words_of_the_standard_who_played_when_and_who_won() -> None:
    root = root_of(written("sgf", EXAMPLE))
    said = {name: root.get(name) for name in ("FF", "CA", "AP", "SZ", "GN", "RU")}
    assert said.pop("AP")[0] == "pbm_oust"
    assert said == {"FF": 4, "CA": "UTF-8", "SZ": 13, "GN": "oust 17", "RU": "Oust"}
    assert (root.get("PB"), root.get("PW"), root.get("RE")) == ("marksteere", "rrognlie", "B+R")
    assert root.get("DT") == "2026-11-20,2026-11-21,2026-11-22"
    assert not root.has_property("GM")
    assert ";B[gh]C[takes 1]" in written("sgf", EXAMPLE)
    assert ";C[o swap]" in written("sgf", EXAMPLE)


@pytest.mark.parametrize(
    ("ruling", "result"),
    [
        (Ruling(Verb.FORFEIT, Side.X), "W+T"),
        (Ruling(Verb.AWARD, Side.X), "B+"),
        (Ruling(Verb.AWARD), "0"),
        (Ruling(Verb.VOID), "Void"),
    ],
)
def test_sgf_says_how_the_operator_ended_a_game(ruling: Ruling, result: str) -> None:
    game = play(new_game("hex 3"), "x A1", "o C4")
    over = game.rule(ruling, game.header.started, "0" * 16)
    assert root_of(format_sgf(Sheet(over))).get("RE") == result
    assert not root_of(format_sgf(Sheet(game))).has_property("RE")


def test_a_grid_that_is_no_square_has_two_lengths_in_sgf() -> None:
    assert "SZ[7:3]" in format_sgf(Sheet(new_game("square 7x3")))


def test_the_view_of_a_hexagonal_board_is_its_cells() -> None:
    root = root_of(format_sgf(Sheet(new_game("hex 2"))))
    assert {name(at) for at in root.get("VW")} == {"A1", "B1", "A2", "B2", "C2", "B3", "C3"}


def test_variations_that_somebody_added_are_left_aside() -> None:
    text = written("sgf", EXAMPLE)
    varied = text.replace("\n;W[jd]", "\n(;W[jd]").replace("\n)\n", "\n)(;W[aa]C[or \\](\\]]))\n")
    assert varied.count("(") > text.count("(") + 1
    assert taken_back(varied) == EXAMPLE


def test_what_a_program_wrote_into_comments_and_between_nodes_does_no_harm() -> None:
    text = written("sgf", EXAMPLE).replace("C[takes 1]", "C[takes 1\n\\] ;B[aa\\]]\r\n\tN[here]")
    assert taken_back(text) == EXAMPLE


@tabled("charset", "named", "comment", comment=tables.unescaped)
def test_a_game_that_a_program_saved_in_its_own_charset_is_read(
    charset: str, named: str, comment: str
) -> None:
    whole = format_sgf(read_sheet(EXAMPLE.encode()))
    said = f"C[{comment}]PB["
    text = whole.replace("CA[UTF-8]", f"CA[{named}]" if named else "").replace("PB[", said, 1)
    read = decoded(text.encode(charset))
    assert read
    assert comment in read
    assert parse_any(read).check().game == read_history(EXAMPLE.encode()).game


@tabled("named", "broken", broken=tables.unescaped)
def test_bytes_that_are_no_text_do_no_harm_in_a_comment(named: str, broken: str) -> None:
    whole = format_sgf(read_sheet(EXAMPLE.encode())).replace("CA[UTF-8]", named)
    read = decoded(whole.encode().replace(b"PB[", b"C[%b]PB[" % broken.encode("latin-1"), 1))
    assert read
    assert parse_any(read).check().game == read_history(EXAMPLE.encode()).game


def test_bytes_that_are_no_text_do_harm_where_they_are_needed() -> None:
    whole = format_sgf(read_sheet(EXAMPLE.encode())).encode()
    broken = whole.replace(b"PBMHEADER[", b"PBMHEADER[X\xff: y][", 1)
    with pytest.raises(BadGame, match="half a character"):
        parse_any(decoded(broken) or "").check()


def test_what_is_no_sgf_has_no_charset_of_its_own() -> None:
    assert decoded(EXAMPLE.encode()) is None
