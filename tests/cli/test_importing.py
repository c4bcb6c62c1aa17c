"""Games exported and imported on the command line."""

import gzip
import re
from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import Result

from pbm_oust.store import ladders, tournaments
from pbm_oust.store.boards import challenge_remark
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, names_of, started_by
from pbm_oust.store.open_boards import read_game
from tests.support.accounts import make_account
from tests.support.command_line import run
from tests.support.cups import ENDED, lay_cup
from tests.support.games import history_of, new_game, play
from tests.support.histories import (
    SAMPLES,
    history_text,
    lay_samples,
    make_from_files,
    short_history,
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the three sample games."""
    lay_samples(tmp_path / "from")
    return tmp_path / "from"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Where a home will be."""
    return tmp_path / "to"


def games(home: Path, *words: str, stdin: str | bytes = "") -> Result:
    return run(home, "games", *words, stdin=stdin)


def exported(home: Path, *arguments: str) -> str:
    result = games(home, "export", *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refusal(home: Path, *arguments: str, stdin: str | bytes) -> str:
    before = contents(home)
    result = games(home, "import", *arguments, stdin=stdin)
    assert result.exit_code == 1
    assert contents(home) == before
    return result.output.removeprefix("Error: standard input: ").strip()


def contents(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(home.glob("oust/*"))}


def add_player(home: Path, userid: str) -> None:
    made = Home(home)
    made.prepare()
    make_account(made, userid, "wonderland", f"{userid}@example.org")


@pytest.mark.parametrize("form", ["--sgf", "--json"])
def test_a_file_that_gzip_has_compressed_is_imported_as_it_is(
    form: str, home: Path, other: Path
) -> None:
    data = gzip.compress(exported(home, "oust", "3", form).encode())
    assert games(other, "import", stdin=data).output.startswith("imported oust 1: ")
    told = "gzip has not made this, or not all of it is here"
    assert refusal(home, stdin=data[:-9]) == told
    assert refusal(home, stdin=data[:2] + b"any") == told


def test_what_is_large_without_its_compression_is_not_taken(home: Path) -> None:
    told = refusal(home, stdin=gzip.compress(bytes(5 * 2**20)))
    assert told.endswith("has more than 4 MB; to take it all the same, give --large")


def test_a_game_that_has_gone_on_since_is_not_imported_again(home: Path) -> None:
    path = home / "oust" / "2.txt"
    whole = path.read_text()
    text = exported(home, "oust", "2", "--json")
    path.write_text("".join(whole.splitlines(keepends=True)[:16]))
    assert refusal(home, stdin=text) == "this game is here already: oust 2"
    earlier = exported(home, "oust", "2", "--json")
    path.write_text(whole)
    assert refusal(home, stdin=earlier) == "this game is here already: oust 2"


def test_a_game_that_goes_on_takes_accounts_of_both_players(other: Path) -> None:
    add_player(other, "rrognlie")
    history = history_of(play(new_game("square 5x5"), "x C3", "o swap", "o A1")).decode()
    told = refusal(other, stdin=history)
    assert told.endswith("so both players need accounts, and there is none of marksteere")
    add_player(other, "marksteere")
    assert games(other, "import", "--as", "17", stdin=history).exit_code == 0
    assert (other / "oust" / "17.txt").read_text() == history
    assert (
        games(other, "list", "--which", "active")
        .output.splitlines()[1]
        .startswith("oust 17  square 5x5")
    )


def as_mail(text: str, encoding: str, charset: str = "utf-8") -> bytes:
    mail = EmailMessage()
    mail["From"] = "bob@example.net"
    mail["Subject"] = "Re: oust 2: over, bob wins"
    mail.set_content(text, cte=encoding, charset=charset)
    mail.add_alternative("<p>Look at this.</p>", subtype="html")
    return bytes(mail)


@pytest.mark.parametrize("encoding", ["8bit", "quoted-printable", "base64"])
@pytest.mark.parametrize("quote", ["", "> ", "| "])
def test_a_mail_that_holds_a_game_is_taken_with_its_headers(
    encoding: str, quote: str, home: Path, other: Path
) -> None:
    sgf = exported(home, "oust", "2", "--sgf")
    text = "".join(f"{quote}{line}\n" for line in sgf.splitlines())
    mail = as_mail(f"Schön gespielt!\n\nOn Monday, the server wrote:\n{text}\n-- \nBob\n", encoding)
    result = games(other, "import", "--as", "2", stdin=mail)
    assert result.exit_code == 0, result.output
    assert contents(other)["2.txt"] == contents(home)["2.txt"]


@pytest.mark.parametrize("kind", ["application/x-go-sgf", "application/octet-stream", "text/plain"])
def test_a_mail_with_a_game_attached_is_taken(kind: str, home: Path, other: Path) -> None:
    mail = EmailMessage()
    mail["From"] = "bob@example.net"
    mail.set_content("Here is our game.\n")
    main_type, _, subtype = kind.partition("/")
    game = exported(home, "oust", "2", "--sgf").encode()
    mail.add_attachment(game, main_type, subtype, filename="oust-2.sgf", cte="base64")
    result = games(other, "import", "--as", "2", stdin=bytes(mail))
    assert result.exit_code == 0, result.output
    assert contents(other)["2.txt"] == contents(home)["2.txt"]


def test_a_challenge_is_known_again_behind_an_old_game_that_was_imported(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.prepare()
    young, key = new_game("square 5x5"), "00112233445566ff"
    home.do(home.boards.start, young, challenge_remark(key))
    result = games(tmp_path, "import", stdin=(SAMPLES / "1.txt").read_text())
    assert result.output.startswith("imported oust 18")
    assert home.ask(started_by, key) == BoardName.of(young.header)
    assert read_game(home, young.header.kind, young.header.board) == young


@pytest.mark.parametrize("year", ["9999", "2999"])
@pytest.mark.parametrize("form", ["", "--json", "--sgf"])
def test_a_game_at_a_time_that_cannot_be_is_refused_with_its_place(
    form: str, year: str, home: Path, other: Path
) -> None:
    text = exported(home, "oust", "3", form) if form else (home / "oust" / "3.txt").read_text()
    times = re.findall(r"\d{4}(-\d\d-\d\dT\d\d:\d\d:\d\dZ)", text)
    said = refusal(other, stdin=re.sub(rf"\d{{4}}(?={times[-1]})", year, text))
    assert f"{year}{times[-1]} is no time at which it can have happened" in said
    assert re.match(r"(line|record|node|the) ", said)
    said = refusal(other, stdin=re.sub(r"\d{4}(?=-\d\d-\d\dT)", "0001", text))
    assert "is no time at which it can have happened" in said


KEY = "# challenge 4f0c1d2e9a8b7c6d\n"
OF_CUP = "# tournament 1 round 1 section 1"


def told_of(remarks: str, x: str = "alice", o: str = "bob", moved: str = ENDED) -> str:
    """Return a history that is over and has some remarks below its header."""
    text = short_history(7, moved, ENDED, x=x, o=o)
    return text.replace("\n\n", f"\n\n{KEY}{remarks}\n", 1)


def with_cup(path: Path) -> Home:
    """Return a home with a cup in which one game of alice and bob, and others, are to be played."""
    home = Home(path)
    home.prepare()
    lay_cup(home, 1, ("alice", "bob"), (0,))
    section = home.ask(tournaments.section_at, ("oust", 1, 1, 1))
    assert section
    for name in home.ask(names_of, "oust"):
        home.do(home.boards.remove, name)
        home.history_path(name).unlink()
    home.ask(home.publisher.begin_anew, is_published=True)
    return home


def in_cup(home: Home) -> list[str]:
    """Return the boards of the section of that cup."""
    section = home.ask(tournaments.section_at, ("oust", 1, 1, 1))
    assert section
    return [board.name for board in home.ask(tournaments.boards_of, section)]


@pytest.mark.parametrize("form", ["", "--sgf", "--json"])
@pytest.mark.parametrize(
    "remarks",
    [
        OF_CUP,
        f"{OF_CUP}\n{OF_CUP}",
        "# seek 3\n# tournament 1 round 1 section 1",
        "# ladder 1",
        "# seek 3",
        "# rematch 5",
        "# replay 5",
    ],
)
def test_a_file_does_not_say_of_itself_where_it_belongs(
    remarks: str, form: str, tmp_path: Path
) -> None:
    text = told_of(remarks)
    if form:
        (tmp_path / "from" / "oust").mkdir(parents=True)
        (tmp_path / "from" / "oust" / "7.txt").write_text(text)
        make_from_files(tmp_path / "from")
        text = exported(tmp_path / "from", "oust", "7", form)
    home = with_cup(tmp_path / "to")
    result = games(home.path, "import", stdin=text)
    left_out = f"left out, as --into is not given: {remarks.splitlines()[0]}\n"
    assert (result.exit_code, result.output.endswith(left_out)) == (0, True)
    said = history_text(home, 1)
    assert KEY in said
    assert not [line for line in remarks.splitlines() if line in said]
    assert in_cup(home) == []
    assert home.ask(ladders.size, "oust") == 0


def test_the_operator_may_put_a_game_where_it_says_that_it_belongs(tmp_path: Path) -> None:
    home = with_cup(tmp_path / "to")
    result = games(home.path, "import", "--into", stdin=told_of(OF_CUP))
    assert result.output.endswith(f"kept: {OF_CUP}\n")
    assert in_cup(home) == ["oust 1"]
    assert games(home.path, "import", "--into", stdin=told_of("# ladder 1", "eve")).exit_code == 0
    assert home.ask(ladders.size, "oust") == 2
    assert games(home.path, "import", "--into", stdin=told_of("# replay 1", "fay")).exit_code == 0


def test_nothing_is_put_where_there_is_no_room_for_it(tmp_path: Path) -> None:
    home = with_cup(tmp_path / "to")
    for remarks, x, told in (
        (OF_CUP, "eve", "there is no tournament 1 round 1 section 1 here in which both play"),
        (OF_CUP.replace("1 round", "2 round"), "alice", "there is no tournament 2 round 1"),
        (OF_CUP.replace("section 1", "section 2"), "alice", "there is no tournament 1 round 1"),
        ("# a game of old", "alice", "the game does not say where it belongs"),
    ):
        assert told in refusal(home.path, "--into", stdin=told_of(remarks, x))
    games(home.path, "import", "--into", stdin=told_of(OF_CUP))
    later = told_of(OF_CUP, moved="2026-11-02T00:00:00Z")
    assert "are here already" in refusal(home.path, "--into", stdin=later)


@pytest.mark.parametrize("form", ["", "--sgf", "--json"])
@pytest.mark.parametrize(
    ("moved", "told"),
    [
        ("2026-10-01T00:00:00Z", "2026-10-01T00:00:00Z lies before 2026-11-01T00:00:00Z"),
        ("2026-11-25T00:00:00Z", f"{ENDED} lies before 2026-11-25T00:00:00Z"),
    ],
)
def test_a_record_older_than_what_was_before_is_refused(
    moved: str, told: str, form: str, tmp_path: Path
) -> None:
    text = told_of("# a game of old", moved=moved)
    if form:
        (tmp_path / "from" / "oust").mkdir(parents=True)
        (tmp_path / "from" / "oust" / "7.txt").write_text(text)
        make_from_files(tmp_path / "from")
        text = exported(tmp_path / "from", "oust", "7", form)
    said = refusal(tmp_path / "to", stdin=text)
    assert said.endswith(told)
    assert said.startswith(("line ", "record ", "node "))


def test_an_edited_file_moves_no_board_into_another_table(tmp_path: Path) -> None:
    home = with_cup(tmp_path / "to")
    assert games(home.path, "import", stdin=told_of("# a game of old")).exit_code == 0
    path = home.path / "oust" / "1.txt"
    whole = path.read_text()
    path.write_text(whole.replace("# a game of old", OF_CUP))
    result = games(home.path, "accept", "oust", "1")
    assert (result.exit_code, "came from, which stays as it is" in result.output) == (1, True)
    assert in_cup(home) == []
    path.write_text(whole.replace("of old", "of today"))
    assert games(home.path, "accept", "oust", "1").exit_code == 0
