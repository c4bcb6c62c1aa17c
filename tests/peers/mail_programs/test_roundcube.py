"""The webmail Roundcube, somebody sitting before a browser."""

import shutil
from collections.abc import Iterator

import pytest

from tests.peers.browsers.chromium import browsing
from tests.peers.mail_programs.desk import ALICE, BOARD, BOARD_MAIL, BOARD_SUBJECT, Desk
from tests.peers.mail_programs.letters import GREETING, assert_reply
from tests.peers.mail_programs.roundcube import serving_roundcube
from tests.peers.mail_programs.webmail import Webmail
from tests.peers.mail_servers.games import PASSWORDS, make_players
from tests.peers.mail_servers.host import OWNER, Host, open_folder
from tests.peers.mail_servers.postfix import running_postfix
from tests.support.player import Player
from tests.support.sink import listening_sink


@pytest.fixture
def desk() -> Iterator[Desk]:
    with open_folder() as folder, listening_sink() as (sink, endpoint):
        box = folder / "mail"
        for path in (box, *(box / name for name in ("cur", "new", "tmp"))):
            path.mkdir()
            shutil.chown(path, OWNER, OWNER)
        (box / "new/1.1.host").write_text(BOARD_MAIL)
        yield Desk(folder, endpoint.port, sink)


def test_an_answer_in_html_is_read_without_the_quote(desk: Desk) -> None:
    place = (desk.folder / "roundcube", desk.folder / "mail", desk.port)
    with serving_roundcube(*place, html=True) as page, browsing(desk.folder / "browser") as browser:
        webmail = Webmail(browser)
        webmail.log_in(page, ALICE)
        shown = webmail.open(BOARD_SUBJECT)
        assert shown.split() == BOARD.split()
        webmail.answer(GREETING.rstrip())
    mail = desk.sent()
    assert mail.kind == "multipart/alternative"
    assert_reply(mail, GREETING.replace("\n", "\n\n"))


def test_a_plain_answer_is_a_move(host: Host) -> None:
    host.configure()
    roundcube = (host.folder / "roundcube", host.mail / "alice", host.smtp_port)
    with running_postfix(host, host.postfix_settings) as postfix, host.serving():
        make_players(host)
        bob = Player("bob", PASSWORDS["bob"], host)
        bob.send("oust challenge alice bob lookingglass -size=7")
        bob.wait_for_mail()
        with (
            serving_roundcube(*roundcube, html=False) as page,
            browsing(host.folder / "browser") as browser,
        ):
            webmail = Webmail(browser)
            webmail.log_in(page, ALICE)
            assert "It is your turn, alice" in webmail.open("bob challenges you: oust 1")
            webmail.answer("D4\nGood luck, Bob.")
            (mail,) = bob.wait_for_mail()
        assert " to=<pbmserv+oust.1.1.alice." in postfix.log
    assert mail["Subject"] == "oust 1 #2: your turn, bob"
    text = mail.get_body(("plain",))
    assert text
    assert "alice played D4." in text.get_content()
    assert "\n  Good luck, Bob.\n" in text.get_content()
