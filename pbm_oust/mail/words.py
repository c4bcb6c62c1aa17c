"""Notices put into words by the templates."""

import re
import textwrap
from collections.abc import Iterable
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pbm_oust import ratings
from pbm_oust.advice import legal_near, move_line, next_wish
from pbm_oust.commands.accounts import LONGEST_PASSWORD, MOST_ADDRESSES
from pbm_oust.commands.challenge import LONGEST_TIME
from pbm_oust.commands.grammar import Form, Option
from pbm_oust.commands.table import FORMS
from pbm_oust.commands.words import SHORTEST_PASSWORD, is_harmless
from pbm_oust.game import Game
from pbm_oust.mail.rows import seek_rows
from pbm_oust.notation import (
    LONGEST_USERID,
    format_action,
    format_result,
    format_wish,
)
from pbm_oust.notices import (
    BoardNotice,
    BoardsNotice,
    GamesNotice,
    HelpNotice,
    Notice,
    RefusalNotice,
    Told,
    WelcomeNotice,
)
from pbm_oust.players import is_same_address
from pbm_oust.ratings import Standing
from pbm_oust.render.text import game_text, in_columns
from pbm_oust.rules.grid import LONGEST
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import How, Kind, Result
from pbm_oust.seeks import LIFETIME, MOST_SEEKS
from pbm_oust.service import MOST_LINES

WIDTH = 75
"""Lines of our own sentences are at most this long."""


class Words:
    """The templates, ready to put notices into words. `address` is where commands are sent."""

    def __init__(self, address: str) -> None:
        self._templates = Environment(
            loader=PackageLoader("pbm_oust.templates", "."),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,  # noqa: S701 - plain text
        )
        self._templates.filters["usage"] = wrapped_usage
        self._templates.globals.update(
            address=address,
            is_same_address=is_same_address,
            kinds=tuple(KINDS.values()),
            drawn=game_text,
            number_of=int.bit_count,
            ordinal=ordinal,
            words_of=format_action,
            words_of_wish=format_wish,
            said=self.of,
            rows_of=self._rows,
            past_rows=past_rows,
            seek_rows=seek_rows,
            seek_days=LIFETIME.days,
            most_seeks=MOST_SEEKS,
            most_lines=MOST_LINES,
            standing_rows=standing_rows,
            rating=ratings,
            shown_in_any=shown_in_any,
            usages_of=usages_of,
            shortest_password=SHORTEST_PASSWORD,
            longest_password=LONGEST_PASSWORD,
            longest_side=LONGEST,
            longest_time=LONGEST_TIME,
            longest_userid=LONGEST_USERID,
            most_addresses=MOST_ADDRESSES,
        )

    def of(self, notice: Notice) -> tuple[str, str]:
        """Return the Subject and the text of the mail about a notice."""
        match notice:
            case BoardNotice():
                return self._board(notice)
            case BoardsNotice():
                return self._mail("boards", notice)
            case GamesNotice():
                return self._mail("games", notice)
            case WelcomeNotice():
                return self._mail("welcome", notice)
            case HelpNotice():
                return self._help(notice)
            case RefusalNotice():
                return self._refusal(notice)
            case Told():
                return self._mail(notice.about, notice, repeated=notice.is_repeated, **notice.facts)

    def _rows(self, games: Iterable[Game]) -> list[str]:
        """Return a line for each game of a list."""
        told = self._macros("mail/game")
        return in_columns(_row(game, told.outcome(game)) for game in games)

    def help_page(self, subject: str) -> str | None:
        """Return the page of the help about a subject, or None if there is none."""
        if subject in KINDS:
            return wrapped(str(self._kind_words(KINDS[subject]).rules(KINDS[subject])))
        if subject in ("overview", "commands", "tutorial"):
            name = "overview" if subject == "commands" else subject
            return self._render(f"help/{name}", forms=FORMS, subjects=help_subjects())
        return next((self._form_page(form) for form in FORMS if form.name == subject), None)

    def _board(self, notice: BoardNotice) -> tuple[str, str]:
        game = notice.game
        wish = next_wish(game)
        return self._mail(
            "board",
            notice,
            past=notice.is_past,
            board=game_text(game),
            record=_whole_record(game),
            example_line=move_line(game, game.player_to_move, wish) if wish else "",
        )

    def _help(self, notice: HelpNotice) -> tuple[str, str]:
        found = {subject: self.help_page(subject) for subject in notice.subjects or ("overview",)}
        unknown = [subject for subject, page in found.items() if page is None]
        known = [subject for subject in notice.subjects if found[subject] is not None]
        pages = [page for page in found.values() if page is not None]
        if unknown:
            shown = [subject for subject in unknown if is_harmless(subject)]
            pages.append(self._render("help/unknown", unknown=shown, subjects=help_subjects()))
        return self._mail("help", notice, pages=pages, subjects=known)

    def _refusal(self, notice: RefusalNotice) -> tuple[str, str]:
        refusal = notice.refusal
        game = refusal.facts.get("game")
        kind = game.header.kind if isinstance(game, Game) else refusal.facts.get("kind")
        facts: dict[str, Any] = {
            "family": refusal.family,
            "game": game,
            "culprit": notice.culprit,
            "legal_near": legal_near(refusal) if "fault" in refusal.facts else [],
            "kind_words": self._kind_words(kind) if isinstance(kind, Kind) else None,
        }
        words = self._templates.get_template(f"refusals/{refusal.family}.txt").make_module(facts)
        explain = getattr(words, refusal.reason.value)
        sentences = explain({"culprit": notice.culprit, "facts": refusal.facts})
        board = game_text(game) if isinstance(game, Game) else ""
        placeholders = re.findall(r"\b[A-Z]{4,}\b", notice.correction or "")
        return self._mail(
            "refusal",
            notice,
            **facts,
            sentences=sentences,
            board=board,
            placeholders=placeholders,
        )

    def _form_page(self, form: Form) -> str:
        usages = [f"  {wrapped_usage(usage)}" for usage in usages_of(form)]
        text = self._render(f"help/{form.name}", form=form, subjects=help_subjects())
        return "\n".join([*usages, "", text])

    def _kind_words(self, kind: Kind) -> Any:
        return self._macros(f"kinds/{kind.name}")

    def _macros(self, template: str) -> Any:
        """Return a template whose macros can be called without a notice."""
        return self._templates.get_template(f"{template}.txt").module

    def _mail(self, template: str, notice: Notice, **facts: object) -> tuple[str, str]:
        """Return the Subject, which is the first line of a template of mail, and the text."""
        fields = {name: getattr(notice, name) for name in notice.__slots__}
        text = self._render(f"mail/{template}", **(fields | facts))
        first, _, rest = text.partition("\n")
        head = self._render("mail/head", reader=notice.reader)
        whole = "\n\n".join(filter(None, [head, rest.strip("\n")]))
        return first.removeprefix("Subject: "), whole + "\n"

    def _render(self, template: str, **facts: object) -> str:
        text = self._templates.get_template(f"{template}.txt").render(facts)
        return wrapped(re.sub(r"\n{3,}", "\n\n", text)).strip("\n")


def help_subjects() -> list[str]:
    """Return what there is help about, besides the overview."""
    return [*KINDS, "tutorial", *(form.name for form in FORMS)]


def usages_of(form: Form) -> list[str]:
    """Return the lines that show how a command is written, for each game if it is of games."""
    kinds = KINDS.values() if form.is_of_kind else [None]
    return [usage for kind in kinds for usage in form.usages(kind)]


def shown_in_any(option: Option) -> list[str]:
    """Return how the help of the games shows an option, each way once."""
    return list(filter(None, dict.fromkeys(option.shown(kind) for kind in KINDS.values())))


def ordinal(number: int) -> str:
    """Return a number as in `the 2nd placement`."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def wrapped(text: str) -> str:
    """Return a text whose sentences are broken into lines; indented lines stay as they are."""
    return "\n".join(
        textwrap.fill(line, WIDTH, break_long_words=False, break_on_hyphens=False)
        if len(line) > WIDTH and not line.startswith(" ")
        else line
        for line in text.split("\n")
    )


def wrapped_usage(usage: str) -> str:
    """Return a usage line of the help with its later lines indented."""
    return textwrap.fill(
        usage, WIDTH - 2, subsequent_indent=" " * 6, break_long_words=False, break_on_hyphens=False
    )


def _row(game: Game, outcome: str) -> tuple[str, ...]:
    """Return the columns of a game in a list."""
    return (
        game.name,
        str(game.header.grid),
        "over" if game.result else f"#{game.next_number}",
        f"{game.x} (x) - {game.o} (o)",
        outcome,
    )


def past_rows(games: Iterable[Game]) -> list[str]:
    """Return a line for each game that is over: when, who played, and how it ended."""
    return in_columns(
        (
            game.latest.date().isoformat(),
            game.name,
            str(game.header.grid),
            f"{game.x} (x) - {game.o} (o)",
            _how(game.result) if game.result else "",
        )
        for game in games
    )


def standing_rows(standings: Iterable[Standing]) -> list[str]:
    """Return a line for each player: place, rating, and games won, lost and drawn."""
    head = ("", "player", "rating", "games", "won", "lost", "drawn")
    rows = (
        (
            f"{place}.",
            standing.userid,
            f"{standing.rating:.0f}{'?' if standing.is_provisional else ''}",
            standing.games,
            standing.wins,
            standing.losses,
            standing.draws,
        )
        for place, standing in enumerate(standings, 1)
    )
    return in_columns([head, *rows])


def _how(result: Result) -> str:
    """Return how a game ended in two words, or in one: x capture, draw agreed, void."""
    return result.how.value if result.how is How.VOID else format_result(result)[2:]


def _whole_record(game: Game) -> str:
    steps = (
        f"{record.number} {record.by} {format_action(record.action)}" for record in game.records
    )
    return textwrap.fill(
        ", ".join(step.replace(" ", "\0") for step in steps),
        WIDTH - 2,
        initial_indent="  ",
        subsequent_indent="  ",
    ).replace("\0", " ")
