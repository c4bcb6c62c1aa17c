"""Where each page is found: the one place where paths are put together, and taken apart.

A game, a board and a record stand in a path in exactly one way. Templates have all of this as
`addresses`.
"""

from collections.abc import Iterable, Mapping
from urllib.parse import quote, urlencode

from starlette.convertors import Convertor, IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException

from pbm_oust.accounts.account import bare_userid, parse_userid
from pbm_oust.commands.invite import JOIN_PATH
from pbm_oust.grammar.grids import named_grid, read_grid
from pbm_oust.letters.letters import CODE_PATH, OFF_PATH, PLAY_PATH, RULES_PATH, TRY_PATH
from pbm_oust.rules import KINDS, Grid, Kind
from pbm_oust.rules.grid import BadGrid, Shape
from pbm_oust.store.upkeep import HEALTH_PATH
from pbm_oust.tournaments.ladder import SOURCE as LADDER

TOURNAMENTS, TOURNAMENTS_JSON = "/tournaments", "/tournaments.json"
FRONT, BOARDS, HISTORY, HELP = "/", "/boards", "/history", "/help"
SEARCH, FOUND = "/search", "/search.json"
PLAYERS, PLAYERS_JSON = "/players", "/players.json"
PLAY, CODE, OFF, JOIN = PLAY_PATH, CODE_PATH, OFF_PATH, JOIN_PATH
SIGN_IN, SIGN_UP, SIGN_OUT = "/sign-in", "/sign-up", "/sign-out"
ROBOTS, HEALTH = "/robots.txt", HEALTH_PATH
SECURITY, FAVICON = "/.well-known/security.txt", "/favicon.ico"
SCHEMAS = "/schemas.json"
MINE = "/me"
TRY, EXPLORE = TRY_PATH, "/explore"
SETTINGS, CHALLENGE, DO = f"{MINE}/settings", f"{MINE}/challenge", f"{MINE}/do"
COMMAND, NEXT, NEWS = f"{MINE}/command", f"{MINE}/next", f"{MINE}/events"
ANNOUNCE = f"{MINE}/announce"
LANGUAGE = "lang"
"""The field of an address with the code of the language in which to go on."""
SEEKS = f"{MINE}/seeks"


def of_board(name: str, number: int | None = None, ending: str = "") -> str:
    """Return the path of a board named `oust 17`, as it is or after a record.

    An ending such as `.svg` asks for it in another form.
    """
    path = f"/{name.replace(' ', '/')}"
    return f"{path}{'' if number is None else f'/{number}'}{ending}"


def of_tournament(name: str, round_: int | None = None, ending: str = "") -> str:
    """Return the path of a tournament named `oust tournament 3`, in its latest or another round."""
    return of_board(name, round_, ending)


def of_section(name: str, round_: int, section: int) -> str:
    """Return the address of a section of a round on the page of a tournament."""
    query = {"section": str(section)}
    return f"{asking(of_tournament(name, round_), query)}#section-{section}"


def of_ladder(kind: str, ending: str = "") -> str:
    """Return the path of the ladder of a game."""
    return of_board(f"{kind} {LADDER}", ending=ending)


def of_own(name: str) -> str:
    """Return the path of a player's own page of what is named `oust 17`, `oust tournament 3`."""
    return f"{MINE}{of_board(name)}"


def after_board(name: str) -> str:
    """Return the path that leads to the next board that waits behind one named `oust 17`."""
    return asking(NEXT, {"after": name})


def of_playing(tag: str) -> str:
    """Return the path of the page on which the link in a letter lets its reader play."""
    return f"{PLAY}/{tag}"


def of_events(path: str) -> str:
    """Return the address of the news of the page at a path."""
    return f"{path}/events"


def of_grid(start: str, kind: str, grid: Grid) -> str:
    """Return the path of a page that begins on an empty board: `/try/oust/7`, `/explore/oust/hex5`.

    Only the name of a hexagon says its shape.
    """
    return f"{start}/{kind}/{named_grid(grid)}"


def of_exploring(path: str) -> str:
    """Return the path of the page that explores a position, by the path of that position."""
    return f"{path}/explore"


def of_line(path: str, cells: Iterable[str] = ()) -> str:
    """Return the path of a page that explores, after placements."""
    line = quote(",".join(cells), safe=",")
    return f"{path}/{line}" if line else path


def of_openings(kind: str, grid: Grid, cells: Iterable[str] = ()) -> str:
    """Return the path of what was played after placements on an empty board, as JSON."""
    return f"{of_line(of_grid(EXPLORE, kind, grid), cells)}.json"


def of_player(userid: str) -> str:
    """Return the path of the page of a player."""
    return f"{PLAYERS}/{userid}"


def of_ratings(userid: str, kind: str) -> str:
    """Return the path of the page that explains the ratings of a player in a game."""
    return f"{of_player(userid)}/ratings/{kind}"


def of_standings(kind: str) -> str:
    """Return the path of the standings of a game."""
    return f"/standings/{kind}"


def of_rules(kind: str) -> str:
    """Return the path of the rules of a game."""
    return f"{RULES_PATH}/{kind}"


def of_advice(kind: str) -> str:
    """Return the path of the page that says how to play a game well."""
    return f"{of_rules(kind)}/play"


def of_step(kind: str, name: str, cells: Iterable[str] = ()) -> str:
    """Return the address of a step of the rules of a game, after placements."""
    moves = ",".join(cells)
    path = asking(of_rules(kind), {"step": name, "moves": moves}) if moves else of_rules(kind)
    return f"{path}#{name}"


def of_puzzles(kind: str) -> str:
    """Return the path of the puzzles of a game."""
    return f"/puzzles/{kind}"


def of_puzzle(kind: str, number: int | str, cells: Iterable[str] = ()) -> str:
    """Return the path of a puzzle of a game, after placements."""
    moves = ",".join(cells)
    return asking(f"{of_puzzles(kind)}/{number}", {"moves": moves} if moves else {})


def of_help(subject: str) -> str:
    """Return the path of a page of the help."""
    return f"{HELP}/{subject}"


def of_calendar(name: str) -> str:
    """Return the path of the calendar with a name."""
    return f"/calendar/{name}.ics"


def of_search(query: Mapping[str, str]) -> str:
    """Return the path of a search for what its fields say; empty ones say nothing."""
    return asking(SEARCH, {name: value for name, value in query.items() if value})


def of_feed(path: str) -> str:
    """Return the path of the feed that belongs to the page at a path."""
    return f"{path}.atom"


def asking(path: str, query: Mapping[str, str], page: int = 1) -> str:
    """Return a path with what is asked there: the first page unless another is named."""
    asked = {**query, **({"page": str(page)} if page > 1 else {})}
    return f"{path}?{urlencode(asked, safe=',')}" if asked else path


class KindConvertor(Convertor[Kind]):
    """The name of a game."""

    regex = "|".join(KINDS)

    def convert(self, value: str) -> Kind:
        """Return the game with a name."""
        return KINDS[value]

    def to_string(self, value: Kind) -> str:
        """Return the name of a game."""
        return value.name


class NumberConvertor(IntegerConvertor):
    """A number of at most nine digits, without leading zeros."""

    regex = "0|[1-9][0-9]{0,8}"


class GridConvertor(Convertor[Grid]):
    """A grid as `of_grid` names it: `7`, `11x9`, `hex5`, `hex3,4`."""

    regex = "(?:[Hh][Ee][Xx][ =:-]?)?[1-9][0-9xX,*\u00d7 ]{0,20}"

    def convert(self, value: str) -> Grid:
        """Return the grid with a name. Raises HTTPException."""
        try:
            return read_grid(value.replace("-", " "), Shape.SQUARE)
        except BadGrid:
            raise HTTPException(404) from None

    def to_string(self, value: Grid) -> str:
        """Return the name of a grid."""
        return of_grid("", "", value).rpartition("/")[2]


class LineConvertor(Convertor[str]):
    """The placements behind the path of a page that explores: `/D4,E5`, or nothing."""

    regex = "(?:/[^/]*)?"

    def convert(self, value: str) -> str:
        """Return the placements of a path."""
        return value.removeprefix("/")

    def to_string(self, value: str) -> str:
        """Return the end of a path with placements."""
        return of_line("", [value] if value else [])


register_url_convertor("grid", GridConvertor())
register_url_convertor("kind", KindConvertor())
register_url_convertor("line", LineConvertor())
register_url_convertor("number", NumberConvertor())


def kind_asked(name: str) -> Kind:
    """Return the game with a name. Raises HTTPException."""
    if name not in KINDS:
        raise HTTPException(404)
    return KINDS[name]


def player_asked(word: str) -> str:
    """Return the userid that a word is. Raises HTTPException."""
    try:
        return parse_userid(bare_userid(word))
    except ValueError:
        raise HTTPException(404) from None


def number_in(word: str, digits: int = 9) -> int | None:
    """Return the number that a word of at most so many digits is; None if it is none."""
    is_number = word.isascii() and word.isdigit() and len(word) <= digits
    return int(word) if is_number else None
