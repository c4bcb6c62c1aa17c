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


def encoded(charset: str, encoding: str) -> tuple[str, ...]:
    return ("-S", f"sendcharsets={charset}", "-S", f"mime-encoding={encoding}")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        *((text, ()) for text in TEXTS.values()),
        *(
            (TEXTS["umlauts"], encoded(charset, encoding))
            for charset in ("iso-8859-1", "utf-8")
            for encoding in ("8bit", "quoted-printable", "base64")
        ),
        (GREETING, ("-a", "board.png")),
    ],
)
def test_a_text_from_s_nail_is_read(text: str, options: tuple[str, ...], desk: Desk) -> None:
    desk.file("board.png", PICTURE)
    s_nail(desk, *options, "-s", COMMAND, COMMANDS, stdin=text)
    assert_read(desk.sent(), text)


INJECTED = ("-S", "forward-inject-head=On %d, %f wrote:\\n")


@pytest.mark.parametrize("prefix", ["> ", " |"])
@pytest.mark.parametrize(
    ("written", "options"),
    [(f"\n{GREETING}", ("-S", "quote")), (f"{GREETING}\n~Q 1\n", INJECTED)],
    ids=["below", "above"],
)
def test_an_answer_of_s_nail_is_read_without_the_quote(
    written: str, options: tuple[str, ...], prefix: str, desk: Desk
) -> None:
    # ~. ends a letter, exit leaves the folder as it is
    stdin = f"reply 1\n{written}~.\nexit\n"
    more = ("-#", "-~", "-f", *options, "-S", f"indentprefix={prefix}")
    s_nail(desk, *more, str(desk.inbox), stdin=stdin)
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


@pytest.mark.parametrize(
    ("text", "options"),
    [(GREETING, ()), (TEXTS["umlauts"], ("-a", "Content-Type: text/plain; charset=UTF-8"))],
)
def test_a_text_from_bsd_mailx_is_read(text: str, options: tuple[str, ...], desk: Desk) -> None:
    bsd_mailx(desk, *options, "-s", COMMAND, COMMANDS, stdin=text)
    assert_read(desk.sent(), text)


@pytest.mark.parametrize(
    ("written", "setting"),
    [
        (f"{GREETING}~m 1\n", "set indentprefix='> '"),
        (f"~m 1\n\n{GREETING}", "set indentprefix='> '"),
        (f"{GREETING}~m 1\n", ""),
    ],
    ids=["above", "below", "above tabs"],
)
def test_an_answer_of_bsd_mailx_is_read_without_the_quote(
    written: str, setting: str, desk: Desk
) -> None:
    stdin = f"Reply 1\n{written}~.\nexit\n"
    bsd_mailx(desk, "-I", "-f", str(desk.inbox), stdin=stdin, setting=setting)
    assert_reply(desk.sent())
