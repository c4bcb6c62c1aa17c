"""Conversations as people can read them, in `talks/`: what is mailed, and what comes of it.

Their lines are those of `tests/support/conversation.py`. A file begins with who has signed up and
with mails that come before each of its conversations; a line `== ..` begins a conversation.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.support.conversation import Conversation, address_of
from tests.support.home_by_mail import Talk, copy_of
from tests.support.tables import scripted

FOLDER = Path(__file__).parent / "talks"
Lines = tuple[str, ...]


def begun(path: Path, players: Lines, lines: Lines) -> Conversation:
    """Return a conversation in a new home, after what comes before it."""
    conversation = Conversation(Talk.begin(path, *map(address_of, players)))
    conversation.say(lines)
    return conversation


@pytest.fixture(scope="session")
def begun_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Lines, Lines], Conversation]:
    """Return what begins conversations whose homes are to be copied."""
    return cache(lambda players, lines: begun(tmp_path_factory.mktemp("begun"), players, lines))


def go_on(first: Conversation, path: Path, lines: Lines) -> None:
    """Take lines in a copy of the home of a conversation that has begun."""
    talk = replace(first.talk, home=copy_of(first.talk.home, path))
    conversation = Conversation(talk, dict(first.latest))
    conversation.say(lines)
    conversation.talk.home.close()


@scripted(FOLDER, slice(1))
def test_a_conversation_goes_as_it_is_written(
    players: Lines,
    before: Lines,
    lines: Lines,
    place: Path,
    begun_once: Callable[[Lines, Lines], Conversation],
) -> None:
    if (place / "pbm_oust.toml").exists():
        conversation = begun(place, players, before)
        conversation.say(lines)
        conversation.talk.home.close()
    else:
        go_on(begun_once(players, before), place, lines)


@scripted(FOLDER, slice(1, None))
def test_so_it_does_in_each_further_case(
    players: Lines,
    before: Lines,
    lines: Lines,
    tmp_path: Path,
    begun_once: Callable[[Lines, Lines], Conversation],
) -> None:
    go_on(begun_once(players, before), tmp_path, lines)
