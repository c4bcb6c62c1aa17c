"""`pbm-oust ratings` and `standings`: as they are kept, or computed from the histories."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import click

from pbm_oust.board.ratings import Finish, RatedGame, Standing, Table, rate
from pbm_oust.cli.operator import KIND, Operator, Refused, as_json, pass_operator, print_json
from pbm_oust.cli.terminal import page, say
from pbm_oust.languages import ENGLISH
from pbm_oust.letters.lists import standing_rows
from pbm_oust.letters.translator import Translator
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.index import Entry
from pbm_oust.store.ratings import (
    count_marked,
    finished_games,
    is_counting,
    mark,
    standings_of,
    wrongly_rated,
)


@click.command()
@click.argument("kind", type=KIND, required=False)
@as_json
@pass_operator
def standings(operator: Operator, kind: Kind | None, as_json: bool) -> None:
    """List players by rating.

    There is a list for each game and class of sizes.
    """
    tables = [table for each in _kinds(kind) for table in _standings(operator, each)]
    if as_json:
        print_json([_summary(table) for table in tables])
        return
    lines = list[str]()
    for table in tables:
        lines.append(f"{table.kind.title}, {table.size.value} boards")
        lines += [f"  {row}" for row in standing_rows(Translator(ENGLISH), table.ordered())]
    page("".join(f"{line}\n" for line in lines))


@click.command()
@click.argument("kind", type=KIND, required=False)
@click.option("--recompute", is_flag=True, help="Compute them from all games, and compare.")
@as_json
@pass_operator
def ratings(operator: Operator, kind: Kind | None, recompute: bool, as_json: bool) -> None:
    """Show how the ratings came about, game by game.

    They are printed to the last digit. With --recompute they are computed from all finished games.
    Exit status 1 if other ones were kept; these are counted anew.
    """
    if recompute:
        tables, wrong = _recomputed(operator, kind)
    else:
        tables, wrong = (
            [table for each in _kinds(kind) for table in rate(_rated_games(operator, each))],
            list[str](),
        )
    if as_json:
        print_json([_summary(table) | {"games": list(map(_game, table.games))} for table in tables])
    for table in tables if not as_json else ():
        say(f"{table.kind.title}, {table.size.value} boards")
        for rated in table.games:
            effects = "  ".join(
                f"{change.after.userid} {change.after.rating!r}" for change in (rated.x, rated.o)
            )
            say(f"  {rated.game.name}  {effects}")
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise Refused(
            f"the ratings that were kept are not those of the finished games: {wrong[0]}{more}; "
            "they have been counted anew"
        )


def _recomputed(operator: Operator, kind: Kind | None) -> tuple[list[Table], list[str]]:
    """Return the ratings that all finished games give, and of whom others were kept."""
    database = operator.prepared_home().database
    count_marked(database)
    tables, wrong = list[Table](), list[str]()
    for each in _kinds(kind):
        with database.read_latest() as snapshot:
            tables += rate(finished_games(snapshot, each))
            keys = wrongly_rated(snapshot, each)
        if keys:
            wrong += [f"{userid} in {each.title} on {size.value} boards" for size, userid in keys]
            database.write(partial(mark, kind=each))
            count_marked(database)
    return tables, wrong


def _rated_games(operator: Operator, kind: Kind) -> Iterator[Finish]:
    """Yield how the games ended that count; damaged boards are left out."""
    for entry in operator.boards.entries(kind):
        if isinstance(entry, Entry) and (finish := entry.finish):
            yield finish


def _kinds(kind: Kind | None) -> list[Kind]:
    return [kind] if kind else sorted(KINDS.values(), key=lambda each: each.name)


def _standings(operator: Operator, kind: Kind) -> list[Table]:
    """Return the standings that are kept, or where that is not all, those that the games give."""
    with suppress(DatabaseFault), operator.home.database.read() as snapshot:
        if snapshot.identity is not None and not is_counting(snapshot, kind):
            return standings_of(snapshot, kind)
    return rate(_rated_games(operator, kind))


def _summary(table: Table) -> dict[str, Any]:
    return {
        "kind": table.kind.name,
        "size": table.size.value,
        "standings": [_standing(standing) for standing in table.ordered()],
    }


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "userid": standing.userid,
        "rating": standing.rating,
        "provisional": standing.is_provisional,
        "games": standing.games,
        "wins": standing.wins,
        "losses": standing.losses,
        "draws": standing.draws,
    }


def _game(rated: RatedGame) -> dict[str, Any]:
    return {
        "board": rated.game.board,
        "x": {"userid": rated.x.after.userid, "rating": rated.x.after.rating},
        "o": {"userid": rated.o.after.userid, "rating": rated.o.after.rating},
    }
