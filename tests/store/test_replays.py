"""What histories replay to, remembered so that a board in play is not replayed from its start."""

import pytest
from hypothesis import given

from pbm_oust.board.game import Game
from pbm_oust.board.history import BadHistory, read_history
from pbm_oust.store.replays import Replays
from pbm_oust.store.waiting import BoardName
from tests.support.games import EXAMPLE, history_of
from tests.support.rings import examples
from tests.support.strategies import games

NAME = BoardName("oust", 17)
LINES = EXAMPLE.encode().splitlines(keepends=True)
HEADER = 9
"""How many lines the header of the example has."""


def beginning(count: int) -> bytes:
    """Return the first lines of the example."""
    return b"".join(LINES[:count])


@pytest.mark.parametrize("first", range(HEADER, len(LINES) + 1))
def test_a_history_that_goes_on_replays_to_the_same_as_from_its_start(first: int) -> None:
    for second in range(first, len(LINES) + 1):
        replays = Replays()
        replays.replay(NAME, beginning(first))
        assert replays.replay(NAME, beginning(second)).history == read_history(beginning(second))


@examples(30)
@given(games())
def test_a_game_that_goes_on_line_by_line_is_the_same_game(game: Game) -> None:
    replays, data = Replays(), history_of(game)
    lines = data.splitlines(keepends=True)
    for count in range(HEADER, len(lines) + 1):
        history = replays.replay(NAME, b"".join(lines[:count])).history
    assert history == read_history(data)


def test_a_history_that_was_edited_is_replayed_from_its_start() -> None:
    replays = Replays()
    replays.replay(NAME, EXAMPLE.encode())
    other = EXAMPLE.encode().replace(b"rrognlie", b"carol")
    assert replays.replay(NAME, other).history == read_history(other)


@pytest.mark.parametrize(
    "behind",
    [
        b"   3 o F5                        2026-11-21T19:31:40Z 9d2f6a1b3c4e5f60\n= x resign\n",
        b"   3 o G5                        2026-11-21T19:31:40Z 0b53a2c4d1e6f788\n",
        b"   3 o G5                        2026-11-21T08:02:10Z 9d2f6a1b3c4e5f60\n",
        b"   3 o G7                        2026-11-21T19:31:40Z 9d2f6a1b3c4e5f60\n",
        b"   3 x G5                        2026-11-21T19:31:40Z 9d2f6a1b3c4e5f60\n",
        b"   4 o G5                        2026-11-21T19:31:40Z 9d2f6a1b3c4e5f60\n",
        b"   3 o G5*1                      2026-11-21T19:31:40Z 9d2f6a1b3c4e5f60\n",
        b"   3 o resign                    2026-11-21T19:31:40Z 9d2f6a1b3c4e5f60\n= x resign\n\n",
        b"   3 o resign                    2026-11-21T19:31:40Z 9d2f6a1b3c4e5f60\n= o resign\n",
        b"= x resign\n",
        b"# seek x\n",
        b"\xff\n",
    ],
)
def test_damage_behind_what_is_remembered_is_reported_as_in_a_whole_history(behind: bytes) -> None:
    replays, data = Replays(), beginning(11) + behind
    replays.replay(NAME, beginning(11))
    with pytest.raises(BadHistory) as expected:
        read_history(data)
    with pytest.raises(BadHistory) as found:
        replays.replay(NAME, data)
    assert str(found.value) == str(expected.value)


def test_a_remark_behind_what_is_remembered_is_no_damage() -> None:
    replays, data = Replays(), beginning(11) + b"# by hand\n"
    replays.replay(NAME, beginning(11))
    assert replays.replay(NAME, data).history == read_history(data)


def test_what_was_read_last_is_remembered() -> None:
    replays = Replays(most=150)
    names = [BoardName("oust", number) for number in (17, 18, 19)]
    for name in names[:2]:
        data = EXAMPLE.replace("Board: 17", f"Board: {name.board}").encode()
        replays.replay(name, data)
    replays.replay(names[0], EXAMPLE.encode())
    replays.replay(names[2], EXAMPLE.replace("Board: 17", "Board: 19").encode())
    known = [
        replays.recall(name, EXAMPLE.replace("Board: 17", f"Board: {name.board}").encode())
        for name in names
    ]
    assert [each is not None for each in known] == [True, False, True]
