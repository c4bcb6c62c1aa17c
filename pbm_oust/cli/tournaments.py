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
from pbm_oust.cli.terminal import Columns, Output, ask
from pbm_oust.commands.challenge import OPTIONS
from pbm_oust.doctor import counted
from pbm_oust.grammar.parts import read_options
from pbm_oust.play import tournaments as conduct
from pbm_oust.play.context import Context, Look
from pbm_oust.play.tournaments import SectionTable
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, Unreadable
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
    number = click.argument("number", type=common.NUMBER)
    return common.kind_name(number(function))


@common.command(has_json=True)
@common.kind_name
@click.argument("title", type=common.Parsed("TITLE", _read_title))
@click.option(
    "--section",
    type=click.IntRange(cups.SMALLEST, cups.LARGEST),
    default=cups.USUAL_SIZE,
    show_default=True,
    help="How many players a section has at most.",
)
@click.option(
    "--games",
    type=click.IntRange(1, cups.MOST_GAMES),
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
    output: Output,
    **options: str | bool | None,
) -> None:
    """Open a tournament for players to enter.

    It is announced to those who want to know. It is a round robin in sections, whose winners play
    on until one section is left. The running server, or a sweep, begins it.
    """
    grid, terms = _board_of(options, kind)
    work = operator.unit_of_work()
    at = _start(starts, every, work.now())

    def deed(on: Context) -> Cup:
        given = {"title": title, "size": section, "games": games}
        then = Every(every) if every else None
        players = tuple(dict.fromkeys(house))
        return conduct.announce(on, kind, grid, terms, at, **given, every=then, house=players)

    cup = work.change(deed)
    _go_on(operator, work, kind, cup.number, output)


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
    """Return the start of a tournament. Raises UsageError."""
    if starts is None:
        if not every:
            raise click.UsageError("say when it starts, with --starts, or how often, with --every")
        first = now.replace(day=1, hour=0, minute=0, second=0)
        return cups.following(first, Every.MONTH)
    at = starts.replace(tzinfo=UTC)
    if at <= now:
        raise click.UsageError(f"{notation.format_time(at)} is past; choose a later start")
    common.check_ahead(at, 0, now)
    return at


@common.command(has_json=True)
@click.argument("kind", type=common.KIND, required=False)
def list_(operator: common.Operator, kind: Kind | None, output: Output) -> None:
    """List tournaments.

    The latest come first.
    """
    with operator.unit_of_work().reading() as on:
        found = [
            cups.cup_fields(cup, tournaments.count_entries(on.snapshot, cup))
            for each in ([kind] if kind else KINDS.values())
            for cup in tournaments.cups(on.snapshot, each.name, State, Window(ALL_ROWS))
        ]
    output.json(found)
    columns: Columns[dict[str, Any]] = {
        "tournament": lambda cup: f"{cup['kind']} {cup['number']}",
        "title": "title",
        "state": "state",
        "round": lambda cup: cup["round"] or "-",
        "starts": "starts",
        "players": "players",
    }
    output.table(found, dict, columns)


@common.command(has_json=True)
@_named
def show(operator: common.Operator, kind: Kind, number: int, output: Output) -> None:
    """Show who takes part in a tournament, and the tables of its latest round."""
    with operator.unit_of_work().reading() as on:
        cup = _found(on, kind, number)
        entries = tournaments.entries(on.snapshot, cup.kind, cup.number)
        tables = conduct.tables_of(on, cup, cup.round)
    players = [each.fields() for each in entries]
    sections = [each.fields() for each in tables]
    told = cups.cup_fields(cup, len(entries))
    output.json({**told, "entries": players, "sections": sections})
    output.say(_line(cup, len(entries)))
    for entry in entries:
        most = f", {counted(entry.most, 'board')} at once" if entry.most else ""
        out = f", out since {notation.format_time(entry.out)}: " if entry.out else ""
        why = entry.why.value if entry.why else ""
        output.say(f"  {entry.userid}, entered {notation.format_time(entry.at)}{most}{out}{why}")
    for each in tables:
        output.say(f"round {each.section.round}, section {each.section.section}:")
        for score in each.scores:
            output.say(f"  {score.place}. {score.userid}: {counted(score.points, 'point')}")


@common.command(has_json=True)
@_named
def start(operator: common.Operator, kind: Kind, number: int, output: Output) -> None:
    """Start a tournament now."""
    _change(operator, kind, number, output, conduct.begin, State.OPEN)


@common.command(has_json=True)
@_named
@click.argument("duration", type=common.Parsed("DURATION", rulings.read_duration))
def extend(
    operator: common.Operator, kind: Kind, number: int, duration: int, output: Output
) -> None:
    """Put the start of a tournament off.

    By days or weeks: 3d, 2w.
    """

    def deed(on: Context, cup: Cup) -> None:
        common.check_ahead(cup.starts, duration, on.now)
        later = structs.replace(cup, starts=cup.starts + timedelta(days=duration))
        tournaments.keep(on.transaction, later, on.now if cup.telling else later.starts)

    _change(operator, kind, number, output, deed, State.OPEN)


@common.command(has_json=True)
@_named
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def cancel(operator: common.Operator, kind: Kind, number: int, yes: bool, output: Output) -> None:
    """Cancel a tournament. Its games that are in play count as never begun."""
    cup = operator.unit_of_work().look(lambda on: _found(on, kind, number))
    if not yes:
        ask(f"Cancel {cup.title} ({cup.name})?")
    _change(operator, kind, number, output, conduct.cancel)


@common.command(has_json=True)
@_named
@click.argument("userid", type=common.USERID, shell_complete=common.complete_userids)
@click.option("--void", is_flag=True, help="Let them resign nothing: all that is in play is void.")
def remove(
    operator: common.Operator, kind: Kind, number: int, userid: str, void: bool, output: Output
) -> None:
    """Take a player out of a tournament.

    They resign what they have begun to play there. Games in which they have not moved become void.
    """

    def deed(on: Context, cup: Cup) -> None:
        entries = tournaments.entries_of(on.snapshot, cup.kind, cup.number, [userid])
        entry = entries.get(userid)
        if entry is None or entry.out:
            raise common.Refused(f"{userid} does not take part in {cup.name}")
        conduct.take_out(on, cup, entry, Out.EXCUSED if void else Out.REMOVED)

    _change(operator, kind, number, output, deed)


@common.command(has_json=True)
@click.argument("kind", type=common.KIND, required=False)
def verify(operator: common.Operator, kind: Kind | None, output: Output) -> None:
    """Compare tournaments with their boards.

    That is who has to play whom, how often, and who has won. Ladders are compared with all that
    happened on them. Exit status 1 if something is wrong.
    """
    kinds = [kind] if kind else list(KINDS.values())
    with operator.unit_of_work().reading() as on:
        wrong = [
            {"tournament": cup.name, "wrong": each}
            for one in kinds
            for cup in tournaments.cups(on.snapshot, one.name, State, Window(ALL_ROWS))
            for each in _wrong(on, cup)
        ]
        wrong += [
            {"tournament": f"{one.name} {LADDER}", "wrong": f"{userid} belongs elsewhere"}
            for one in kinds
            for userid in ladders.wrong(on.snapshot, one.name, on.now)
        ]
    output.json(wrong)
    for each in wrong:
        output.say(f"{each['tournament']}: {each['wrong']}")
    if wrong:
        raise SystemExit(1)
    output.say("all tournaments agree with their boards")


@common.command(has_json=True)
@common.kind_name
@click.option(
    "--add",
    type=common.USERID,
    metavar="USERID",
    shell_complete=common.complete_userids,
    help="Put a player on it.",
)
@click.option(
    "--remove",
    "removed",
    type=common.USERID,
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
    output: Output,
    **options: str | bool | None,
) -> None:
    """Show the ladder of a game, or change it.

    The options for boards set how its games begin from now on; what they leave out is as usual. A
    house player is on it only if you add one.
    """
    board = _board_of(options, kind) if rulings.words_of_mail(options) else None

    def deed(on: Context) -> None:
        if add and on.account_if_any(add) is None:
            raise common.Refused(f"there is no player {add}")
        if removed and ladders.place_of(on.snapshot, kind.name, removed) is None:
            raise common.Refused(f"{removed} is not on the ladder")
        if add and ladders.place_of(on.snapshot, kind.name, add) is None:
            ladders.join(on.transaction, kind.name, add, on.now)
        if removed:
            ladders.leave(on.transaction, kind.name, removed, on.now)
        if board:
            ladders.set_terms(on.transaction, kind, *board)

    work = operator.unit_of_work()
    if add or removed or board:
        work.change(deed)
    with work.reading() as on:
        grid, terms = ladders.terms_of(on.snapshot, kind)
        places = ladders.places(on.snapshot, kind.name, Window(ALL_ROWS))
    rungs, words = [each.fields() for each in places], notation.format_terms(terms)
    output.json({"grid": str(grid), "terms": words, "players": rungs})
    output.say(f"{kind.name} {LADDER}: {grid}, {words}")
    output.table(rungs, dict, {"place": "place", "player": "userid", "playing": "playing"})


def _wrong(on: Look, cup: Cup) -> Iterable[str]:
    """Yield what is wrong with a tournament."""
    entered = {each.userid for each in tournaments.entries(on.snapshot, cup.kind, cup.number)}
    won: set[str] | None = None
    for round_ in range(1, cup.round + 1):
        tables = conduct.tables_of(on, cup, round_)
        players = {each for table in tables for each in table.section.players}
        if others := players - (entered if won is None else won):
            yield f"round {round_}: {', '.join(sorted(others))} should not play"
        won = set()
        for table in tables:
            yield from _wrongly_paired(cup, table)
            yield from _wrongly_won(on, cup, table)
            won |= set(table.section.winners if table.section.is_over else table.section.players)
    if cup.state is State.OVER and not set(cup.winners) <= (won or set()):
        yield f"it was won by {_listed(won or ())}, not by {_listed(cup.winners)}"
    for name in tournaments.boards_outside_sections(on.snapshot, cup):
        yield f"{name} is of a section that there is not"


def _wrongly_won(on: Look, cup: Cup, table: SectionTable) -> Iterable[str]:
    """Yield that a section that is over was not won by whom its table says.

    Whoever has left the cup since has won it all the same.
    """
    section = table.section
    ended = max((each.latest for each in table.boards), default=None)
    late = cups.times_lost(table.boards)
    entries = tournaments.entries_of(on.snapshot, cup.kind, cup.number, section.players)
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


def _found(on: Look, kind: Kind, number: int) -> Cup:
    """Return a tournament. Raises Refused."""
    try:
        cup = tournaments.find(on.snapshot, kind.name, number)
    except NotAllowed as refusal:
        raise common.Refused(str(refusal.reason)) from None
    if cup is None:
        raise common.Refused(f"there is no tournament {kind.name} {number}")
    return cup


def _change(
    operator: common.Operator,
    kind: Kind,
    number: int,
    output: Output,
    change: Callable[[Context, Cup], object],
    *states: State,
) -> None:
    """Change a tournament that is open or runs, or is in one of some states; show how it is then.

    What is due in it is done, and the letters are handed over.
    """
    work = operator.unit_of_work()

    def deed(on: Context) -> None:
        cup = _found(on, kind, number)
        if cup.state not in (states or (State.OPEN, State.RUNNING)):
            raise common.Refused(f"{cup.name} is {cup.state.value}")
        change(on, cup)

    work.change(deed)
    _go_on(operator, work, kind, number, output)


def _go_on(
    operator: common.Operator, work: UnitOfWork, kind: Kind, number: int, output: Output
) -> None:
    """Do what is due in a tournament, hand the letters over, and show how it is then."""
    conduct.go_on(work, kind.name, number)
    operator.hand_over()
    with work.reading() as on:
        cup = _found(on, kind, number)
        count = tournaments.count_entries(on.snapshot, cup)
    output.json(cups.cup_fields(cup, count))
    output.say(_line(cup, count))


def _line(cup: Cup, count: int) -> str:
    """Return a line about a tournament that so many players have entered."""
    at, players = notation.format_time(cup.starts), counted(count, "player")
    return f"{cup.name}: {cup.title}, {cup.grid_name}, {cup.state.value}, starts {at}, {players}"
