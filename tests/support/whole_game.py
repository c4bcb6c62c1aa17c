"""A whole game that two players play by answering letters, and the mail that each of them has."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import timedelta
from email import message_from_bytes
from email.message import Message
from email.utils import format_datetime
from pathlib import Path
from random import Random

from pbm_oust.rules import KINDS
from pbm_oust.store.open_boards import read_game
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, Talk


@dataclass
class Correspondence:
    """Two players and all mail that they have: what came, and what they answered."""

    talk: Talk
    boxes: dict[str, list[Message]] = field(default_factory=lambda: defaultdict(list))

    def command(self, sender: str, line: str) -> None:
        """Send a command; the mailboxes get what it leads to, but not the command itself."""
        self.talk.send(sender, line)
        self._sort()

    def answer(self, letter: Message, text: str) -> None:
        """Hit Reply and send, as mail programs do (RFC 5322, section 3.6.4)."""
        self.talk.now += timedelta(hours=20)
        sender, recipient = str(letter["To"]), str(letter["Reply-To"])
        number = sum(map(len, self.boxes.values()))
        data = (
            f"From: {sender}\r\nTo: {recipient}\r\nSubject: Re: {letter['Subject']}\r\n"
            f"Date: {format_datetime(self.talk.now)}\r\n"
            f"Message-ID: <answer.{number}@example.org>\r\n"
            f"In-Reply-To: {letter['Message-ID']}\r\n"
            f"References: {letter['References']}\r\n {letter['Message-ID']}\r\n\r\n{text}\r\n"
        ).encode()
        self.boxes[sender].append(message_from_bytes(data))
        self.talk.hand_in(data, sender, recipient)
        self._sort()

    def _sort(self) -> None:
        for letter in self.talk.letters:
            self.boxes[letter.to].append(message_from_bytes(letter.data))


def game_and_another_board(path: Path, subject: str = "news") -> Correspondence:
    """Return the correspondence of a whole game, with a second board that has just begun."""
    game = whole_game(path, subject)
    game.command(ALICE, "oust challenge bob alice wonderland -size=5")
    return game


def whole_game(path: Path, subject: str = "news") -> Correspondence:
    """Return the correspondence of a game of Oust from the challenge to the end."""
    talk = Talk.begin(path, ALICE, BOB)
    talk.send(ALICE, f"settings alice wonderland subject {subject}")
    talk.send(BOB, f"settings bob lookingglass subject {subject}")
    mail, chance = Correspondence(talk), Random(3)
    mail.command(ALICE, "oust challenge alice bob wonderland -size=5")
    while not (game := read_game(talk.home, KINDS["oust"], 1)).result:
        box = mail.boxes[{"alice": ALICE, "bob": BOB}[game.player_to_move]]
        latest = [letter for letter in box if letter["From"] == f"pbm_oust <{ADDRESS}>"][-1]
        placements = game.header.grid.names(game.position.placements())
        mail.answer(latest, chance.choice(placements or ["pass"]))
    return mail
