"""The verdict on homes that were damaged by hand after a trial in which nothing went wrong."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.chaos.ledger import Kind, Mail
from tests.chaos.running import Plan, conduct
from tests.chaos.verdict import Verdict, judge, judge_home, read_home


@dataclass(frozen=True)
class Ended:
    """A trial that has ended: its home, its log and its mails."""

    home: Path
    log: Path
    mails: list[Mail]

    def wrong(self) -> dict[str, int]:
        """Return how much is wrong, under the headings of the report."""
        return _counts(judge_home(read_home(self.home), self.mails))

    def wrong_in_all(self) -> dict[str, int]:
        """Return how much is wrong, also by the program's own checks and the log."""
        return _counts(judge(self.home, self.log, self.mails))

    def mail(self, kind: Kind) -> Mail:
        """Return the last mail of a kind."""
        return [mail for mail in self.mails if mail.kind is kind][-1]

    def history(self, mail: Mail) -> Path:
        """Return the history in which a mail left its id."""
        paths = (path for kind in ("oust", "churn") for path in (self.home / kind).iterdir())
        return next(path for path in paths if mail.id in path.read_text())

    def record(self, mail: Mail) -> str:
        """Return the line that a mail left in a history."""
        lines = self.history(mail).read_text().splitlines(keepends=True)
        return next(line for line in lines if mail.id in line)

    def letters(self, mail: Mail) -> list[Path]:
        """Return the letters that answer a mail, or tell the other player what it says."""
        words = (f"\nIn-Reply-To: {mail.message_id}\n", mail.marker)
        paths = sorted((self.home / "outbox" / "new").iterdir())
        return [path for path in paths if any(word in path.read_text() for word in words)]


def _counts(verdict: Verdict) -> dict[str, int]:
    return {what: len(found) for what, found in verdict.findings().items() if found}


@pytest.fixture(scope="module")
def undamaged(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    folder: Path = tmp_path_factory.mktemp("undamaged")
    outcome = conduct(Plan(mails=40, kills=0, seed=1, tables=1), folder)
    assert outcome.is_right
    return Ended(folder / "home", folder / "log", outcome.ledger.mails)


@pytest.fixture
def ended(undamaged: Ended, tmp_path: Path) -> Ended:
    shutil.copytree(undamaged.home, tmp_path / "home")
    shutil.copy(undamaged.log, tmp_path / "log")
    mails = [replace(mail) for mail in undamaged.mails]
    return Ended(tmp_path / "home", tmp_path / "log", mails)


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    text = path.read_text()
    assert change(text) != text
    path.write_text(change(text))


def test_nothing_is_wrong_with_a_home_that_is_not_damaged(ended: Ended) -> None:
    assert ended.wrong_in_all() == {}


@pytest.mark.parametrize(
    ("changed", "heading"),
    [
        (lambda record, _: "", "lost"),
        (lambda record, _: record + record, "doubled"),
        (lambda record, cell: record.replace(cell, "Z9"), "lost"),
    ],
)
def test_a_record_that_is_not_there_once_as_it_was_sent_is_reported(
    changed: Callable[[str, str], str], heading: str, ended: Ended
) -> None:
    last = ended.mail(Kind.MOVE)
    record, cell = ended.record(last), last.done.split()[0]
    rewrite(ended.history(last), lambda text: text.replace(record, changed(record, cell)))
    assert ended.wrong()[heading] == 1


def test_a_challenge_that_started_two_boards_is_doubled(ended: Ended) -> None:
    challenge = ended.mail(Kind.CHALLENGE)
    history = ended.history(challenge)
    beginning, remark, _ = history.read_text().partition(f"# challenge {challenge.id}\n")
    other = history.with_name("77.txt")
    other.write_text(re.sub("Board: .*", "Board: 77", beginning) + remark)
    assert ended.wrong() == {"doubled": 1}


@pytest.mark.parametrize("kind", [Kind.MOVE, Kind.CHALLENGE])
@pytest.mark.parametrize("who", ["sender", "other"])
def test_a_letter_about_a_board_that_is_gone_is_missing(kind: Kind, who: str, ended: Ended) -> None:
    mail = ended.mail(kind)
    gone = [
        path
        for path in ended.letters(mail)
        if f"\nTo: {getattr(mail, who).address}\n" in path.read_text()
    ]
    for path in gone:
        path.unlink()
    assert gone
    assert set(ended.wrong()) == {"notices missing"}


@pytest.mark.parametrize("kind", [Kind.LOOK, Kind.WRONG, Kind.SIGNUP, Kind.VERIFY])
def test_an_answer_that_is_gone_is_missing(kind: Kind, ended: Ended) -> None:
    mail = ended.mail(kind)
    for path in (ended.home / "outbox" / "new").iterdir():
        if f"\nIn-Reply-To: {mail.message_id}\n" in path.read_text():
            path.unlink()
    assert ended.wrong() == {"notices missing": 1}


def test_a_correct_command_that_was_refused_is_reported(ended: Ended) -> None:
    mail = ended.mail(Kind.LOOK)
    for path in (ended.home / "outbox" / "new").iterdir():
        if f"\nIn-Reply-To: {mail.message_id}\n" in path.read_text():
            rewrite(path, lambda text: re.sub("X-Pbm-Oust: .*", "X-Pbm-Oust: refusal", text))
    assert ended.wrong() == {"refused wrongly": 1}


def test_a_wrong_command_that_was_carried_out_is_strange(ended: Ended) -> None:
    ended.mail(Kind.MOVE).kind = Kind.WRONG
    assert ended.wrong() == {"strange": 1}


def test_a_record_that_nobody_sent_is_strange(ended: Ended) -> None:
    last = ended.mail(Kind.MOVE)
    ended.mails.remove(last)
    assert ended.wrong()["strange"] >= 1


@pytest.mark.parametrize("size", [0, 100, -1])
def test_a_letter_that_is_cut_off_is_damage(size: int, ended: Ended) -> None:
    path = ended.letters(ended.mail(Kind.MOVE))[0]
    path.write_bytes(path.read_bytes()[:size])
    assert ended.wrong()["damaged"] >= 1


def test_a_password_in_plain_sight_and_a_fault_in_the_log_are_damage(ended: Ended) -> None:
    with ended.letters(ended.mail(Kind.MOVE))[0].open("a") as letter:
        letter.write(f"{ended.mails[0].sender.password}\n")
    with ended.log.open("a") as log:
        log.write("Traceback (most recent call last):\n")
    assert ended.wrong_in_all() == {"damaged": 2}


@pytest.mark.parametrize(
    "name", ["outbox/tmp/1795966560.L000017.pbm_oust", "oust/.1.txt.7.0.draft"]
)
def test_what_a_process_that_was_killed_left_is_reported(name: str, ended: Ended) -> None:
    (ended.home / name).write_text("half")
    assert ended.wrong()["left behind"] == 1
