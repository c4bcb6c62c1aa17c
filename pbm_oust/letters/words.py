"""Notices put into words by the templates."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.tags import Purpose
from pbm_oust.board.formats.plain import format_plain
from pbm_oust.board.formats.sheet import Sheet
from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_action, format_wish
from pbm_oust.board.record import WISHED
from pbm_oust.commands.help import SUBJECTS, HelpNotice
from pbm_oust.commands.play import suggested
from pbm_oust.commands.show import Show
from pbm_oust.grammar.command import Blank, Command, Partial
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.parts import Option
from pbm_oust.grammar.suggest import legal_near, next_wish
from pbm_oust.grammar.words import is_harmless
from pbm_oust.languages import ENGLISH, LANGUAGES, Language
from pbm_oust.letters.figures import FIGURES
from pbm_oust.letters.html import Pages
from pbm_oust.letters.layout import (
    WIDTH,
    Marked,
    Written,
    beside,
    blocks,
    board_below,
    indented,
    item,
    quoted,
    unmarked,
)
from pbm_oust.letters.overview import usages_by_heading
from pbm_oust.letters.refusals import explained
from pbm_oust.letters.tables import game_row, past_rows, seek_rows, standing_rows
from pbm_oust.letters.translator import Translator
from pbm_oust.play.notices import BoardNotice, Notice, RefusalNotice
from pbm_oust.render.text import in_columns, players_text
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.service.table import FORMS, form_named, form_of, playing_again


class Words:
    """The templates of one language. `address` is where commands are sent."""

    def __init__(self, address: str, language: Language = ENGLISH) -> None:
        self._tongue = translator = Translator(language)
        templates: Any = Environment(
            loader=FileSystemLoader(folders()),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,  # noqa: S701 - plain text
            finalize=unmarked,
            extensions=["jinja2.ext.i18n"],
        )
        templates.policies["ext.i18n.trimmed"] = True
        templates.install_gettext_translations(translator.catalogue, newstyle=True)
        self._templates: Environment = templates
        self._templates.filters.update(
            usage=wrapped_usage,
            quoted=quoted,
            indented=indented,
            beside=beside,
            item=item,
            in_time_of=translator.in_time_of,
            listed=translator.listed,
            either=translator.either,
            line=translator.line,
            answer=translator.answer,
            word=translator.word,
        )
        self._templates.globals.update(
            address=address,
            width=WIDTH,
            is_same_address=is_same_address,
            kinds=tuple(KINDS.values()),
            languages=tuple(LANGUAGES.values()),
            reader_language=language,
            drawn=drawn,
            whole_game=whole_game,
            number_of=int.bit_count,
            ordinal=translator.ordinal,
            decimal=translator.decimal,
            factor=translator.factor,
            grid_text=translator.grid_text,
            words_of=lambda action: translator.word(format_action(action)),
            words_of_wish=lambda wish: translator.word(format_wish(wish)),
            told_in=self._told_in,
            rows_of=self._rows,
            past_rows=partial(past_rows, translator, self._ended_by),
            seek_rows=partial(seek_rows, translator),
            standing_rows=partial(standing_rows, translator),
            shown_in_any=shown_in_any,
            legal_near=legal_near,
            words_of_kind=self._kind_words,
            date_text=translator.date_text,
            moment_text=translator.moment_text,
            date_in_subject=translator.date_in_subject,
            asked_for_text=translator.asked_for,
            example=example,
            command=command,
            on_board=on_board,
            blank=Blank,
            **FIGURES,
        )
        self.pages = Pages(self._templates.overlay(autoescape=True, finalize=None))

    def of(self, notice: Notice, answering: Purpose | None = None) -> Written:
        """Return what the letter about a notice says.

        `answering` is what an answer to it is for, where that needs no password.
        """
        match notice:
            case HelpNotice():
                return self._help(notice)
            case RefusalNotice():
                return self._refusal(notice, answering)
            case _:
                return self._mail(notice, answering)

    def _told_in(self, notice: Notice) -> tuple[str, str]:
        """Return the Subject and the text of a letter, to stand in another one."""
        written = self.of(notice)
        return written.subject, written.text

    def _rows(self, games: Iterable[Game]) -> list[str]:
        """Return a line for each game of a list."""
        told = self._macros("shared/game")
        return in_columns(game_row(self._tongue, game, told.outcome(game)) for game in games)

    def help_page(self, subject: str) -> str | None:
        """Return the page of the help about a subject, or None if there is none."""
        page = self._page(subject)
        return None if page is None else Written(subject, tuple(blocks(page))).text.rstrip("\n")

    def _page(self, subject: str) -> str | None:
        """Return a page of the help as its templates write it."""
        if subject in KINDS:
            return str(self._kind_words(KINDS[subject]).rules(KINDS[subject]))
        if subject in ("overview", "commands", *SUBJECTS):
            name = "overview" if subject == "commands" else subject
            usages = usages_by_heading(self._tongue.language)
            facts = {"usages": usages, "general_subjects": general_subjects()}
            return self._render(f"help/{name}", **facts)
        forms = [form for form in FORMS if form.topic == subject]
        if not forms and subject in {deed.value for deed in WISHED}:
            return self._page("move")
        return self._form_page(subject, forms) if forms else None

    def _help(self, notice: HelpNotice) -> Written:
        found = {subject: self._page(subject) for subject in notice.subjects or ("overview",)}
        unknown = [subject for subject, page in found.items() if page is None]
        known = [subject for subject in notice.subjects if found[subject] is not None]
        pages = [page for page in found.values() if page is not None]
        if unknown:
            shown = [subject for subject in unknown if is_harmless(subject)]
            pages.append(self._render("help/unknown", unknown=shown, subjects=help_subjects()))
        return self._mail(notice, None, pages=pages, subjects=known)

    def _refusal(self, notice: RefusalNotice, answering: Purpose | None) -> Written:
        refusal, game = notice.refusal, notice.game
        facts: dict[str, object] = {
            "family": refusal.family,
            "reader": notice.reader,
            "game": game,
            "culprit": notice.culprit,
            "kind_words": self._kind_words(game.header.kind) if game else None,
        }
        correction, meant, reader = notice.correction, notice.instead, notice.reader
        answer = (self._tongue.answer(meant) or self._tongue.line(meant)) if meant else ""
        if game and reader.userid and correction and not answer:
            known = (game.header.kind, game.header.board, reader.userid)
            answer = self._tongue.answer(correction, known)
        if answer and _is_of(Show, meant or correction):
            # The answer to a letter shows the board anyway.
            correction, answer = None, ""
        line = self._tongue.line(correction) if correction else ""
        return self._mail(
            notice,
            answering,
            **facts,
            sentences=explained(notice, facts, self._templates),
            supposed=notice.supposed,
            told_to=notice.told_to,
            correction="" if line == notice.sent else line,
            blanks=form_of(correction).blanks(correction) if correction else [],
            answer=answer,
        )

    def _form_page(self, topic: str, forms: Sequence[Form[Command]]) -> str:
        language = self._tongue.language
        usages = [
            f"  {wrapped_usage(line)}" for form in forms for line in usages_of(form, language)
        ]
        text = self._render(f"help/{topic}", form=forms[0], subjects=help_subjects())
        return "\n".join([*usages, "", text])

    def _ended_by(self, kind: Kind, how: str) -> str:
        return str(self._kind_words(kind).ended_by(how))

    def _kind_words(self, kind: Kind) -> Any:
        return self._macros(f"kinds/{kind.name}")

    def _macros(self, template: str) -> Any:
        """Return a template whose macros can be called without a notice."""
        return self._templates.get_template(f"{template}.txt").module

    def _mail(self, notice: Notice, answering: Purpose | None, **facts: object) -> Written:
        """Return what a letter says: the first line of its template is the Subject."""
        given = {field.name: getattr(notice, field.name) for field in fields(notice)}
        purpose = answering.value if answering else ""
        again = _playing_again(notice) if answering else ()
        facts = {**given, **facts, "answering": purpose, "again": again}
        body = self._render(f"mail/{notice.template}", **facts)
        subject, _, rest = body.partition("\n")
        head = self._render("shared/head", reader=notice.reader)
        written = (*blocks(head), *blocks(rest, notice.shows()))
        return Written(subject.removeprefix("Subject: "), written, answering, again)

    def _render(self, template: str, **facts: object) -> str:
        return self._templates.get_template(f"{template}.txt").render(facts).strip("\n")


def folders() -> list[str]:
    """Return where templates are looked for; words of a game may be in a folder of its own."""
    return list(import_module("pbm_oust.templates").__path__)


@cache
def words_in(language: Language, address: str) -> Words:
    """Return the words of a language, which a process makes ready once: that takes its time."""
    return Words(address, language)


def drawn(game: Game) -> Marked:
    """Return the mark of a board below its heading."""
    return board_below(players_text(game))


@lru_cache(maxsize=4)
def whole_game(game: Game) -> str:
    """Return a game as lines that can be read back; the latest ones are remembered."""
    return format_plain(Sheet(game))


def example(game: Game) -> Partial | None:
    """Return a move that the player to move could make; None when the game is over."""
    wish = next_wish(game)
    return suggested(game, game.player_to_move, wish) if wish else None


def command(
    name: str, kind: Kind | Blank | str | None = None, words: object = "", **given: object
) -> Partial:
    """Return a command for a template, by the name of its form; `kind` is a game or its name.

    What is not given is left blank. `words` are those behind its parameters, in English.
    """
    if kind:
        given["kind"] = KINDS[kind] if isinstance(kind, str) else kind
    return form_named(name).partial(str(words), **given)


def on_board(name: str, game: Game, words: object = "", **given: object) -> Partial:
    """Return a command about the board of a game for a template, as `command` does."""
    return command(name, game.header.kind, words, board=game.header.board, **given)


def _playing_again(notice: Notice) -> tuple[Partial, ...]:
    """Return what the reader may answer to start the next game, where one has ended."""
    if not isinstance(notice, BoardNotice) or not notice.tells_the_end or not notice.reader.userid:
        return ()
    return playing_again(notice.game, notice.reader.userid)


def _is_of(kind_of_command: type[Command], meant: Command | Partial | None) -> bool:
    return meant is not None and form_of(meant).command is kind_of_command


def help_subjects() -> list[str]:
    """Return what there is help about, besides the overview."""
    return [*general_subjects(), *dict.fromkeys(form.topic for form in FORMS)]


def general_subjects() -> list[str]:
    """Return what there is help about that is no command."""
    return [*KINDS, *SUBJECTS]


def usages_of(form: Form[Command], language: Language = ENGLISH) -> list[str]:
    """Return the lines that show how a command is written, for each game if it is of games."""
    kinds = KINDS.values() if form.is_of_kind else [None]
    return [usage for kind in kinds for usage in form.usages(kind, language)]


def shown_in_any(option: Option[object]) -> list[str]:
    """Return how the help of the games shows an option, each way once."""
    return list(filter(None, dict.fromkeys(option.shown(kind) for kind in KINDS.values())))


def wrapped_usage(usage: str) -> str:
    """Return a usage line of the help with its later lines indented."""
    return textwrap.fill(
        usage, WIDTH - 2, subsequent_indent=" " * 6, break_long_words=False, break_on_hyphens=False
    )
