"""Cups that are laid into a home as if they had been played."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import structs

from pbm_oust.store import tournaments
from pbm_oust.store.home import Home
from pbm_oust.store.tournaments import Progress
from pbm_oust.tournaments.cup import Cup, Entry, State, draw, pairings
from tests.support.histories import board_numbers, lay_histories, short_history
from tests.support.home_by_mail import NOON

ENDED = "2026-11-19T08:00:00Z"


def lay_cup(
    home: Home, number: int, players: Sequence[str], over: Sequence[int] = (), **given: object
) -> Cup:
    """Lay a cup that these players have entered into a home, and return it.

    `over` says of each round that has begun how many of its games have ended. In each, the stronger
    player has won, who is x; so the first one of each section plays on.
    """
    cup = structs.replace(
        Cup(
            kind="oust",
            number=number,
            title=f"Cup {number}",
            grid_name="square 5x5",
            terms_words="swap rated nagtime=7 forfeittime=900",
            size=5,
            starts=NOON + timedelta(days=30),
            state=State.RUNNING if over else State.OPEN,
        ),
        **given,
    )
    home.do(tournaments.keep, cup)
    for nth, userid in enumerate(players):
        home.do(tournaments.enter, cup, Entry(userid, NOON + timedelta(minutes=nth)))
    drawn, histories = draw(players, cup.size), dict[int, str]()
    for round_, ended in enumerate(over, 1):
        cup = structs.replace(cup, round=round_)
        home.do(tournaments.keep, cup)
        home.do(tournaments.draw, cup, drawn, NOON)
        games = 0
        for section in home.ask(tournaments.sections, cup.kind, number, round_):
            for pair in pairings(section.players, cup.games):
                board, games = 1 + len(histories) + len(board_numbers(home)), games + 1
                x, o = sorted((pair.x, pair.o), key=section.players.index)
                text = short_history(board, ENDED, ENDED if games <= ended else "", x=x, o=o)
                remarks = f"# challenge {board:016x}\n{section.source.remark.decode()}"
                histories[board] = text.replace("\n\n", f"\n\n{remarks}", 1)
            if games <= ended:
                home.do(tournaments.end_section, section, section.players[:1])
            else:
                home.do(tournaments.let_wait, section, None, Progress.BEGUN)
        drawn = draw([section[0] for section in drawn], cup.size)
    if histories:
        lay_histories(home, histories)
    return cup
