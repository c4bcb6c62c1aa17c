"""The values that several commands read: boards, userids, passwords, guards, filters."""

import re
from collections.abc import Callable, Sequence
from enum import Enum

from msgspec import Struct

from pbm_oust.accounts.account import is_placeholder, is_reserved, parse_userid
from pbm_oust.accounts.address import MOST_ADDRESSES, normal_address, parse_address
from pbm_oust.accounts.password import NO_PASSWORD, Secret
from pbm_oust.board.notation import NUMBER
from pbm_oust.grammar import vocabulary
from pbm_oust.grammar.form import SurplusWord
from pbm_oust.grammar.parts import Parameter, Rest
from pbm_oust.refusal import Unreadable, UnreadableReason

_BOARD = re.compile(rf"({NUMBER.pattern})(?:#(0|{NUMBER.pattern}))?")


class BadBoard(UnreadableReason, frozen=True):
    """A word is not the number of a board."""


class BadNumber(UnreadableReason, frozen=True):
    """A word is not a number."""


class BadUserid(UnreadableReason, frozen=True):
    """A word cannot be a userid."""


class BadGuard(UnreadableReason, frozen=True):
    """What follows `#` is not the number of a record."""


class BadFilter(UnreadableReason, frozen=True):
    """A word such as `active` is not alone at the end."""


class Filter(Enum):
    """Which boards of a player or of everybody."""

    ALL = "all"
    ACTIVE = "active"
    INACTIVE = "inactive"
    NEXT = "next"


class BoardAt(Struct, frozen=True):
    """A board, as it is or as it was after so many records."""

    board: int
    number: int | None = None

    def __str__(self) -> str:
        """Return the word for it."""
        return str(self.board) if self.number is None else f"{self.board}#{self.number}"


def read_board(word: str) -> int:
    """Return the number of a board. Raises Unreadable."""
    if not NUMBER.fullmatch(word):
        raise Unreadable(BadBoard(), word)
    return int(word)


def read_number(word: str) -> int:
    """Return the number that something has within its game. Raises Unreadable."""
    if not NUMBER.fullmatch(word):
        raise Unreadable(BadNumber(), word)
    return int(word)


def read_board_at(word: str) -> BoardAt:
    """Return a board, with the record that `#N` names if it does. Raises Unreadable."""
    match = _BOARD.fullmatch(word)
    if not match:
        raise Unreadable(BadBoard(), word)
    return BoardAt(int(match[1]), int(match[2]) if match[2] else None)


def read_userid(word: str) -> str:
    """Return a userid. Raises Unreadable."""
    try:
        return parse_userid(vocabulary.fold(word))
    except ValueError:
        raise Unreadable(BadUserid(), word) from None


def read_userids(words: Sequence[str]) -> tuple[str, ...]:
    """Return userids, each one once. Raises Unreadable."""
    return tuple(dict.fromkeys(read_userid(word) for word in words))


def read_guard(word: str) -> int:
    """Return the number after a `#`. Raises Unreadable."""
    if not word.startswith("#") or not NUMBER.fullmatch(word[1:]):
        raise Unreadable(BadGuard(), word)
    return int(word[1:])


def read_userids_and_filter(words: Sequence[str]) -> tuple[tuple[str, ...], Filter]:
    """Return the userids and the filter after them; without a filter, active boards are meant.

    Raises Unreadable.
    """
    filters = {known.value: known for known in Filter}
    chosen = Filter.ACTIVE
    meant = [vocabulary.in_english(word, filters) for word in words]
    if meant and meant[-1] in filters:
        chosen = filters[meant[-1]]
        words, meant = words[:-1], meant[:-1]
    misplaced = [word for word, each in zip(words, meant, strict=True) if each in filters]
    if misplaced:
        raise Unreadable(BadFilter(), misplaced[0])
    return tuple(read_userid(word) for word in words), chosen


def write_userids_and_filter(chosen: tuple[tuple[str, ...], Filter]) -> list[str]:
    """Return the words for some userids and a filter."""
    userids, filtered = chosen
    return [*userids, *([] if filtered is Filter.ACTIVE else [filtered.value])]


BOARD = Parameter("BOARD", "board", read_board)

NUMBERED = Parameter("NUMBER", "number", read_number)

USERID = Parameter("USERID", "userid", read_userid)

PASSWORD = Parameter("PASSWORD", "password", Secret, is_secret=True)

FILTER_WORDS = frozenset(known.value for known in Filter)

OF_FILTERS = FILTER_WORDS.union(vocabulary.aliases_of(FILTER_WORDS))
"""The words for filters in all languages, which no userid can be."""

FILTERS = "|".join(known.value for known in Filter)

OWN = (USERID, PASSWORD)

OF_BOARD = (BOARD, USERID, PASSWORD)


def secret_if_any(
    name: str, sets: str, read: Callable[[str], Secret | None], *, is_new: bool = False
) -> Rest:
    """Return a rest that is a password or nothing; its value is None for nothing."""

    def read_words(words: Sequence[str]) -> Secret | None:
        if len(words) > 1:
            raise Unreadable(SurplusWord())
        return read(words[0]) if words else None

    def write(secret: Secret | None) -> list[str]:
        return [secret.text] if secret else []

    return Rest((sets,), (f"[{name}]",), read_words, write, least=0, is_secret=True, is_new=is_new)


def read_password_if_any(word: str) -> Secret | None:
    """Return a password, or None for the hyphen that may stand in its place."""
    return Secret(word) if word != NO_PASSWORD.text else None


PASSWORD_IF_ANY = secret_if_any("PASSWORD", "password", read_password_if_any)


def at_most_one(words: Sequence[str]) -> Sequence[str]:
    """Return words of which there are no two. Raises Unreadable."""
    if len(words) > 1:
        raise Unreadable(SurplusWord(), words[1])
    return words


def only_word(wanted: str, sets: str) -> Rest:
    """Return a rest that is one word or nothing; it sets whether the word is there."""

    def read(words: Sequence[str]) -> bool:
        for word in words[:1]:
            vocabulary.find_command_word(word, [wanted])
        return bool(at_most_one(words))

    def write(is_there: bool) -> list[str]:
        return [wanted] if is_there else []

    return Rest((sets,), (f"[{wanted}]",), read, write, least=0, known=frozenset([wanted]))


LONGEST_PASSWORD = 64

RESERVED = OF_FILTERS | {"server", "operator", "draw"}
"""Words that commands and histories use where a userid could be."""

_LIKE_ADDRESS = re.compile(r"[^@]+@[^@]+\.[^@]+")

_NOT_IN_PASSWORDS = re.compile("[\\s\"':,#\u2018-\u201f]")


class ReservedUserid(UnreadableReason, frozen=True):
    """A new userid is kept for those who run servers."""


class BadPassword(UnreadableReason, frozen=True):
    """A password looks like another word, or is too short or too long."""


class ForgottenPassword(UnreadableReason, frozen=True):
    """A mail address is in the place of the password."""


def read_new_userid(word: str) -> str:
    """Return the userid of a new account. Raises Unreadable."""
    userid = read_userid(word)
    if userid in RESERVED or is_placeholder(userid):
        raise Unreadable(BadUserid(), word)
    if is_reserved(userid):
        raise Unreadable(ReservedUserid(), word)
    return userid


def read_new_password(word: str) -> Secret:
    """Return a new password. Raises Unreadable if it looks like another word.

    A password must not look like any other word of a command, because whatever might be a
    password is never shown.
    """
    too_short = len(word) < vocabulary.SHORTEST_PASSWORD
    too_long = len(word) > LONGEST_PASSWORD
    if too_short or too_long or _NOT_IN_PASSWORDS.search(word) or vocabulary.is_harmless(word):
        raise Unreadable(BadPassword())
    if _LIKE_ADDRESS.fullmatch(word):
        raise Unreadable(ForgottenPassword())
    return Secret(word)


class BadAddress(UnreadableReason, frozen=True):
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


ADDRESSES = Rest(("addresses",), ("[ADDRESS..]",), read_addresses, tuple, least=0)
