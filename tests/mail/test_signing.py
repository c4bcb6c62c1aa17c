"""DKIM: what the relay gets is signed for the domain of our address, and nothing can be added."""

import re
import shutil
import subprocess
import sys
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import dkim
import pytest

from pbm_oust.mail.relay import Relaying
from pbm_oust.mail.signing import SIGNED, read_signer
from pbm_oust.store.configuration import BadConfiguration, Configuration
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head
from tests.support.certificates import FOLDER
from tests.support.home_by_mail import ALICE, BOB, NOON, home_of, mailed
from tests.support.outbox import post
from tests.support.server import PROGRAM
from tests.support.sink import listening_sink
from tests.support.waiting import PATIENCE

ADDRESS = "pbmserv@games.example.org"
NAME = b"mail-2026._domainkey.games.example.org."
LIGATURE = "\N{LATIN SMALL LETTER O WITH DIAERESIS}"


def configured(folder: Path, name: str = "dkim.key", mode: int = 0o600) -> Configuration:
    """Return a configuration with a copy of a key that has a mode."""
    path = Path(shutil.copy(FOLDER / name, folder / "key.pem"))
    path.chmod(mode)
    return Configuration(address=ADDRESS, dkim_key=str(path), dkim_selector="mail-2026")


def published(name: bytes, timeout: int = 0) -> bytes | None:
    """Return what the domain publishes about a key, as DNS would."""
    public = (FOLDER / "dkim.txt").read_bytes().strip()
    return b"v=DKIM1; k=rsa; p=" + public if name == NAME else None


def is_signed(letter: bytes) -> bool:
    return bool(dkim.verify(letter, dnsfunc=published))


def relayed(home: Home, configuration: Configuration) -> list[bytes]:
    """Hand over the letters of a home, and return them as they arrive."""
    with listening_sink() as (sink, endpoint):
        signer = read_signer(configuration)
        relaying = Relaying(home, endpoint, ADDRESS, NOON.timestamp, signer)
        assert relaying.flush(all_letters=True).failed == 0
    return [envelope.original_content or b"" for envelope in sink.taken]


def posted(home: Home, to: str, *headers: str, text: str) -> None:
    """Post a letter that is written here."""
    lines = [f"From: pbm_oust <{ADDRESS}>", f"To: {to}", *headers, "", text]
    draft = Draft(Head(to, "<1@example.com>", "1"), "\n".join(lines).encode(), NOON)
    post(home, draft)


def test_the_letters_of_a_game_arrive_signed(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", ALICE, BOB, mails=[(ALICE, "help")])
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5", text=f"Bj{LIGATURE}rn\n.\n")
    arrived = relayed(home, configured(tmp_path))
    assert len(arrived) == 3
    assert all(letter.startswith(b"DKIM-Signature: ") for letter in arrived)
    assert all(map(is_signed, arrived))


@pytest.mark.parametrize(
    ("to", "headers", "text"),
    [
        pytest.param(ALICE, [], ".\n..\n.a\n\n. \n\n\n", id="dots"),
        pytest.param(ALICE, [], "no line end", id="no line end"),
        pytest.param(ALICE, [], "", id="no text"),
        pytest.param(ALICE, [f"Subject: {'long ' * 40}"], "hello\n", id="a long header"),
        pytest.param(ALICE, ["Subject: a", " folded one"], "hello\n", id="a folded header"),
        pytest.param(
            ALICE,
            ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: 8bit"],
            f"{LIGATURE} \n",
            id="8 bits",
        ),
        pytest.param(f"j{LIGATURE}@example.org", ["Subject: hello"], "hello\n", id="SMTPUTF8"),
    ],
)
def test_what_is_signed_is_what_is_sent(
    to: str, headers: list[str], text: str, home: Home, tmp_path: Path
) -> None:
    posted(home, to, *headers, text=text)
    (letter,) = relayed(home, configured(tmp_path))
    assert is_signed(letter)


def test_letters_are_the_same_without_their_signature(home: Home, tmp_path: Path) -> None:
    for configuration in (Configuration(), configured(tmp_path)):
        posted(home, ALICE, "Subject: hello", text="hello\n")
        (letter,) = relayed(home, configuration)
        unsigned = re.sub(rb"\ADKIM-Signature: .*\r\n(?:[ \t].*\r\n)*", b"", letter)
        assert unsigned.startswith(b"From: ")
        assert unsigned.endswith(b"\r\n\r\nhello\r\n")


@pytest.fixture(scope="module")
def letter(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a letter that has arrived."""
    path = tmp_path_factory.mktemp("letter")
    home = home_of(path / "home", ALICE, BOB, mails=[(ALICE, "help")])
    return relayed(home, configured(path))[0]


@pytest.mark.parametrize("name", SIGNED)
def test_nobody_can_add_a_header_that_is_acted_on(name: str, letter: bytes) -> None:
    assert is_signed(letter)
    assert not is_signed(f"{name}: another\r\n".encode() + letter)


@pytest.mark.parametrize("name", ["From", "To", "Subject", "Date", "Message-ID", "In-Reply-To"])
def test_nobody_can_change_a_header_or_the_text(name: str, letter: bytes) -> None:
    value = str(message_from_bytes(letter, policy=default)[name])
    changed = letter.replace(f"{name}: {value[:4]}".encode(), f"{name}: x".encode())
    assert changed != letter
    assert not is_signed(changed)
    assert not is_signed(letter + b"more\r\n")


@pytest.mark.parametrize(
    ("name", "mode", "complaint"),
    [
        ("dkim.key", 0o644, "others can read or write"),
        ("dkim.key", 0o660, "others can read or write"),
        ("first.key", 0o600, "is no private key of RSA in PEM without a password"),
        ("first.pem", 0o600, "is no private key of RSA in PEM without a password"),
        ("short.key", 0o600, "has 512 bits; 1024 are the least"),
    ],
)
def test_a_key_that_cannot_be_used_is_named(
    name: str, mode: int, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(BadConfiguration, match=f"^dkim_key: .*{re.escape(complaint)}"):
        read_signer(configured(tmp_path, name, mode))


def test_a_key_that_is_not_there_is_named(tmp_path: Path) -> None:
    configuration = Configuration(dkim_key=str(tmp_path / "none"), dkim_selector="a")
    with pytest.raises(BadConfiguration, match=r"^dkim_key: .*none: No such file or directory$"):
        read_signer(configuration)
    (tmp_path / "none").mkdir()
    with pytest.raises(BadConfiguration, match=r"^dkim_key: "):
        read_signer(configuration)


def test_a_key_that_its_group_can_read_is_used(tmp_path: Path) -> None:
    assert read_signer(configured(tmp_path, mode=0o640))


def test_the_key_is_not_shown(tmp_path: Path) -> None:
    assert "PRIVATE" not in repr(read_signer(configured(tmp_path)))


@pytest.mark.slow
@pytest.mark.parametrize("command", ["serve", "doctor"])
def test_a_program_that_cannot_sign_says_so(command: str, tmp_path: Path) -> None:
    home = home_of(tmp_path / "home")
    key = configured(tmp_path, mode=0o644).dkim_key
    home.configuration.write_text(f'dkim_key = "{key}"\ndkim_selector = "a"\nsmtp = "127.0.0.1:0"')
    home.database.close()
    done = subprocess.run(
        [PROGRAM, "--home", home.path, command], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == {"serve": 2, "doctor": 1}[command]
    assert f"pbm_oust.toml: dkim_key: others can read or write {key}" in done.stdout + done.stderr


@pytest.mark.slow
def test_without_the_library_only_signing_is_impossible(tmp_path: Path) -> None:
    configured(tmp_path)
    program = """
import sys
sys.modules["dkim"] = None
from pbm_oust.mail.signing import read_signer
from pbm_oust.store.configuration import BadConfiguration, Configuration
assert read_signer(Configuration()) is None
try:
    read_signer(Configuration(dkim_key=sys.argv[1], dkim_selector="a"))
except BadConfiguration as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "key.pem"], capture_output=True, text=True
    )
    assert "install pbm_oust[dkim]" in done.stdout
