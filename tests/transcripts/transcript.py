"""Conversations with the server kept as text files: mails in, letters and histories out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec.structs import replace

from pbm_oust.board.notation import parse_ruling, parse_time
from pbm_oust.commands.challenge import header_of
from pbm_oust.grammar.form import Command
from pbm_oust.mail.inbound import Envelope, Inbound, envelope_of, open_inbound
from pbm_oust.play.notices import Notice
from pbm_oust.play.request import Request
from pbm_oust.play.rulings import rule_board
from pbm_oust.play.starting import set_up_board
from pbm_oust.play.tournaments import go_on, open_cup
from pbm_oust.rules import KINDS
from pbm_oust.service.sweep import sweep
from pbm_oust.service.table import parse_line
from pbm_oust.store.home import Home
from pbm_oust.store.index import names_of
from pbm_oust.store.letters import Draft
from pbm_oust.tournaments.cup import SOURCE, Cup
from tests.support.home_by_mail import copy_of
from tests.support.letters import as_text, attached, page_of

WORK = (2**14, 8, 1)
"""The parameters of scrypt with which passwords are hashed here."""
FOLDER = Path(__file__).parent
ADDRESS = "pbmserv@example.com"

SWEEP = "sweep"
"""Stands in the place of a sender where no mail comes in, but the server does what is due."""
OPERATOR = "operator"
"""Stands there where the operator rules or sets a board up: `oust 1 extend o 3d`, or a challenge,
and below that what is written to the players; or opens a tournament, which follows as JSON."""
SLOW = "relay_is_slow"
"""A file of this name in a transcript's folder leaves the letters in the outbox."""

HTML = "shows_html"
"""A file of this name in a transcript's folder shows letters also as HTML, where they are."""

KEY = "0123456789abcdef" * 4

_HEAD = re.compile(r"^=== (\S+) (\S+)(?: (\S+))?\n", re.MULTILINE)


@dataclass(frozen=True)
class Incoming:
    """A mail that comes in at a time."""

    at: datetime
    envelope: Envelope
    data: bytes


def names() -> list[str]:
    """Return the names of all transcripts."""
    return sorted(path.parent.name for path in FOLDER.glob("*/mails.txt"))


def read_mails(path: Path) -> Iterator[Incoming]:
    """Yield the mails of a file."""
    _, *parts = _HEAD.split(path.read_bytes().decode("latin-1"))
    for at, sender, recipient, text in zip(*(parts[n::4] for n in range(4)), strict=True):
        envelope = envelope_of(sender, [recipient or ADDRESS])
        yield Incoming(parse_time(at), envelope, text.encode("latin-1"))


def replay(
    name: str,
    folder: Path,
    notices: list[tuple[Notice, Request]] | None = None,
    letters: list[str] | None = None,
) -> dict[str, str]:
    """Return what a conversation leads to: the text of `letters.txt` and of each history.

    What is told in it is added to `notices`, with the requests, and each letter to `letters`.
    """
    begun = _empty_home() if name == "signup_and_challenge" else _home_after_prelude()
    home = copy_of(Home(Path(begun.name)), folder / "home")
    now: list[datetime] = []
    inbound = _noting(
        open_inbound(home, ADDRESS, lambda: now[-1]), [] if notices is None else notices
    )
    letters = [] if letters is None else letters
    for letter in take(FOLDER / name / "mails.txt", inbound, now):
        letters.append(letter)
    with home.database.read() as snapshot:
        histories = {
            str(home.history_path(name).relative_to(home.path)): text.decode()
            for kind in KINDS
            for name in names_of(snapshot, kind)
            if (text := home.boards.history(snapshot, name))
        }
    return {"letters.txt": "".join(letters), **histories}


@cache
def _empty_home() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory(prefix="pbm_oust-")
    home = Home(Path(folder.name))
    home.key_path.write_text(f"{KEY}\n")
    home.prepare()
    return folder


@cache
def _home_after_prelude() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory(prefix="pbm_oust-")
    home = copy_of(Home(Path(_empty_home().name)), Path(folder.name))
    now: list[datetime] = []
    for _ in take(FOLDER / "prelude.txt", open_inbound(home, ADDRESS, lambda: now[-1]), now):
        pass
    return folder


def _noting(inbound: Inbound, notices: list[tuple[Notice, Request]]) -> Inbound:
    """Return the same, but with its notices and their requests also added to a list."""
    write = inbound.work.write

    def noted(notice: Notice, request: Request) -> list[Draft]:
        notices.append((notice, request))
        return write(notice, request)

    return replace(inbound, work=replace(inbound.work, write=noted))


def take(path: Path, inbound: Inbound, now: list[datetime]) -> Iterator[str]:
    """Yield the letters that the mails of a file lead to."""
    home = inbound.work.home
    shows_html = (path.parent / HTML).exists()
    for mail in read_mails(path):
        now.append(mail.at)
        before = set(home.outbox.letters())
        if mail.envelope.sender == SWEEP:
            sweep(inbound.work)
        elif mail.envelope.sender == OPERATOR:
            _rule(mail.data.decode("latin-1"), inbound)
        else:
            inbound.take(mail.data, mail.envelope)
        for letter in sorted(set(home.outbox.letters()) - before):
            data = home.outbox.read(letter)
            text = as_text(data).decode()
            is_answer = "\nAuto-Submitted: auto-replied\n" in text
            yield f"=== {'answer' if is_answer else 'notice'}\n{text}\n"
            if shows_html and (page := page_of(data)):
                yield f"=== the same as HTML\n{page}\n"
            yield from (f"=== attached: {name}\n\n" for name in attached(data))
        if not (path.parent / SLOW).exists():
            for letter in home.outbox.letters():
                home.outbox.remove(letter)


def _rule(text: str, inbound: Inbound) -> None:
    """Rule, or set a board or a tournament up, as the operator writes it."""
    line, _, reason = text.partition("\n")
    _, command = parse_line(line)
    if isinstance(command, Command):
        given = {name: value for name, value in command.given.items() if name != "password"}
        header = partial(header_of, **given)
        inbound.work.carry_out(lambda on: set_up_board(on, header, reason))
        return
    kind, board, words = line.split(" ", 2)
    if board == SOURCE:
        cup = msgspec.json.decode(words, type=Cup)
        inbound.work.change(lambda on: open_cup(on, cup))
        go_on(inbound.work, cup.kind, cup.number)
        return
    ruling = parse_ruling(words)
    board_of = KINDS[kind], int(board)
    inbound.work.carry_out(lambda on: rule_board(on, *board_of, lambda _: ruling, reason))


def recorded(name: str) -> dict[str, str]:
    """Return what a conversation is recorded to lead to."""
    folder = FOLDER / name
    paths = [folder / "letters.txt", *sorted(folder.glob("*/*.txt"))]
    return {
        str(path.relative_to(folder)): path.read_bytes().decode() for path in paths if path.exists()
    }
