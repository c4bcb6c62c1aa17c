"""Games exported and imported on the command line."""

import gzip
import re
from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import Result

from pbm_oust.store.boards import challenge_remark
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import started_by
from tests.support.accounts import make_account
from tests.support.command_line import run
from tests.support.games import history_of, new_game, play
from tests.support.histories import SAMPLES, lay_samples


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
    assert started_by(home, key) == young


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
