"""The lines of lists: open challenges, boards and standings, in one language."""

from collections.abc import Callable, Collection, Iterable
from enum import Enum

from pbm_oust.accounts.items import Seek
from pbm_oust.board import Summary, Terms
from pbm_oust.board.notation import format_terms
from pbm_oust.board.ratings import Standing
from pbm_oust.languages import WordList
from pbm_oust.letters.translator import Translator, to_translate
from pbm_oust.play.tournaments import SectionTable
from pbm_oust.render.text import in_columns
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import How, Kind
from pbm_oust.store import ladders

_HEAD = (
    "",
    to_translate("player"),
    to_translate("rating"),
    to_translate("games"),
    to_translate("won"),
    to_translate("lost"),
    to_translate("drawn"),
)
_AWARD = to_translate("award")
_TERMS = {
    "swap": to_translate("swap"),
    "rated": to_translate("rated"),
    "binding": to_translate("binding"),
}
EndedBy = Callable[[Kind, str], str]
"""Returns the word for an ending that is a game's own."""

_ENDED: dict[Enum, str] = {
    How.RESIGN: to_translate("resign"),
    How.FORFEIT: to_translate("forfeit"),
}
"""The ways in which a player may end any game, in a word."""


def seek_rows(translator: Translator, seeks: Iterable[tuple[Seek, str]]) -> list[str]:
    """Return a line for each open challenge: what joins it, who made it, and what is offered."""
    return in_columns(
        (
            joining_line(translator, seek.kind, seek.number),
            translator.gettext("%(userid)s as %(side)s", userid=userid, side=seek.side.value)
            if seek.side
            else userid,
            translator.grid_text(seek.grid),
            _offer(translator, seek.terms),
        )
        for seek, userid in seeks
    )


def joining_line(translator: Translator, kind: str, number: int) -> str:
    """Return the first words of the line that joins an open challenge: `oust join 3`."""
    return f"{kind} {translator.word('join')} {number}"


def _offer(translator: Translator, terms: Terms) -> str:
    """Return the terms of a board, of the times only those that are not the usual ones."""
    usual = format_terms(Terms()).split()
    words = format_terms(terms).split()
    shown = (word for word in words if "=" not in word or word not in usual)
    return ", ".join(_term(translator, word) for word in shown)


def _term(translator: Translator, word: str) -> str:
    name, equals, days = word.partition("=")
    if not equals:
        return translator.gettext(_TERMS[name])
    return f"{translator.word(name, WordList.OPTIONS)}={days}"


def name_of(translator: Translator, userid: str) -> str:
    """Return a userid as lists have it: house players are marked as machines."""
    return translator.gettext("%(userid)s (machine)", userid=userid) if userid in HOUSE else userid


def _players(translator: Translator, board: Summary) -> str:
    return f"{name_of(translator, board.x)} (x) - {name_of(translator, board.o)} (o)"


def board_row(translator: Translator, board: Summary, outcome: str) -> tuple[str, ...]:
    """Return the columns of a board in a list."""
    return (
        board.name,
        translator.grid_text(board.grid),
        translator.gettext("over") if board.result else f"#{board.records + 1}",
        _players(translator, board),
        outcome,
    )


def past_rows(translator: Translator, ended_by: EndedBy, boards: Iterable[Summary]) -> list[str]:
    """Return a line for each finished board: when, who played, and how it ended."""
    return in_columns(
        (
            translator.day_in_list(board.latest.date()),
            board.name,
            translator.grid_text(board.grid),
            _players(translator, board),
            how_ended(translator, ended_by, board),
        )
        for board in boards
    )


def standing_rows(
    translator: Translator, standings: Iterable[Standing], first: int = 1
) -> list[str]:
    """Return a line for each player: place, rating, and games won, lost and drawn."""
    head = tuple(translator.gettext(title) if title else "" for title in _HEAD)
    rows = (
        (
            f"{place}.",
            name_of(translator, standing.userid),
            f"{standing.rating:.0f}{'?' if standing.is_provisional else ''}",
            standing.games,
            standing.wins,
            standing.losses,
            standing.draws,
        )
        for place, standing in enumerate(standings, first)
    )
    return in_columns([head, *rows])


def ladder_rows(
    translator: Translator, places: Iterable[ladders.LadderPlace], absent: Collection[str]
) -> list[str]:
    """Return a line for each player of a ladder: place, name, and what keeps them from playing."""

    def now(each: ladders.LadderPlace) -> str:
        if each.userid in absent:
            return translator.gettext("away")
        games = translator.ngettext("%(num)s game", "%(num)s games", each.playing)
        return games if each.playing else ""

    return in_columns(
        (f"{each.place}.", name_of(translator, each.userid), now(each)) for each in places
    )


def table_rows(translator: Translator, table: SectionTable) -> list[str]:
    """Return the crosstable of a section: how each player has fared against each other one."""
    places = range(1, len(table.scores) + 1)
    head = ("", translator.gettext("player"), *places, translator.gettext("points"))
    rows = (
        (
            f"{score.place}.",
            name_of(translator, score.userid),
            *(
                "-" if other is score else "".join(mark for mark, _ in games)
                for other, games in zip(table.scores, cells, strict=True)
            ),
            score.points,
        )
        for score, cells in table.rows()
    )
    return in_columns([head, *rows])


def how_ended(translator: Translator, ended_by: EndedBy, board: Summary) -> str:
    """Return the end of a game in a list: dave capture, carol award, draw, never begun."""
    if board.result is None:
        return ""
    ending, winner = board.result.how, board.winner
    if ending is How.VOID:
        return translator.gettext("never begun")
    if ending is How.AGREED:
        # Players agree on draws alone, and the operator may award one as well.
        award = translator.gettext(_AWARD)
        return f"{winner} {award}" if winner else translator.gettext("draw")
    known = _ENDED.get(ending)
    how = translator.gettext(known) if known else ended_by(board.kind, ending.value)
    return f"{winner or translator.gettext('draw')} {how}"
