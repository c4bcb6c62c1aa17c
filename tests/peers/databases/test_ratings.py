"""Ratings in a database of PostgreSQL: those that all finished games give, as with SQLite."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbm_oust.store import ratings
from pbm_oust.store.home import Home
from tests.support.home_by_mail import ADDRESS
from tests.support.postgresql import DatabaseServer
from tests.support.rated import BOARDS, Deed, Rated, happenings


@pytest.fixture
def home(postgresql: DatabaseServer, tmp_path: Path) -> Iterator[Home]:
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    store = f'address = "{ADDRESS}"\nstore = "{postgresql.make_database()}"\n'
    (path / "pbm_oust.toml").write_text(store)
    home = Home(path)
    home.has_relay = True
    home.prepare()
    yield home
    home.close()


@settings(
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(happenings(), st.integers(1, 3))
def test_whatever_becomes_of_games_their_ratings_are_those_of_all_in_their_order(
    home: Home, happens: list[Deed | list[list[Deed]]], most: int
) -> None:
    """The boards of the example before no longer count."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "MOST_AT_ONCE", most)
        rated = Rated(home.database)
        for board in range(1, BOARDS + 1):
            rated.do(Deed(board, "damaged"))
        rated.go_through(happens)
