"""What players do on their own pages: each form is a command, with the letters of one by mail."""

import json
import re
from datetime import timedelta

import pytest
from babel.dates import format_date

from pbm_oust.accounts.settings import NAMES, values_of
from pbm_oust.accounts.tags import tag_of
from pbm_oust.robot.levels import LEVELS
from tests.support import tables
from tests.support.accounts import make_account
from tests.support.browsing import Browser
from tests.support.histories import lay_histories, short_history
from tests.support.home_by_mail import ALICE, BOB
from tests.web.signed_in import Place

PASSWORD = "secretwords"


@pytest.fixture
def alice(here: Place) -> Browser:
    return here.signed_in(ALICE)


def _started(here: Place, browser: Browser) -> None:
    browser.open("/me/challenge?opponent=bob")
    browser.send(browser.form("Start"), side="x", size="5")
    assert browser.path == "/me/oust/1?done=challenge"


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


def test_a_damaged_board_of_a_player_says_so(here: Place, alice: Browser) -> None:
    here.talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    by_link = f"/play/{tag_of(str(here.talk.letter_to(ALICE)['Reply-To']))}"
    damaged = short_history(1, "2026-11-20T12:00:00Z").replace("C3", "Z9")
    lay_histories(here.talk.home, {1: damaged})
    for path in ("/me/oust/1", "/oust/1/0/explore", by_link, f"{by_link}/explore"):
        assert alice.open(path).status == 503, path
        assert "cannot be read at present. The operator has been told." in alice.text


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
    wrong = {
        "named": ("House of cards", "House of cards cannot be a userid."),
        "size": ("nine", "nine cannot stand in this field. A size is written 9 or 9x11."),
        "option_forfeittime": ("7 days", "7 days cannot stand in this field."),
    }
    for name, (typed, said) in wrong.items():
        alice.open("/me/challenge")
        usual = {"opponent": "bob", "side": "o", "size": "5", "rated": "", "shape": "oust hex"}
        usual |= {"shape": "oust square"} if name == "size" else {}
        alice.send(alice.form("Start"), **(usual | {name: typed}))
        assert alice.path == "/me/challenge"
        assert f'-fault">{said}' in alice.text
        assert (" open>" in alice.text) is name.startswith("option_")
        for left_out in ("Your mail", "-size", "PASSWORD"):
            assert left_out not in alice.text
        kept = alice.form("Start").fields
        assert kept[name.replace("_", ".")] == typed
        assert kept["side"] == "o"
        assert "rated" not in kept
        assert kept["swap"] == "on"
    alice.open("/me/challenge")
    alice.send(
        alice.form("Start"), named=" House 1 ", side="x", size="9 x 9", option_forfeittime=""
    )
    assert alice.path == "/me/oust/1?done=challenge"
    assert "Your turn · oust 1: alice - house1 -" in alice.text


def test_players_who_can_be_challenged_are_listed_those_first_who_played_last(
    here: Place, alice: Browser
) -> None:
    for userid in ("dave", "erin", "frank", "grace"):
        make_account(here.talk.home, userid, PASSWORD, f"{userid}@example.org")
    for sender, line in (
        ("erin", "oust challenge erin dave SECRET"),
        ("frank", "oust challenge frank grace SECRET"),
        ("dave", "oust challenge dave alice SECRET"),
        ("dave", "oust resign 3 dave SECRET"),
        ("bob", "oust challenge bob alice lookingglass"),
        ("grace", "reject grace SECRET alice"),
    ):
        here.talk.now += timedelta(minutes=1)
        address = BOB if sender == "bob" else f"{sender}@example.org"
        here.talk.send(address, line.replace("SECRET", PASSWORD))
    alice.open("/me/challenge")
    listed = re.findall(r'name="opponent" value="(\w*)"', alice.text)
    assert listed == ["", "bob", "dave", "frank", "erin", *(level.userid for level in LEVELS)]
    assert re.search(r"<strong>dave</strong>[^/]*<small>Oust 1400\?", alice.text)


def test_the_settings_page_offers_every_value_of_every_setting(here: Place, alice: Browser) -> None:
    alice.open("/me/settings")
    for name in NAMES:
        offered = set(re.findall(rf'name="{name}" value="([^"]+)"', alice.text))
        assert offered == set(values_of(name)) or (name == "zone" and offered == {"UTC"})
    assert "<option>Europe/Paris</option>" in alice.text


def test_what_others_have_written_shows_until_the_player_does_something_there(
    here: Place, alice: Browser
) -> None:
    for number in (1, 2):
        here.talk.send(ALICE, "oust challenge bob alice wonderland -size=5")
        here.talk.now += timedelta(minutes=1)
        here.talk.send(BOB, f"oust move {number} bob lookingglass C3")
    for text in ("Good luck!", "Are you there?"):
        here.talk.now += timedelta(minutes=1)
        here.talk.send(BOB, "oust chat 1 bob lookingglass", text)
    alice.open("/me")
    assert "<blockquote>bob: Are you there?</blockquote>" in alice.text
    assert alice.text.count("<blockquote>") == 1
    here.talk.now += timedelta(minutes=1)
    here.talk.send(ALICE, "oust move 1 alice wonderland A1")
    alice.open("/me")
    assert "<blockquote>" not in alice.text
    here.talk.now += timedelta(minutes=1)
    here.talk.send(BOB, "oust chat 1 bob lookingglass", "Fine.")
    alice.open("/me")
    assert "<blockquote>bob: Fine.</blockquote>" in alice.text.partition("Others to move")[2]


def test_a_board_on_which_something_is_offered_says_so(here: Place, alice: Browser) -> None:
    here.talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    here.talk.send(ALICE, "oust challenge bob alice wonderland -size=5")
    here.talk.send(ALICE, "oust challenge bob alice wonderland -size=5")
    here.talk.send(BOB, "oust propose 2 bob lookingglass")
    alice.open("/me")
    assert "Your turn (1)" in alice.text
    others = alice.text.partition("Others to move")[2]
    assert "<strong>bob proposed a draw.</strong>" in others
    assert others.index("/me/oust/2") < others.index("/me/oust/3")


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
