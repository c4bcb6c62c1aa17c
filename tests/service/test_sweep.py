"""What time brings about: reminders and games that are lost, each once, whatever happens."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.settings import MailWhen, Settings
from pbm_oust.board import Game
from pbm_oust.board.header import Terms
from pbm_oust.board.notation import format_action
from pbm_oust.play.rulings import rule_board
from pbm_oust.rules import How
from pbm_oust.store.home import Home
from tests.support.accounts import damage_account
from tests.support.disturbed import FAULTS, disturbed
from tests.support.histories import history_text, lay_histories
from tests.support.rings import examples, first_is_fast
from tests.support.sweeping import OUST, World, new_world
from tests.support.trouble import Fault


@pytest.fixture
def world(tmp_path: Path) -> World:
    return new_world(tmp_path / "home", ("alice", "bob", "carol"))


def test_a_year_of_days_on_several_boards(world: World) -> None:
    """Board 1 is played on time, 2 late, 3 not any more, 4 never; 5 has limits; 6 is over."""
    limits = Terms(maxtime=10, totaltime=25)
    for terms in (None, None, None, None, limits, None):
        world.add_board("alice", "bob", terms=terms)
    for board in (1, 2, 3, 5, 6):
        world.play(board, 0.5, "x C3")
        world.play(board, 0.75, "o A1")
    world.play(6, 1, "o resign")
    moves = {
        6: (1, "x E5"),
        9: (5, "x E5"),
        11: (1, "o E1"),
        18: (5, "o E1"),
        20: (2, "x E5"),
        17: (1, "x resign"),
    }
    happened: dict[int, list[tuple[int, str]]] = {board: [] for board in range(1, 7)}
    for today in (*range(60), *range(60, 365, 15)):
        if today in moves:
            board, command = moves[today]
            world.play(board, today, command)
        for done in world.done(today):
            name, _, what = done.partition(": ")
            happened[int(name.removeprefix("oust "))].append((today, what))
    assert happened == {
        1: [],
        2: [(8, "remind x"), (27, "remind o"), (43, "remind o"), (48, "forfeit o")],
        3: [(8, "remind x"), (24, "remind x"), (29, "forfeit x")],
        4: [(7, "remind x"), (23, "remind x"), (28, "forfeit x")],
        5: [(8, "remind x"), (16, "remind o"), (25, "remind x"), (28, "forfeit x")],
        6: [],
    }
    ended = {board: world.history(board)[-1] for board in range(1, 7)}
    assert ended == {
        1: "= o resign",
        2: "= x forfeit",
        3: "= o forfeit",
        4: "= draw void",
        5: "= o forfeit",
        6: "= x resign",
    }


def test_sweeps_at_the_same_time_have_one_result(world: World) -> None:
    for _ in range(5):
        world.add_board("alice", "bob")
    world.today = 7
    with ThreadPoolExecutor(6) as threads:
        swept = list(threads.map(lambda _: world.sweep(), range(6)))
    assert sorted(deed.about for each in swept for deed in each.done) == [
        f"oust {board}" for board in range(1, 6)
    ]
    assert len(world.letters()) == 5
    assert [world.history(board) for board in range(1, 6)] == [["1 * remind x"]] * 5


def test_a_damaged_board_and_a_damaged_account_disturb_nobody_else(world: World) -> None:
    for x, o in (("alice", "bob"), ("bob", "alice"), ("alice", "carol"), ("bob", "alice")):
        world.add_board(x, o)
    lay_histories(world.home, {2: history_text(world.home, 2) + "   1 x C9\n"})
    damage_account(world.home, "carol")
    swept = world.sweep(7)
    assert [deed.about for deed in swept.done] == ["oust 1", "oust 4"]
    reasons = {trouble.about: trouble.reason for trouble in swept.troubles}
    assert reasons.keys() == {"oust 2", "oust 3"}
    assert "line 10" in reasons["oust 2"]


def test_a_player_without_an_account_does_not_keep_a_board_for_ever(world: World) -> None:
    world.play(world.add_board("dave", "bob"), 1, "x C3")
    world.play(1, 2, "o A1")
    assert [world.done(9), world.done(30)] == [["oust 1: remind x"], ["oust 1: forfeit x"]]
    assert world.letters() == [("bob", "oust 1: over, you win")]


@pytest.mark.parametrize("fault", first_is_fast(FAULTS))
@pytest.mark.parametrize("today", first_is_fast([7, 28]))
def test_whatever_the_disk_does_a_sweep_is_done_once_with_its_letters(
    today: float, fault: Fault, tmp_path: Path
) -> None:
    before = new_world(tmp_path / "before")
    before.add_player("dora", Settings(mail=MailWhen.DIGEST))
    before.add_board("alice", "bob")
    before.add_board("alice", "dora")
    before.play(2, 0.1, "x C3")
    if today > 7:
        before.sweep(7)
        before.clear()
    wanted = _copy(before, tmp_path / "undisturbed")
    wanted.sweep(today)

    def sweep(home: Home) -> None:
        World(home.path, today, home).sweep()

    for at, path in disturbed(before.path, tmp_path, fault, sweep):
        world = World(path, today)
        if at % 2:
            world.home.recover()
        world.sweep()
        world.home.recover()
        assert sorted(world.letters()) == sorted(wanted.letters()), at
        assert [world.history(n) for n in (1, 2)] == [wanted.history(n) for n in (1, 2)], at
        assert list((world.path / "outbox" / "tmp").iterdir()) == [], at
    assert at > 10


def _copy(world: World, path: Path) -> World:
    return World(shutil.copytree(world.path, path), world.today)


MOVES = ["C3", "A1", "E5", "A3", "E1", "A5", "C1", "C5", "E3"]
"""Cells none of which touches another: each is a turn of its own."""

TERMS = st.builds(
    Terms,
    nagtime=st.integers(1, 9),
    forfeittime=st.integers(1, 9),
    totaltime=st.integers(0, 12),
    maxtime=st.integers(0, 12),
)
STEPS = st.lists(st.tuples(st.integers(0, 130), st.sampled_from(["play", "sweep", "sweep"])))
AWAY = st.lists(st.integers(0, 60), max_size=6, unique=True).map(sorted)


@given(st.lists(TERMS, min_size=2, max_size=2), STEPS, AWAY, AWAY)
@examples(60)
def test_no_game_ends_without_a_reminder_a_day_before_and_a_letter_to_both(
    terms: list[Terms], steps: list[tuple[int, str]], alice: list[int], bob: list[int]
) -> None:
    with TemporaryDirectory() as folder:
        world = new_world(Path(folder) / "home")
        for userid, hours in (("alice", alice), ("bob", bob)):
            world.away(userid, *zip(hours[::2], hours[1::2], strict=False))
        boards = [world.add_board("alice", "bob", terms=each) for each in terms]
        for passed, step in steps:
            world.today += passed / 24
            for board in boards:
                game = world.game(board)
                if step == "play" and not game.result and len(game.line) < len(MOVES):
                    world.play(board, world.today, f"{game.to_move.value} {MOVES[len(game.line)]}")
            if step == "sweep":
                world.sweep()
                assert world.done() == []
        letters = world.letters()
        for board in boards:
            game = world.game(board)
            _check_reminded(game, letters)
            if game.result:
                ends = [to for to, subject in letters if subject.startswith(f"{game.name}: over")]
                assert sorted(ends) == ["alice", "bob"]


def _check_reminded(game: Game, letters: list[tuple[str, str]]) -> None:
    """Assert that whoever lost by time was reminded in that turn, a day before at the latest."""
    actions = [format_action(record.action) for record in game.records]
    for nth, record in enumerate(game.records):
        if not actions[nth].startswith("forfeit"):
            continue
        turn = max((each.number for each in game.line), default=0)
        reminders = [
            each
            for each in game.records[turn:nth]
            if format_action(each.action) == actions[nth].replace("forfeit", "remind")
        ]
        assert (record.at - reminders[0].at).days >= 1
        loser = game.owner(game.to_move)
        for each in reminders:
            subject = f"{game.name} #{each.number + 1}: reminder, your turn, {loser}"
            assert (loser, subject) in letters
        assert game.result
        is_lost = any(move.side is game.to_move for move in game.line)
        assert game.result.how is (How.FORFEIT if is_lost else How.VOID)


def test_a_move_that_comes_before_the_sweep_holds_the_board_is_in_time(world: World) -> None:
    world.add_board("alice", "bob")
    world.today = 7
    made = world.work().carry_out(lambda on: rule_board(on, OUST, 1, lambda _game: None))
    assert made.game is None
    assert world.history(1) == []
