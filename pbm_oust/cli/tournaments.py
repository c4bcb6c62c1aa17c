"""`pbm-oust tournaments`: the operator sets them up, looks at them and changes them."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import click
from msgspec import structs

from pbm_oust.board import Terms, notation
from pbm_oust.cli import common, rulings
from pbm_oust.cli.terminal import ask, say
from pbm_oust.commands.challenge import OPTIONS
from pbm_oust.doctor import counted
from pbm_oust.grammar.parts import read_options
from pbm_oust.play import tournaments as conduct
from pbm_oust.play.tournaments import SectionTable
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import Unreadable
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS, Grid, Kind
from pbm_oust.store import ladders, tournaments
from pbm_oust.store.database import ALL_ROWS
from pbm_oust.store.index import Window
from pbm_oust.tournaments import cup as cups
from pbm_oust.tournaments.cup import Cup, Every, Out, State
from pbm_oust.tournaments.ladder import SOURCE as LADDER

_TITLE = re.compile(r"[ -~]{1,60}")


def _read_title(text: str) -> str:
    """Return a title, which stands in Subjects. Raises ValueError."""
    if not _TITLE.fullmatch(text) or text != " ".join(text.split()):
        raise ValueError("a title has 1 to 60 letters, digits and signs of ASCII")
    return text


_STARTS = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%MZ"])


def _named(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the tournament that its first two words name."""
    number = click.argument("number", type=click.IntRange(min=1))
    return common.kind_name(number(function))


@common.command(has_json=True)
@common.kind_name
@click.argument("title", type=common.Parsed("TITLE", _read_title))
@click.option(
    "--section",
    type=click.IntRange(cups.SMALLEST, cups.LARGEST),
    default=5,
    show_default=True,
    help="How many players a section has at most.",
)
@click.option(
    "--games",
    type=click.IntRange(1, 4),
    default=1,
    show_default=True,
    help="How many games each pair plays, with the sides exchanged in turn.",
)
@click.option("--starts", type=_STARTS, help="When it starts, in UTC: 2027-03-01.")
@click.option(
    "--every",
    type=click.Choice([each.value for each in Every]),
    help="Let another one follow when it starts; without --starts, on the first of the next month.",
)
@click.option(
    "--fill",
    "house",
    multiple=True,
    type=click.Choice(sorted(HOUSE)),
    help="Let a house player fill the last section; may be repeated.",
)
@rulings.as_by_mail
def create(
    operator: common.Operator,
    kind: Kind,
    title: str,
    section: int,
    games: int,
    starts: datetime | None,
    every: str | None,
    house: tuple[str, ...],
    as_json: bool,
    **options: str | bool | None,
) -> None:
    """Open a tournament for players to enter.

    It is announced to those who want to know. It is a round robin in sections, whose winners play
    on until one section is left. The running server, or a sweep, begins it.
    """
    grid, terms = _board_of(options, kind)
    work = operator.unit_of_work()
    at = _start(starts, every, work.now())

    def deed(work: UnitOfWork) -> Cup:
        cup = Cup(
            kind=kind.name,
            number=work.home.ask(tournaments.next_number, kind.name),
            title=title,
            grid_name=str(grid),
            terms_words=notation.format_terms(terms),
            size=section,
            games=games,
            starts=at,
            every=Every(every) if every else None,
            house=tuple(dict.fromkeys(house)),
        )
        conduct.open_cup(cup, work)
        return cup

    cup = work.retried(deed)
    _go_on(operator, work, cup.kind, cup.number, as_json)


def _board_of(options: dict[str, str | bool | None], kind: Kind) -> tuple[Grid, Terms]:
    """Return on which grid and terms games begin, by the options of a challenge.

    Raises UsageError, and Refused for a grid on which the game is not played.
    """
    try:
        chosen: dict[str, Any] = read_options(OPTIONS, rulings.words_of_mail(options), kind)
    except Unreadable as refusal:
        raise click.UsageError(rulings.usage(refusal, kind)) from None
    grid = chosen.pop("grid", kind.default_grid)
    if not kind.plays_on(grid):
        raise common.Refused(f"{kind.title} is not played on {grid}")
    return grid, Terms(**chosen, binding=True)


def _start(starts: datetime | None, every: str | None, now: datetime) -> datetime:
    """Return when a tournament starts. Raises UsageError."""
    if starts is None:
        if not every:
            raise click.UsageError("say when it starts, with --starts, or how often, with --every")
        first = now.replace(day=1, hour=0, minute=0, second=0)
        return cups.following(first, Every.MONTH)
    at = starts.replace(tzinfo=UTC)
    if at <= now:
        raise click.UsageError(f"{notation.format_time(at)} is past; choose a later start")
    return at


@common.command(has_json=True)
@click.argument("kind", type=common.KIND, required=False)
def list_(operator: common.Operator, kind: Kind | None, as_json: bool) -> None:
    """List tournaments.

    The latest come first.
    """
    home = operator.home
    found = [
        (cup, home.ask(tournaments.count_entries, cup))
        for each in ([kind] if kind else KINDS.values())
        for cup in home.ask(tournaments.cups, each.name, State, Window(ALL_ROWS))
    ]
    if as_json:
        common.print_json([cups.cup_fields(cup, count) for cup, count in found])
        return
    headings = ("tournament", "title", "state", "round", "starts", "players")
    common.print_table(
        headings,
        [
            (
                f"{cup.kind} {cup.number}",
                cup.title,
                cup.state.value,
                cup.round or "-",
                notation.format_time(cup.starts),
                count,
            )
            for cup, count in found
        ],
    )


@common.command(has_json=True)
@_named
def show(operator: common.Operator, kind: Kind, number: int, as_json: bool) -> None:
    """Show who takes part in a tournament, and the tables of its latest round."""
    work = operator.unit_of_work()
    cup = _found(work, kind, number)
    entries = work.home.ask(tournaments.entries, cup.kind, cup.number)
    tables = conduct.tables_of(cup, cup.round, work)
    if as_json:
        players = [each.fields() for each in entries]
        sections = [each.fields() for each in tables]
        told = cups.cup_fields(cup, len(entries))
        common.print_json({**told, "entries": players, "sections": sections})
        return
    _print(cup, len(entries), as_json=False)
    for entry in entries:
        most = f", {counted(entry.most, 'board')} at once" if entry.most else ""
        out = f", out since {notation.format_time(entry.out)}: " if entry.out else ""
        why = entry.why.value if entry.why else ""
        say(f"  {entry.userid}, entered {notation.format_time(entry.at)}{most}{out}{why}")
    for each in tables:
        say(f"round {each.section.round}, section {each.section.section}:")
        for score in each.scores:
            say(f"  {score.place}. {score.userid}: {counted(score.points, 'point')}")


@common.command(has_json=True)
@_named
def start(operator: common.Operator, kind: Kind, number: int, as_json: bool) -> None:
    """Start a tournament now."""

    def deed(cup: Cup, work: UnitOfWork) -> None:
        conduct.begin(cup, work)

    _change(operator, kind, number, as_json, deed, State.OPEN)


@common.command(has_json=True)
@_named
@click.argument("duration", type=common.Parsed("DURATION", rulings.read_duration))
def extend(
    operator: common.Operator, kind: Kind, number: int, duration: int, as_json: bool
) -> None:
    """Put the start of a tournament off.

    By days or weeks: 3d, 2w.
    """

    def deed(cup: Cup, work: UnitOfWork) -> None:
        later = structs.replace(cup, starts=cup.starts + timedelta(days=duration))
        work.home.do(tournaments.keep, later, work.now() if cup.telling else later.starts)

    _change(operator, kind, number, as_json, deed, State.OPEN)


@common.command(has_json=True)
@_named
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def cancel(operator: common.Operator, kind: Kind, number: int, yes: bool, as_json: bool) -> None:
    """Cancel a tournament. Its games that are in play count as never begun."""

    def deed(cup: Cup, work: UnitOfWork) -> None:
        conduct.cancel(cup, work)

    cup = _found(operator.unit_of_work(), kind, number)
    if not yes:
        ask(f"Cancel {cup.title} ({cup.name})?")
    _change(operator, kind, number, as_json, deed)


@common.command(has_json=True)
@_named
@click.argument("userid", shell_complete=common.complete_userids)
def remove(operator: common.Operator, kind: Kind, number: int, userid: str, as_json: bool) -> None:
    """Take a player out of a tournament. Their games there that are in play become void."""
    userid = userid.lower()

    def deed(cup: Cup, work: UnitOfWork) -> None:
        entry = work.home.ask(tournaments.entries_of, cup.kind, cup.number, [userid]).get(userid)
        if entry is None or entry.out:
            raise common.Refused(f"{userid} does not take part in {cup.name}")
        conduct.take_out(cup, entry, Out.REMOVED, work)

    _change(operator, kind, number, as_json, deed)


@common.command(has_json=True)
@click.argument("kind", type=common.KIND, required=False)
def verify(operator: common.Operator, kind: Kind | None, as_json: bool) -> None:
    """Compare tournaments with their boards.

    That is who has to play whom, how often, and who has won. Ladders are compared with all that
    happened on them. Exit status 1 if something is wrong.
    """
    work = operator.unit_of_work()
    kinds = [kind] if kind else list(KINDS.values())
    wrong = [
        {"tournament": cup.name, "wrong": each}
        for one in kinds
        for cup in work.home.ask(tournaments.cups, one.name, State, Window(ALL_ROWS))
        for each in _wrong(cup, work)
    ]
    wrong += [
        {"tournament": f"{one.name} {LADDER}", "wrong": f"{userid} belongs elsewhere"}
        for one in kinds
        for userid in work.home.ask(ladders.wrong, one.name, work.now())
    ]
    if as_json:
        common.print_json(wrong)
    for each in () if as_json else wrong:
        say(f"{each['tournament']}: {each['wrong']}")
    if wrong:
        raise SystemExit(1)
    if not as_json:
        say("all tournaments agree with their boards")


@common.command(has_json=True)
@common.kind_name
@click.option(
    "--add", metavar="USERID", shell_complete=common.complete_userids, help="Put a player on it."
)
@click.option(
    "--remove",
    "removed",
    metavar="USERID",
    shell_complete=common.complete_userids,
    help="Take a player off it; their games go on.",
)
@rulings.as_by_mail
def ladder(
    operator: common.Operator,
    kind: Kind,
    add: str | None,
    removed: str | None,
    as_json: bool,
    **options: str | bool | None,
) -> None:
    """Show the ladder of a game, or change it.

    The options for boards set how its games begin from now on; what they leave out is as usual. A
    house player is on it only if you add one.
    """
    board = _board_of(options, kind) if rulings.words_of_mail(options) else None

    def deed(work: UnitOfWork) -> None:
        home = work.home
        if add and work.account_if_any(add) is None:
            raise common.Refused(f"there is no player {add}")
        if removed and home.ask(ladders.place_of, kind.name, removed) is None:
            raise common.Refused(f"{removed} is not on the ladder")
        if add and home.ask(ladders.place_of, kind.name, add) is None:
            home.do(ladders.join, kind.name, add, work.now())
        if removed:
            home.do(ladders.leave, kind.name, removed, work.now())
        if board:
            home.do(ladders.set_terms, kind, *board)

    work = operator.unit_of_work()
    if add or removed or board:
        work.retried(deed)
    grid, terms = work.home.ask(ladders.terms_of, kind)
    places = work.home.ask(ladders.places, kind.name, Window(ALL_ROWS))
    if as_json:
        rungs = [structs.asdict(each) for each in places]
        terms_words = notation.format_terms(terms)
        common.print_json({"grid": str(grid), "terms": terms_words, "players": rungs})
        return
    say(f"{kind.name} {LADDER}: {grid}, {notation.format_terms(terms)}")
    headings = ("place", "player", "playing")
    common.print_table(headings, [(each.place, each.userid, each.playing) for each in places])


def _wrong(cup: Cup, work: UnitOfWork) -> Iterable[str]:
    """Yield what is wrong with a tournament."""
    entered = {each.userid for each in work.home.ask(tournaments.entries, cup.kind, cup.number)}
    won: set[str] | None = None
    for round_ in range(1, cup.round + 1):
        tables = conduct.tables_of(cup, round_, work)
        players = {each for table in tables for each in table.section.players}
        if others := players - (entered if won is None else won):
            yield f"round {round_}: {', '.join(sorted(others))} should not play"
        won = set()
        for table in tables:
            yield from _wrongly_paired(cup, table)
            yield from _wrongly_won(cup, table, work)
            won |= set(table.section.winners if table.section.is_over else table.section.players)
    if cup.state is State.OVER and not set(cup.winners) <= (won or set()):
        yield f"it was won by {_listed(won or ())}, not by {_listed(cup.winners)}"
    for name in work.home.ask(tournaments.strays, cup):
        yield f"{name} is of a section that there is not"


def _wrongly_won(cup: Cup, table: SectionTable, work: UnitOfWork) -> Iterable[str]:
    """Yield that a section that is over was not won by whom its table says.

    Whoever has left the cup since has won it all the same.
    """
    section = table.section
    ended = max((each.latest for each in table.boards), default=None)
    late = cups.times_lost(table.boards)
    entries = work.home.ask(tournaments.entries_of, cup.kind, cup.number, section.players)
    out = {
        each.userid
        for each in entries.values()
        if late.get(each.userid, 0) >= cups.MOST_TIMES_LOST
        or (each.out and ended and each.out <= ended)
    }
    possible = [set(cups.winners(table.scores, gone)) for gone in (out, table.out)]
    if (
        section.is_over
        and cup.state is not State.CANCELLED
        and set(section.winners) not in possible
    ):
        where = f"round {section.round}, section {section.section}"
        yield f"{where}: won by {_listed(possible[0])}, not by {_listed(section.winners)}"


def _listed(userids: Iterable[str]) -> str:
    return ", ".join(sorted(userids)) or "nobody"


def _wrongly_paired(cup: Cup, table: SectionTable) -> Iterable[str]:
    """Yield in what the boards of a section differ from what its players have to play."""
    where = f"round {table.section.round}, section {table.section.section}"
    for one, other in combinations(table.section.players, 2):
        number = len(table.between(one, other))
        lacks = table.section.is_over and not table.out & {one, other} and number < cup.games
        if lacks or number > cup.games:
            yield f"{where}: {one} and {other} have played {number} times, not {cup.games}"
    for board in table.boards:
        if not {board.x, board.o} <= set(table.section.players):
            yield f"{where}: {board.name} is played by others"
        if board.grid != cup.grid:
            yield f"{where}: {board.name} is played on {board.grid}, not on {cup.grid}"


def _found(work: UnitOfWork, kind: Kind, number: int) -> Cup:
    """Return a tournament. Raises Refused."""
    cup = work.home.ask(tournaments.find, kind.name, number)
    if cup is None:
        raise common.Refused(f"there is no tournament {kind.name} {number}")
    return cup


def _change(
    operator: common.Operator,
    kind: Kind,
    number: int,
    as_json: bool,
    change: Callable[[Cup, UnitOfWork], None],
    *states: State,
) -> None:
    """Change a tournament that is open or runs, or is in one of some states; show how it is then.

    What is due in it is done, and the letters are handed over.
    """
    work = operator.unit_of_work()

    def deed(work: UnitOfWork) -> None:
        cup = _found(work, kind, number)
        if cup.state not in (states or (State.OPEN, State.RUNNING)):
            raise common.Refused(f"{cup.name} is {cup.state.value}")
        change(cup, work)

    work.retried(deed)
    _go_on(operator, work, kind.name, number, as_json)


def _go_on(
    operator: common.Operator, work: UnitOfWork, kind: str, number: int, as_json: bool
) -> None:
    """Do what is due in a tournament, hand the letters over, and show how it is then."""
    conduct.go_on(work, kind, number)
    operator.hand_over()
    cup = _found(work, KINDS[kind], number)
    _print(cup, work.home.ask(tournaments.count_entries, cup), as_json)


def _print(cup: Cup, count: int, as_json: bool) -> None:
    if as_json:
        common.print_json(cups.cup_fields(cup, count))
        return
    at, players = notation.format_time(cup.starts), counted(count, "player")
    say(f"{cup.name}: {cup.title}, {cup.grid_name}, {cup.state.value}, starts {at}, {players}")
