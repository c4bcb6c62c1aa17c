"""What players do on their own pages: each form is a command, with the letters of one by mail."""

import re
from datetime import timedelta

import pytest
from babel.dates import format_date

from tests.support.browsing import Browser
from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, BOB
from tests.support.outbox import letters
from tests.web.signed_in import WEB, Place


@pytest.fixture
def alice(here: Place) -> Browser:
    return here.signed_in(ALICE)


def _started(here: Place, browser: Browser) -> None:
    browser.open("/me/challenge?opponent=bob")
    browser.send(browser.form("Start a board of Oust"), side="x", option_size="5")
    assert browser.path == "/me/oust/1?done"


def test_a_challenge_starts_a_board_and_both_have_letters(here: Place, alice: Browser) -> None:
    before = len(letters(here.talk.home))
    _started(here, alice)
    assert [each.to for each in letters(here.talk.home)][before:] == [ALICE, BOB]
    assert "alice (x) - bob (o)" in alice.text
    alice.open("/me")
    assert 'href="/me/oust/1"' in alice.text


def test_boards_of_every_sort_are_challenged(here: Place, alice: Browser) -> None:
    alice.open("/me/challenge")
    churn = alice.form("Start a board of Churn")
    alice.send(churn, opponent="bob", side="o", option_size="3", option_unrated="on")
    history = (here.talk.home.path / "churn" / "1.txt").read_text(encoding="utf-8")
    assert "hex 3" in history
    assert "rated" not in history
    assert "X: bob" in history
    alice.open("/me/challenge")
    refused = alice.send(alice.form("Start a board of Oust"), opponent="bob", option_size="900")
    assert refused.status == 200
    assert "That was not done" in alice.text


def test_a_turn_is_played_on_the_own_page(here: Place, alice: Browser) -> None:
    _started(here, alice)
    alice.open("/me/oust/1?turn=C3")
    form = alice.form("Play C3")
    for _ in range(2):
        alice.send(form, text="Hello!")
        assert alice.path == "/me/oust/1?done"
    assert moves_of(here.talk.home) == ["x C3"]
    assert "alice writes:\n\n  Hello!" in here.mail_to(BOB).text
    alice.send(alice.form("Send"), text="Are you there?")
    assert "Are you there?" in here.mail_to(BOB).text


def test_a_form_of_an_earlier_position_plays_nothing(here: Place, alice: Browser) -> None:
    _started(here, alice)
    alice.open("/me/oust/1?turn=C3")
    late = alice.form("Play C3")
    here.talk.send(ALICE, "oust move 1 alice wonderland A1")
    here.talk.send(BOB, "oust move 1 bob lookingglass B4")
    alice.send(late)
    assert alice.path == "/me/oust/1"
    assert moves_of(here.talk.home) == ["x A1", "o B4"]


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


def test_open_challenges_are_made_joined_and_withdrawn(here: Place, alice: Browser) -> None:
    for size in ("5", "7"):
        alice.open("/me/challenge")
        alice.send(alice.form("Start a board of Oust"), option_size=size)
        assert "That is done" in alice.text
    alice.open("/me")
    alice.send(alice.form("Withdraw", number="2"))
    assert "That is done" in alice.text
    bob = here.signed_in(BOB)
    bob.send(bob.form("Join"))
    assert bob.path == "/me/oust/1?done"
    assert "Nobody waits for an opponent." in (bob.open("/me"), bob.text)[1]


def test_moves_are_queued_and_notes_kept(here: Place, alice: Browser) -> None:
    _started(here, alice)
    alice.open("/me/oust/1?turn=C3")
    alice.send(alice.form("Play C3"))
    alice.send(alice.form("Queue it"), rest="if B2 then D5")
    assert "<code>if B2 then D5</code>" in alice.text
    here.talk.send(BOB, "oust move 1 bob lookingglass B2")
    assert moves_of(here.talk.home) == ["x C3", "o B2", "x D5"]
    alice.open("/me/oust/1")
    alice.send(alice.form("Keep it"), text="Watch the corner.")
    assert "Watch the corner." in alice.text
    alice.send(alice.form("Delete it"))
    assert "Watch the corner." not in alice.text


def test_a_finished_board_is_played_again(here: Place, alice: Browser) -> None:
    _started(here, alice)
    here.talk.send(BOB, "oust resign 1 bob lookingglass")
    alice.open("/me/oust/1")
    alice.send(alice.form("Play again"))
    assert alice.path == "/me/oust/2?done"
    assert "bob (x) - alice (o)" in alice.text


def test_settings_vacations_and_addresses(here: Place, alice: Browser) -> None:
    alice.open("/me/settings")
    alice.send(alice.form(mail="each"), language="fr")
    assert '<html lang="fr">' in alice.text
    assert "C'est fait" in alice.text
    alice.open("/me/settings")
    alice.send(alice.form(mail="each"), zone="Europe/Nowhere")
    assert "Cela n'a pas été fait" in alice.text
    alice.open("/me/settings")
    alice.send(alice.form(mail="each"), zone="Europe/Paris", autopass="on")
    alice.open("/me/settings")
    assert alice.form(mail="each").fields["autopass"] == "on"
    alice.open("/me/settings")
    day = here.talk.now.date() + timedelta(20)
    words = format_date(day, "d MMMM y", "fr")
    alice.send(alice.form(command="vacation"), date=day.isoformat(), days="5")
    alice.open("/me/settings")
    assert words in alice.text
    alice.send(alice.form(command="vacation", rest="cancel"))
    alice.open("/me/settings")
    assert words not in alice.text
    alice.send(alice.form(command="add"), rest="other@example.org", password="wrong-one")
    assert "other@example.org" not in {each.to for each in letters(here.talk.home)}
    alice.open("/me/settings")
    alice.send(alice.form(command="add"), rest="other@example.org", password="wonderland")
    link = here.link_in(here.mail_to("other@example.org"))
    alice.open(link)
    alice.send(alice.form("Confirmer"))
    alice.open("/me/settings")
    assert "<li>other@example.org</li>" in alice.text


def test_the_calendar_of_the_player_has_its_boards(here: Place, alice: Browser) -> None:
    _started(here, alice)
    alice.open("/me/settings")
    (path,) = re.findall(rf">{WEB}(/calendar/\S+\.ics)<", alice.text)
    found = here.site.get(path)
    assert found.headers["content-type"].startswith("text/calendar")
    assert "oust 1" in found.text


def test_everything_kept_about_a_player_comes_by_mail(here: Place, alice: Browser) -> None:
    alice.open("/me/settings")
    alice.send(alice.form(command="export"))
    assert "That is done" in alice.text
    assert "everything" in here.mail_to(ALICE).subject or "export" in here.mail_to(ALICE).subject


def test_any_command_is_carried_out_with_a_hyphen_for_the_password(
    here: Place, alice: Browser
) -> None:
    for line, words in (
        ("oust challenge alice bob -size=5", ""),
        ("list", "oust 1"),
        ("settings alice -", "Your settings:"),
        ("reject alice - bob", "bob"),
        ("bogus", "bogus"),
        ("settings bob -", "That was not done"),
    ):
        alice.open("/me")
        alice.send(alice.form("Carry it out"), line=line)
        assert words in alice.text


def test_a_session_does_not_do_what_needs_the_password(here: Place, alice: Browser) -> None:
    for line in (
        "change password alice - jabberwocky",
        "delete alice - really",
        "change address alice - mallory@example.org",
        "forget alice - really",
    ):
        alice.open("/me")
        alice.send(alice.form("Carry it out"), line=line)
        assert "That was not done" in alice.text
    assert alice.open("/me").status == 200
    alice.open("/me/settings")
    form = alice.form(command="change password")
    alice.send(form, password="wonderland", newpassword="jabberwocky")
    assert "That is done" in alice.text
    alice.open("/me")
    assert alice.path == "/sign-in"


def test_a_message_goes_to_a_player(here: Place, alice: Browser) -> None:
    alice.send(alice.form(command="message"), rest="bob", text="A game of Churn?")
    assert "A game of Churn?" in here.mail_to(BOB).text


def test_a_board_of_others_leads_to_the_page_for_everybody(here: Place, alice: Browser) -> None:
    _started(here, alice)
    got = here.site.get("/me/oust/1")
    assert got.headers["location"] == "/sign-in"
    assert alice.open("/me/oust/7").status == 404


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
    assert "alice (x) - house1 (o)" in alice.text


def test_forms_of_every_page_keep_what_was_typed(here: Place, alice: Browser) -> None:
    _started(here, alice)
    for path, words, fields in (
        ("/me", "Send", {"rest": "nobody", "text": "Hello there"}),
        ("/me", "Carry it out", {"line": "oust move 99 alice - D4", "text": "Why not"}),
        ("/me/settings", "Change", {"zone": "Atlantis"}),
        ("/me/settings", "Announce", {"date": "2026-13-45", "days": "3"}),
        ("/me/settings", "Add", {"rest": "no address", "password": "wonderland"}),
        ("/me/oust/1", "Queue it", {"rest": "if Z9 then E5"}),
        ("/sign-up", "Make the account", {"userid": "c d", "password": "x y", "rest": "c@d.org"}),
    ):
        alice.open(path)
        form = next(each for each in alice.forms() if each.words.strip().endswith(words))
        alice.send(form, **fields)
        assert "That was not done" in alice.text, (path, words)
        assert "Your mail" not in alice.text
        again = next(each for each in alice.forms() if each.words.strip().endswith(words))
        shown = {name: typed for name, typed in fields.items() if name != "password"}
        assert {name: again.fields[name] for name in shown} == shown
        assert again.fields.get("password", "") == ""


def test_only_the_password_makes_the_address_enough(here: Place, alice: Browser) -> None:
    for password, is_settled in (("", False), ("wrong", False), ("wonderland", True)):
        alice.open("/me/settings")
        alice.send(alice.form("Change", zone="UTC"), auth="sender", password=password)
        assert ("That was not done" in alice.text) is not is_settled
        here.talk.send(ALICE, "settings alice wonderland")
        told = " ".join(here.talk.letter_to(ALICE).text.split())
        assert ("auth sender" in told) is is_settled
