"""Playing by the link of a letter: it is worth what the letter's reply address is."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pbm_oust.accounts.tags import tag_of
from pbm_oust.mail.inbound import Envelope, open_inbound
from tests.support.histories import moves_of
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, Talk, home_of, new_id
from tests.support.mails import mail
from tests.support.outbox import letters as letters_of_home
from tests.support.website import Got, Website, website


class Game:
    """A home with a board of 5x5 on which x has a capture, its pages, and the mail about it."""

    def __init__(self, talk: Talk, pages: Website) -> None:
        self.talk, self.pages = talk, pages

    def link(self, reader: str = ALICE) -> str:
        """Return the path of the page in the latest letter to a player."""
        return f"/play/{tag_of(str(self.talk.letter_to(reader)['Reply-To']))}"

    def send(self, path: str, **fields: str) -> Got:
        """Send the form of a page."""
        return self.pages.post(path, urlencode(fields))

    @property
    def moves(self) -> list[str]:
        """What has been played."""
        return moves_of(self.talk.home)


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    for sender, signed in (
        (ALICE, "alice wonderland B3"),
        (BOB, "bob lookingglass C3"),
        (ALICE, "alice wonderland E1"),
        (BOB, "bob lookingglass A1"),
    ):
        talk.send(sender, f"oust move 1 {signed}")
    with website(tmp_path / "home") as pages:
        yield Game(talk, pages)


def test_a_link_is_no_wrong_one_for_what_stands_behind_it(game: Game) -> None:
    link = game.link()
    for marks in (".", ">", "/", ")."):
        got = game.pages.get(f"{link}{marks}")
        assert (got.status, got.headers["location"]) == (307, link)
        assert got.headers["cache-control"] == "no-store"


def test_the_link_is_the_player_s_and_of_this_record(game: Game) -> None:
    link = game.link()
    for wrong in (link.replace("alice", "bob"), link.replace(".5.", ".6."), f"{link}x", "/play/x"):
        got = game.pages.get(wrong)
        assert got.status == 410
        assert "This link counts no more" in got.text
        assert game.send(wrong, deed="resign").status == 410
    assert len(game.moves) == 4


def test_what_cannot_be_done_is_said_on_the_page_and_not_by_mail(game: Game) -> None:
    link, before = game.link(), len(letters_of_home(game.talk.home))
    got = game.send(link, deed="pass")
    assert got.status == 200
    assert "You may pass only when you have no placement" in got.text
    assert len(letters_of_home(game.talk.home)) == before
    assert len(game.moves) == 4


def test_forms_of_other_sites_and_other_sorts_are_refused(game: Game) -> None:
    link = game.link()
    form = urlencode({"deed": "resign"})
    assert game.pages.post(link, form, sec_fetch_site="cross-site").status == 403
    assert game.pages.post(link, form, content_type="text/plain").status == 415
    assert game.pages.post(link, "text=" + "x" * 70_000).status == 413
    assert len(game.moves) == 4


def test_pages_with_a_proof_are_kept_nowhere(game: Game) -> None:
    headers = game.pages.get(game.link()).headers
    assert headers["cache-control"] == "no-store"
    assert "noindex" in headers["x-robots-tag"]
    assert headers["referrer-policy"] == "no-referrer"


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
    assert f'<a href="{link}">' in latest[BOB].page
    assert "https://" not in latest[ALICE].text


def test_there_is_no_link_where_no_pages_are_found(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    assert "/play/" not in talk.letter_to(ALICE).text
