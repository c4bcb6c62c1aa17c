"""A home with boards that are being played, and the mails that go on with them."""

from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.asks import Ask, Topic, reply_address, token_for
from pbm_oust.accounts.settings import BoardForm, Settings
from pbm_oust.board import Game, Place
from pbm_oust.rules import KINDS, parse_grid
from pbm_oust.store.home import Home
from tests.speed.load import Message
from tests.support.accounts import account_of, change_account, make_account
from tests.support.games import history_of, new_game, play
from tests.support.histories import lay_histories
from tests.support.kinds import Chance
from tests.support.server import ADDRESS

BOARDS = 100
PLAYERS = 20
PASSED = 20
"""How many turns have been played on each board before."""
WARMING = 2
"""How many mails of each board warm the server up: then both players have proved who they are."""
GRID = "square 11x11"
CONFIGURATION = """\
address = "{address}"
relay = "{relay}"
mail_servers = "127.0.0.1"

[limits]
moves_an_hour = 1000000
"""


class Form(Enum):
    """How players write and read."""

    PASSWORD = "password"
    """With the password in the Subject; letters have text and HTML."""
    TEXT = "text"
    """With the password in the Subject; letters have text alone."""
    TOKEN = "token"
    """To the address of the letter that they answer."""


@dataclass(frozen=True, slots=True)
class Played:
    """A board, and the games after each of its turns."""

    number: int
    games: tuple[Game, ...]

    def mail(self, nth: int, home: Home | None, form: Form) -> Message:
        """Return the mail that leads to the game after some turn; tokens are those of a home."""
        before, after = self.games[nth - 1], self.games[nth]
        record, mover = after.records[-1], before.player_to_move
        wish = record.wish
        words = " ".join(wish.cells) if isinstance(wish, Place) else str(getattr(wish, "value", ""))
        recipient, line = ADDRESS, f"oust move {self.number} {mover} {password_of(mover)} {words}"
        if form is Form.TOKEN and home:
            account = account_of(home, mover)
            reply = Ask.on_board(Topic.PLAY, "oust", self.number, before.next_number, mover)
            recipient = reply_address(ADDRESS, reply, token_for(home.key(), account, reply))
            line = f"Re: {before.name}: {words}"
        return Message(address_of(mover), recipient, content(mover, recipient, line, words, after))


def content(mover: str, recipient: str, line: str, words: str, after: Game) -> str:
    """Return a mail as a common mail program writes it, ready to be sent."""
    lines = [
        "Received: from mail.players.example (mail.players.example [192.0.2.7])",
        "\tby mx.example.com (Postfix) with ESMTPS id 4XyZ0123abc",
        f"\tfor <{recipient}>; Fri, 20 Nov 2026 15:40:02 +0000 (UTC)",
        f"Message-ID: <{after.header.board}.{len(after.records)}@players.example>",
        "Date: Fri, 20 Nov 2026 16:40:01 +0100",
        "MIME-Version: 1.0",
        "User-Agent: Mozilla Thunderbird",
        "Content-Language: en-US",
        f"To: {recipient}",
        f"From: {mover.capitalize()} <{address_of(mover)}>",
        f"Subject: {line}",
        "Content-Type: text/plain; charset=UTF-8; format=flowed",
        "Content-Transfer-Encoding: 7bit",
        "",
        words if line.startswith("Re:") else "",
        "-- ",
        mover,
        ".",
        "",
    ]
    return "\r\n".join(lines)


def password_of(userid: str) -> str:
    """Return the password of a player."""
    return f"pass-of-{userid}"


def address_of(userid: str) -> str:
    """Return the address of a player."""
    return f"{userid}@players.example"


def _with_text_alone(account: Account) -> Account:
    return account.with_settings(Settings(board=BoardForm.TEXT))


@cache
def all_played() -> tuple[Played, ...]:
    """Return all boards with their whole games, played at random."""
    return tuple(map(_played, range(1, BOARDS + 1)))


def _played(number: int) -> Played:
    game = new_game(GRID).header
    x, o = (f"player{(2 * number + nth) % PLAYERS}" for nth in range(2))
    games = [Game.start(replace(game, board=number, x=x, o=o))]
    for turn in Chance(KINDS["oust"], parse_grid(GRID), number).turns:
        games.append(play(games[-1], turn))
    return Played(number, tuple(games))


def configure(path: Path, relay: str, store: str = "") -> None:
    """Write the configuration of a home, whose letters go to a relay; a server may keep it."""
    kept = f'store = "{store}"\n' if store else ""
    text = CONFIGURATION.format(address=ADDRESS, relay=relay)
    (path / "pbm_oust.toml").write_text(kept + text)


def make_home(path: Path, form: Form, *, relay: str) -> Home:
    """Make a home with its players and their boards."""
    path.mkdir()
    configure(path, relay)
    home = Home(path)
    home.prepare()
    for number in range(PLAYERS):
        userid = f"player{number}"
        make_account(home, userid, password_of(userid), address_of(userid))
        if form is Form.TEXT:
            change_account(home, userid, _with_text_alone)
    histories = {
        played.number: history_of(played.games[PASSED]).decode() for played in all_played()
    }
    lay_histories(home, histories)
    return home
