"""Playing by the link of a letter: it is worth what the letter's reply address is."""

from pathlib import Path

from pbm_oust.accounts.tags import tag_of
from pbm_oust.mail.inbound import Envelope, open_inbound
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, Talk, home_of, new_id
from tests.support.mails import mail
from tests.support.outbox import letters as letters_of_home


def test_a_letter_to_the_player_to_move_has_the_link_where_pages_are_found(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", ALICE, BOB)
    inbound = open_inbound(home, ADDRESS, lambda: NOON, web_address="https://games.example.org")
    for sender, line in (
        (ALICE, "oust challenge alice bob wonderland -size=5"),
        (ALICE, "oust move 1 alice wonderland C3"),
    ):
        data = mail(f"From: {sender}", f"Subject: {line}", new_id(0))
        inbound.take(data, Envelope(sender, (ADDRESS,)))
    latest = {letter.to: letter for letter in letters_of_home(home)}
    link = f"https://games.example.org/play/{tag_of(str(latest[BOB]['Reply-To']))}"
    assert f"\n  {link}\n" in latest[BOB].text
    assert f'<a href="{link}" ' in latest[BOB].page
    assert "https://" not in latest[ALICE].text


def test_there_is_no_link_where_no_pages_are_found(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    assert "/play/" not in talk.letter_to(ALICE).text
