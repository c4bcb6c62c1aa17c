"""A year of the league: who plays whom, day by day, until all boards are over."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import EmailMessage
from itertools import combinations, cycle, islice

from pbm_oust.board import Deed, Game
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.rules import KINDS
from pbm_oust.service.sweep import sweep
from pbm_oust.store.open_boards import read_game
from tests.league.players import Player, World, turn_after, turn_of
from tests.league.post import ADDRESS
from tests.support import tables
from tests.support.letters import text_of

NAMES = (
    *("alice", "bob", "carol", "dinah", "edgar", "fiona"),
    *("george", "hatter", "ivy", "jabber", "king", "lory"),
)

BOARDS = tables.of(__file__)["boards"]
"""The boards that are begun, in turn."""


_LATE = 0.85
"""The share of a season after which players give up: games at random may go on for very long."""
_SHARE_GIVEN_UP = 0.5


@dataclass(frozen=True, slots=True)
class Plan:
    """How large a league is."""

    players: int = 12
    boards: int = 60
    days: int = 365
    seed: int = 1

    @property
    def names(self) -> frozenset[str]:
        """Who plays."""
        return frozenset(NAMES[: self.players])

    @property
    def has_everybody(self) -> bool:
        """Whether all play who are needed to use every command."""
        return self.names.issuperset(NAMES)


@dataclass
class Season:
    """A league that is being played."""

    plan: Plan
    world: World
    start: datetime
    players: dict[str, Player] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    """The boards of whose end both players had mail."""
    begun: int = 0

    def play(
        self, errands: dict[int, list[Callable[["Season"], None]]], show: Callable[[str], None]
    ) -> None:
        """Play the year; `errands` are what else is done on which day."""
        for name in NAMES[: self.plan.players]:
            player = Player(name, f"Pw-{name}-secret", f"{name}@players.example", self.world)
            self.players[name] = player
        for day in range(self.plan.days):
            self._at(day, hours=6)
            if day == 0:
                for player in self.players.values():
                    player.sign_up()
            sweep(open_inbound(self.world.home, ADDRESS, self.world.clock.now).work)
            for errand in errands.get(day, ()):
                errand(self)
            self._begin_boards(day)
            for nth, player in enumerate(self._present()):
                self._at(day, hours=8, minutes=nth)
                if self.world.chance(player.diligence):
                    for game in player.waiting():
                        self.take_turn(player, game)
            self._check_ends()
            show(
                f"day {day + 1}, {self.begun} boards, {len(self.told)} over, "
                f"{self.world.post.sent} mails"
            )

    def _present(self) -> list[Player]:
        here = [player for player in self.players.values() if not player.is_gone]
        self.world.random.shuffle(here)
        return here

    def _at(self, day: int, hours: int, minutes: int = 0) -> None:
        wanted = self.start + timedelta(days=day, hours=hours, minutes=minutes)
        if wanted > self.world.clock.now():
            self.world.clock.set(wanted)

    def _begin_boards(self, day: int) -> None:
        """Begin the boards that are due, the last of them when half of the time is over."""
        due = min(self.plan.boards, 2 + day * 2 * self.plan.boards // self.plan.days)
        pairs = cycle(combinations(self.players.values(), 2))
        while self.begun < due:
            x, o = next(islice(pairs, self.begun * 7, None))
            self.begun += 1
            if not (x.is_gone or o.is_gone):
                self._begin(x, o, *BOARDS[self.begun % len(BOARDS)])

    def _begin(self, x: Player, o: Player, kind: str, options: str) -> None:
        """Begin a board by a challenge, or now and then by an offer to everybody."""
        if self.begun % 5:
            self.begin(x, o, kind, options)
            return
        offered = x.ask(f"{kind} seek {x.userid} {x.password} {options}")
        o.ask(f"{kind} join {offered_number(offered)} {o.userid} {o.password}")

    def begin(self, x: Player, o: Player, kind: str, options: str) -> Game:
        """Begin a board by a challenge and return it."""
        players = f"{x.userid} {o.userid} {x.password}"
        started = x.ask(f"{kind} challenge {players} {options}", "Shall we?")
        board = int(str(started["Subject"]).split()[1])
        return read_game(self.world.home, KINDS[kind], board)

    def take_turn(self, player: Player, game: Game) -> None:
        """Let a player do what he does on a board where it is his turn."""
        chance, kind, number = self.world.chance, game.header.kind.name, game.header.board
        signed = player.signed
        if game.offer and game.offer.side is not game.to_move:
            signed("move", "accept" if chance(0.3) else "reject", board=game)
            return
        if not game.has_played(game.to_move) and chance(0.01):
            signed("decline", board=game)
        elif game.can_swap and chance(0.3):
            signed("move", f"swap#{game.next_number}", board=game)
        elif len(game.line) > 4 and chance(_SHARE_GIVEN_UP if self._is_late() else 0.01):
            signed("resign", board=game)
        elif len(game.line) > 4 and not game.offer and chance(0.03):
            signed("move", "propose", board=game)
        elif chance(0.06):
            words = player.turn_words(game)
            signed("submit", words, board=game)
            signed("confirm", board=game)
        elif chance(0.05):
            words = player.turn_words(game)
            if words != Deed.PASS.value:
                player.ask(f"{kind} preview {number} {words}")
            line = f"{kind} move {number} {player.userid} {player.password} {words}"
            player.ask("multiple", f"{line}\n{kind} show {number}\n")
        else:
            signed("move", player.turn_words(game, 0.2), "Your move." if chance(0.2) else "", game)
            self._after_move(player, game)

    def _is_late(self) -> bool:
        """Return whether boards that still go on are to be brought to their end."""
        days = (self.world.clock.now() - self.start).days
        return days > _LATE * self.plan.days

    def _after_move(self, player: Player, before: Game) -> None:
        """Now and then, regret the move, or plan the next one."""
        (game,) = [each for each in player.world.games() if each.name == before.name]
        if game.result or game.player_to_move == player.userid or game.offer:
            return
        if self.world.chance(0.04):
            player.signed("move", "undo", board=game)
        elif self.world.chance(0.15):
            player.signed("queue", self._planned(game), board=game)

    def _planned(self, game: Game) -> str:
        """Return a plan: what to answer to a turn of the other player, or to any turn."""
        random = self.world.random
        expected = turn_of(game.position, random, 0.0)
        after = turn_after(game.position, expected)
        if after.result or after.to_move is game.to_move:
            return "clear"
        answer = ",".join(turn_of(after, random, 0.0))
        return f"if {','.join(expected)} then {answer}" if random.random() < 0.8 else answer

    def _check_ends(self) -> None:
        """Check that whoever played a board that is over has had mail of that."""
        over = [game for game in self.world.games() if game.result and game.name not in self.told]
        self.world.post.settle()
        for game in over:
            for userid in (game.x, game.o):
                player = self.players.get(userid)
                box = self.world.post.boxes[player.address] if player else []
                assert not player or any(_tells_of_end(letter, game) for letter in box), (
                    f"{userid} was not told that {game.name} is over"
                )
            self.told.add(game.name)


def _tells_of_end(letter: EmailMessage, game: Game) -> bool:
    """Return whether a letter says that a game is over, in its Subject or in one of its answers."""
    return f"{game.name}: over" in f"{letter['Subject']}\n{text_of(letter)}"


def offered_number(letter: EmailMessage) -> str:
    """Return the number of the latest open challenge, as the answer to seek shows it."""
    (number,) = re.findall(r"^  \w+ join ([0-9]+) USERID ", text_of(letter), re.MULTILINE)
    return str(number)
