"""Programs that send a mail without a terminal: swaks, msmtp, curl, git send-email, Python."""

import smtplib
from email.message import EmailMessage
from email.mime.text import MIMEText

import pytest

from tests.peers.mail_programs.desk import ALICE, COMMANDS, PEERS, Desk
from tests.peers.mail_programs.letters import (
    COMMAND,
    GREETING,
    PAGE,
    PICTURE,
    TEXTS,
    assert_read,
)
from tests.support.waiting import PATIENCE

RAW = f"From: Alice <{ALICE}>\nTo: {COMMANDS}\nSubject: {COMMAND}\n"


def swaks(desk: Desk, *options: str) -> None:
    program = PEERS / "swaks/usr/bin/swaks"
    server = ("--server", "127.0.0.1", "--port", str(desk.port))
    addresses = ("--from", ALICE, "--to", COMMANDS, "--header", f"Subject: {COMMAND}")
    desk.run("perl", program, *server, *addresses, *options)


def curl(desk: Desk, *options: str, stdin: str = "") -> None:
    program = PEERS / "curl/usr/bin/curl"
    server = ("--silent", "--show-error", "--url", f"smtp://127.0.0.1:{desk.port}")
    desk.run(program, *server, "--mail-from", ALICE, "--mail-rcpt", COMMANDS, *options, stdin=stdin)


def msmtp(desk: Desk, *options: str, stdin: str | bytes) -> None:
    program = PEERS / "msmtp/usr/bin/msmtp"
    server = ("--host=127.0.0.1", f"--port={desk.port}", "--tls=off")
    desk.run(program, *server, *options, stdin=stdin)


# swaks


@pytest.mark.parametrize("text", [TEXTS["plain"], TEXTS["umlauts"]], ids=["plain", "umlauts"])
def test_a_text_from_swaks_is_read(text: str, desk: Desk) -> None:
    swaks(desk, "--body", text)
    assert_read(desk.sent(), text)


def test_html_from_swaks_is_read(desk: Desk) -> None:
    swaks(desk, "--attach-type", "text/html", "--attach-body", PAGE)
    assert_read(desk.sent(), GREETING)


def test_the_text_beside_a_picture_from_swaks_is_read(desk: Desk) -> None:
    picture = desk.file("board.png", PICTURE)
    swaks(desk, "--body", GREETING, "--attach-type", "image/png", "--attach", f"@{picture}")
    assert_read(desk.sent(), GREETING)


# curl


def test_a_mail_from_curl_is_read(desk: Desk) -> None:
    curl(desk, "--upload-file", "-", stdin=f"{RAW}\n{GREETING}")
    assert_read(desk.sent(), GREETING)


def test_the_parts_of_a_mail_from_curl_are_read(desk: Desk) -> None:
    picture = desk.file("board.png", PICTURE)
    headers = [option for line in RAW.splitlines() for option in ("-H", line)]
    parts = (
        "-F",
        f"={TEXTS['umlauts']};type=text/plain;encoder=base64",
        "-F",
        f"=@{picture};encoder=base64",
    )
    curl(desk, *headers, *parts)
    assert_read(desk.sent(), TEXTS["umlauts"])


def test_the_alternatives_of_a_mail_from_curl_are_read(desk: Desk) -> None:
    headers = [option for line in RAW.splitlines() for option in ("-H", line)]
    page = desk.file("page.html", PAGE)
    html = ("-F", f"=<{page};type=text/html;encoder=quoted-printable")
    curl(desk, *headers, "-F", "=(;type=multipart/alternative", *html, "-F", "=)")
    assert_read(desk.sent(), GREETING)


# msmtp


def test_a_mail_from_msmtp_is_read(desk: Desk) -> None:
    msmtp(desk, f"--from={ALICE}", COMMANDS, stdin=f"{RAW}\n{GREETING}")
    assert_read(desk.sent(), GREETING)


def test_a_mail_of_raw_latin1_from_msmtp_is_read(desk: Desk) -> None:
    charset = "MIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\n"
    text = TEXTS["umlauts"].encode("latin-1")
    msmtp(desk, f"--from={ALICE}", COMMANDS, stdin=f"{RAW}{charset}\n".encode() + text)
    assert_read(desk.sent(), TEXTS["umlauts"])


def test_a_mail_without_from_is_read_as_from_the_envelope_sender(desk: Desk) -> None:
    bare = f"To: {COMMANDS}\nSubject: {COMMAND}\n\n{GREETING}"
    msmtp(desk, f"--from={ALICE}", "--add-missing-from-header=off", COMMANDS, stdin=bare)
    assert_read(desk.sent(), GREETING)


# git send-email


def send_by_git(desk: Desk, text: str, *options: str) -> None:
    git = PEERS / "git"
    environment = {
        "GIT_EXEC_PATH": str(desk.folder / "git-core"),
        "GITPERLLIB": str(git / "usr/share/perl5"),
        "PERL5LIB": str(PEERS / "libmailtools-perl/usr/share/perl5"),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    core = desk.folder / "git-core"
    core.mkdir()
    for folder in (git, PEERS / "git-email"):
        for program in (folder / "usr/lib/git-core").iterdir():
            (core / program.name).symlink_to(program)
    desk.file(".gitconfig", f"[user]\nname = Alice Liddell\nemail = {ALICE}\n")
    mail = desk.file("mail.txt", f"Subject: {COMMAND}\n\n{text}")
    server = ("--smtp-server", "127.0.0.1", "--smtp-server-port", str(desk.port))
    quiet = ("--quiet", "--confirm=never", "--suppress-cc=all", "--no-validate")
    addresses = ("--from", ALICE, "--to", COMMANDS)
    options = (*server, *quiet, *addresses, *options)
    desk.run(git / "usr/bin/git", "send-email", *options, mail, **environment)


def test_a_text_from_git_is_read(desk: Desk) -> None:
    send_by_git(desk, GREETING)
    assert_read(desk.sent(), GREETING)


@pytest.mark.parametrize("encoding", ["8bit", "quoted-printable", "base64"])
def test_a_text_that_git_has_encoded_is_read(encoding: str, desk: Desk) -> None:
    more = ("--transfer-encoding", encoding, "--8bit-encoding", "UTF-8")
    send_by_git(desk, TEXTS["umlauts"], *more)
    assert_read(desk.sent(), TEXTS["umlauts"])


# Python


def send(desk: Desk, message: EmailMessage | MIMEText) -> None:
    for name, value in (("From", f"Alice <{ALICE}>"), ("To", COMMANDS), ("Subject", COMMAND)):
        message[name] = value
    with smtplib.SMTP("127.0.0.1", desk.port, "localhost", timeout=PATIENCE) as client:
        client.send_message(message)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("encoding", ["8bit", "quoted-printable", "base64"])
def test_a_text_from_python_is_read(text: str, encoding: str, desk: Desk) -> None:
    message = EmailMessage()
    message.set_content(text, cte=encoding)
    send(desk, message)
    assert_read(desk.sent(), text)


@pytest.mark.parametrize(
    ("text", "charset"),
    [("umlauts", "iso-8859-15"), ("Japanese", "iso-2022-jp"), ("Russian", "koi8-r")],
)
def test_a_text_in_an_old_charset_from_python_is_read(text: str, charset: str, desk: Desk) -> None:
    send(desk, MIMEText(TEXTS[text], "plain", charset))
    assert_read(desk.sent(), TEXTS[text])


def test_html_with_a_picture_in_it_from_python_is_read(desk: Desk) -> None:
    message = EmailMessage()
    message.set_content(PAGE, subtype="html")
    message.add_related(PICTURE, "image", "png", cid="<board>")
    send(desk, message)
    assert_read(desk.sent(), GREETING)
