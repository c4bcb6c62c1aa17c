"""`pbm-oust ratings` and `standings`: computed from the finished games."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import click

from pbm_oust.board.ratings import Finish, RatedGame, Standing, Table, rate
from pbm_oust.cli.operator import (
    KIND,
    Operator,
    as_json,
    pass_operator,
    print_json,
)
from pbm_oust.cli.terminal import page, say
from pbm_oust.languages import ENGLISH
from pbm_oust.letters.tables import standing_rows
from pbm_oust.letters.translator import Translator
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store.entries import Entry
from pbm_oust.store.ratings import count_all, forget_ratings


@click.command()
@click.argument("kind", type=KIND, required=False)
@as_json
@pass_operator
def standings(operator: Operator, kind: Kind | None, as_json: bool) -> None:
    """List players by rating.

    There is a list for each game and class of sizes.
    """
    tables = _tables(operator, kind)
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
@click.option("--recompute", is_flag=True, help="Count them anew in the database too.")
@as_json
@pass_operator
def ratings(operator: Operator, kind: Kind | None, recompute: bool, as_json: bool) -> None:
    """Show how the ratings came about, game by game.

    They are computed from the histories and printed to the last digit.
    """
    if recompute:
        _count_anew(operator, kind)
    tables = _tables(operator, kind)
    if as_json:
        print_json([_summary(table) | {"games": list(map(_game, table.games))} for table in tables])
        return
    for table in tables:
        say(f"{table.kind.title}, {table.size.value} boards")
        for rated in table.games:
            effects = "  ".join(
                f"{change.after.userid} {change.after.rating!r}" for change in (rated.x, rated.o)
            )
            say(f"  {rated.game.name}  {effects}")


def _count_anew(operator: Operator, kind: Kind | None) -> None:
    """Count all games anew, in place of the ratings in the database."""
    database = operator.prepared_home().database
    for each in [kind] if kind else KINDS.values():
        database.write(partial(forget_ratings, kind=each))
        while not count_all(database, each):
            pass


def _tables(operator: Operator, kind: Kind | None) -> list[Table]:
    return rate(_rated_games(operator, kind))


def _rated_games(operator: Operator, kind: Kind | None) -> Iterator[Finish]:
    """Yield how the games ended that count; damaged boards are left out."""
    for each in [kind] if kind else KINDS.values():
        for entry in operator.boards.entries(each):
            if isinstance(entry, Entry) and (finish := entry.finish):
                yield finish


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
