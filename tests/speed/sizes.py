"""The same commands on small homes and on a large one, in turn."""

import os
import re
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pbm_oust.board import Game
from pbm_oust.mail.inbound import Inbound, envelope_of, open_inbound
from pbm_oust.play.request import Ending
from pbm_oust.rules import KINDS
from pbm_oust.store.configuration import parse_configuration
from pbm_oust.store.home import Home
from pbm_oust.store.index import names_of
from pbm_oust.store.limits import Counted
from pbm_oust.store.open_boards import read_game
from pbm_oust.store.upkeep import forget_expired
from tests.speed.many import PASSWORD, address_of, userid_of
from tests.support.kinds import Chance
from tests.support.mails import mail
from tests.support.server import ADDRESS, PROGRAM, logging_into

NOWHERE = "smtp://127.0.0.1:1"
"""A relay that nobody is at, so that letters wait."""
PLENTY = 1_000_000
BOARDS = 4
"""How many boards the commands are about."""
WARMING = 2 * BOARDS
"""After so many rounds all players have proved who they are."""
KIND = KINDS["oust"]


@dataclass
class Field:
    """A home and the boards on which the commands are tried; it plays on with them."""

    home: Home
    inbound: Inbound
    boards: list[int] = field(default_factory=list)
    turns: dict[int, Iterator[str]] = field(default_factory=dict)
    """The turns that are still to be played on each of these."""
    times: dict[str, list[float]] = field(default_factory=dict)
    sent: int = 0

    def start(self) -> None:
        """Start the boards, each between two players."""
        for nth in range(BOARDS):
            x, o = (userid_of(2 * nth + side) for side in range(2))
            game = self._take("", x, f"oust challenge {x} {o} {PASSWORD.text}")
            self.boards.append(game.header.board)
            self.turns[game.header.board] = _turns(nth)

    def round(self, nth: int) -> None:
        """Time each command once."""
        number = self.boards[nth % BOARDS]
        game = read_game(self.home, KIND, number)
        mover, other = game.player_to_move, game.x if game.player_to_move == game.o else game.o
        line = f"oust move {number} {mover} {PASSWORD.text} {next(self.turns[number])}"
        self._take("move", mover, line)
        self._take("show", mover, f"oust show {number}")
        self._take("games USER next", mover, f"oust games {mover} next")
        self._take("list", mover, "list")
        self._take("standings", mover, "oust standings")
        self._take("ratings USER", mover, f"oust ratings {mover}")
        self._take("history USER", mover, f"oust history {mover}")
        stranger = f"stranger{self.sent}-{time.time_ns()}@elsewhere.example"
        self._take("a stranger's help", "", "help", stranger)
        line = f"oust move {number} {other} {PASSWORD.text} Z99"
        self._take("a refusal", other, line, wanted=Ending.REFUSED)
        line = f"oust challenge {mover} {other} {PASSWORD.text} -size=5"
        started = self._take("challenge", mover, line)
        for what, userid, turn in (
            ("", mover, "C3"),
            ("", other, "A1"),
            ("a final letter", mover, "resign"),
        ):
            line = f"oust move {started.header.board} {userid} {PASSWORD.text} {turn}"
            self._take(what, userid, line)

    def deliver(self) -> None:
        """Time the program that takes one mail from its standard input."""
        content = self._mail(address_of("player1"), "oust show 1")
        command = [PROGRAM, "--home", str(self.home.path), "deliver", "--recipient", ADDRESS]
        begun = time.perf_counter()
        subprocess.run(command, input=content, check=True, capture_output=True)
        self._note("deliver", time.perf_counter() - begun)

    def serve(self) -> tuple[float, float]:
        """Return the seconds until a server is ready, and its most memory after some time in MB."""
        command = [PROGRAM, "--home", str(self.home.path), "serve", "--address", ADDRESS]
        begun = time.perf_counter()
        with logging_into(Path(os.devnull), [*command, "--smtp", "127.0.0.1:0"]) as (process, _):
            ready = time.perf_counter() - begun
            time.sleep(20)
            status = Path(f"/proc/{process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+)", status)
        return ready, int(found[1]) / 1024 if found else 0.0

    def median(self, what: str) -> float:
        """Return the median of the times of a command, in milliseconds."""
        return statistics.median(self.times[what]) * 1000

    def _take(
        self,
        what: str,
        userid: str,
        line: str,
        sender: str = "",
        wanted: Ending | None = None,
    ) -> Game:
        """Take a mail; return the game of the newest board."""
        sender = sender or address_of(userid)
        content = self._mail(sender, line)
        begun = time.perf_counter()
        handled = self.inbound.take(content, envelope_of(sender, [ADDRESS], "192.0.2.7"))
        self._note(what, time.perf_counter() - begun)
        if handled.ending not in ((wanted,) if wanted else (Ending.DONE, Ending.ANSWERED)):
            raise RuntimeError(f"{line}: {handled}")
        newest = self.home.ask(self.home.boards.next_number, KIND) - 1
        return read_game(self.home, KIND, newest)

    def _mail(self, sender: str, line: str) -> bytes:
        self.sent += 1
        number = f"<{self.sent}.{time.time_ns()}@players.example>"
        return mail(f"From: {sender}", f"Subject: {line}", f"Message-ID: {number}", text="\r\n")

    def _note(self, what: str, seconds: float) -> None:
        self.times.setdefault(what, []).append(seconds)


class Compared:
    """What commands cost on homes in folders, the last of which is the large one.

    Each figure is taken so many times, in turn; all homes are played on with.
    """

    def __init__(self, folders: Sequence[Path], runs: int) -> None:
        homes = [prepare(path) for path in folders]
        self.boards = [sum(len(home.ask(names_of, kind)) for kind in KINDS) for home in homes]
        """How many boards each home has."""
        with ExitStack() as stack:
            self._fields = [field_of(home, stack) for home in homes]
            for nth in range(WARMING + runs):
                for field in self._fields:
                    field.round(nth)
                if nth == WARMING - 1:
                    for field in self._fields:
                        field.times.clear()
        for home in homes:
            home.close()
        for _ in range(runs):
            for field in self._fields:
                field.deliver()

    def lines(self) -> Iterator[str]:
        """Yield the lines of a table, in milliseconds where nothing else is said.

        The ratios are those of the large home to the others.
        """
        yield _line("milliseconds, with boards:", self.boards, ",.0f", with_ratios=False)
        for what in filter(None, self._fields[0].times):
            yield _line(what, [field.median(what) for field in self._fields], ".1f")
        ready, memory = zip(*(field.serve() for field in self._fields), strict=True)
        yield _line("serve is ready, seconds", ready, ".2f")
        yield _line("memory of the server, MB", memory, ".0f")


def _line(what: str, figures: Sequence[float], form: str, *, with_ratios: bool = True) -> str:
    *others, last = figures
    ratios = [f"{last / each:8.2f}" for each in others] if with_ratios else ["   ratio"]
    return f"{what:28}{''.join(f'{each:10{form}}' for each in figures)}{''.join(ratios)}"


def _turns(seed: int) -> Iterator[str]:
    """Yield the turns of a game that was played at random."""
    for turn in Chance(KIND, KIND.default_grid, seed).turns:
        yield turn.partition(" ")[2]


def prepare(path: Path) -> Home:
    """Return a home that is as it would be after a sweep, and that limits nothing.

    It stays in the store that its configuration names.
    """
    file = path / "pbm_oust.toml"
    store = parse_configuration(file.read_text()).store if file.exists() else None
    kept = f'store = "{store}"\n' if store else ""
    limits = "".join(f"{each.word} = {PLENTY}\n" for each in Counted if each.is_set)
    text = f'address = "{ADDRESS}"\nrelay = "{NOWHERE}"\n\n[limits]\n{limits}'
    file.write_text(kept + text)
    home = Home(path)
    home.prepare()
    forget_expired(home, datetime.now(UTC))
    return home


def field_of(home: Home, stack: ExitStack) -> Field:
    """Return a home with some new boards."""
    configuration = parse_configuration(home.read_configuration())
    inbound = open_inbound(home, ADDRESS, lambda: datetime.now(UTC), configuration.limits)
    stack.enter_context(home.keeping_up())
    found = Field(home, inbound)
    found.start()
    return found
