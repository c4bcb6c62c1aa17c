"""Where each page is found. Pure: the one place where paths are put together."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

from pbm_oust.letters.letters import CODE_PATH, OFF_PATH, PLAY_PATH

FRONT, BOARDS, HISTORY, HELP = "/", "/boards", "/history", "/help"
PLAY, CODE, OFF = PLAY_PATH, CODE_PATH, OFF_PATH
SIGN_IN, SIGN_UP, SIGN_OUT = "/sign-in", "/sign-up", "/sign-out"
ROBOTS, HEALTH = "/robots.txt", "/healthz"
MINE = "/me"
SETTINGS, CHALLENGE, DO = f"{MINE}/settings", f"{MINE}/challenge", f"{MINE}/do"


def of_board(name: str, number: int | None = None, ending: str = "") -> str:
    """Return the path of a board named `oust 17`, as it is or after a record.

    An ending such as `.svg` asks for it in another form.
    """
    path = f"/{name.replace(' ', '/')}"
    return f"{path}{'' if number is None else f'/{number}'}{ending}"


def of_own_board(name: str) -> str:
    """Return the path of the page on which a player plays at a board named `oust 17`."""
    return f"{MINE}{of_board(name)}"


def of_player(userid: str) -> str:
    """Return the path of the page of a player."""
    return f"/players/{userid}"


def of_ratings(userid: str, kind: str) -> str:
    """Return the path of the page that explains the ratings of a player in a game."""
    return f"{of_player(userid)}/ratings/{kind}"


def of_standings(kind: str) -> str:
    """Return the path of the standings of a game."""
    return f"/standings/{kind}"


def of_rules(kind: str) -> str:
    """Return the path of the rules of a game."""
    return f"/rules/{kind}"


def of_example(kind: str, name: str, number: int) -> str:
    """Return the path of an example of the rules of a game after a number of turns."""
    return f"{of_rules(kind)}/{name}/{number}"


def of_help(subject: str) -> str:
    """Return the path of a page of the help."""
    return f"{HELP}/{subject}"


def of_calendar(name: str) -> str:
    """Return the path of the calendar with a name."""
    return f"/calendar/{name}.ics"


def of_feed(path: str) -> str:
    """Return the path of the feed that belongs to the page at a path."""
    return f"{path}.atom"


def asking(path: str, query: Mapping[str, str], page: int = 1) -> str:
    """Return a path with what is asked there: the first page unless another is named."""
    asked = {**query, **({"page": str(page)} if page > 1 else {})}
    return f"{path}?{urlencode(asked)}" if asked else path


ALL: Mapping[str, Any] = {
    "paths": SimpleNamespace(
        mine=MINE,
        settings=SETTINGS,
        challenge=CHALLENGE,
        do=DO,
        sign_in=SIGN_IN,
        sign_up=SIGN_UP,
        sign_out=SIGN_OUT,
    ),
    "path_of_board": of_board,
    "path_of_own_board": of_own_board,
    "path_of_player": of_player,
    "path_of_ratings": of_ratings,
    "path_of_standings": of_standings,
    "path_of_rules": of_rules,
    "path_of_help": of_help,
    "path_of_feed": of_feed,
    "asking": asking,
}
"""By the names that templates use."""
