"""The mailx family: s-nail, and bsd-mailx handing its mail to msmtp."""

import pytest

from tests.peers.mail_programs.desk import ALICE, COMMANDS, PEERS, Desk
from tests.peers.mail_programs.letters import (
    COMMAND,
    GREETING,
    PICTURE,
    SIGNATURE,
    TEXTS,
    assert_read,
    assert_reply,
)


def s_nail(desk: Desk, *options: str, stdin: str) -> None:
    program = PEERS / "s-nail/usr/bin/s-nail"
    lines = (
        f'set v15-compat mta="smtp://127.0.0.1:{desk.port}" smtp-auth=none',
        f'set from="Alice Liddell <{ALICE}>" hostname=example.org nosave ttycharset=utf-8',
    )
    rc = desk.file("mailrc", "\n".join(lines) + "\n")
    desk.run(program, "-:u", *options, stdin=stdin, MAILRC=str(rc))


def answer_by_s_nail(desk: Desk, stdin: str, *options: str) -> None:
    # ~. ends a letter, exit leaves the folder as it is
    s_nail(desk, "-#", "-~", "-f", *options, str(desk.inbox), stdin=f"reply 1\n{stdin}~.\nexit\n")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_from_s_nail_is_read(text: str, desk: Desk) -> None:
    s_nail(desk, "-s", COMMAND, COMMANDS, stdin=text)
    assert_read(desk.sent(), text)


@pytest.mark.parametrize("charset", ["iso-8859-1", "utf-8"])
@pytest.mark.parametrize("encoding", ["8bit", "quoted-printable", "base64"])
def test_a_text_that_s_nail_has_encoded_is_read(charset: str, encoding: str, desk: Desk) -> None:
    more = ("-S", f"sendcharsets={charset}", "-S", f"mime-encoding={encoding}")
    s_nail(desk, *more, "-s", COMMAND, COMMANDS, stdin=TEXTS["umlauts"])
    assert_read(desk.sent(), TEXTS["umlauts"])


def test_the_text_of_a_mail_with_a_picture_from_s_nail_is_read(desk: Desk) -> None:
    picture = desk.file("board.png", PICTURE)
    s_nail(desk, "-a", str(picture), "-s", COMMAND, COMMANDS, stdin=GREETING)
    assert_read(desk.sent(), GREETING)


@pytest.mark.parametrize("prefix", ["> ", " |"])
def test_an_answer_of_s_nail_below_the_quote_is_read(prefix: str, desk: Desk) -> None:
    answer_by_s_nail(desk, f"\n{GREETING}", "-S", "quote", "-S", f"indentprefix={prefix}")
    assert_reply(desk.sent())


@pytest.mark.parametrize("prefix", ["> ", " |"])
def test_an_answer_of_s_nail_above_the_quote_is_read(prefix: str, desk: Desk) -> None:
    more = ("-S", f"indentprefix={prefix}", "-S", "forward-inject-head=On %d, %f wrote:\\n")
    answer_by_s_nail(desk, f"{GREETING}\n~Q 1\n", *more)
    assert_reply(desk.sent())


def test_a_signature_of_s_nail_is_not_read(desk: Desk) -> None:
    signature = desk.file("signature", f"-- \n{SIGNATURE}")
    s_nail(desk, "-~", "-s", COMMAND, COMMANDS, stdin=f"{GREETING}~r {signature}\n")
    assert_read(desk.sent(), GREETING)


def bsd_mailx(desk: Desk, *options: str, stdin: str, setting: str = "") -> None:
    program = PEERS / "bsd-mailx/usr/bin/bsd-mailx"
    msmtp = PEERS / "msmtp/usr/bin/msmtp"
    lines = ("#!/bin/sh", f'exec {msmtp} --host=127.0.0.1 --port={desk.port} --from={ALICE} "$@"')
    sendmail = desk.file("sendmail", "\n".join(lines) + "\n")
    sendmail.chmod(0o755)
    rc = desk.file("mailrc", f"set sendmail={sendmail}\n{setting}\n")
    desk.run(program, *options, stdin=stdin, MAILRC=str(rc))


def test_a_text_from_bsd_mailx_is_read(desk: Desk) -> None:
    bsd_mailx(desk, "-s", COMMAND, COMMANDS, stdin=GREETING)
    assert_read(desk.sent(), GREETING)


def test_a_text_with_a_charset_from_bsd_mailx_is_read(desk: Desk) -> None:
    charset = "Content-Type: text/plain; charset=UTF-8"
    bsd_mailx(desk, "-a", charset, "-s", COMMAND, COMMANDS, stdin=TEXTS["umlauts"])
    assert_read(desk.sent(), TEXTS["umlauts"])


@pytest.mark.parametrize("place", ["above", "below"])
def test_an_answer_of_bsd_mailx_is_read_without_the_quote(place: str, desk: Desk) -> None:
    written = f"{GREETING}~m 1\n" if place == "above" else f"~m 1\n\n{GREETING}"
    answer_by_bsd_mailx(desk, written, "set indentprefix='> '")
    assert_reply(desk.sent())


def test_an_answer_of_bsd_mailx_above_a_quote_marked_by_tabs_is_read(desk: Desk) -> None:
    answer_by_bsd_mailx(desk, f"{GREETING}~m 1\n")
    assert_reply(desk.sent())


def answer_by_bsd_mailx(desk: Desk, written: str, setting: str = "") -> None:
    stdin = f"Reply 1\n{written}~.\nexit\n"
    bsd_mailx(desk, "-I", "-f", str(desk.inbox), stdin=stdin, setting=setting)
