"""Exploring: who looks is nobody who plays, and what strangers choose stays small."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.exceptions import HTTPException

from pbm_oust.web.explore import house_turn
from pbm_oust.web.ground import KEY_BYTES, MOST_BYTES, Cache, Made
from pbm_oust.web.play import cells_of
from tests.support.accounts import make_account
from tests.support.home_by_mail import ALICE, home_of, mailed
from tests.support.website import website


def test_nobody_who_looks_is_taken_for_a_player(tmp_path: Path) -> None:
    home, guest = home_of(tmp_path / "home", ALICE), "guest@example.org"
    make_account(home, "guest", "wonderland", guest)
    for line in ("challenge guest alice wonderland", "move 1 guest wonderland C3"):
        mailed(home, guest, f"oust {line}", at=datetime.now(UTC))
    home.database.close()
    with website(home.path) as pages:
        page = pages.get("/oust/1/0/explore?moves=C3").text
    assert "guest played C3" in page
    assert "You played" not in page


def test_whoever_waits_too_long_for_the_house_is_told_to_come_later() -> None:
    with pytest.raises(HTTPException) as refused:
        house_turn("oust", "square 7x7", "D4", patience=0)
    assert (refused.value.status_code, refused.value.headers) == (503, {"Retry-After": "60"})


def test_a_cell_at_the_end_of_a_text_that_is_too_long_is_not_cut() -> None:
    assert {*cells_of("A1,A1," + 800 * "D11,")} == {"A1", "D11"}


def test_short_contents_of_long_addresses_do_not_fill_the_memory() -> None:
    cache, most = Cache(), MOST_BYTES // KEY_BYTES
    for key in range(most):
        cache.put(key, Made(b"D4"))
    assert cache.find(0) is None
    assert cache.find(most - 1)
