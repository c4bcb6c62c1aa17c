"""A game of any kind that alice and bob play by mail, in the language that both have set."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from pbm_oust.accounts.settings import Settings
from pbm_oust.board import Game
from pbm_oust.languages import Language
from pbm_oust.rules import Side
from pbm_oust.rules.grid import format_size
from pbm_oust.store.open_boards import read_game
from tests.support.accounts import change_account
from tests.support.games import STARTED, history_of
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ALICE, BOB, PASSWORDS, Talk, home_of
from tests.support.kinds import Chance
from tests.support.outbox import Letter

PLAYERS = {Side.X: ("alice", ALICE), Side.O: ("bob", BOB)}


@dataclass(frozen=True)
class Told:
    """What a mail about a board led to: the game after it, and the letters to both players."""

    game: Game
    letters: dict[str, Letter]
    """By their addresses."""


def play_by_mail(path: Path, chance: Chance, language: Language, *, whole: bool) -> list[Told]:
    """Play a game by mail from the challenge to its end, or else its last two turns alone."""
    if not whole:
        played = len(chance.turns) - 2
        talk = begin(path, language, (chance, played))
        return [send(talk, chance, turn) for turn in chance.turns[played:]]
    talk = begin(path, language)
    talk.send(ALICE, f"{chance.kind.name} challenge alice bob wonderland {option(chance)}")
    return [_told(talk, chance), *(send(talk, chance, turn) for turn in chance.turns)]


def begin(path: Path, language: Language, *boards: tuple[Chance, int]) -> Talk:
    """Return a talk with a home where both players have set a language.

    Its boards are numbered from 1: games after so many turns.
    """
    talk = Talk(home_of(path, ALICE, BOB), STARTED + timedelta(days=4))
    for userid, _ in PLAYERS.values():
        change_account(
            talk.home, userid, lambda account: account.with_settings(Settings(language=language))
        )
    for number, (chance, turns) in enumerate(boards, 1):
        history = history_of(chance.game(turns, number)).decode()
        lay_histories(talk.home, {number: history}, chance.kind.name)
    return talk


def option(chance: Chance) -> str:
    """Return the option of a challenge that names the grid of a game."""
    shape = chance.grid.shape
    name = "size" if shape is chance.kind.own_shape else shape.value
    return f"-{name}={format_size(chance.grid)}"


def send(talk: Talk, chance: Chance, turn: str) -> Told:
    """Send a turn on board 1, such as `x D4 E5` or `o pass`, and return what was told of it."""
    side, _, words = turn.partition(" ")
    userid, address = PLAYERS[Side(side)]
    line = f"{chance.kind.name} move 1 {userid} {PASSWORDS[userid]} {words.replace(' ', ',')}"
    talk.send(address, line)
    return _told(talk, chance)


def _told(talk: Talk, chance: Chance) -> Told:
    letters = {letter.to: letter for letter in talk.letters}
    return Told(read_game(talk.home, chance.kind, 1), letters)
