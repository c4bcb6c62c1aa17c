"""Which boards a letter shows, and where in its text they stand. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from pbm_oust.game import Game
from pbm_oust.notices import BoardNotice, BoardsNotice, News, Notice, RefusalNotice, Told
from pbm_oust.render.text import board_text


@dataclass(frozen=True, slots=True)
class Shown:
    """A board that stands in a text."""

    game: Game
    is_now: bool
    """Whether the board is as it is at this time, so that its player can act on it."""
    begin: int
    end: int
    """Where in the text it stands, without the names of its players."""


def shown_in(text: str, notice: Notice) -> Iterator[Shown]:
    """Yield the boards that stand in the text of the letter about a notice, in order."""
    done = 0
    for game, is_now in _games_of(notice):
        lines = f"\n{board_text(game.position, game.latest_stones())}\n"
        found = text.find(lines, done)
        if found >= 0:
            done = found + len(lines) - 1
            yield Shown(game, is_now, found + 1, done)


def _games_of(notice: Notice) -> Iterator[tuple[Game, bool]]:
    """Yield the games that a letter may show, and whether as they are at this time."""
    match notice:
        case BoardNotice():
            yield notice.game, not notice.is_past and notice.news is not News.PREVIEW
        case BoardsNotice():
            for game, is_past in notice.views:
                yield game, not is_past
        case RefusalNotice():
            refused = notice.refusal.facts.get("game")
            if isinstance(refused, Game):
                yield refused, not notice.refusal.facts.get("supposed")
        case Told():
            for game, _ in notice.facts.get("waiting", ()):
                yield game, True
            for game in notice.facts.get("games", ()):
                yield game, True
            for name in ("supposed", "game"):
                told = notice.facts.get(name)
                if isinstance(told, Game):
                    yield told, name == "game"
