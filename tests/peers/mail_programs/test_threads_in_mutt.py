"""All mail about a board is one thread in mutt."""

import mailbox

import pytest

from tests.peers.mail_programs.desk import PEERS, Desk
from tests.support.home_by_mail import ALICE, BOB
from tests.support.whole_game import Correspondence, game_and_another_board

PLAYERS = [ALICE, BOB]


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Correspondence:
    """Return a game whose Subjects say what happened, and another board that has just begun."""
    return game_and_another_board(tmp_path_factory.mktemp("news"))


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("mutt", ["mutt", "neomutt"])
def test_mutt_shows_a_board_as_one_thread(
    mutt: str, player: str, news: Correspondence, desk: Desk
) -> None:
    box = news.boxes[player]
    inbox, thread = desk.folder / "all", desk.folder / "thread"
    folder = mailbox.mbox(inbox)
    for letter in box:
        folder.add(letter)
    folder.close()
    keys = f"<first-entry><tag-thread><tag-prefix><copy-message><kill-line>{thread}<enter><exit>"
    lines = (
        f"set folder = '{desk.folder}'",
        "set sort = threads",
        "set strict_threads = yes",
        "set auto_tag = no",
        "set confirmcreate = no",
        "set mbox_type = Maildir",
        f'push "{keys}"',
    )
    rc = desk.file("muttrc", "\n".join(lines) + "\n")
    program = PEERS / mutt / "usr/bin" / mutt
    desk.run_in_terminal(program, "-n", "-F", rc, "-R", "-f", inbox)
    found = {letter["Message-ID"] for letter in mailbox.Maildir(thread, create=False)}
    assert found == {letter["Message-ID"] for letter in box[:-1]}
