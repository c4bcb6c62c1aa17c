"""What many conversations start from."""

from pathlib import Path

import pytest

from pbm_oust.grammar.form import Command
from pbm_oust.play.context import Context, Outcome
from pbm_oust.refusal import Refusal
from pbm_oust.service import service
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.database import Row, Transaction, Value
from pbm_oust.store.home import Home
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk, copy_of, home_of
from tests.support.outbox import letters


@pytest.fixture(scope="session")
def with_a_board(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home in which Alice has challenged Bob, to be copied."""
    challenge = (ALICE, "oust challenge alice bob wonderland -size=5")
    return home_of(tmp_path_factory.mktemp("begun"), ALICE, BOB, CAROL, mails=[challenge])


@pytest.fixture
def talk(with_a_board: Home, tmp_path: Path) -> Talk:
    """A talk in a home in which Alice has just challenged Bob; Carol has an account, too."""
    home = copy_of(with_a_board, tmp_path / "home")
    return Talk(home, letters=letters(home), outcome="done: challenge")


@pytest.fixture(autouse=True)
def _refused_before_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a command is refused after it has written anything but what limits count."""
    run, rows, written = service._once, Transaction.rows, list[str]()

    def noted(transaction: Transaction, statement: str, *values: Value) -> list[Row]:
        if statement.startswith(("INSERT", "UPDATE", "DELETE")) and "rate_limits" not in statement:
            written.append(statement)
        return rows(transaction, statement, *values)

    def watched(command: Command, on: Context) -> Outcome:
        written.clear()
        try:
            return run(command, on)
        except (Refusal, DamagedHistory):
            assert not written
            raise

    monkeypatch.setattr(Transaction, "rows", noted)
    monkeypatch.setattr(service, "_once", watched)
