"""Tables: two scripted players who play one game after the other by mail, to the end of each."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import TypeVar

from pbm_oust.board import Deed, Game
from pbm_oust.board.history import BadHistory, read_history
from tests.chaos.clients import Client, GivenUp, Way
from tests.chaos.ledger import Enough, Kind, Mail, Player
from tests.support.recorded import RecordedGame, recorded_games

T = TypeVar("T")

GAMES_OF_A_PAIR = 3
"""How many games two players play before two others take their places."""
MOST_IN_VAIN = 3
"""How many boards are given up, one after the other, before a table stops."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is played at a table: the game, the option of its challenges, and its grid."""

    kind: str
    option: str
    grid: str

    def recorded(self) -> list[RecordedGame]:
        """Return the recorded games of this kind and grid in which somebody must pass."""
        return [
            game
            for game in recorded_games()
            if (game.kind, game.grid) == (self.kind, self.grid)
            and "pass" in game.shows
            and game.result
        ]


SETTINGS = (
    Setting("oust", "-size=5", "square 5x5"),
    Setting("churn", "-size=3", "hex 3"),
    Setting("oust", "-hex=3", "hex 3"),
    Setting("oust", "-size=7", "square 7x7"),
    Setting("oust", "-size=3", "square 3x3"),
)

TEXTS = ("Hello!", "", "Schöne Grüße!", "My password is {}, yours too?")


class Vanished(Exception):
    """A board that is not there any more, or not as it was."""


@dataclass(slots=True)
class Table:
    """Two players at a time. All that they do is chosen by the client's `random`."""

    number: int
    setting: Setting
    client: Client
    _players: tuple[Player, Player] = field(init=False)
    _pairs: int = 0
    _sent: int = 0
    _old: list[Mail] = field(default_factory=list)
    """Mails that may come again much later."""
    _untimely: list[Mail] = field(default_factory=list)
    """Moves on the present board that were refused because the other player was to move."""

    @property
    def _random(self) -> Random:
        return self.client.random

    def play(self) -> None:
        """Play until no more mails are wanted.

        Raises GivenUp if one board after the other is given up and the server takes no mail at all.
        """
        games, vain, ledger = 0, 0, self.client.ledger
        try:
            while True:
                acknowledged = ledger.acknowledged
                try:
                    if games % GAMES_OF_A_PAIR == 0:
                        self._sign_up()
                    self._play_game(is_first=not games)
                    games += 1
                except (Vanished, GivenUp) as error:
                    ledger.count("boards given up")
                    vain = 0 if ledger.acknowledged > acknowledged else vain + 1
                    if vain == MOST_IN_VAIN and isinstance(error, GivenUp):
                        raise
                    games = GAMES_OF_A_PAIR
        except Enough:
            pass

    def _sign_up(self) -> None:
        """Let two players make accounts."""
        self._pairs += 1
        name = f"{self.number}n{self._pairs}"
        x, o = (
            Player(f"{begin}{name}", f"Pw-{begin}{name}-{self._random.randrange(10**9):09}")
            for begin in ("ann", "ben")
        )
        self._players = x, o
        for player in self._players:
            self._send(Kind.SIGNUP, player, player, f"signup {player.userid} {player.password}")
            self._send(Kind.VERIFY, player, player, f"verify {self._code_for(player)}")

    def _play_game(self, is_first: bool) -> None:
        """Play one game to its end."""
        x, o = self._random.sample(self._players, 2)
        options = "".join(f" {word}" for word in ("-noswap", "-unrated") if self._chance(0.3))
        sender, other = self._random.sample((x, o), 2)
        signed = f"{x.userid} {o.userid} {sender.password}"
        challenge = f"{self.setting.kind} challenge {signed} {self.setting.option}"
        mail = self._send(
            Kind.CHALLENGE, sender, other, challenge + options, certainly_twice=is_first
        )
        board = self._board_of(mail)
        self._untimely = []
        recorded = self.setting.recorded()
        script = self._random.choice(recorded).turns() if recorded and self._chance(0.3) else []
        while not (game := self._game(board)).result:
            self._maybe_do_something_else(game)
            self._move(game, script)
        self.client.ledger.count("games finished")

    def _move(self, game: Game, script: list[str]) -> None:
        """Let somebody do what he may: mostly whoever is to move, by the script if there is one."""
        player, other = self._to_move(game)
        if game.can_swap and self._chance(0.3):
            words = [Deed.SWAP.value]
        elif len(game.records) > 2 and not script and self._chance(0.01):
            words = [Deed.RESIGN.value]
            player, other = self._random.sample((player, other), 2)
        elif script:
            turns = sum(record.action is not Deed.SWAP for record in game.records)
            words = script[turns].split()[1:]
        else:
            words = self._placements(game)
        guard = f"#{game.next_number}" if self._chance(0.2) else ""
        mail = self._send(
            Kind.MOVE,
            player,
            other,
            f"{self._command(game, player)} {','.join(words)}{guard}",
            board=game.name,
            done=" ".join(words),
        )
        self._wait_for_board(f" {mail.id}\n")

    def _placements(self, game: Game) -> list[str]:
        """Return a turn or the beginning of one, or a pass where that alone is possible."""
        position, words = game.position, list[str]()
        while not position.result:
            cells = list(position.grid.each(position.placements()))
            if not cells:
                return [Deed.PASS.value]
            cell = self._random.choice(cells)
            words.append(position.grid.format_cell(cell))
            position = position.place(cell)
            if not position.is_mid_turn or self._chance(0.3):
                break
        return words

    def _maybe_do_something_else(self, game: Game) -> None:
        """Now and then look at something, send a wrong command, or an old mail once more."""
        player, other = self._to_move(game)
        if self._chance(0.08):
            self._send(Kind.LOOK, player, other, self._random.choice(self._looks(game)))
        if self._chance(0.08):
            self._send(Kind.WRONG, player, other, self._random.choice(self._wrongs(game)))
        if self._chance(0.04):
            command = f"{self._command(game, other)} {self._placements(game)[0]}"
            self._untimely.append(self._send(Kind.WRONG, other, player, command))
        if self._chance(0.06):
            self.client.send_again(self._random.choice(self._old), Way.LATE)
        if self._untimely and self._untimely[0].sender is player and self._chance(0.5):
            self.client.send_again(self._untimely.pop(0), Way.LATE)

    def _looks(self, game: Game) -> list[str]:
        kind, board = self.setting.kind, game.header.board
        return [
            "help",
            f"help {kind}",
            f"{kind} show {board}",
            f"{kind} show {board}#{len(game.records)}",
            f"{kind} show {game.x}",
            f"{kind} games {game.o} all",
        ]

    def _wrongs(self, game: Game) -> list[str]:
        """Return commands that are refused. The last one could be correct later."""
        player, _ = self._to_move(game)
        kind, board = self.setting.kind, game.header.board
        free = self._placements(game)[0]
        right = self._command(game, player)
        wrongs = [
            f"{kind} move {board} {player.userid} {player.password}x {free}",
            right.replace("move", "mvoe") + f" {free}",
            f"{right} {free} and so on",
            f"{kind} move 99999 {player.userid} {player.password} {free}",
            f"{kind} show {board}#99999",
            "verify abcdefgh23456777",
        ]
        stones = game.position.grid.names(game.latest_stones())
        if stones:
            wrongs.append(f"{right} {stones[0]}")
        return wrongs

    def _command(self, game: Game, player: Player) -> str:
        return f"{self.setting.kind} move {game.header.board} {player.userid} {player.password}"

    def _send(
        self,
        kind: Kind,
        sender: Player,
        other: Player,
        subject: str,
        board: str = "",
        done: str = "",
        certainly_twice: bool = False,
    ) -> Mail:
        """Send a mail until it is acknowledged."""
        self.client.ledger.begin()
        self._sent += 1
        mail = Mail(
            kind,
            sender,
            other,
            subject,
            message_id=f"<{self.number}.{self._sent}@{self.client.stage.host}>",
            marker=f"marker-{self.number}-{self._sent}-marker",
            text=self._random.choice(TEXTS).format(sender.password if done else "here"),
            board=board,
            done=done,
        )
        self.client.send(mail, certainly_twice)
        self._old.append(mail)
        return mail

    def _code_for(self, player: Player) -> str:
        """Return the code that was mailed to a player. Raises Vanished."""

        def code() -> str | None:
            for letter in self.client.stage.letters():
                found = re.search(r"^  verify (\S+)$", letter, re.MULTILINE)
                if found and f"\nTo: {player.address}\n" in letter:
                    return found[1]
            return None

        found = self._waited_for(code, self.client.stage.letters_take)
        if found is None:
            raise Vanished
        return found

    def _board_of(self, mail: Mail) -> int:
        """Return the board that a challenge started. Raises Vanished."""
        found = self._wait_for_board(f"# challenge {mail.id}\n")
        if found is None:
            raise Vanished
        return found

    def _wait_for_board(self, text: str) -> int | None:
        """Return the board in whose history a text stands soon; None if there is none."""
        stage = self.client.stage
        look = partial(stage.board_with, self.setting.kind, text)
        return self._waited_for(look, stage.histories_take)

    def _waited_for(self, found: Callable[[], T | None], seconds: float) -> T | None:
        """Return what is found, which is there within so many seconds; None if it is not."""
        end = time.monotonic() + seconds
        while (thing := found()) is None and time.monotonic() < end:
            time.sleep(0.02)
        return thing

    def _game(self, board: int) -> Game:
        """Return the game of a board. Raises Vanished."""
        history = self.client.stage.history(self.setting.kind, board)
        if history is None:
            raise Vanished
        try:
            game = read_history(history).game
        except BadHistory:
            raise Vanished from None
        if game.header.owners != {player.userid for player in self._players}:
            raise Vanished
        return game

    def _to_move(self, game: Game) -> tuple[Player, Player]:
        """Return the player who is to move, and the other one."""
        x, o = self._players
        return (x, o) if game.player_to_move == x.userid else (o, x)

    def _chance(self, share: float) -> bool:
        return self._random.random() < share


def tables(number: int, client: Callable[[Random], Client], seed: int) -> list[Table]:
    """Return so many tables, whose clients choose by a seed."""
    return [
        Table(nth, setting, client(Random(f"{seed} {nth}")))
        for nth, setting in enumerate(SETTINGS[:number], 1)
    ]
