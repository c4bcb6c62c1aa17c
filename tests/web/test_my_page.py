"""What players do on their own pages: each form is a command, with the letters of one by mail."""

import json
from datetime import timedelta

import pytest
from babel.dates import format_date

from tests.support import tables
from tests.support.browsing import Browser
from tests.support.home_by_mail import ALICE, BOB
from tests.web.signed_in import Place


@pytest.fixture
def alice(here: Place) -> Browser:
    return here.signed_in(ALICE)


def _started(here: Place, browser: Browser) -> None:
    browser.open("/me/challenge?opponent=bob")
    browser.send(browser.form("Start a board of Oust"), side="x", option_size="5")
    assert browser.path == "/me/oust/1?done"


def test_the_board_with_the_shortest_time_comes_first(here: Place, alice: Browser) -> None:
    for terms in ("", "--forfeittime=3 --nagtime=1", "--forfeittime=9"):
        here.talk.send(ALICE, f"oust challenge alice bob wonderland {terms}")
    alice.open("/me")
    listed = alice.text.partition("Your turn")[2].partition("Others to move")[0]
    assert [listed.index(f"/me/oust/{number}") for number in (2, 3, 1)] == sorted(
        listed.index(f"/me/oust/{number}") for number in (1, 2, 3)
    )
    bob = here.signed_in(BOB)
    assert "No board waits for you." in bob.text
    assert "/me/oust/2" in bob.text


def test_a_form_of_a_board_of_others_plays_nothing(here: Place, alice: Browser) -> None:
    bob = here.signed_in(BOB)
    here.talk.send(ALICE, "oust challenge alice house1 wonderland --size=5")
    alice.open("/me/oust/1?turn=C3")
    bob.open("/me/command")
    check = bob.form("Carry it out").fields["check"]
    assert bob.send(alice.form("Play C3"), check=check).status == 400
    bob.open("/me/oust/1")
    assert bob.path == "/oust/1"


def test_a_vacation_is_announced_and_cancelled(here: Place, alice: Browser) -> None:
    day = here.talk.now.date() + timedelta(20)
    words = format_date(day, "d MMMM y", "en")
    for fields, is_away in (({"date": day.isoformat(), "days": "5"}, True), ({}, False)):
        alice.open("/me/settings")
        rest = {"rest": "cancel"} if not is_away else {}
        alice.send(alice.form(command="vacation", **rest), **fields)
        alice.open("/me/settings")
        assert (words in alice.text) is is_away


def test_a_field_is_read_as_a_field_and_a_wrong_one_keeps_what_was_typed(
    here: Place, alice: Browser
) -> None:
    alice.open("/me/challenge")
    wrong = {
        "opponent": ("House of cards", "House of cards cannot be a userid."),
        "option_size": ("nine", "nine cannot stand in this field. A size is written 9 or 9x11."),
        "option_forfeittime": ("7 days", "7 days cannot stand in this field."),
    }
    for name, (typed, said) in wrong.items():
        form = alice.form("Start a board of Oust")
        usual = {"opponent": "bob", "side": "o", "option_size": "5", "option_unrated": "on"}
        alice.send(form, **(usual | {name: typed}))
        assert alice.path == "/me/challenge"
        assert "That was not done" in alice.text
        assert said in alice.text
        for left_out in ("Your mail", "-size", "PASSWORD"):
            assert left_out not in alice.text
        kept = alice.form("Start a board of Oust").fields
        assert kept[name.replace("_", ".")] == typed
        assert kept["side"] == "o"
        other = alice.form("Start a board of Churn").fields
        assert (other["opponent"], other["side"]) == ("", "")
    form = alice.form("Start a board of Oust")
    alice.send(form, opponent=" House 1 ", side="x", option_size="9 x 9", option_forfeittime="")
    assert alice.path == "/me/oust/1?done"
    assert "Your turn · oust 1: alice - house1 -" in alice.text


def test_forms_of_every_page_keep_what_was_typed(here: Place, alice: Browser) -> None:
    _started(here, alice)
    for path, words, typed_in in tables.of(__file__)["forms"]:
        fields: dict[str, str] = json.loads(typed_in)
        alice.open(path)
        form = next(each for each in alice.forms() if each.words.strip().endswith(words))
        alice.send(form, **fields)
        assert "That was not done" in alice.text, (path, words)
        assert "Your mail" not in alice.text
        again = next(each for each in alice.forms() if each.words.strip().endswith(words))
        shown = {name: typed for name, typed in fields.items() if name != "password"}
        assert {name: again.fields[name] for name in shown} == shown
        assert again.fields.get("password", "") == ""
