"""`pbm-oust games analyse`: for whom, in which forms, and once."""

import json
import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from msgspec.structs import replace

from pbm_oust.robot.analysis import Analysis, Evaluation
from pbm_oust.robot.turning import explained
from pbm_oust.rules import KINDS
from pbm_oust.store.analyses import keep, kept
from pbm_oust.store.database import Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game
from tests.support.command_line import run
from tests.support.games import history_of, new_game, play
from tests.support.histories import SAMPLES, make_from_files

sgfmill = import_module("sgfmill.sgf")
SHORT = "0.01"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a game on hex 4 that is over, of 17 records, and one that goes on."""
    home = Home(tmp_path)
    home.prepare()
    shutil.copy(SAMPLES / "2.txt", tmp_path / "oust")
    going = play(new_game("square 5x5"), "x C3", "o swap")
    (tmp_path / "oust" / "17.txt").write_bytes(history_of(going))
    make_from_files(tmp_path)
    return home


def analyse(home: Home, *words: str) -> Result:
    return run(home, "games", "analyse", *words)


def kept_in(home: Home) -> Analysis:
    """Return the analysis of board 2 that a home keeps."""
    found = home.ask(kept, read_game(home, KINDS["oust"], 2))
    assert found
    return found


def rows_marked(rows: list[str]) -> list[str]:
    """Return the rows of a table that are marked, without the mark."""
    return [row.removeprefix("!").strip() for row in rows if row.startswith("!")]


def test_a_table_has_a_row_for_the_start_and_for_each_record(home: Home) -> None:
    result = analyse(home, "oust", "2", "--seconds", SHORT)
    table, *turned = result.stdout.split("\n\n")
    heading, columns, *rows = table.splitlines()
    assert heading == "oust 2, hex 4: demo_ann won, capture; 0.01 s a position"
    assert columns.split() == ["#", "BY", "PLAYED", "X", "WINS", "BEST", "FROM", "THERE"]
    words = [row.removeprefix("!").split() for row in rows]
    assert [row[0] for row in words] == [str(number) for number in range(18)]
    assert words[2][1:3] == ["o", "swap"]
    assert words[6][1:4] == ["x", "E5*1", "E2"]
    assert words[17][-1] == "lost"
    turning = [row.split()[0] for row in rows_marked(rows)]
    assert [text.split(".")[0] for text in turned] == turning
    assert len(turning) == 3


def test_json_says_the_same_with_all_that_is_known_of_the_board(home: Home) -> None:
    told: dict[str, Any] = json.loads(
        analyse(home, "oust", "2", "--seconds", SHORT, "--json").stdout
    )
    assert (told["kind"], told["board"], told["won_by"]) == ("oust", 2, "demo_ann")
    assert told["seconds"] == 0.01
    said = kept_in(home)
    points = explained(read_game(home, KINDS["oust"], 2), said)
    assert [each["number"] for each in told["turning_points"]] == [each.number for each in points]
    for told_of, point in zip(told["turning_points"], points, strict=True):
        assert told_of["player"] == point.player
        assert [each["word"] for each in told_of["reasons"]] == [
            each.word for each in point.reasons
        ]
        assert told_of["words"].startswith(f"{point.number}. {point.player}: ")
    assert [each["after"] for each in told["positions"]] == list(range(18))
    assert told["positions"][-1] == {"after": 17, "x_wins": 0.0, "certain": True, "line": []}


def test_sgf_has_a_curve_and_comments_that_a_library_for_go_reads(home: Home) -> None:
    text = analyse(home, "oust", "2", "--seconds", SHORT, "--sgf").stdout
    nodes = sgfmill.Sgf_game.from_string(text).get_main_sequence()
    curve = [float(node.get("SBKV")) for node in nodes if node.has_property("SBKV")]
    assert curve == [round(100 * each.x_wins, 2) for each in kept_in(home).evaluations]
    assert "best: " in nodes[0].get("C")
    assert nodes[-1].get("C").endswith("x loses for certain")
    assert (
        "".join(node.get("C") for node in nodes if node.has_property("C")).count("Chance of") == 3
    )


def test_what_is_kept_is_printed_at_once_unless_more_is_asked_for(home: Home) -> None:
    game = read_game(home, KINDS["oust"], 2)
    evaluations = (Evaluation(0.125, is_certain=False),) * 18
    home.do(keep, game, Analysis.of(game, 0.005, evaluations))
    assert analyse(home, "oust", "2", "--seconds", "0.005").stdout.count("12.5%") == 18
    assert analyse(home, "oust", "2", "--seconds", SHORT).stdout.count("12.5%") < 18
    deeper = kept_in(home)
    assert deeper.seconds == 0.01
    analyse(home, "oust", "2", "--seconds", "0.005")
    assert kept_in(home) == deeper


def test_an_analysis_of_another_history_is_made_anew(home: Home) -> None:
    analyse(home, "oust", "2", "--seconds", SHORT)
    resigned = play(new_game("hex 4"), "x A1", "o resign")
    resigned = replace(resigned, header=replace(resigned.header, board=2))
    (home.path / "oust" / "2.txt").write_bytes(history_of(resigned))
    make_from_files(home.path)
    assert home.ask(kept, resigned) is None
    assert analyse(home, "oust", "2", "--seconds", SHORT).exit_code == 0
    assert len(kept_in(home).evaluations) == 3


def test_what_somebody_put_among_the_analyses_is_believed_of_no_game(home: Home) -> None:
    going = read_game(home, KINDS["oust"], 17)
    home.do(keep, going, Analysis.of(going, 1, (Evaluation(0.5, is_certain=False),) * 3))
    assert home.ask(kept, going) is None
    home.do(Transaction.run, "INSERT INTO analyses VALUES ('oust', 2, 'nonsense')")
    assert home.ask(kept, read_game(home, KINDS["oust"], 2)) is None
