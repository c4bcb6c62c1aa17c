"""One damaged tournament or ladder is said to be so, and everything else goes on."""

import logging
import re
from pathlib import Path

import pytest

from pbm_oust.store import tournaments
from pbm_oust.store.database import Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.index import Window
from pbm_oust.tournaments.cup import State
from tests.support.command_line import run
from tests.support.cups import lay_cup
from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.website import website

DAMAGED, WHOLE = 1, 2
DAMAGE = (
    'document = \'{"kind": "oust"\'',
    "document = ''",
    "document = json_set(document, '$.number', 7)",
    "document = json_set(document, '$.section', 0)",
    "document = json_set(document, '$.grid', 'square 1x1')",
    "document = json_set(document, '$.terms', 'never')",
    "document = json_set(document, '$.starts', 'soon')",
    "document = json_set(document, '$.state', 'over')",
    "document = json_remove(document, '$.title')",
)


def execute(home: Home, *words: object) -> None:
    """Carry out a statement in the database of a home."""

    def damage(transaction: Transaction) -> None:
        transaction.run(" ".join(map(str, words)))

    home.do(damage)


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    for number in (DAMAGED, WHOLE):
        lay_cup(talk.home, number, ("alice", "bob"))
    return talk


@pytest.mark.parametrize("damage", DAMAGE)
def test_mails_and_commands_go_on_beside_a_damaged_tournament(damage: str, talk: Talk) -> None:
    execute(talk.home, "UPDATE tournaments SET", damage, "WHERE number =", DAMAGED)
    for line in (
        f"oust table {DAMAGED}",
        f"oust enter {DAMAGED} alice wonderland",
        f"oust withdraw {DAMAGED} alice wonderland",
    ):
        talk.send(ALICE, line)
        assert "tournament 1 is damaged" in talk.letter_to(ALICE).words
    talk.send(ALICE, "tournaments")
    assert "Cup 2" in talk.text_to(ALICE)
    talk.send(ALICE, f"oust table {WHOLE}")
    assert "Cup 2" in talk.text_to(ALICE)
    for words in (["show"], ["cancel", "--yes"]):
        result = run(talk.home.path, "tournaments", words[0], "oust", "1", *words[1:])
        assert (result.exit_code, "is damaged" in result.output) == (1, True)
    for line in ("settings alice wonderland", "export alice wonderland", "delete alice wonderland"):
        talk.send(ALICE, line)
        assert talk.outcome.startswith(("done", "answered")), (line, talk.outcome)
    talk.send(BOB, "forget bob lookingglass really")
    assert talk.outcome.startswith("done"), talk.outcome


def test_the_doctor_names_a_text_that_is_no_text(talk: Talk) -> None:
    execute(talk.home, "UPDATE tournaments SET document = CAST(x'ff' AS TEXT)")
    result = run(talk.home.path, "doctor")
    assert re.search("^BAD   tournaments: .* a text is not UTF-8", result.output, re.MULTILINE)


def test_a_sweep_tells_of_a_damaged_tournament_and_goes_on(talk: Talk) -> None:
    execute(talk.home, "UPDATE tournaments SET document = '', due = 0 WHERE number =", DAMAGED)
    execute(talk.home, "UPDATE tournaments SET due = 0 WHERE number =", WHOLE)
    talk.sweep()
    result = run(talk.home.path, "sweep")
    assert "oust tournament 1" in result.output


def test_pages_go_on_beside_a_damaged_tournament_and_ladder(talk: Talk) -> None:
    execute(talk.home, "UPDATE tournaments SET document = '' WHERE number =", DAMAGED)
    execute(talk.home, "INSERT INTO ladders (kind, grid) VALUES ('oust', 'square')")
    talk.home.database.close()
    with website(talk.home.path) as pages:
        for path in ("/", "/tournaments", f"/oust/tournament/{WHOLE}", "/players/alice", "/boards"):
            assert pages.get(path).status == 200, path
        assert "Cup 2" in pages.get("/tournaments").text
        for path in (
            f"/oust/tournament/{DAMAGED}",
            f"/oust/tournament/{DAMAGED}.json",
            "/oust/ladder",
        ):
            got = pages.get(path)
            assert (got.status, "is damaged" in got.text) == (503, True), path


def test_mails_about_a_damaged_ladder_say_so(talk: Talk) -> None:
    execute(talk.home, "INSERT INTO ladders (kind, terms) VALUES ('oust', 'never')")
    for line in ("oust ladder", "oust ladder join alice wonderland"):
        talk.send(ALICE, line)
        assert "ladder of Oust is damaged" in talk.letter_to(ALICE).words
    talk.send(ALICE, "churn ladder join alice wonderland")
    assert talk.outcome.startswith("done")
    run(talk.home.path, "tournaments", "ladder", "oust", "--size", "5")
    talk.send(ALICE, "oust ladder join alice wonderland")
    assert talk.outcome.startswith("done")


def test_the_log_names_a_damaged_tournament_once(
    talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    execute(talk.home, "UPDATE tournaments SET document = '[]' WHERE number =", DAMAGED)
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            found = talk.home.ask(tournaments.cups, "oust", [State.OPEN], Window(9))
            assert [each.number for each in found] == [WHOLE]
    assert caplog.text.count("oust tournament 1 in the database is damaged") == 1
