"""Addresses in a command line."""

from collections.abc import Sequence

from pbm_oust.accounts.address import MOST_ADDRESSES, normal_address, parse_address
from dataclasses import dataclass
from pbm_oust.grammar.form import SurplusWord
from pbm_oust.grammar.parts import rest
from pbm_oust.refusal import Unreadable, UnreadableReason


@dataclass(frozen=True, slots=True)
class BadAddress(UnreadableReason):
    """A word is not a mail address."""


def read_addresses(words: Sequence[str]) -> tuple[str, ...]:
    """Return addresses, each one once, as it was first written. Raises Unreadable."""
    found = list[str]()
    if len(words) > MOST_ADDRESSES:
        raise Unreadable(SurplusWord(), words[MOST_ADDRESSES])
    for word in words:
        try:
            found.append(parse_address(word))
        except ValueError:
            raise Unreadable(BadAddress(), word) from None
    return tuple({normal_address(each): each for each in reversed(found)}.values())[::-1]


ADDRESSES = rest(("[ADDRESS..]",), read_addresses, tuple, least=0)
