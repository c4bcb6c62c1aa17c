"""Lines that letters of ours offer, sent back as people do, lead to what the letters say.

The letters are those of the conversations in `talks/`: to each one that is new, in each language,
its lines are sent back with a copy of the home as it was when the letter was written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, cast
from zlib import crc32

import pytest

from pbm_oust.accounts.tags import tag_of
from pbm_oust.grammar.form import Command
from pbm_oust.grammar.notation import Text
from pbm_oust.languages import LANGUAGES
from pbm_oust.play.unit_of_work import ForEither, ForPlayer
from pbm_oust.rules import KINDS
from pbm_oust.service.table import parse_line
from pbm_oust.store.accounts import readable_account
from pbm_oust.store.home import Home
from tests.conversations.test_talks import FOLDER, Lines
from tests.support.conversation import Conversation, address_of
from tests.support.home_by_mail import ADDRESS, PASSWORDS, Talk, copy_of, new_id
from tests.support.mails import mail
from tests.support.outbox import Letter
from tests.support.tables import scripts

OFFERED = re.compile(r"(?:^  |:  )(\S+(?: \S+)*)", re.MULTILINE)
PLACE = re.compile(r"[^\W\d_a-z]{4,}\d?")
"""A word in capitals, in whose place something of one's own is put."""
SHEET = re.compile(rf"(?:{'|'.join(KINDS)}) \d+: ")
MOVE = re.compile(r"[a-z]\d{1,2}(?:,[a-z]\d{1,2})*", re.IGNORECASE)
PROOF = re.compile(r"\bauth\b")
"""A setting that changes what proves a command takes the password itself."""
NEWCOMER = {"USERID": "newcomer", "PASSWORD": "rabbithole9"}
FIT = {
    "USERID": "carol",
    "USERID1": "alice",
    "USERID2": "bob",
    "BOARD": "1",
    "MOVE": "resign",
    "NEWPASSWORD": "rabbithole9",
}
ENGLISH = {name: word for each in LANGUAGES.values() for word, name in each.placeholders.items()}
UNDERSTOOD = re.compile(
    r"done.*|answered|refused: (?:own_seek|no_such_(?:board|player|tournament))"
)
"""Outcomes of a line that is understood. Nobody joins a challenge of their own, and the board,
the cup and the players of an example may not be there."""


class Manner(NamedTuple):
    """How somebody answers."""

    prefix: str
    text: str
    """The words around LINE and the QUOTE of the letter."""
    is_plain: bool
    """Whether it goes to our address without a tag, and names the letter in a header."""
    is_html: bool = False


UNUSED = Talk(Home(Path("unused")))
ABOVE = "LINE\n\nQUOTE"
TEXTS = (ABOVE, "QUOTE\n\nLINE\n", "LINE\n\n-- \nrita\nhttps://rita.example\n", "Hello,\n\nLINE\n")
MANNERS = [
    Manner(prefix, text, is_plain, is_html)
    for text, is_html in [*((text, False) for text in TEXTS), (ABOVE, True)]
    for is_plain in (False, True)
    for prefix in ("Re: ", "AW: ", "RE: [list] ")
]


def offered(letter: Letter) -> Iterator[tuple[str, str]]:
    """Yield the lines that a letter offers, with all places filled in, and what each asks for.

    Left out is what its reader cannot do yet, as an account or the text for others is wanting.
    """
    tag = tag_of(str(letter["Reply-To"])).split(".")
    userid = "" if len(tag) < 3 or tag[-2].isdigit() else tag[-2]
    password = PASSWORDS.get(userid, "")
    for line in dict.fromkeys(OFFERED.findall(letter.text)):
        _, command = parse_line(line)
        fit, name = FIT | {"PASSWORD": password}, ""
        if isinstance(command, Command):
            form, name = command.form, command.form.name
            is_signed = form.is_signed or isinstance(form.run, ForEither)
            needs_proof = tag[0] in KINDS or PROOF.search(line)
            if name == "signup":
                fit = NEWCOMER
            elif form.text is not Text.BESIDE or (is_signed and not password):
                continue
            elif isinstance(form.run, ForPlayer) and form.run.may_be_sender and not needs_proof:
                fit = FIT | {"PASSWORD": "PASSWORD"}
            if is_signed and userid and userid not in line.split():
                fit = fit | {"USERID": userid}
        elif SHEET.match(line):
            if tag[0] != "sheet":
                continue
        elif letter["X-Pbm-Oust"] == "start" and tag[0] == "begin":
            pass  # its words are answers to it alone
        elif not (MOVE.fullmatch(line) and letter["X-Pbm-Oust"] == "board" and tag[0] in KINDS):
            continue
        filled = line
        for place in PLACE.findall(line):
            filled = filled.replace(place, fit.get(ENGLISH.get(place, place), place))
        if "***" not in line and not set(PLACE.findall(filled)) - {"PASSWORD"}:
            yield filled, name


@dataclass
class Answered(Conversation):
    """A conversation in which each letter is also answered, in a copy of the home."""

    seen: set[tuple[str | None, ...]] = field(default_factory=set)
    salt: str = ""
    """Changes in which manner a line is sent back."""
    wrong: list[str] = field(default_factory=list)
    """Lines that were not understood, and what became of them."""
    stored: dict[str, str] = field(default_factory=dict)
    """The passwords of players as they were stored when the conversation began."""

    def got(self, letters: list[Letter]) -> None:
        super().got(letters)
        for letter in letters:
            topic = tag_of(str(letter["Reply-To"])).partition(".")[0]
            for line, name in offered(letter):
                what = letter["X-Pbm-Oust"], letter["Content-Language"], topic, name
                if what not in self.seen and not self.has_old_password(line):
                    self.seen.add(what)
                    which = crc32(f"{self.salt}{what}".encode()) % len(MANNERS)
                    self.answer(letter, line, MANNERS[which])

    def has_old_password(self, line: str) -> bool:
        """Whether a line carries the password of a player who has another one now."""
        return any(
            password in line.split() and stored_in(self.talk, userid) != self.stored.get(userid)
            for userid, password in PASSWORDS.items()
        )

    def answer(self, letter: Letter, line: str, manner: Manner) -> None:
        """Send a line of a letter back."""
        quoted = "\n".join(f"> {each}" for each in letter.text.splitlines())
        text = manner.text.replace("LINE", line).replace("QUOTE", f"You wrote:\n{quoted}")
        kind = list[str]()
        if manner.is_html:
            kind = ["MIME-Version: 1.0", "Content-Type: text/html; charset=utf-8"]
            text = f"<p>{line}</p><blockquote>{quoted}</blockquote>"
        to = ADDRESS if manner.is_plain else str(letter["Reply-To"])
        subject = f"Subject: {manner.prefix}{letter.subject}"
        answered = f"In-Reply-To: {letter['Message-ID']}"
        data = mail(
            f"From: {letter.to}", f"To: {to}", subject, answered, new_id(), *kind, text=text
        )
        with TemporaryDirectory() as folder:
            talk = replace(self.talk, home=copy_of(self.talk.home, Path(folder) / "home"))
            talk.hand_in(data, letter.to, to)
            talk.home.close()
        # A letter about a limit says that no more is answered until it ends.
        is_limit = "until then" in letter.text and talk.outcome.startswith("silent: the limit")
        if not (is_limit or UNDERSTOOD.fullmatch(talk.outcome)):
            self.wrong.append(f"{letter['X-Pbm-Oust']}: {line!r}, {manner}: {talk.outcome}")


def stored_in(talk: Talk, userid: str) -> str | None:
    """Return the password of a player as it is stored in a home."""
    account = talk.home.ask(readable_account, userid)
    return account.password if account else None


def answer_all(path: Path, answered: Answered, every: int = 1) -> None:
    """Answer the letters of every so many conversations of a file."""
    for case in [*scripts(path)][::every]:
        players, before, lines = cast("tuple[Lines, Lines, Lines]", case.values)
        with TemporaryDirectory() as folder:
            talk = Talk.begin(Path(folder), *map(address_of, players))
            stored = {userid: stored_in(talk, userid) or "" for userid in PASSWORDS}
            conversation = replace(answered, talk=talk, latest={}, stored=stored)
            conversation.say([*before, *lines])
            conversation.talk.home.close()


FILES = [
    path
    for path in sorted(FOLDER.glob("*.txt"))
    if path.stem not in ("house", "analyses", "limits")
]
"""The conversations but for those in which programs think, or limits are reached."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_a_letter_offers_is_understood_when_it_comes_back(path: Path) -> None:
    answered = Answered(UNUSED)
    answer_all(path, answered, every=40)
    assert answered.wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_so_is_every_letter_of_a_conversation_in_one_manner_or_another(path: Path) -> None:
    answered = Answered(UNUSED, salt=path.stem)
    answer_all(path, answered)
    assert answered.wrong == []
