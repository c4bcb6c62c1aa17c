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


def test_a_chain_is_built_step_by_step_and_played_once(game: Game) -> None:
    link = game.link()
    begun = game.pages.get(link)
    assert begun.status == 200
    assert 'href="?turn=B4#board"' in begun.text
    further = game.pages.get(f"{link}?turn=B4").text
    assert "You captured, so you must place again." in further
    assert 'href="?turn=B4,E3#board"' in further
    whole = game.pages.get(f"{link}?turn=B4,E3").text
    assert "Play B4,E3" in whole
    assert "?turn=B4,E3," not in whole
    assert len(game.moves) == 4
    for _ in range(2):
        done = game.send(link, deed="turn", turn="B4,E3", text="Hello Bob!")
        assert (done.status, done.headers["location"]) == (303, f"{link}?done")
    assert game.moves[4:] == ["x B4*1 E3"]
    told = [letter for letter in letters_of_home(game.talk.home) if letter.to == BOB][-1]
    assert "alice writes:\n\n  Hello Bob!" in told.text
    assert "That is done." in game.pages.get(f"{link}?done").text


def test_a_keyboard_gets_past_the_board_at_once(game: Game) -> None:
    text = game.pages.get(game.link()).text
    skipped, board, target = '<a class="skip" href="#deeds">', "<svg", 'id="deeds"'
    assert text.index(skipped) < text.index(board) < text.index(target)
    others = game.pages.get(game.link(BOB)).text
    assert skipped not in others


def test_looking_changes_nothing(game: Game) -> None:
    link = game.link()
    for more in ("", "?turn=B4", "?turn=B4,E3", "?turn=Z9", "?ask=resign", "?deed=resign", "?done"):
        assert game.pages.get(f"{link}{more}").status == 200
    assert len(game.moves) == 4


def test_the_link_is_the_player_s_and_of_this_record(game: Game) -> None:
    link = game.link()
    for wrong in (link.replace("alice", "bob"), link.replace(".5.", ".6."), f"{link}x", "/play/x"):
        got = game.pages.get(wrong)
        assert got.status == 410
        assert "This link counts no more" in got.text
        assert game.send(wrong, deed="resign").status == 410
    assert len(game.moves) == 4


def test_an_old_link_shows_the_board_and_plays_nothing(game: Game) -> None:
    link = game.link()
    game.talk.send(ALICE, "oust move 1 alice wonderland B5")
    assert "?turn=" not in game.pages.get(link).text
    refused = game.send(link, deed="turn", turn="E3")
    assert refused.status == 200
    assert "oust move" not in refused.headers.get("location", "")
    assert len(game.moves) == 5


def test_a_new_password_ends_the_link(game: Game) -> None:
    link = game.link()
    game.talk.send(ALICE, "change password alice wonderland jabberwocky")
    assert game.pages.get(link).status == 410


def test_resigning_is_asked_for_twice(game: Game) -> None:
    link = game.link()
    assert 'value="resign"' not in game.pages.get(link).text
    assert 'value="resign"' in game.pages.get(f"{link}?ask=resign").text
    assert game.send(link, deed="resign").status == 303
    assert game.moves[-1] == "x resign"


def test_a_draw_is_accepted_or_refused_with_a_button(game: Game) -> None:
    game.talk.send(BOB, "oust propose 1 bob lookingglass")
    link = game.link()
    page = game.pages.get(link).text
    assert "bob proposes a draw. A move by either player counts as no." in page
    assert 'value="reject"' in page
    assert 'value="propose"' not in page
    assert game.send(link, deed="reject").status == 303
    assert game.moves[-1] == "x reject"
    game.talk.send(BOB, "oust propose 1 bob lookingglass")
    assert game.send(game.link(), deed="accept").status == 303
    assert "agreed" in game.pages.get(link).text


def test_a_turn_is_asked_back_with_a_button(game: Game) -> None:
    link = game.link()
    assert 'value="undo"' in game.pages.get(link).text
    assert game.send(link, deed="undo").status == 303
    assert game.moves[-1] == "x undo"
    page = game.pages.get(link).text
    assert "Your request to take your latest move back is waiting for an answer." in page
    assert 'value="undo"' not in page


def test_who_has_not_played_leaves_a_board_and_gives_up_nothing(game: Game) -> None:
    game.talk.send(BOB, "oust challenge alice bob lookingglass -size=5")
    link = game.link()
    page = game.pages.get(link).text
    assert "?ask=decline" in page
    assert "?ask=resign" not in page
    assert "counts as never begun" in game.pages.get(f"{link}?ask=decline").text
    assert game.send(link, deed="decline").status == 303
    assert "counts as never begun" in game.pages.get(link).text


def test_what_cannot_be_done_is_said_on_the_page_and_not_by_mail(game: Game) -> None:
    link, before = game.link(), len(letters_of_home(game.talk.home))
    got = game.send(link, deed="pass")
    assert got.status == 200
    assert "You may pass only when you have no placement" in got.text
    assert len(letters_of_home(game.talk.home)) == before
    assert len(game.moves) == 4


def test_text_goes_to_the_other_player(game: Game) -> None:
    assert game.send(game.link(), deed="chat", text="resign").status == 303
    assert len(game.moves) == 4
    assert [each for each in letters_of_home(game.talk.home) if each.to == BOB][-1].text.count(
        "resign"
    )


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
