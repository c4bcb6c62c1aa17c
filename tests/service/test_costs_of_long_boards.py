"""What a move costs on a board of many records: no more than on one of few. Counted, not timed."""

from pathlib import Path

import pytest

from pbm_oust.board.formats import parse_any
from pbm_oust.board.header import Terms
from pbm_oust.mail.inbound import envelope_of, open_inbound
from pbm_oust.play.request import Ending
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import import_game, read_game
from pbm_oust.store.publishing import REACHED
from tests.speed.long import KIND, PATIENCE, PLAYERS, long_history, turns
from tests.support.costs import Costs, counting
from tests.support.histories import history_text, lay_histories
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, PASSWORDS, home_of, new_id
from tests.support.mails import mail
from tests.support.steps import calls_of, work_of

FEW, MANY = 20, 1_500
WARMING, COUNTED = 4, 6
"""How many moves are made before, and while somebody counts."""
ADDRESSES = {"alice": ALICE, "bob": BOB}


class Played:
    """A board of alice and bob that goes on by mail."""

    def __init__(self, home: Home, board: int, records: int) -> None:
        self._home, self._board, self._turns = home, board, turns(records)

    def move(self, times: int) -> None:
        """Make moves, each with a mail."""
        for _ in range(times):
            nth, cell = next(self._turns)
            mover = PLAYERS[nth % 2]
            line = f"churn move {self._board} {mover} {PASSWORDS[mover]} {cell}"
            headers = (f"From: {ADDRESSES[mover]}", f"Subject: {line}", new_id())
            envelope = envelope_of(ADDRESSES[mover], [ADDRESS], "192.0.2.7")
            handled = open_inbound(self._home, ADDRESS, lambda: NOON).take(mail(*headers), envelope)
            assert handled.ending is Ending.DONE, handled


def home_with_boards(path: Path, terms: Terms = PATIENCE) -> Home:
    """Return a home with board 1 of few records and board 2 of many."""
    made = home_of(path, ALICE, BOB)
    histories = {1: long_history(FEW, 1, terms), 2: long_history(MANY, 2, terms)}
    lay_histories(made, histories, KIND.name)
    return made


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return home_with_boards(tmp_path / "home")


@pytest.mark.slow
@pytest.mark.parametrize("terms", [PATIENCE, Terms(totaltime=99_999)])
def test_a_move_is_as_much_work_after_many_records_as_after_few(
    tmp_path: Path, terms: Terms
) -> None:
    home = home_with_boards(tmp_path / "home", terms)
    few, many = Played(home, 1, FEW), Played(home, 2, MANY)
    few.move(WARMING)
    many.move(WARMING)
    steps = work_of(lambda: few.move(COUNTED)).steps
    assert work_of(lambda: many.move(COUNTED)).steps < steps * 1.1
    parsed = calls_of(lambda: many.move(COUNTED))["board/notation.py", "parse_record"]
    assert parsed == calls_of(lambda: few.move(COUNTED))["board/notation.py", "parse_record"]
    assert parsed <= COUNTED


def test_a_move_writes_its_line_and_takes_as_many_statements(home: Home) -> None:
    home.database.close()
    statements = []
    for board, records in ((1, FEW), (2, MANY)):
        with counting() as disk:
            again = Home(home.path, disk)
            again.has_relay = True
            played = Played(again, board, records)
            played.move(WARMING)
            before, disk.costs = history_text(again, board, KIND.name), Costs()
            played.move(1)
            statements.append(disk.costs.statements)
            line = history_text(again, board, KIND.name).removeprefix(before)
            again.database.close()
        assert line.startswith(f"{records + WARMING + 1:>4} ")
        noted = (home.path / REACHED).read_bytes()
        assert disk.costs.written == len(line) + len(noted)
    assert statements[0] == statements[1]


@pytest.mark.slow
def test_an_import_checks_each_record_once(home: Home) -> None:
    for board in (1, 2):  # which began alike, so that the import compares their records
        read_game(home, KIND, board)
    text = long_history(MANY, 3)
    calls = calls_of(lambda: import_game(parse_any(text), home, NOON))
    assert calls["board/notation.py", "parse_record"] == MANY
    assert calls["rules/churn.py", "place"] == MANY
