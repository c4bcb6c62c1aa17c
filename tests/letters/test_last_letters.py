"""Letters of games that are over, of cups and of ladders, where there are pages."""

from pathlib import Path

import pytest

from pbm_oust.mail.inbound import Envelope, open_inbound
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of, new_id
from tests.support.mails import mail
from tests.support.outbox import Letter, letters

WEB = "https://games.example.org"


def latest_of(path: Path, *lines: str, web_address: str = WEB) -> dict[str, Letter]:
    """Return the latest letter to each player after lines that each begin with who sends them."""
    home = home_of(path / "home", ALICE, BOB)
    inbound = open_inbound(home, ADDRESS, lambda: NOON, web_address=web_address)
    for each in lines:
        sender, _, line = each.partition(": ")
        address = ALICE if sender == "alice" else BOB
        inbound.take(
            mail(f"From: {address}", f"Subject: {line}", new_id(0)), Envelope(address, (ADDRESS,))
        )
    return {letter.to: letter for letter in letters(home)}


CHALLENGE = "alice: oust challenge alice bob wonderland -size=5"
LADDER = (
    "alice: oust ladder join alice wonderland",
    "bob: oust ladder join bob lookingglass",
    "bob: oust ladder challenge bob lookingglass alice",
)


def test_the_last_letter_of_a_game_leads_to_its_page(tmp_path: Path) -> None:
    latest = latest_of(tmp_path, CHALLENGE, "bob: oust resign 1 bob lookingglass")
    for letter in latest.values():
        assert f"\n  {WEB}/oust/1\n" in letter.text
        assert f'<a href="{WEB}/oust/1" ' in letter.page
        assert letter.page.index("</table>") < letter.page.index(f"{WEB}/oust/1")


def test_the_last_letter_of_a_challenge_leads_to_the_ladder(tmp_path: Path) -> None:
    latest = latest_of(tmp_path, *LADDER, "bob: oust resign 1 bob lookingglass")
    for letter in latest.values():
        assert f"\n  {WEB}/oust/1\n" in letter.text
        assert f"\n  {WEB}/oust/ladder\n" in letter.text
        assert f'<a href="{WEB}/oust/ladder" ' in letter.page


@pytest.mark.parametrize(
    ("lines", "page"),
    [
        (("alice: oust ladder",), "oust/ladder"),
        (LADDER, "oust/ladder"),
        (("alice: tournaments",), "tournaments"),
        (("alice: lessons",), "rules/oust"),
        (("alice: churn lessons",), "rules/churn"),
        (("alice: help churn lessons",), "rules/churn"),
    ],
)
def test_letters_of_what_has_a_page_lead_there(
    lines: tuple[str, ...], page: str, tmp_path: Path
) -> None:
    assert f"\n  {WEB}/{page}\n" in latest_of(tmp_path, *lines)[ALICE].text


@pytest.mark.parametrize("last", ["bob: oust resign 1 bob lookingglass", "alice: oust ladder"])
def test_without_pages_nothing_leads_there(last: str, tmp_path: Path) -> None:
    latest = latest_of(tmp_path, *LADDER, "alice: lessons", last, web_address="")
    assert not any("http" in letter.text + letter.page for letter in latest.values())
