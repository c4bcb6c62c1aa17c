"""Programs that send a mail without a terminal: swaks, msmtp, curl and git send-email."""

import pytest

from tests.peers.mail_programs.desk import ALICE, COMMANDS, PEERS, Desk
from tests.peers.mail_programs.letters import COMMAND, GREETING, PAGE, PICTURE, TEXTS, assert_read

RAW = f"From: Alice <{ALICE}>\nTo: {COMMANDS}\nSubject: {COMMAND}\n"
LATIN1 = "MIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\n"
UMLAUTS = TEXTS["umlauts"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--body", GREETING], GREETING),
        (["--body", UMLAUTS], UMLAUTS),
        (["--attach-type", "text/html", "--attach-body", PAGE], GREETING),
        (["--body", GREETING, "--attach-type", "image/png", "--attach", "@board.png"], GREETING),
    ],
)
def test_a_mail_from_swaks_is_read(options: list[str], text: str, desk: Desk) -> None:
    desk.file("board.png", PICTURE)
    program = ("perl", PEERS / "swaks/usr/bin/swaks")
    server = ("--server", "127.0.0.1", "--port", str(desk.port))
    addresses = ("--from", ALICE, "--to", COMMANDS, "--header", f"Subject: {COMMAND}")
    desk.run(*program, *server, *addresses, *options)
    assert_read(desk.sent(), text)


HEADERS = [option for line in RAW.splitlines() for option in ("-H", line)]
HTML = "=<page.html;type=text/html;encoder=quoted-printable"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--upload-file", "-"], GREETING),
        (
            [
                *HEADERS,
                *("-F", f"={UMLAUTS};type=text/plain;encoder=base64"),
                *("-F", "=@board.png;encoder=base64"),
            ],
            UMLAUTS,
        ),
        ([*HEADERS, "-F", "=(;type=multipart/alternative", "-F", HTML, "-F", "=)"], GREETING),
    ],
)
def test_a_mail_from_curl_is_read(options: list[str], text: str, desk: Desk) -> None:
    desk.file("board.png", PICTURE)
    desk.file("page.html", PAGE)
    program = PEERS / "curl/usr/bin/curl"
    server = ("--silent", "--show-error", "--url", f"smtp://127.0.0.1:{desk.port}")
    addresses = ("--mail-from", ALICE, "--mail-rcpt", COMMANDS)
    desk.run(program, *server, *addresses, *options, stdin=f"{RAW}\n{GREETING}")
    assert_read(desk.sent(), text)


@pytest.mark.parametrize(
    ("mail", "text"),
    [
        (f"{RAW}\n{GREETING}".encode(), GREETING),
        (f"{RAW}{LATIN1}\n".encode() + UMLAUTS.encode("latin-1"), UMLAUTS),
        (f"To: {COMMANDS}\nSubject: {COMMAND}\n\n{GREETING}".encode(), GREETING),
    ],
    ids=["as usual", "of raw Latin-1", "without From"],
)
def test_a_mail_from_msmtp_is_read(mail: bytes, text: str, desk: Desk) -> None:
    program = PEERS / "msmtp/usr/bin/msmtp"
    server = ("--host=127.0.0.1", f"--port={desk.port}", "--tls=off")
    sender = (f"--from={ALICE}", "--add-missing-from-header=off")
    desk.run(program, *server, *sender, COMMANDS, stdin=mail)
    assert_read(desk.sent(), text)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(GREETING, ""), *((UMLAUTS, each) for each in ("8bit", "quoted-printable", "base64"))],
)
def test_a_mail_from_git_is_read(text: str, encoding: str, desk: Desk) -> None:
    git, core = PEERS / "git", desk.folder / "git-core"
    environment = {
        "GIT_EXEC_PATH": str(core),
        "GITPERLLIB": str(git / "usr/share/perl5"),
        "PERL5LIB": str(PEERS / "libmailtools-perl/usr/share/perl5"),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    core.mkdir()
    for folder in (git, PEERS / "git-email"):
        for program in (folder / "usr/lib/git-core").iterdir():
            (core / program.name).symlink_to(program)
    desk.file(".gitconfig", f"[user]\nname = Alice Liddell\nemail = {ALICE}\n")
    mail = desk.file("mail.txt", f"Subject: {COMMAND}\n\n{text}")
    server = ("--smtp-server", "127.0.0.1", "--smtp-server-port", str(desk.port))
    quiet = ("--quiet", "--confirm=never", "--suppress-cc=all", "--no-validate")
    addresses = ("--from", ALICE, "--to", COMMANDS)
    encoded = ("--transfer-encoding", encoding, "--8bit-encoding", "UTF-8") if encoding else ()
    options = (*server, *quiet, *addresses, *encoded)
    desk.run(git / "usr/bin/git", "send-email", *options, mail, **environment)
    assert_read(desk.sent(), text)
