"""What the operator does with whole players, on the command line."""

import subprocess
from email import message_from_bytes
from pathlib import Path

import pytest

from pbm_oust.store.accounts import all_userids
from pbm_oust.store.home import Home
from tests.support.command_line import run
from tests.support.server import PROGRAM


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with three players and a board of the first two."""
    for userid in ("alice", "bob", "carol"):
        made = run(
            tmp_path, "players", "add", userid, f"{userid}@example.org", "--password", "wonderland"
        )
        assert made.exit_code == 0
    _deliver(tmp_path, "alice@example.org", "oust challenge alice bob wonderland -size=5")
    return tmp_path


def _deliver(home: Path, sender: str, line: str) -> None:
    mail = f"From: {sender}\nSubject: {line}\nMessage-ID: <{hash(line)}@example.org>\n\n"
    assert run(home, "deliver", stdin=mail).exit_code == 0


def _letters(home: Path) -> list[str]:
    outbox = Home(home).outbox
    letters = (message_from_bytes(outbox.read(name)) for name in outbox.letters())
    return [f"{letter['To']}: {letter['Subject']}" for letter in letters]


def test_exported_accounts_are_imported_into_another_home(home: Path, tmp_path: Path) -> None:
    _deliver(home, "carol@example.org", "oust watch 1 carol wonderland")
    _deliver(home, "bob@example.org", "oust seek bob wonderland")
    file, other = tmp_path / "players.jsonl", tmp_path / "other"
    other.mkdir()
    told = run(home, "players", "export", str(file))
    assert (told.exit_code, told.output) == (0, "exported 3 accounts\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert run(home, "players", "export").output == file.read_text()
    tried = run(other, "players", "import", str(file), "--dry-run")
    assert (tried.output, list(other.iterdir())) == ("would import 3 accounts\n", [])
    done = run(other, "players", "import", stdin=file.read_text())
    assert (done.exit_code, done.output) == (0, "imported 3 accounts\n")
    assert run(other, "players", "export").output == file.read_text()
    _deliver(other, "alice@example.org", "oust seek alice wonderland")
    assert "Seek: 2 oust" in run(other, "players", "show", "alice").output


def test_nothing_is_imported_where_one_account_cannot_be(home: Path, tmp_path: Path) -> None:
    _, bob, _ = run(home, "players", "export").output.splitlines()
    dora = bob.replace('"bob"', '"dora"')
    for lines, reason in [
        ([dora, bob], "standard input: there are accounts already of bob"),
        ([dora, "{}"], "standard input: line 2: there is no 'userid'"),
        ([dora, dora], "standard input: line 2: the userid dora stands further above, too"),
    ]:
        for dry in ([], ["--dry-run"]):
            told = run(home, "players", "import", *dry, stdin="\n".join(lines))
            assert (told.exit_code, reason in told.output) == (1, True)
    file = tmp_path / "latin1"
    file.write_bytes(b"\xff")
    assert "no text in UTF-8" in run(home, "players", "import", str(file)).output
    assert Home(home).ask(all_userids) == ["alice", "bob", "carol"]


def test_without_a_terminal_a_password_is_a_line_on_standard_input(tmp_path: Path) -> None:
    def program(*words: str, said: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [PROGRAM, "--home", str(tmp_path), *words],
            input=said,
            capture_output=True,
            text=True,
            start_new_session=True,
        )
        return done.returncode, done.stdout, done.stderr

    dora = ("players", "add", "dora", "dora@example.org")
    status, _, told = program(*dora, said="")
    assert status == 2
    assert told.endswith("it is a line on standard input, or in PBM_OUST_PASSWORD\n")
    assert program(*dora, said="looking-glass\n") == (0, "made dora\n", "")
    changed = program("players", "passwd", "dora", said="wonderland")
    assert changed == (0, "changed the password of dora\n", "")
    _deliver(tmp_path, "dora@example.org", "settings dora wonderland zone UTC")
    assert _letters(tmp_path)[-1] == "dora@example.org: your settings, dora"
