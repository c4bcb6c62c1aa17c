"""Random accounts, with everything that accounts keep."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.accounts.account import (
    Account,
    BoardLimit,
    BroadcastAt,
    Digested,
    DisabledSince,
    GivenUserid,
    Missed,
    Note,
    Proof,
    PuzzleMailed,
    Rejection,
    Said,
    SignedOffSince,
    Solved,
    Streak,
    WatchedBoard,
)
from pbm_oust.accounts.items import Invitation, Seek, Submission
from pbm_oust.accounts.queue import Clause, Plan
from pbm_oust.accounts.settings import BoardForm, MailWhen, Settings, SubjectForm, Switch
from pbm_oust.accounts.vacations import LONGEST, Absence
from pbm_oust.board import Deed, Place, Wish
from pbm_oust.board.header import Terms
from pbm_oust.languages import LANGUAGES
from pbm_oust.rules import Side
from pbm_oust.rules.grid import hexagon, square

HASH = f"scrypt 16384 8 1 {'0' * 32} {'1' * 64}"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
NOBODY = Account("nobody", HASH, (), NOON)

userids = st.from_regex(r"[a-z][a-z0-9_-]{0,19}", fullmatch=True)
addresses = st.from_regex(
    r"[A-Za-z0-9+\'_-]{1,9}(\.[a-z]{1,9})?@[A-Za-z0-9-]{1,9}(\.[a-z]{1,9})?", fullmatch=True
)
keys = st.text("0123456789abcdef", min_size=16, max_size=16)
times = st.integers(0, 2**31).map(lambda seconds: NOON + timedelta(seconds=seconds))
kinds = st.sampled_from(["oust", "churn"])
numbers = st.integers(1, 999)
cells = st.builds("{}{}".format, st.sampled_from("ABCDEFGHJK"), st.integers(1, 25))
places = st.lists(cells, min_size=1, max_size=5).map(lambda names: Place(tuple(names)))
turns: st.SearchStrategy[Wish] = st.one_of(st.sampled_from([Deed.PASS, Deed.SWAP]), places)
moves: st.SearchStrategy[Wish] = st.one_of(st.sampled_from([Deed.RESIGN, Deed.DECLINE]), turns)
clauses = st.lists(turns, min_size=1, max_size=6).map(lambda made: Clause(tuple(made)))
plans = st.builds(Plan.of, kinds, numbers, numbers, keys, clauses)
submissions = st.builds(Submission.of, kinds, numbers, numbers, moves)
terms = st.builds(
    Terms, st.booleans(), st.booleans(), st.integers(1, 99), st.integers(1, 99), st.integers(0, 99)
)
seeks = st.builds(
    Seek.of,
    numbers,
    kinds,
    times,
    st.sampled_from([None, *Side]),
    st.sampled_from([square(13, 13), square(11, 9), hexagon(7, 7), hexagon(3, 4)]),
    terms,
)
invitations = st.builds(
    lambda declined, board, *made: replace(Invitation.of(*made), is_declined=declined, board=board),
    st.booleans(),
    st.none() | numbers,
    kinds,
    times,
    st.from_regex(r"[a-z2-7]{16}", fullmatch=True),
    st.sampled_from([square(13, 13), hexagon(3, 4)]),
    terms,
)
settings = st.builds(
    lambda zone, **chosen: Settings(**chosen).with_setting("zone", zone),
    st.sampled_from(["UTC", "Europe/Paris", "Asia/Kolkata", "America/Los_Angeles"]),
    mail=st.sampled_from(MailWhen),
    autopass=st.sampled_from(Switch),
    language=st.sampled_from(list(LANGUAGES.values())),
    board=st.sampled_from(BoardForm),
    broadcasts=st.sampled_from(Switch),
    subject=st.sampled_from(SubjectForm),
)
texts = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], include_characters="\t\n"), min_size=1
)
vacations = st.lists(times, max_size=6, unique=True).map(
    lambda moments: tuple(
        Absence(start, min(end, start + LONGEST))
        for start, end in list(pairwise(sorted(moments)))[::2]
    )
)


def several(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return a strategy for a few different values."""
    return st.lists(values, max_size=4, unique=True).map(tuple)


def at_most_one(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return a strategy for one value or none."""
    return st.lists(values, max_size=1).map(tuple)


VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "settings": settings.map(lambda chosen: NOBODY.with_settings(chosen).settings),
    "notes": st.lists(
        st.builds(Note, kind=kinds, board=numbers, note=texts),
        max_size=4,
        unique_by=lambda note: note.name,
    ).map(tuple),
    "said": st.lists(
        st.builds(Said, kind=kinds, board=numbers, at=times, to=userids, text=texts), max_size=4
    ).map(lambda said: tuple(sorted(said, key=lambda each: each.at))),
    "watched": several(st.builds(WatchedBoard, kind=kinds, board=numbers)),
    "board_limits": at_most_one(st.builds(BoardLimit, st.integers(1, 999))),
    "rejections": several(st.builds(Rejection, userids)),
    "queue": several(plans),
    "submissions": several(submissions),
    "seeks": st.lists(seeks, max_size=4, unique_by=lambda seek: (seek.kind, seek.number)).map(
        tuple
    ),
    "invitations": several(invitations),
    "vacations": vacations,
    "broadcasts": several(st.builds(BroadcastAt, times)),
    "digests": at_most_one(st.builds(Digested, times, times)),
    "solved": several(st.builds(Solved, kinds, numbers)),
    "missed": several(st.builds(Missed, kinds, numbers)),
    "streaks": at_most_one(st.builds(Streak, numbers, st.dates())),
    "puzzles_mailed": at_most_one(st.builds(PuzzleMailed, times)),
    "signed_off": at_most_one(st.builds(SignedOffSince, times)),
    "disabled": at_most_one(st.builds(DisabledSince, times)),
    "verified": several(st.builds(Proof, keys, keys)),
    "given": at_most_one(st.builds(GivenUserid, userids)),
}
"""A strategy for each thing that accounts keep, by the name of its field."""


@st.composite
def accounts(draw: st.DrawFn, userids: st.SearchStrategy[str] = userids) -> Account:
    """Make accounts that keep some things."""
    names = draw(st.lists(st.sampled_from(list(VALUES)), max_size=5, unique=True))
    return Account(
        draw(userids),
        HASH,
        draw(several(addresses)),
        draw(times),
        draw(st.one_of(st.just(""), keys)),
        **{name: draw(VALUES[name]) for name in names},
    )
