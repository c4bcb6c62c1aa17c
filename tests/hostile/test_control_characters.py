"""What a mail, a file or the database holds steers no terminal, log, letter or header."""

import ast
import io
import json
import logging
import re
from email import message_from_bytes, policy
from pathlib import Path

import pytest

import pbm_oust
from pbm_oust.cli.logs import LogFormatter
from pbm_oust.render.visible import visible_json, visible_letter, visible_line, visible_text
from pbm_oust.store.accounts import all_userids
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, names_of
from tests.support import tables
from tests.support.accounts import make_account
from tests.support.command_line import run
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ALICE, BOB, mailed

tabled = tables.tabled(__file__)

HOSTILE = "\x00\x07\x08\x1b[31m\r\x7f\x85\x9b\udc9b\u202e\u2066\u200b\u2028\ufeff"
STEERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\u200b\u2028]"
)


def logged(log: logging.LogRecord | str) -> str:
    record = log
    if isinstance(record, str):
        record = logging.LogRecord("pbm_oust", logging.INFO, "", 0, "%s", (record,), None)
    return LogFormatter("%(levelname)s %(message)s").format(record)


def test_characters_that_steer_are_shown_as_what_they_are() -> None:
    assert visible_line("a\x1b[2J\r\nb\tc\x9b\udc9b\u202e") == r"a\x1b[2J\r\nb\tc\x9b\udc9b\u202e"
    assert visible_text("a\tb\n\x7fc\u200d") == "a\tb\n" + r"\x7fc\u200d"
    assert visible_letter("\u200d\u200e\u202e\U000e0041") == "\u200d\u200e" + r"\u202e\U000e0041"


@pytest.mark.parametrize("shown", [visible_line, visible_text, visible_letter])
def test_every_character_that_steers_is_shown(shown: type[str]) -> None:
    assert not STEERS.search(str(shown(HOSTILE)))
    assert shown("Zoë, привет, 勝 👍🏽 e\u0301") == "Zoë, привет, 勝 👍🏽 e\u0301"


def test_json_means_the_same_when_it_is_shown() -> None:
    text = json.dumps({"a": HOSTILE}, ensure_ascii=False)
    assert not STEERS.search(visible_json(text))
    assert json.loads(visible_json(text)) == {"a": HOSTILE}


def test_an_entry_of_the_log_is_one_line_whatever_it_quotes() -> None:
    line = logged("refused: \x1b[2J\r\nINFO outcome=done\u202e")
    assert line == r"INFO refused: \x1b[2J\r\nINFO outcome=done\u202e"


def test_no_line_of_a_traceback_passes_for_an_entry() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LogFormatter("%(levelname)s %(message)s"))
    log = logging.Logger("some")
    log.addHandler(handler)
    try:
        raise ValueError("x\nINFO outcome=done \x1b[2J")
    except ValueError:
        log.exception("a fault")
    first, *others = stream.getvalue().splitlines()
    assert first == "ERROR a fault"
    assert others
    assert all(line.startswith("    ") for line in others)
    assert not STEERS.search("".join(others))


@tabled("subject")
def test_a_command_with_control_characters_is_answered_without_them(
    home: Home, subject: str
) -> None:
    for letter in mailed(home, ALICE, subject):
        message = message_from_bytes(letter.data, policy=policy.default)
        assert not STEERS.search("".join(f"{value}" for value in message.values()))
        for part in message.walk():
            if not part.is_multipart():
                assert not STEERS.search(part.get_content().replace("\r\n", "\n"))
    for name in home.outbox.letters():
        for raw in ([], ["--raw"]):
            assert not STEERS.search(run(home, "outbox", "show", name, *raw).output)
    assert not STEERS.search(run(home, "outbox", "list").output)
    assert not STEERS.search(run(home, "outbox", "list", "--json").output)


def test_chat_with_turned_writing_reaches_the_other_player_as_what_it_is(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", BOB)
    sent = mailed(home, ALICE, "message alice wonderland bob", "hi \u202egnihton 👩\u200d🎨")
    texts = [
        part.get_content()
        for letter in sent
        for part in message_from_bytes(letter.data, policy=policy.default).walk()
        if not part.is_multipart()
    ]
    assert any("👩\u200d🎨" in text for text in texts)
    assert not any(STEERS.search(text) for text in texts)


@pytest.fixture
def damaged(home: Home) -> Home:
    """Return a home with a history that would steer a terminal."""
    lay_histories(home, {4: "pbm_oust history 1\nKind: oust\x1b[31m\u202e\nBoard: 4\nX: \x07bob\n"})
    return home


@tabled("words")
def test_a_history_with_control_characters_steers_no_terminal(damaged: Home, words: str) -> None:
    assert not STEERS.search(run(damaged, *words.split()).output)


def test_a_configuration_with_control_characters_steers_no_terminal(home: Home) -> None:
    home.configuration.write_text('address = "pbmserv@\u202e\u009bexample.org"\n"a\\u001b" = "x"\n')
    for words in (["serve"], ["doctor"], ["sweep"]):
        assert not STEERS.search(run(home, *words).output)


def test_an_import_with_control_characters_steers_no_terminal(home: Home) -> None:
    for text in ("pbm_oust history 1\nKind: \x1b[31m\n", '{"kind": "\x1b"}', "(;GM[\x1b\x9b])"):
        assert not STEERS.search(run(home, "games", "import", stdin=text).output)
    line = json.dumps({"userid": "\x1b[31m\u202e", "password": "x\x9b"})
    assert not STEERS.search(run(home, "players", "import", stdin=line).output)


@pytest.mark.parametrize("address", ["a\u202eb@example.org", "a\u200bb@example.org"])
def test_an_address_holds_nothing_that_cannot_be_seen(home: Home, address: str) -> None:
    added = run(home, "players", "add", "alice", address, "--password", "wonderland")
    assert (added.exit_code, home.ask(all_userids)) == (2, [])


def test_only_the_terminal_prints_what_is_no_fixed_text() -> None:
    folder = Path(pbm_oust.__file__).parent
    printing = {"echo", "secho", "echo_via_pager", "confirm", "prompt", "print"}
    found = set()
    for path in folder.rglob("*.py"):
        text = path.read_text()
        for node in (
            ast.walk(ast.parse(text)) if any(f"{name}(" in text for name in printing) else ()
        ):
            if isinstance(node, ast.Call):
                if node.args and isinstance(node.args[0], ast.Constant):
                    continue
                called = node.func
                name = called.attr if isinstance(called, ast.Attribute) else ""
                name = called.id if isinstance(called, ast.Name) else name
                if name in printing:
                    found.add(path.relative_to(folder).as_posix())
    assert found == {"cli/terminal.py"}


def test_a_letter_that_others_put_into_the_outbox_steers_no_terminal(home: Home) -> None:
    data = "Subject: =?utf-8?q?=1B[2J=E2=80=AE?=\nTo: a\x1b@b.c\n\n\x1b[31mtext\r\n\x9b"
    (home.outbox.path / "new" / "1795176000.L000001.pbm_oust").write_bytes(data.encode())
    for words in ("outbox list", "outbox list --json", "outbox show 1795176000.L000001", "doctor"):
        assert not STEERS.search(run(home, *words.split()).output)
    assert BoardName("oust", 1) not in home.ask(names_of, "oust")


def test_noncharacters_of_a_mail_are_no_marks_of_our_letters(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", BOB)
    text = "hi \ufdd0a \ufdd1b \ufdd2c\ufdef \ufffe \U0001ffff \U0010fffe there"
    sent = mailed(home, ALICE, "message alice wonderland bob", text)
    (letter,) = (letter for letter in sent if letter.to == BOB)
    assert not re.search("[\ufdd0-\ufdef\ufffe\uffff\U0001ffff\U0010fffe]", letter.text)
    assert "  hi a b c" in letter.text
