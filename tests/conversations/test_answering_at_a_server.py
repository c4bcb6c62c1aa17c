import re
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support.histories import history_text
from tests.support.player import Player, latest_mail, play_to_the_end
from tests.support.rows import everything_but_letters
from tests.support.server import Server, running


def signed_up(server: Server) -> tuple[Player, Player]:
    """Return two players with accounts."""
    alice, bob = Player("alice", "wonderland", server), Player("bob", "lookingglass", server)
    alice.sign_up()
    bob.sign_up()
    return alice, bob


@pytest.mark.slow
def test_a_whole_game_is_played_by_answers_without_a_password(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        alice, bob = signed_up(server)
        alice.send("oust challenge alice bob wonderland -size=4")
        latest = play_to_the_end((alice, bob), latest_mail((alice, bob)), by_answers=True)
        assert all("over" in str(mail["Subject"]) for mail in latest.values())
        bob.answer(latest["bob"], "Well played, and thank you.")
        (chat,) = alice.wait_for_mail()
        assert chat["Subject"] == "oust 1: bob writes"
        assert "  Well played, and thank you." in chat.get_content()
        alice.answer(chat, "Another one?")
        assert "  Another one?" in bob.wait_for_mail()[-1].get_content()
        assert server.stop() == 0
    assert not re.search(r"\.[a-z2-7]{16}\b", server.log)
    home = Home(tmp_path)
    assert not re.search(r"\.[a-z2-7]{16}\b", history_text(home))
    assert not re.search(r"\.[a-z2-7]{16}\b", everything_but_letters(home))
