"""Players who are not mailed every record, and those who only watch."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.account import MOST_WATCHED
from pbm_oust.accounts.bounces import MOST_DAYS, Bounce
from pbm_oust.accounts.document import account_lines
from pbm_oust.accounts.settings import Setting
from pbm_oust.board import Game, Ruling, Verb
from pbm_oust.board.notation import format_header
from pbm_oust.letters.letters import Letters
from pbm_oust.play.notices import News
from pbm_oust.play.request import Request
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules import KINDS, Side
from pbm_oust.store.open_boards import read_game
from pbm_oust.store.verifications import note_bounce
from tests.support import tables
from tests.support.accounts import account_of, change_account, damage_account
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, CAROL, Talk

tabled = tables.tabled(__file__)

REQUEST = Request("", "", "", "server")


@pytest.fixture
def talk(place: Path) -> Iterator[Talk]:
    """Return a talk with a home in which a board of Alice and Bob waits for Alice."""
    talk = Talk.begin(place, ALICE, BOB, CAROL)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    yield talk
    talk.home.close()


def game_of(talk: Talk) -> Game:
    return read_game(talk.home, KINDS["oust"], 1)


def told_of_server(talk: Talk, game: Game, told_from: int = 0) -> list[str | None]:
    """Return the userids of those who are told what the server did last."""
    work = UnitOfWork(
        talk.home, Letters(ADDRESS, lambda: talk.now, talk.home.key).write, lambda: talk.now
    )
    notices = tell_players(
        game, News.PLAYED, work.answering(REQUEST), actor=None, told_from=told_from
    )
    return [notice.reader.userid for notice in notices]


def test_who_has_settled_not_to_be_mailed_and_cannot_be_is_called_unreachable(talk: Talk) -> None:
    talk.send(BOB, "settings bob lookingglass mail digest")
    for days in range(MOST_DAYS):
        at = talk.now - timedelta(days=days)
        talk.home.do(note_bounce, BOB, Bounce.of(at, "5.1.1", f"<{days}@x>", "lost"))
    assert talk.send(ALICE, "oust move 1 alice wonderland C3") == [
        f"{ALICE}: oust 1 #2: bob to move"
    ]
    assert "Mail to bob is coming back" in talk.text_to(ALICE)


@pytest.mark.parametrize("setting", ["mine", "digest"])
def test_a_reminder_goes_to_whom_it_is_for_whatever_he_has_settled(
    setting: str, talk: Talk
) -> None:
    talk.send(ALICE, f"settings alice wonderland mail {setting}")
    talk.send(BOB, f"settings bob lookingglass mail {setting}")
    reminded = game_of(talk).rule(Ruling(Verb.REMIND, Side.X), talk.now, "1" * 16)
    assert told_of_server(talk, reminded) == ["alice"]


def test_what_the_operator_does_is_always_mailed(talk: Talk) -> None:
    talk.send(ALICE, "settings alice wonderland mail digest")
    talk.send(BOB, "settings bob lookingglass mail digest")
    adopted = game_of(talk).rule(Ruling(Verb.ADOPT, Side.O, "carol"), talk.now, "1" * 16)
    assert told_of_server(talk, adopted) == ["alice", "carol"]


def test_what_was_not_told_yet_counts_besides_the_latest_record(talk: Talk) -> None:
    talk.send(BOB, "settings bob lookingglass mail digest")
    ruled = game_of(talk).rule(Ruling(Verb.REMIND, Side.O), talk.now, "1" * 16)
    both = ruled.rule(Ruling(Verb.REMIND, Side.X), talk.now, "2" * 16)
    assert told_of_server(talk, both) == ["alice"]
    assert told_of_server(talk, both, told_from=1) == ["alice", "bob"]


def test_who_watches_and_takes_a_side_over_is_mailed_once(talk: Talk) -> None:
    talk.send(CAROL, "oust watch 1 carol rabbithole")
    adopted = game_of(talk).rule(Ruling(Verb.ADOPT, Side.O, "carol"), talk.now, "1" * 16)
    assert told_of_server(talk, adopted) == ["alice", "carol"]


def test_a_damaged_account_of_somebody_who_watches_holds_up_no_move(talk: Talk) -> None:
    talk.send(CAROL, "oust watch 1 carol rabbithole")
    damage_account(talk.home, "carol")
    assert len(talk.send(ALICE, "oust move 1 alice wonderland C3")) == 2


@pytest.mark.parametrize("place", ["files"], indirect=True)
def test_watched_boards_that_are_over_make_room(talk: Talk) -> None:
    header = game_of(talk).header
    boards = range(2, MOST_WATCHED + 2)
    headers = {board: format_header(replace(header, board=board)) for board in boards}
    lay_histories(talk.home, headers)
    names = [f"oust {board}" for board in range(1, MOST_WATCHED + 1)]
    change_account(talk.home, "carol", lambda account: account.with_watched(names))
    line, name = f"oust watch {MOST_WATCHED + 1} carol rabbithole", f"oust {MOST_WATCHED + 1}"
    assert talk.send(CAROL, line) == [f"{CAROL}: {name}: not done"]
    talk.send(ALICE, "oust resign 1 alice wonderland")
    assert talk.send(CAROL, line) == [f"{CAROL}: {name}: watched"]
    watched = account_of(talk.home, "carol").watched_boards
    assert watched == (*names[1:], name)


def test_times_are_those_of_the_readers_zone(talk: Talk) -> None:
    talk.send(BOB, "settings bob lookingglass zone Asia/Kolkata")
    talk.home.do(note_bounce, BOB, Bounce.of(talk.now, "5.1.1", "<1@x>", "lost"))
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    assert "  2026-11-20 17:30 IST, lost (5.1.1)" in talk.text_to(BOB)


def test_a_damaged_account_leaves_the_mail_with_its_owner_and_changes_nothing(talk: Talk) -> None:
    damage_account(talk.home, "alice")
    with pytest.raises(Exception, match="the account alice in the database is damaged, queue"):
        talk.send(ALICE, "oust move 1 alice wonderland C3")
    assert not game_of(talk).records


def test_a_damaged_account_holds_up_no_move_of_the_other_player(talk: Talk) -> None:
    damage_account(talk.home, "bob")
    assert talk.send(ALICE, "oust move 1 alice wonderland C3") == [
        f"{ALICE}: oust 1 #2: bob to move",
        f"{BOB}: oust 1 #2: your turn, bob",
    ]
    with pytest.raises(Exception, match="the account bob in the database is damaged, queue"):
        talk.send(BOB, "settings bob lookingglass mail mine")


def store_setting(talk: Talk, userid: str, name: str, value: str) -> None:
    """Store a setting as if it had been chosen when it was still known."""
    account = account_of(talk.home, userid)
    talk.home.save(replace(account, settings=(*account.settings, Setting(name, value))))


LOST_ZONE = "The time zone US/Nowhere that you chose is not known here any more."


def test_a_time_zone_that_is_lost_is_told_once_and_counts_as_utc(talk: Talk) -> None:
    store_setting(talk, "bob", "zone", "US/Nowhere")
    assert talk.send(ALICE, "oust move 1 alice wonderland C3") == [
        f"{ALICE}: oust 1 #2: bob to move",
        f"{BOB}: oust 1 #2: your turn, bob",
    ]
    assert talk.send(BOB, "oust move 1 bob lookingglass A1") == [
        f"{BOB}: oust 1 #3: alice to move",
        f"{ALICE}: oust 1 #3: your turn, alice",
        f"{BOB}: your settings, bob",
    ]
    assert LOST_ZONE in " ".join(talk.letters[-1].text.split())
    talk.send(ALICE, "oust move 1 alice wonderland D4")
    assert talk.send(BOB, "oust move 1 bob lookingglass E1") == [
        f"{BOB}: oust 1 #5: alice to move",
        f"{ALICE}: oust 1 #5: your turn, alice",
    ]
    talk.send(BOB, "settings bob lookingglass")
    assert LOST_ZONE in " ".join(talk.text_to(BOB).split())


@pytest.mark.parametrize(("name", "value"), [("language", "tlh"), ("board", "ansi")])
def test_a_setting_that_means_nothing_here_is_told_once(name: str, value: str, talk: Talk) -> None:
    store_setting(talk, "bob", name, value)
    talk.send(BOB, "settings bob lookingglass")
    assert f"Your setting {name} {value} is not known here any more." in talk.text_to(BOB)
    assert len(talk.send(BOB, "settings bob lookingglass mail mine")) == 1


def test_another_time_zone_takes_the_place_of_a_lost_one(talk: Talk) -> None:
    store_setting(talk, "bob", "zone", "US/Nowhere")
    assert talk.send(BOB, "settings bob lookingglass zone america/los_angeles") == [
        f"{BOB}: your settings, bob"
    ]
    assert "Nowhere" not in talk.text_to(BOB)
    assert "Setting: zone America/Los_Angeles" in account_lines(account_of(talk.home, "bob"))


@tabled("typed", "meant")
def test_a_time_zone_is_found_in_letters_of_either_case(typed: str, meant: str, talk: Talk) -> None:
    talk.send(BOB, f"settings bob lookingglass zone {typed}")
    assert f"  zone        {meant}" in talk.text_to(BOB)


@pytest.mark.parametrize(
    "word", ["localtime", "posixrules", "Factory", "right/Europe/Paris", "posix/UTC", "/etc/passwd"]
)
def test_what_is_only_a_file_among_the_time_zones_is_none(word: str, talk: Talk) -> None:
    talk.send(BOB, f"settings bob lookingglass zone {word}")
    assert talk.outcome == "refused: bad_zone"
