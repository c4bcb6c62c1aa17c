"""The commands that show boards: show and games."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm_oust.commands.grammar import Form, Rest
from pbm_oust.commands.values import (
    FILTER_WORDS,
    FILTERS,
    PASSWORD,
    USERID,
    BoardAt,
    Filter,
    read_board_at,
    read_userids,
    read_userids_and_filter,
)
from pbm_oust.commands.words import find_command_word, find_word
from pbm_oust.players import Secret
from pbm_oust.refusal import Unread, Unreadable
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind


@dataclass(frozen=True, slots=True)
class Show:
    """Draw these boards, or the boards of these players that the filter leaves."""

    kind: Kind
    boards: tuple[BoardAt, ...]
    userids: tuple[str, ...]
    filter: Filter


@dataclass(frozen=True, slots=True)
class ShowAs:
    """Draw boards as a player sees them, which is as everybody does in these games."""

    userid: str
    password: Secret
    show: Show


@dataclass(frozen=True, slots=True)
class Games:
    """List the boards of these players, or of everybody, that the filter leaves."""

    kind: Kind
    userids: tuple[str, ...]
    filter: Filter


@dataclass(frozen=True, slots=True)
class AllShow:
    """Draw the boards of these players in all games."""

    userids: tuple[str, ...]
    filter: Filter


@dataclass(frozen=True, slots=True)
class Listing:
    """List the boards of these games, or of all, that go on or ended of late."""

    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Past:
    """List the boards of these players, or of everybody, that are over, with their results."""

    kind: Kind
    userids: tuple[str, ...]


_Chosen = tuple[tuple[BoardAt, ...], tuple[str, ...], Filter]


def _read_boards_or_userids(words: Sequence[str]) -> _Chosen:
    """Return the boards that all of the words name, or the userids and the filter behind them."""
    if _is_board(words):
        return tuple(read_board_at(word) for word in words), (), Filter.ALL
    userids, chosen = read_userids_and_filter(words)
    if not userids:
        raise Unreadable(Unread.MISSING_WORD, missing=("BOARD", "USERID"))
    return (), userids, chosen


def _show(kind: Kind, chosen: _Chosen) -> Show:
    return Show(kind, *chosen)


def _show_as(kind: Kind, userid: str, password: Secret, words: Sequence[str]) -> ShowAs:
    chosen = _read_boards_or_userids(words if _is_board(words) else (userid, *words))
    return ShowAs(userid, password, Show(kind, *chosen))


def _read_boards_or_filter(words: Sequence[str]) -> Sequence[str]:
    """Return the words, which name boards or a filter. Raises Unreadable."""
    if _is_board(words):
        _read_boards_or_userids(words)
    elif read_userids_and_filter(words)[0]:
        raise Unreadable(Unread.BAD_FILTER, words[0])
    return words


def _read_all_show(words: Sequence[str]) -> tuple[tuple[str, ...], Filter]:
    """Return what stands behind `all show`. Raises Unreadable."""
    find_command_word(words[0], ["show"])
    userids, chosen = read_userids_and_filter(words[1:])
    if not userids:
        raise Unreadable(Unread.MISSING_WORD, missing=("USERID",))
    return userids, chosen


def _all_show(chosen: tuple[tuple[str, ...], Filter]) -> AllShow:
    return AllShow(*chosen)


def _read_kinds(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(find_word(word, KINDS) for word in words))


def _is_board(words: Sequence[str]) -> bool:
    return bool(words) and words[0][:1].isdigit()


def _games(kind: Kind, chosen: tuple[tuple[str, ...], Filter]) -> Games:
    return Games(kind, *chosen)


FORMS = (
    Form(
        "show",
        _show,
        rest=Rest(
            ("BOARD[#N]..", f"USERID.. [{FILTERS}]"), _read_boards_or_userids, fixed=FILTER_WORDS
        ),
    ),
    Form(
        "showas",
        _show_as,
        (USERID, PASSWORD),
        Rest(("BOARD[#N]..", f"[{FILTERS}]"), _read_boards_or_filter, least=0, fixed=FILTER_WORDS),
    ),
    Form(
        "games",
        _games,
        rest=Rest(
            (f"[USERID..] [{FILTERS}]",), read_userids_and_filter, least=0, fixed=FILTER_WORDS
        ),
    ),
    Form("history", Past, rest=Rest(("[USERID..]",), read_userids, least=0)),
    Form(
        "all",
        _all_show,
        rest=Rest((f"show USERID.. [{FILTERS}]",), _read_all_show, fixed=FILTER_WORDS),
        is_of_kind=False,
    ),
    Form("list", Listing, rest=Rest(("[GAME..]",), _read_kinds, least=0), is_of_kind=False),
)
