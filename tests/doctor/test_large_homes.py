"""A usual look at a large home takes a part of its boards, and what may be wrong is among them."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from pbm_oust.board import Header, Terms
from pbm_oust.board.notation import format_header
from pbm_oust.doctor import Examiner, Finding, Severity
from pbm_oust.doctor.boards import SAMPLE, check_boards
from pbm_oust.doctor.home import MOST_LOOKED_AT, check_database
from pbm_oust.rules import KINDS, parse_grid
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from tests.support.accounts import make_account
from tests.support.command_line import run
from tests.support.histories import lay_histories
from tests.support.home_by_mail import NOON
from tests.support.rings import slow

BOARDS = 5 * SAMPLE
KIND, GRID = KINDS["oust"], parse_grid("square 3x3")


def header(board: int, o: str = "bob") -> str:
    return format_header(Header(KIND, board, GRID, "alice", o, Terms(), NOON))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("large") / "home")
    home.prepare()
    for userid in ("alice", "bob"):
        make_account(home, userid, "wonderland")
    lay_histories(home, {board: header(board) for board in range(1, BOARDS + 1)})
    return home


def look(home: Home, *, is_whole: bool = False, days: int = 0) -> list[Finding]:
    now = NOON + timedelta(days=days)
    return list(check_boards(Examiner(home, "histories", Configuration(), now, is_whole)))


def bad(home: Home) -> list[str]:
    return [each.text for each in look(home) if each.severity is Severity.BAD]


def test_a_usual_look_replays_a_part_and_all_can_be_asked_for(large: Home) -> None:
    (usual,) = (
        each.text for each in look(large) if each.about == "histories" and "of" in each.text
    )
    replayed, _, of, *_ = usual.split()
    assert SAMPLE < int(replayed) <= 3 * SAMPLE
    assert int(of) == BOARDS
    assert "--all replays each" in usual
    whole = look(large, is_whole=True)[-1].text
    assert whole == f"{BOARDS} boards replayed without a fault"


def _change_rows(home: Home, statement: str) -> None:
    home.database.write(lambda transaction: transaction.run(statement))


def _damage(home: Home) -> None:
    _change_rows(home, "UPDATE records SET lines = X'78' WHERE board = 3 AND number = 0")
    _change_rows(home, "UPDATE boards SET state = 'damaged' WHERE board = 3")


def _lay(text: str) -> Callable[[Home], None]:
    return lambda home: lay_histories(home, {3: text})


def _set_aside(home: Home) -> None:
    path = home.history_path(BoardName("oust", 3))
    path.with_name(f"{path.name}.edited-20261120T120000Z").write_text("x")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_damage, "oust/3.txt: line 1"),
        slow(_lay(header(3, "nobody")), "oust 3 is not over, and its player nobody has no account"),
        slow(_set_aside, "oust 3 goes on without that"),
        slow(
            lambda home: _change_rows(
                home, "UPDATE boards SET latest = 9000000000 WHERE board = 3"
            ),
            "the database says something else about oust 3",
        ),
    ],
)
def test_what_seems_to_be_wrong_is_among_it_however_old(
    spoil: Callable[[Home], None], said: str, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    for userid in ("alice", "bob"):
        make_account(home, userid, "wonderland")
    lay_histories(home, {board: header(board) for board in range(1, BOARDS + 1)})
    spoil(home)
    assert any(said in each for each in bad(home))


def test_with_each_day_others_are_among_it(large: Home) -> None:
    step = BOARDS // SAMPLE
    _change_rows(large, "UPDATE boards SET records = 7 WHERE board = 3")
    found = [
        "oust 3 " in " ".join(each.text for each in look(large, days=day)) for day in range(step)
    ]
    _change_rows(large, "UPDATE boards SET records = 0 WHERE board = 3")
    assert found.count(True) == 1


def test_a_usual_look_at_a_large_database_says_what_it_leaves_out(large: Home) -> None:
    def said(*, is_whole: bool) -> str:
        on = Examiner(large, "database", Configuration(), NOON, is_whole)
        return list(check_database(on))[-1].text

    assert BOARDS < MOST_LOOKED_AT
    assert said(is_whole=False) == said(is_whole=True) == "it is whole"


def test_a_list_of_many_boards_in_play_leaves_out_their_deadlines_unless_all_are_wanted(
    large: Home,
) -> None:
    usual = run(large.path, "games", "list", "--which", "active")
    assert (
        f"the deadlines of {BOARDS} boards in play are left out; --all shows them" in usual.stderr
    )
    whole = run(large.path, "games", "list", "--which", "active", "--all")
    assert not whole.stderr
    assert len(usual.stdout.splitlines()) == len(whole.stdout.splitlines()) == BOARDS + 1
    assert "Z" in whole.stdout.splitlines()[1]
    few = run(large.path, "games", "list", "--which", "inactive")
    assert not few.stderr
