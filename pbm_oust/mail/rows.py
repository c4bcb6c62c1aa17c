"""Lists in mails: what there is to say of each thing, in columns."""

from collections.abc import Iterable

from pbm_oust.game import Game
from pbm_oust.notation import format_result, format_terms
from pbm_oust.ratings import Standing
from pbm_oust.render.text import in_columns
from pbm_oust.rules.position import How, Result
from pbm_oust.seeks import Seek


def seek_rows(seeks: Iterable[tuple[Seek, str]]) -> list[str]:
    """Return a line for each open challenge: its number, who made it, and what he offers."""
    return in_columns(
        (
            f"{seek.kind} {seek.number}",
            f"{userid}{f' as {seek.side.value}' if seek.side else ''}",
            str(seek.grid),
            format_terms(seek.terms),
        )
        for seek, userid in seeks
    )


def game_row(game: Game, outcome: str) -> tuple[str, ...]:
    """Return the columns of a game in a list."""
    return (
        game.name,
        str(game.header.grid),
        "over" if game.result else f"#{game.next_number}",
        f"{game.x} (x) - {game.o} (o)",
        outcome,
    )


def past_rows(games: Iterable[Game]) -> list[str]:
    """Return a line for each game that is over: when, who played, and how it ended."""
    return in_columns(
        (
            game.latest.date().isoformat(),
            game.name,
            str(game.header.grid),
            f"{game.x} (x) - {game.o} (o)",
            _how(game.result) if game.result else "",
        )
        for game in games
    )


def standing_rows(standings: Iterable[Standing]) -> list[str]:
    """Return a line for each player: place, rating, and games won, lost and drawn."""
    head = ("", "player", "rating", "games", "won", "lost", "drawn")
    rows = (
        (
            f"{place}.",
            standing.userid,
            f"{standing.rating:.0f}{'?' if standing.is_provisional else ''}",
            standing.games,
            standing.wins,
            standing.losses,
            standing.draws,
        )
        for place, standing in enumerate(standings, 1)
    )
    return in_columns([head, *rows])


def _how(result: Result) -> str:
    """Return how a game ended in two words, or in one: x capture, draw agreed, void."""
    return result.how.value if result.how is How.VOID else format_result(result)[2:]
