"""The values that several commands read: boards, userids, passwords, guards, filters."""

import re
from collections.abc import Callable, Sequence
from enum import Enum

from msgspec import Struct

from pbm_oust.accounts.account import bare_userid, is_placeholder, is_reserved, parse_userid
from pbm_oust.accounts.address import MOST_ADDRESSES, normal_address, parse_address
from pbm_oust.accounts.password import NO_PASSWORD, Secret
from pbm_oust.board import Game
from pbm_oust.board.notation import NUMBER
from pbm_oust.grammar import vocabulary
from pbm_oust.grammar.form import SurplusWord
from pbm_oust.grammar.grids import is_grid
from pbm_oust.grammar.parts import Parameter, Rest, is_option
from pbm_oust.refusal import Unreadable, UnreadableReason

_BOARD = re.compile(rf"({NUMBER.pattern})(?:#(0|{NUMBER.pattern}))?")


class BadBoard(UnreadableReason, frozen=True):
    """A word other than the number of a board."""


class BadNumber(UnreadableReason, frozen=True):
    """A word other than a number."""


class BadUserid(UnreadableReason, frozen=True):
    """A word that no userid can be."""


class BadGuard(UnreadableReason, frozen=True):
    """A `#` that no record number follows."""


class BadFilter(UnreadableReason, frozen=True):
    """A filter such as `active` that is not alone at the end."""


class Filter(Enum):
    """A choice among boards, by whether they go on and who is to move."""

    ALL = "all"
    ACTIVE = "active"
    INACTIVE = "inactive"
    NEXT = "next"


class BoardAt(Struct, frozen=True):
    """A board, at its end or after a number of records."""

    board: int
    number: int | None = None

    def __str__(self) -> str:
        """Return the word for it."""
        return str(self.board) if self.number is None else f"{self.board}#{self.number}"


def read_board_number(word: str) -> int:
    """Return the number of a board. Raises Unreadable."""
    if not NUMBER.fullmatch(word):
        raise Unreadable(BadBoard(), word)
    return int(word)


def read_number(word: str) -> int:
    """Return the number of a tournament or the like. Raises Unreadable."""
    if not NUMBER.fullmatch(word):
        raise Unreadable(BadNumber(), word)
    return int(word)


def read_board_at(word: str) -> BoardAt:
    """Return a board, and the record number after `#`, if any. Raises Unreadable."""
    match = _BOARD.fullmatch(word)
    if not match:
        raise Unreadable(BadBoard(), word)
    return BoardAt(int(match[1]), int(match[2]) if match[2] else None)


def read_userid(word: str) -> str:
    """Return a userid. Raises Unreadable."""
    try:
        return parse_userid(bare_userid(vocabulary.fold(word)))
    except ValueError:
        raise Unreadable(BadUserid(), word) from None


def read_userids(words: Sequence[str]) -> tuple[str, ...]:
    """Return userids without repetitions. Raises Unreadable."""
    return tuple(dict.fromkeys(read_userid(word) for word in words))


def read_guard(word: str) -> int:
    """Return the number after a `#`. Raises Unreadable."""
    if not word.startswith("#") or not NUMBER.fullmatch(word[1:]):
        raise Unreadable(BadGuard(), word)
    return int(word[1:])


def read_userids_and_filter(words: Sequence[str]) -> tuple[tuple[str, ...], Filter]:
    """Return userids and the filter after them, which is active boards by default.

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


BOARD = Parameter("BOARD", "board", read_board_number)

NUMBERED = Parameter("NUMBER", "number", read_number)

USERID = Parameter("USERID", "userid", read_userid)

PASSWORD = Parameter("PASSWORD", "password", Secret, is_secret=True)

FILTER_WORDS = frozenset(known.value for known in Filter)

OF_FILTERS = FILTER_WORDS.union(vocabulary.aliases_of(FILTER_WORDS))
"""The words for filters in all languages, which no userid can be."""

FILTERS = "|".join(known.value for known in Filter)

OWN = (USERID, PASSWORD)

OF_BOARD = (BOARD, USERID, PASSWORD)


def of_board(game: Game) -> dict[str, object]:
    """Return the values of a command that say which board it is about."""
    return {"kind": game.header.kind, "board": game.header.board}


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
    """Return the words unless there are two or more. Raises Unreadable."""
    if len(words) > 1:
        raise Unreadable(SurplusWord(), words[1])
    return words


def only_word(wanted: str, sets: str) -> Rest:
    """Return a rest that is one fixed word or nothing, with a boolean as its value."""

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
    """A new userid that is reserved for those who run servers."""


class BadPassword(UnreadableReason, frozen=True):
    """A new password that looks like another word, or is too short or too long."""


class ForgottenPassword(UnreadableReason, frozen=True):
    """A mail address in the place of the password."""


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

    Whatever might be a password is never shown, so a password must look like no other word of a
    command.
    """
    too_short = len(word) < vocabulary.SHORTEST_PASSWORD
    too_long = len(word) > LONGEST_PASSWORD
    looks_like_another = vocabulary.is_harmless(word) or is_option(word) or is_grid(word)
    if too_short or too_long or _NOT_IN_PASSWORDS.search(word) or looks_like_another:
        raise Unreadable(BadPassword())
    if _LIKE_ADDRESS.fullmatch(word):
        raise Unreadable(ForgottenPassword())
    return Secret(word)


class BadAddress(UnreadableReason, frozen=True):
    """A word other than a mail address."""


def read_addresses(words: Sequence[str]) -> tuple[str, ...]:
    """Return addresses as first written, without repetitions. Raises Unreadable."""
    found = list[str]()
    if len(words) > MOST_ADDRESSES:
        raise Unreadable(SurplusWord(), words[MOST_ADDRESSES])
    for word in words:
        try:
            found.append(parse_address(word))
        except ValueError:
            raise Unreadable(BadAddress(), word) from None
    return tuple({normal_address(each): each for each in reversed(found)}.values())[::-1]


LINK = "@"
"""Stands in the place of an address that nobody knows yet: whoever opens a link has it."""


def read_player(word: str) -> str:
    """Return the userid of a player, the address of somebody, or LINK. Raises Unreadable."""
    if word == LINK:
        return LINK
    if "@" not in word[1:]:  # some write @alice
        return read_userid(word)
    return read_address([word])


def read_address(words: Sequence[str]) -> str:
    """Return the only address as it was written, or LINK without one. Raises Unreadable."""
    return next(iter(read_addresses(at_most_one(words))), LINK)


ADDRESSES = Rest(("addresses",), ("[ADDRESS..]",), read_addresses, tuple, least=0)
