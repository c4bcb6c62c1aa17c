"""aerc, somebody sitting before it."""

import pytest

from tests.peers.mail_programs.desk import ALICE, BOARD_MAIL, COMMANDS, PEERS, Desk
from tests.peers.mail_programs.letters import COMMAND, GREETING, TEXTS, assert_read, assert_reply
from tests.peers.mail_programs.terminal import terminal

SHARE = PEERS / "aerc/usr/share/aerc"


def settle(desk: Desk, editor: str) -> None:
    """Make the folder of mail and the settings."""
    box = desk.folder / "mail/INBOX"
    for name in ("cur", "new", "tmp"):
        (box / name).mkdir(parents=True)
    (box / "new/1.1.host").write_text(BOARD_MAIL)
    account = (
        "[Alice]",
        f"source=maildir://{desk.folder}/mail",
        f"outgoing=smtp+none://127.0.0.1:{desk.port}",
        f"from=Alice Liddell <{ALICE}>",
        "default=INBOX",
    )
    program = (
        f"[ui]\nstylesets-dirs={SHARE}/stylesets",
        f"[compose]\neditor={editor}\nheader-layout=To|From,Subject",
        f"[templates]\ntemplate-dirs={SHARE}/templates",
        "quoted-reply=quoted_reply\nnew-message=new_message",
    )
    folder = desk.folder / ".config/aerc"
    folder.mkdir(parents=True)
    (folder / "accounts.conf").write_text("\n".join(account) + "\n")
    (folder / "accounts.conf").chmod(0o600)
    (folder / "aerc.conf").write_text("\n".join(program) + "\n")
    (folder / "binds.conf").write_text((SHARE / "binds.conf").read_text())


def sit_before(desk: Desk, place: str, text: str, command: str) -> None:
    settle(desk, desk.editor(place, text))
    with terminal([PEERS / "aerc/usr/bin/aerc"], desk.environment, desk.folder) as screen:
        screen.wait_for("your turn")
        screen.type(f":{command}\r")
        screen.wait_for("Send this email?")
        screen.type("y")
        desk.sink.wait_for(1)


@pytest.mark.parametrize("text", ["plain", "umlauts", "Japanese"])
def test_a_text_is_read(text: str, desk: Desk) -> None:
    command = f"compose -H 'To: {COMMANDS}' -H 'Subject: {COMMAND}'"
    sit_before(desk, "above", TEXTS[text], command)
    assert_read(desk.sent(), TEXTS[text])


@pytest.mark.parametrize("place", ["above", "below", "between"])
def test_an_answer_is_read_without_the_quote(place: str, desk: Desk) -> None:
    sit_before(desk, place, GREETING, "reply -q")
    assert_reply(desk.sent(), is_sure=place != "between")
