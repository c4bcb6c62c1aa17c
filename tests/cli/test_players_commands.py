"""What the operator does with whole players, on the command line."""

import json
import subprocess
from email import message_from_bytes
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbm_oust.cli import main
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from tests.support.histories import make_from_files
from tests.support.server import PROGRAM

BOARD = BoardName("oust", 1)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with three players and a board of the first two."""
    for userid in ("alice", "bob", "carol"):
        made = _run(
            tmp_path, "players", "add", userid, f"{userid}@example.org", "--password", "wonderland"
        )
        assert made.exit_code == 0
    _deliver(tmp_path, "alice@example.org", "oust challenge alice bob wonderland -size=5")
    return tmp_path


def _run(home: Path, *arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, ["--home", str(home), *arguments], input=stdin)


def _deliver(home: Path, sender: str, line: str) -> None:
    mail = f"From: {sender}\nSubject: {line}\nMessage-ID: <{hash(line)}@example.org>\n\n"
    assert _run(home, "deliver", stdin=mail).exit_code == 0


def _letters(home: Path) -> list[str]:
    outbox = Home(home).outbox
    letters = (message_from_bytes(outbox.read(name)) for name in outbox.letters())
    return [f"{letter['To']}: {letter['Subject']}" for letter in letters]


def test_a_player_is_disabled_and_enabled_again(home: Path) -> None:
    assert _run(home, "players", "disable", "bob").output == "disabled bob\n"
    (_, bob, _) = json.loads(_run(home, "players", "list", "--json").output)
    assert bob["disabled"]
    heading, *rows = _run(home, "players", "list").output.splitlines()
    assert heading.split() == ["USERID", "JOINED", "STATE", "ADDRESSES"]
    states = {row.split()[0]: row.split()[2:] for row in rows}
    assert states["alice"] == ["enabled", "alice@example.org"]
    assert states["bob"] == ["disabled", "bob@example.org"]
    assert json.loads(_run(home, "players", "show", "bob", "--json").output)["disabled"]
    assert "\nDisabled: " in _run(home, "players", "show", "bob").output
    again = _run(home, "players", "disable", "bob")
    assert (again.exit_code, "bob is disabled since" in again.output) == (1, True)
    assert "bob is disabled since" in _run(home, "doctor").output
    assert _run(home, "players", "enable", "BOB").output == "enabled bob\n"
    assert _run(home, "players", "enable", "bob").exit_code == 1
    assert json.loads(_run(home, "players", "show", "bob", "--json").output)["disabled"] is None


def test_a_player_is_renamed_and_told_so_and_the_other_one_is(home: Path) -> None:
    before = _letters(home)
    renamed = _run(home, "players", "rename", "bob", "Bobby")
    assert (renamed.exit_code, renamed.output) == (0, "renamed bob: bobby on 1 board\n")
    assert Home(home).userids() == ["alice", "bobby", "carol"]
    assert "O: bobby\n" in Home(home).history(BOARD).decode()
    assert sorted(_letters(home)[len(before) :]) == [
        "alice@example.org: bob is bobby from now on",
        "bob@example.org: bob is bobby from now on",
    ]
    _deliver(home, "bob@example.org", "oust decline 1 bobby wonderland")
    assert b"= draw void\n" in Home(home).history(BOARD)


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (("rename", "bob", "alice"), 1, "belongs to somebody already"),
        (("rename", "dora", "dorothy"), 1, "there is no player dora"),
        (("rename", "bob", "2bob"), 2, "cannot be a userid"),
        (("rename", "bob", "gone-3"), 2, "cannot be a userid"),
        (("merge", "bob", "alice"), 1, "both have played on oust 1"),
        (("merge", "bob", "bob"), 1, "these are one account"),
        (("merge", "bob", "dora"), 1, "there is no player dora"),
        (("disable", "dora"), 1, "there is no player dora"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason_and_changes_nothing(
    arguments: tuple[str, ...], status: int, reason: str, home: Path
) -> None:
    before = _run(home, "players", "export").output
    refused = _run(home, "players", *arguments)
    assert (refused.exit_code, reason in refused.output) == (status, True)
    assert _run(home, "players", "export").output == before


def test_a_damaged_board_is_named_and_nothing_changes_before_it_is_mended(
    home: Path,
) -> None:
    path = Home(home).history_path(BOARD)
    sound = path.read_text()
    path.write_text(sound.replace("Grid: square 5x5", "Grid: round"))
    make_from_files(home)
    refused = _run(home, "players", "rename", "bob", "bobby")
    assert (refused.exit_code, "mend this board first" in refused.output) == (1, True)
    assert Home(home).userids() == ["alice", "bob", "carol"]
    path.write_text(sound)
    assert _run(home, "games", "accept", "oust", "1").exit_code == 0
    assert _run(home, "players", "rename", "bob", "bobby").exit_code == 0
    assert Home(home).userids() == ["alice", "bobby", "carol"]


def test_two_accounts_of_one_player_are_joined(home: Path) -> None:
    merged = _run(home, "players", "merge", "bob", "carol")
    assert (merged.exit_code, merged.output) == (0, "merged bob: carol on 1 board\n")
    shown = json.loads(_run(home, "players", "show", "carol", "--json").output)
    assert shown["addresses"] == ["carol@example.org", "bob@example.org"]
    assert Home(home).userids() == ["alice", "carol"]
    assert _run(home, "games", "verify").exit_code == 0


def test_the_operator_writes_to_everybody_or_to_some(home: Path) -> None:
    before = len(_letters(home))
    sent = _run(home, "broadcast", stdin="The server rests on Sunday.\n")
    assert (sent.exit_code, sent.output) == (0, "written to 3 players\n")
    assert set(_letters(home)[before:]) == {
        f"{userid}@example.org: the operator writes to everybody"
        for userid in ("alice", "bob", "carol")
    }
    assert _run(home, "broadcast", "--to", "Bob", "--text", "Hello").output == (
        "written to 1 player\n"
    )
    assert _letters(home)[-1] == "bob@example.org: the operator writes to you"


@pytest.mark.parametrize(
    ("arguments", "status"), [(("--text", " "), 2), (("--to", "dora", "--text", "Hello"), 1)]
)
def test_a_broadcast_to_nobody_or_of_nothing_is_refused(
    arguments: tuple[str, ...], status: int, home: Path
) -> None:
    before = _letters(home)
    assert _run(home, "broadcast", *arguments).exit_code == status
    assert _letters(home) == before


def test_an_account_is_shown_with_everything_that_it_keeps_and_no_password(home: Path) -> None:
    _deliver(home, "carol@example.org", "oust watch 1 carol wonderland")
    shown = _run(home, "players", "show", "carol").output.splitlines()
    assert shown[:2] == ["Userid: carol", "Address: carol@example.org"]
    assert shown[3:] == ["Watch: oust 1"]
    text = _run(home, "players", "show", "carol", "--json").output
    assert json.loads(text)["kept"] == {"watched": [{"kind": "oust", "board": 1}]}
    assert "scrypt" not in text


def test_an_export_that_cannot_be_written_names_its_file(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "missing" / "players.jsonl"
    result = _run(home, "players", "export", str(file))
    assert (result.exit_code, result.output) == (1, f"Error: {file}: No such file or directory\n")


def test_exported_accounts_are_imported_into_another_home(home: Path, tmp_path: Path) -> None:
    _deliver(home, "carol@example.org", "oust watch 1 carol wonderland")
    _deliver(home, "bob@example.org", "oust seek bob wonderland")
    file, other = tmp_path / "players.jsonl", tmp_path / "other"
    other.mkdir()
    told = _run(home, "players", "export", str(file))
    assert (told.exit_code, told.output) == (0, "exported 3 accounts\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert _run(home, "players", "export").output == file.read_text()
    tried = _run(other, "players", "import", str(file), "--dry-run")
    assert (tried.output, list(other.iterdir())) == ("would import 3 accounts\n", [])
    done = _run(other, "players", "import", stdin=file.read_text())
    assert (done.exit_code, done.output) == (0, "imported 3 accounts\n")
    assert _run(other, "players", "export").output == file.read_text()
    _deliver(other, "alice@example.org", "oust seek alice wonderland")
    assert "Seek: 2 oust" in _run(other, "players", "show", "alice").output


def test_no_export_takes_the_place_of_a_file(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "precious"
    file.write_text("mine")
    told = _run(home, "players", "export", str(file))
    assert (told.exit_code, "exists already" in told.output) == (1, True)
    assert file.read_text() == "mine"


def test_nothing_is_imported_where_one_account_cannot_be(home: Path, tmp_path: Path) -> None:
    _, bob, _ = _run(home, "players", "export").output.splitlines()
    dora = bob.replace('"bob"', '"dora"')
    for lines, reason in [
        ([dora, bob], "standard input: there are accounts already of bob"),
        ([dora, "{}"], "standard input: line 2: there is no 'userid'"),
        ([dora, dora], "standard input: line 2: the userid dora stands further above, too"),
    ]:
        for dry in ([], ["--dry-run"]):
            told = _run(home, "players", "import", *dry, stdin="\n".join(lines))
            assert (told.exit_code, reason in told.output) == (1, True)
    file = tmp_path / "latin1"
    file.write_bytes(b"\xff")
    assert "no text in UTF-8" in _run(home, "players", "import", str(file)).output
    assert Home(home).userids() == ["alice", "bob", "carol"]


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
