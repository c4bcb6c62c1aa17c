"""The analyses that a home keeps, which pages show."""

from pbm_oust.board.game import Game
from pbm_oust.robot.analysis import Analysis, identity_of
from pbm_oust.robot.verdicts import BadAnalysis, format_analysis, parse_analysis
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, find_analysis, keep_analysis


def keep(home: Home, game: Game, analysis: Analysis) -> None:
    """Keep the analysis of a game that is over."""
    home.do(keep_analysis, _name_of(game), format_analysis(analysis))


def kept(home: Home, game: Game) -> Analysis | None:
    """Return the analysis of a game, as `kept_text` and `read_analysis` do."""
    return read_analysis(kept_text(home, game), game)


def kept_text(home: Home, game: Game) -> str | None:
    """Return what is kept for a board; None if that is nothing, or if the game is not over."""
    return home.ask(find_analysis, _name_of(game)) if game.result else None


def read_analysis(text: str | None, game: Game) -> Analysis | None:
    """Return the analysis of a game that is kept for its board, if any is.

    One that was made of another history of the board counts as none.
    """
    try:
        found = parse_analysis(text) if text else None
    except BadAnalysis:
        return None
    return found if found and found.identity == identity_of(game) else None


def _name_of(game: Game) -> BoardName:
    return BoardName(game.header.kind.name, game.header.board)
