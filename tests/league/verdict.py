"""What must be true when a league is over."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from pbm_oust.service.table import FORMS
from pbm_oust.store.home import Home
from pbm_oust.store.letters import LetterState
from tests.league.players import World
from tests.support.server import PROGRAM


def faults(world: World, log: str, copy: Path, *, uses_all: bool) -> Iterator[str]:
    """Yield what is wrong. `copy` is a folder for a home that has the histories alone.

    `uses_all` tells whether every command must have been used.
    """
    home = world.home
    if uses_all:
        yield from _unused(world)
    commands = ["games", "verify"], ["ratings", "--recompute"], ["doctor", "--all"]
    yield from of_command_line(home, *commands)
    if _ratings(home.path) != _ratings(_with_histories_only(home, copy)):
        yield "the ratings computed from the histories alone differ"
    yield from (f"{game.name} is not over" for game in world.games() if not game.result)
    for line in log.splitlines():
        if re.search(r" (WARNING|ERROR) |kept by the sender|Traceback", line):
            yield f"the log says: {line}"
    if home.outbox.letters(LetterState.FAILED):
        yield "letters were set aside"


def _unused(world: World) -> Iterator[str]:
    for form in FORMS:
        if not world.used[form.name]:
            yield f"the command {form.name} was never used"


def of_command_line(home: Home, *commands: list[str]) -> Iterator[str]:
    """Yield which of some commands find something wrong, and what."""
    for command in commands:
        done = run(home.path, *command)
        if done.returncode:
            yield f"{' '.join(command)} exits with {done.returncode}: {done.stdout}{done.stderr}"


def _ratings(home: Path) -> object:
    return json.loads(run(home, "ratings", "--recompute", "--json").stdout)


def _with_histories_only(home: Home, copy: Path) -> Path:
    for path in home.path.glob("*/[0-9]*.txt"):
        if path.parent.name in ("oust", "churn"):
            target = copy / path.relative_to(home.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return copy


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the program on a home."""
    return subprocess.run(
        [PROGRAM, "--home", str(home), *words], capture_output=True, text=True, check=False
    )
