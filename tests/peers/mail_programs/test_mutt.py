"""mutt and neomutt, with a terminal and without."""

import pytest

from tests.peers.mail_programs.desk import ALICE, COMMANDS, PEERS, SEND_ANYWAY, Desk
from tests.peers.mail_programs.letters import (
    COMMAND,
    GREETING,
    PAGE,
    PICTURE,
    SIGNATURE,
    TEXTS,
    assert_read,
    assert_reply,
)

MUTTS = ["mutt", "neomutt"]


def settings(desk: Desk, *more: str) -> str:
    lines = [
        f'set smtp_url = "smtp://127.0.0.1:{desk.port}"',
        f'set from = "{ALICE}"',
        'set realname = "Alice Liddell"',
        "set hostname = example.org",
        "set ssl_starttls = no",
        "set ssl_force_tls = no",
        f"set folder = '{desk.folder}'",
        "set copy = no",
        "set include = yes",
        "set fast_reply = yes",
        "set signature = ''",
        "set mime_forward = no",
        SEND_ANYWAY,
        "set send_charset = 'us-ascii:utf-8'",
        *more,
    ]
    return str(desk.file("muttrc", "\n".join(lines) + "\n"))


def write(mutt: str, desk: Desk, text: str, *options: str, more: tuple[str, ...] = ()) -> None:
    program = PEERS / mutt / "usr/bin" / mutt
    rc = settings(desk, *more)
    desk.run(program, "-n", "-F", rc, "-s", COMMAND, *options, "--", COMMANDS, stdin=text)


def answer(mutt: str, desk: Desk, place: str, keys: str = "<reply>", more: str = "") -> None:
    """Answer the board mail in the terminal."""
    editor = desk.editor(place, GREETING)
    rc = settings(desk, f"set editor = '{editor}'", more, f'push "{keys}<send-message><exit>"')
    program = PEERS / mutt / "usr/bin" / mutt
    desk.run_in_terminal(program, "-n", "-F", rc, "-f", desk.inbox)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("mutt", MUTTS)
def test_a_text_is_read(mutt: str, text: str, desk: Desk) -> None:
    write(mutt, desk, text)
    assert_read(desk.sent(), text)


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", "utf-8"])
@pytest.mark.parametrize("mutt", MUTTS)
def test_a_text_in_another_charset_is_read(mutt: str, charset: str, desk: Desk) -> None:
    write(mutt, desk, TEXTS["umlauts"], more=(f"set send_charset = {charset}",))
    assert_read(desk.sent(), TEXTS["umlauts"])


@pytest.mark.parametrize("mutt", MUTTS)
def test_the_text_of_a_mail_with_a_picture_is_read(mutt: str, desk: Desk) -> None:
    write(mutt, desk, GREETING, "-a", str(desk.file("board.png", PICTURE)))
    assert_read(desk.sent(), GREETING)


@pytest.mark.parametrize("mutt", MUTTS)
def test_html_is_read(mutt: str, desk: Desk) -> None:
    write(mutt, desk, PAGE, more=("set content_type = text/html",))
    assert_read(desk.sent(), GREETING)


@pytest.mark.parametrize("mutt", MUTTS)
def test_a_flowed_text_is_read_in_paragraphs(mutt: str, desk: Desk) -> None:
    write(mutt, desk, "One paragraph \nin two lines.\n", more=("set text_flowed = yes",))
    assert_read(desk.sent(), "One paragraph in two lines.")


@pytest.mark.parametrize("place", ["above", "below", "between"])
@pytest.mark.parametrize("mutt", MUTTS)
def test_an_answer_is_read_without_the_quote(mutt: str, place: str, desk: Desk) -> None:
    answer(mutt, desk, place)
    assert_reply(desk.sent(), is_sure=place != "between")


@pytest.mark.parametrize("place", ["above", "below"])
@pytest.mark.parametrize("mutt", MUTTS)
def test_an_answer_is_read_without_the_signature(mutt: str, place: str, desk: Desk) -> None:
    signature = desk.file("signature", SIGNATURE)
    answer(mutt, desk, place, more=f"set signature = {signature}")
    assert_reply(desk.sent())


@pytest.mark.parametrize("mutt", MUTTS)
def test_a_board_mail_that_is_passed_on_is_read_without_it(mutt: str, desk: Desk) -> None:
    answer(mutt, desk, "above", keys=f"<forward-message>{COMMANDS}<enter>")
    mail = desk.sent()
    assert mail.text == GREETING.strip()
