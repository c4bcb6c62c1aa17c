"""Players of the league: each has an address and habits, and sees the boards in the histories."""

from collections import Counter
from dataclasses import dataclass, field
from email.message import EmailMessage
from random import Random

from pbm_oust.board import Deed, Game
from pbm_oust.rules import KINDS, Position
from pbm_oust.service.table import parse_line
from pbm_oust.store.home import Home
from pbm_oust.store.index import names_of
from pbm_oust.store.open_boards import read_game
from tests.league.clock import SetClock
from tests.league.post import Post
from tests.support.letters import text_of


@dataclass
class World:
    """What the players share: the post, the clock, and the boards to look at."""

    home: Home
    post: Post
    clock: SetClock
    random: Random
    used: Counter[str] = field(default_factory=Counter)
    """How often each command was mailed."""

    def games(self) -> list[Game]:
        """Return all boards, in order."""
        return [
            read_game(self.home, kind, name.board)
            for kind in KINDS.values()
            for name in self.home.ask(names_of, kind.name)
        ]

    def chance(self, share: float) -> bool:
        """Return whether something happens that happens in this share of cases."""
        return self.random.random() < share


@dataclass
class Player:
    """Somebody who plays."""

    userid: str
    password: str
    address: str
    world: World
    diligence: float = 0.9
    """On which share of the days he looks at his boards."""
    is_gone: bool = False
    """Whether he does not write any more."""

    def send(self, subject: str, text: str = "", to: str = "") -> str:
        """Mail a command, and return the Message-ID."""
        self._count(subject)
        if subject == "multiple":
            for line in text.splitlines():
                self._count(line)
        return self.world.post.send(
            self.address, subject, text, self.world.clock.now(), **({"to": to} if to else {})
        )

    def ask(self, subject: str, text: str = "", to: str = "") -> EmailMessage:
        """Mail a command and return the answer, which is no refusal."""
        letter = self.world.post.answer_to(self.address, self.send(subject, text, to))
        assert letter["X-Pbm-Oust"] != "refusal", f"{subject}\n{text_of(letter)}"
        return letter

    def signed(self, words: str, rest: str = "", text: str = "", board: Game | None = None) -> None:
        """Mail a command with the password behind it, of a board where one is given."""
        head = f"{board.header.kind.name} {words} {board.header.board}" if board else words
        self.ask(f"{head} {self.userid} {self.password} {rest}".strip(), text)

    def answer(self, letter: EmailMessage, text: str = "") -> EmailMessage:
        """Answer a letter by hitting Reply, and return what comes back."""
        return self.ask(f"Re: {letter['Subject']}", text, to=str(letter["Reply-To"]))

    def sign_up(self) -> None:
        """Make the account, by answering the mail that brings the code."""
        code = self.ask(f"signup {self.userid} {self.password}")
        welcome = self.answer(code, "yes")
        assert welcome["Subject"] == f"welcome, {self.userid}", welcome

    def waiting(self) -> list[Game]:
        """Return the boards on which it is the player's turn."""
        return [game for game in self.active() if game.player_to_move == self.userid]

    def active(self) -> list[Game]:
        """Return the player's boards that go on."""
        return [
            game for game in self.world.games() if not game.result and game.side_of(self.userid)
        ]

    def turn_words(self, game: Game, chance_to_stop: float = 0.0) -> str:
        """Return a turn that is possible on a board, or a part of it."""
        return ",".join(turn_of(game.position, self.world.random, chance_to_stop))

    def _count(self, line: str) -> None:
        parsed, _ = parse_line(line.removeprefix("Re: "))
        if parsed.form:
            self.world.used[parsed.form.name] += 1


def turn_of(position: Position, random: Random, chance_to_stop: float) -> list[str]:
    """Return a random turn from a position, its placements in order; a pass where that is all."""
    words: list[str] = []
    while not position.result:
        cells = list(position.grid.each(position.placements()))
        if not cells:
            return words or [Deed.PASS.value]
        capturing = list(position.grid.each(position.capturing()))
        cell = random.choice(capturing if capturing and random.random() < 0.7 else cells)
        words.append(position.grid.format_cell(cell))
        position = position.place(cell)
        if not position.is_mid_turn or random.random() < chance_to_stop:
            break
    return words


def turn_after(position: Position, words: list[str]) -> Position:
    """Return the position after a turn that `turn_of` gave."""
    for word in words:
        if word == Deed.PASS.value:
            return position.pass_turn()
        position = position.place(position.grid.parse_cell(word))
    return position
