"""The news of boards as data: what is kept of a notice, and the same notice made again from it."""

from pathlib import Path

import pytest
from msgspec import structs

from pbm_oust.accounts.settings import USUAL
from pbm_oust.languages import LANGUAGES
from pbm_oust.play.context import Look
from pbm_oust.play.news import NoRecord, head_of, kept_news, restored
from pbm_oust.play.notices import BoardNotice, News, QueuedTurns, Reader
from pbm_oust.play.performed import addressed
from pbm_oust.play.request import UNASKED, Request
from pbm_oust.store.accounts import remove_account
from pbm_oust.store.letters import Letter, LetterState
from tests.support.sweeping import World, day, new_world

POSTED = day(1)
MOMENT = POSTED.replace(microsecond=123456)
MAIL = structs.replace(UNASKED, identity="<1@example.org>", message_id="<1@example.org>")
KEPT = {
    *("reader", "news", "game", "chat", "chat_from", "passed_on", "challenger", "is_set_up"),
    *("unreachable", "told_from", "back", "disabled", "note", "is_watched", "ahead", "untold"),
    "clock",
}
OF_THE_END = {"changes", "climb", "cup", "round", "is_analysed", "is_counting", "gone"}
WRITTEN_AT_ONCE = {"is_past", "heard"} | OF_THE_END
"""The fields of notices that are kept, or that are only set in others."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A home with a board on which x has moved."""
    world = new_world(tmp_path / "home", ("alice", "bob", "carol"))
    world.add_board("alice", "bob")
    world.play(1, 1, "x C3")
    return world


def reader(world: World, userid: str, wrote_from: str = "") -> Reader:
    with world.home.database.read() as snapshot:
        found = Look(snapshot, world.home, POSTED).reader(
            Look(snapshot, world.home, POSTED).account(userid)
        )
    return structs.replace(found, wrote_from=wrote_from)


def again(world: World, notice: BoardNotice, request: Request = MAIL) -> BoardNotice:
    """Return a notice as it is made again from what is kept of it."""
    document = kept_news(notice, request, MOMENT)
    assert document
    with world.home.database.read() as snapshot:
        on = Look(snapshot, world.home, POSTED)
        made, answered, moment = restored(on, letter_of(notice), document)
    assert (answered.identity, moment) == (request.identity, MOMENT)
    assert answered.message_id == request.message_id
    return made


def letter_of(notice: BoardNotice) -> Letter:
    head = head_of(notice, notice.reader.addresses[0])
    state = LetterState.WAITING, POSTED, 0, None, "", False, ""
    return Letter(1, head, POSTED, *state)


def told(world: World, notice: BoardNotice) -> BoardNotice:
    """Return a notice as its reader gets it at once."""
    with world.home.database.read() as snapshot:
        made = addressed(notice, Look(snapshot, world.home, POSTED))
    assert isinstance(made, BoardNotice)
    return made


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"chat": "well played", "chat_from": "alice", "told_from": 1, "back": "alice"},
        {"passed_on": "alice", "unreachable": "alice", "disabled": "alice", "untold": "alice"},
        {"challenger": "bob", "is_set_up": True, "is_watched": True},
        {"ahead": QueuedTurns(frozenset({1}), frozenset({1}))},
    ],
)
@pytest.mark.parametrize("wrote_from", ["", "bob@example.org"])
def test_a_notice_is_made_again_as_it_was(
    world: World, fields: dict[str, object], wrote_from: str
) -> None:
    read_by = structs.replace(reader(world, "bob", wrote_from), left_out="PS", unread="?")
    notice = structs.replace(BoardNotice(read_by, News.PLAYED, world.game(1)), **fields)
    assert again(world, notice) == told(world, notice)


def test_it_shows_the_board_as_it_was_when_the_board_has_gone_on(world: World) -> None:
    notice = BoardNotice(reader(world, "bob"), News.PLAYED, world.game(1))
    before = told(world, notice)
    world.play(1, 2, "o D4")
    assert again(world, notice) == before


def test_it_is_as_the_account_says_now(world: World) -> None:
    notice = BoardNotice(reader(world, "bob"), News.PLAYED, world.game(1))
    document = kept_news(notice, MAIL, MOMENT)
    assert document
    french = structs.replace(USUAL, language=LANGUAGES["fr"])
    world.change_player("bob", lambda account: account.with_settings(french))
    assert again(world, notice).reader.settings == french


def test_who_has_left_gets_it_as_a_stranger_with_the_same_language(world: World) -> None:
    french = structs.replace(USUAL, language=LANGUAGES["fr"])
    world.change_player("bob", lambda account: account.with_settings(french))
    notice = BoardNotice(reader(world, "bob"), News.PLAYED, world.game(1))
    world.home.do(remove_account, "bob")
    made = again(world, notice)
    assert (made.reader.userid, made.reader.account) == ("bob", None)
    assert made.reader.settings.language == french.language
    assert made.ask() is None


def test_a_record_that_is_gone_is_not_told(world: World) -> None:
    later = structs.replace(
        letter_of(BoardNotice(reader(world, "bob"), News.PLAYED, world.game(1)))
    )
    about = later.head.about
    assert about
    head = structs.replace(later.head, about=structs.replace(about, record=2))
    notice = BoardNotice(reader(world, "bob"), News.PLAYED, world.game(1))
    document = kept_news(notice, MAIL, MOMENT)
    assert document
    with world.home.database.read() as snapshot, pytest.raises(NoRecord, match="oust 1"):
        restored(Look(snapshot, world.home, POSTED), structs.replace(later, head=head), document)


def test_what_shows_more_is_written_at_once(world: World) -> None:
    read_by = reader(world, "bob")
    plain = BoardNotice(read_by, News.PLAYED, world.game(1))
    changes: list[dict[str, object]] = [
        {"news": News.SHOWN},
        {"news": News.PREVIEW},
        {"is_past": True},
        {"gone": "alice"},
        {"chat_from": "carol"},
        {"reader": structs.replace(read_by, account=None)},
        {"reader": structs.replace(read_by, addresses=("bob@elsewhere.example",))},
    ]
    for changed in changes:
        assert kept_news(structs.replace(plain, **changed), MAIL, MOMENT) is None, changed
    world.play(1, 2, "o resign")
    over = BoardNotice(read_by, News.PLAYED, world.game(1))
    assert kept_news(over, MAIL, MOMENT) is None


def test_each_field_of_a_notice_is_kept_or_says_that_it_is_written_at_once() -> None:
    assert set(BoardNotice.__struct_fields__) == KEPT | WRITTEN_AT_ONCE


def test_what_is_kept_of_a_move_takes_a_few_hundred_bytes(world: World) -> None:
    notice = BoardNotice(reader(world, "bob"), News.PLAYED, world.game(1), chat_from="alice")
    document = kept_news(notice, structs.replace(MAIL, identity="a" * 64), MOMENT)
    assert document
    assert len(document) < 300
