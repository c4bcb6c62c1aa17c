"""Notices put into words by the templates."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from enum import Enum, auto
from functools import cache, cached_property, partial
from types import SimpleNamespace
from typing import Any

from jinja2.runtime import Macro
from msgspec import Struct, structs

from pbm_oust.accounts import account, clock
from pbm_oust.accounts.address import MOST_ADDRESSES, is_same_address
from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.clock import Clock
from pbm_oust.accounts.items import INVITATION_LIFETIME, MOST_SEEKS
from pbm_oust.accounts.items import LIFETIME as LIFETIME_OF_SEEKS
from pbm_oust.accounts.queue import MOST_ANSWERS
from pbm_oust.accounts.settings import HOURS
from pbm_oust.accounts.tags import CODE_LIFETIME, SIGN_IN_LIFETIME
from pbm_oust.accounts.vacations import ALLOWANCE
from pbm_oust.board import Game, Summary, Terms, Wish, has_counted, ratings
from pbm_oust.board.notation import LONGEST_USERID, format_wish
from pbm_oust.commands import tournament
from pbm_oust.commands.challenge import LONGEST_TIME
from pbm_oust.commands.play import suggested
from pbm_oust.commands.show import LATE, SHOW
from pbm_oust.commands.talk import TalkSentNotice
from pbm_oust.experiments.advice import TRIED
from pbm_oust.experiments.pie import pies
from pbm_oust.grammar.form import Command
from pbm_oust.grammar.notation import Blank
from pbm_oust.grammar.values import LONGEST_PASSWORD
from pbm_oust.grammar.vocabulary import SHORTEST_PASSWORD, is_harmless
from pbm_oust.grammar.wish import legal_near, next_wish
from pbm_oust.languages import ENGLISH, LANGUAGES, Language, WordList
from pbm_oust.letters import layout, lists
from pbm_oust.letters.body import Enclosure, is_mailable, moves_of, name_of_sgf, names_of_files
from pbm_oust.letters.help import HelpPages, shortest, shown_in_any, wrapped_usage
from pbm_oust.letters.html import Pages
from pbm_oust.letters.pictures import PICTURES, of_steps
from pbm_oust.letters.templates import filled, text_templates
from pbm_oust.letters.translator import Translator
from pbm_oust.play import notices
from pbm_oust.refusal import Illegal, Reason
from pbm_oust.render.svg import colour_of
from pbm_oust.render.text import cells_text, in_columns
from pbm_oust.render.visible import visible_line
from pbm_oust.robot.levels import HOUSE, LEVELS, SIMPLE, level_of
from pbm_oust.robot.search import can_search, has_core
from pbm_oust.robot.turning import TurningPoint
from pbm_oust.rules import KINDS, Kind, Side, choices
from pbm_oust.rules.grid import LONGEST
from pbm_oust.service.several import MOST_LINES
from pbm_oust.service.table import WhichGame, form_named, playing_again
from pbm_oust.store.analyses import MOST_WANTED
from pbm_oust.store.limits import Counted
from pbm_oust.store.message_keys import MEMORY
from pbm_oust.tournaments import ladder
from pbm_oust.tournaments.cup import MOST_TIMES_LOST

FIGURES: dict[str, object] = {
    "seek_days": LIFETIME_OF_SEEKS.days,
    "most_seeks": MOST_SEEKS,
    "invitation_days": INVITATION_LIFETIME.days,
    "invited_days": Counted.INVITED.within.days,
    "most_lines": MOST_LINES,
    "most_listed": notices.MOST_LISTED,
    "rating": ratings,
    "shortest_password": SHORTEST_PASSWORD,
    "longest_password": LONGEST_PASSWORD,
    "longest_side": LONGEST,
    "longest_time": LONGEST_TIME,
    "longest_userid": LONGEST_USERID,
    "most_addresses": MOST_ADDRESSES,
    "clocks": clock,
    "usual_terms": Terms(),
    "vacation_days": ALLOWANCE,
    "digest_hours": {at.value: hour for at, hour in HOURS.items()},
    "most_queued": MOST_ANSWERS,
    "longest_note": account.LONGEST_NOTE,
    "most_watched": account.MOST_WATCHED,
    "most_wanted": MOST_WANTED,
    "most_broadcasts": account.MOST_BROADCASTS,
    "placeholder": account.placeholder(1),
    "code_days": CODE_LIFETIME.days,
    "sign_in_minutes": SIGN_IN_LIFETIME // timedelta(minutes=1),
    "listed_days": LATE.days,
    "kept_days": MEMORY.days,
    "most_times_lost": MOST_TIMES_LOST,
    "least_finished": tournament.LEAST_FINISHED,
    "usual_days": tournament.USUAL_DAYS,
    "most_days": tournament.MOST_DAYS,
    "least_reach": ladder.LEAST_REACH,
    "most_reach": ladder.MOST_REACH,
    "most_defences": ladder.MOST_DEFENCES,
    "pause_days": ladder.PAUSE.days,
    "idle_days": ladder.IDLE.days,
}
"""The figures by the names that the templates use."""


_HEADLINE = "Headline: "
"""Begins the second line of a template for letters with one board."""


class Instead(Struct, frozen=True):
    """The line to send, or the answer to give, in place of a refused command; perhaps none."""

    line: str = ""
    others: tuple[str, ...] = ()
    """The same line for the other games, if it is not clear for which one it is."""
    blanks: tuple[str, ...] = ()
    """The places in the line that the reader fills in."""
    answers: tuple[str, ...] = ()
    """The answers to give; several, if it is not clear which one was meant."""
    wants_password: bool = False
    """Whether one of the answers has to hold the password."""


def instead_of(translator: Translator, notice: notices.RefusalNotice) -> Instead:
    """Return the line to send, or the answer to give, in place of a refused command."""
    correction, meant, game = notice.correction, notice.instead, notice.game
    whole = [each for each in meant if not translator.answer(each)]
    blanks = tuple(dict.fromkeys(blank for each in whole for blank in each.form.blanks(each)))
    if blanks and len(meant) == 1:
        return Instead(translator.line(meant[0]), blanks=blanks)
    wants_password = "PASSWORD" in blanks
    lines = (translator.answer(each) or translator.line(each) for each in meant)
    answers = tuple(dict.fromkeys(lines))
    if game and notice.reader.userid and correction and not answers:
        known = (game.header.kind, game.header.board, notice.reader.userid)
        answers = tuple(filter(None, [translator.answer(correction, known)]))
    wanted = next(iter(meant), correction)
    if answers and wanted and wanted.form is SHOW:
        # The answer to a letter shows the board anyway.
        return Instead()
    if correction is None:
        return Instead(answers=answers, wants_password=wants_password)
    line = translator.line(correction)
    blanks = tuple(correction.form.blanks(correction))
    others = _of_other_games(correction) if isinstance(notice.refusal.reason, WhichGame) else ()
    account = notice.reader.account
    lacks_password = "PASSWORD" in blanks and account is not None and not account.has_password
    return Instead(
        "" if lacks_password or line == notice.sent else line,
        tuple(map(translator.line, others)),
        blanks,
        answers,
        wants_password,
    )


def _of_other_games(command: Command) -> tuple[Command, ...]:
    """Return the command of a game for each other game."""
    others = (kind for kind in KINDS.values() if kind is not command.get("kind"))
    return tuple(command.with_values(kind=kind) for kind in others)


def culprit_of(notice: notices.RefusalNotice) -> str:
    """Return the part at fault, if a sentence may name it."""
    culprit = notice.refusal.culprit
    return notice.culprit or (culprit if is_harmless(culprit) else "")


def place_of(reason: type[Reason]) -> str:
    """Return the template in `refusals/` with the words of a reason.

    Each command has its own, such as `commands/talk`; the others are in that of their room, such
    as `board`.
    """
    room, *modules = reason.__module__.split(".")[1:]
    return f"{room}/{modules[0]}" if room == "commands" else room


def _text_of(macro: Macro, *given: object, **named: object) -> str:
    return str(macro(*given, **named))


class Medium(Enum):
    """The media of words, which call the sides differently."""

    LETTER = auto()
    """Letters and their boards of text: `x` and `o`, as players write them."""
    PAGE = auto()
    """Pages and their pictures: by the colours of stones."""


class Words:
    """The templates of one language. `address` is where commands are sent."""

    def __init__(
        self, address: str, language: Language = ENGLISH, medium: Medium = Medium.LETTER
    ) -> None:
        self._translator = translator = Translator(language)
        is_page = medium is Medium.PAGE
        sides = {
            side: colour_of(side, translator.gettext) if is_page else side.value for side in Side
        }
        self._templates = text_templates(translator)
        self._help = help_ = HelpPages(language, self._render, self._rules)

        def words_of_wish(wish: Wish) -> str:
            return translator.word(format_wish(wish))

        self._templates.filters.update(
            usage=wrapped_usage,
            quoted=layout.quoted,
            indented=layout.indented,
            beside=layout.beside,
            item=layout.item,
            wish=words_of_wish,
            leading_to=layout.leading_to,
            page_on=page_on,
        )
        self._templates.tests.update(with_help=help_.has_page)
        self.globals: dict[str, Any] = dict(
            address=address,
            width=layout.WIDTH,
            is_same_address=is_same_address,
            kinds=tuple(KINDS.values()),
            house=HOUSE,
            levels=LEVELS,
            simple=SIMPLE,
            level_of=level_of,
            can_search=can_search,
            has_core=has_core,
            WordList=WordList,
            languages=tuple(LANGUAGES.values()),
            reader_language=language,
            drawn=layout.BOARD,
            links_to_join=layout.OFFERS,
            picture=lambda name: layout.pictured(PICTURES[name]),
            pictured=layout.pictured,
            steps_of=of_steps,
            tried=TRIED,
            pies=pies,
            moves_of=moves_of,
            names_of_files=names_of_files,
            name_of_sgf=name_of_sgf,
            is_mailable=is_mailable,
            choices=choices,
            number_of=int.bit_count,
            side_name=sides.__getitem__,
            X=sides[Side.X],
            O=sides[Side.O],
            at_start=str.capitalize if is_page else str,
            cells_text=cells_text,
            words_of=translator.action,
            words_of_wish=words_of_wish,
            told_in=self._told_in,
            name_of=partial(lists.name_of, translator),
            rows_of=self._rows,
            past_rows=partial(lists.past_rows, translator, self._ended_by),
            seek_rows=partial(lists.seek_rows, translator),
            standing_rows=partial(lists.standing_rows, translator),
            table_rows=partial(lists.table_rows, translator),
            ladder_rows=partial(lists.ladder_rows, translator),
            shown_in_any=shown_in_any,
            legal_near=legal_near,
            words_of_kind=self.words_of_kind,
            place_of=lambda reason: place_of(type(reason)),
            culprit_of=culprit_of,
            instead_of=partial(instead_of, translator),
            help_pages=help_.pages,
            asked_for_text=translator.asked_for,
            example=example,
            command=command,
            on_board=on_board,
            blank=Blank,
            why_illegal=self.why_illegal,
            about=self.about,
            about_options=lambda: self._macros("help/options").about,
            outcome=self.outcome,
            summaries=self.summaries,
            summary_of=help_.summary_of,
            shortest=shortest,
            **FIGURES,
        )
        """The globals of templates, for letters and for pages."""
        self._templates.globals.update(self.globals)

    @cached_property
    def pages(self) -> Pages:
        """The letters as HTML, which many mails do not have."""
        return Pages(self._translator, self._counted)

    def of(
        self,
        notice: notices.Notice,
        ask: Ask | None = None,
        enclosure: Enclosure = Enclosure.TEXT,
        link: str = "",
        site: str = "",
    ) -> layout.Written:
        """Put a notice into the words of its letter.

        `ask` is what the letter asks of its reader, if an answer needs no password; `enclosure` the
        way in which the letter carries the records of a game that is over; `link` the address of
        the page that does what the letter tells of, if there is one; and `site` the address of all
        pages, if there are any.
        """
        given = structs.asdict(notice)
        is_told = ask and (ask.topic is not Topic.SHEET or ask.positions)
        answering = ask.topic.value if ask and is_told else ""
        again = _playing_again(notice) if ask and ask.is_on_board else ()
        given |= {"notice": notice, "answering": answering, "again": again}
        given |= {"carried": enclosure.value, "link": link, "site": site}
        body = filled(self._templates, f"mail/{notice.template}", given)
        subject, _, rest = body.partition("\n")
        headline = ""
        if rest.startswith(_HEADLINE):
            headline, _, rest = rest.removeprefix(_HEADLINE).partition("\n")
        reader = notice.reader
        found = layout.blocks(rest, notice.shows(), notice.offers())
        if reader.returned or reader.left_out or reader.unread:
            found = (*layout.blocks(self._render("shared/head", reader=reader)), *found)
        subject = visible_line(subject.removeprefix("Subject: "))
        is_board_first = isinstance(notice, notices.BoardNotice)
        topic = ask.topic if ask and ask.is_on_board else None
        return layout.Written(subject, found, headline, is_board_first, topic, again)

    def reason(self, notice: notices.RefusalNotice, *, is_line: bool) -> tuple[layout.Block, ...]:
        """Put the refusal of a command from a page into words, without any about mail.

        `is_line`: whether the command was written as a line, which may be put right.
        """
        better = instead_of(self._translator, notice)
        given = structs.asdict(notice)
        given |= {"notice": notice, "answering": "", "better": better, "is_line": is_line}
        return layout.blocks(self._render("shared/reason", **given))

    def _told_in(self, notice: notices.Notice, carried: str) -> tuple[str, str]:
        """Return the Subject and the text of a letter, to use in another one, indented by two."""
        written = self.of(notice, enclosure=Enclosure(carried))
        return written.subject, written.within(layout.WIDTH - 2)

    def left_out(self, count: int) -> str:
        """Return the end of a letter that lacks so many lines."""
        return self._render("shared/left_out", count=count)

    def help_page(self, subject: str) -> str | None:
        """Return the page of the help about a subject, or None if there is none."""
        found = self.help_blocks(subject)
        return None if found is None else layout.Written(subject, found).text.rstrip("\n")

    def help_blocks(self, subject: str) -> tuple[layout.Block, ...] | None:
        """Return the blocks of that page, or None if there is none."""
        page = self._help.page(subject)
        return None if page is None else layout.blocks(page)

    def summaries(self) -> dict[str, list[tuple[str, str]]]:
        """Return the commands below each heading of the overview, each with what it does."""
        heading = self._macro("help/headings", "heading")
        return {heading(each.value): found for each, found in self._help.summaries().items()}

    def outcome(self, board: Summary) -> str:
        """Return the state of a game: its winner, a draw, or the player to move."""
        return self._macro("shared/game", "outcome")(board)

    def _rows(self, boards: Iterable[Summary]) -> list[str]:
        """Return a line for each board of a list."""
        return in_columns(
            lists.board_row(self._translator, board, self.outcome(board)) for board in boards
        )

    def _rules(self, kind: Kind) -> str:
        return self._macro(f"kinds/{kind.name}", "rules")(kind)

    def _ended_by(self, kind: Kind, how: str) -> str:
        return self._macro(f"kinds/{kind.name}", "ended_by")(how)

    def turned(self, point: TurningPoint) -> str:
        """Return all that is said about a turning point."""
        return self._macro("shared/turning", "told")(point)

    def why_illegal(self, refusal: Illegal, kind: Kind) -> str:
        """Return the reason of a refusal for which a placement is not legal."""
        return self._render("shared/illegal", refusal=refusal, kind=kind).strip()

    def until(self, game: Game, clock: Clock, reader: notices.Reader) -> str:
        """Return until when the player to move has time."""
        return self._macro("shared/game", "until")(game, clock, reader).strip()

    def about(self, subject: str) -> SimpleNamespace:
        """Return the macros of the template in `shared/` about a subject, such as `game`."""
        return self._macros(f"shared/{subject}")

    def words_of_kind(self, kind: Kind) -> SimpleNamespace:
        """Return the macros about one kind of games, such as `ended(how)`, and its other words."""
        return self._macros(f"kinds/{kind.name}")

    def _macros(self, template: str) -> SimpleNamespace:
        """Return the names of a template of text, with macros as functions that return text.

        Where a template of HTML calls a macro, Jinja would take its text for HTML.
        """
        module = self._templates.get_template(f"{template}.txt").module
        return SimpleNamespace(
            **{
                name: partial(_text_of, each) if isinstance(each, Macro) else each
                for name, each in vars(module).items()
            }
        )

    def _counted(self, kind: Kind, tally: tuple[int, ...]) -> str:
        """Return the number of stones of a side, in words."""
        return self._macro(f"kinds/{kind.name}", "counted")(tally)

    def _macro(self, template: str, name: str) -> Callable[..., str]:
        """Return a macro of a template that needs no notice."""
        macro = getattr(self._templates.get_template(f"{template}.txt").module, name)
        return lambda *given: str(macro(*given))

    def _render(self, template: str, **given: object) -> str:
        return filled(self._templates, template, given)


@cache
def words_in(language: Language, address: str, medium: Medium = Medium.LETTER) -> Words:
    """Return the words of a language. A process prepares them once, because that takes time."""
    return Words(address, language, medium)


def page_on(name: str, site: str) -> str:
    """Return the address of the page of what is named `oust 17`, `oust tournament 3`."""
    return f"{site}/{name.replace(' ', '/')}"


def example(game: Game) -> Command | None:
    """Return a move that the player to move could make; None if the game is over."""
    wish = next_wish(game)
    return suggested(game, game.player_to_move, wish) if wish else None


def command(
    name: str, kind: Kind | Blank | str | None = None, words: object = "", **given: object
) -> Command:
    """Return a command for a template, by the name of its form; `kind` is a game or its name.

    What is not given is left blank. `words` are those after its parameters, in English.
    """
    if kind:
        given["kind"] = KINDS[kind] if isinstance(kind, str) else kind
    return form_named(name).command(str(words), **given)


def on_board(name: str, game: Game, words: object = "", **given: object) -> Command:
    """Return a command about the board of a game for a template, as `command` does."""
    return command(name, game.header.kind, words, board=game.header.board, **given)


def _playing_again(notice: notices.Notice) -> tuple[Command, ...]:
    """Return the answers to a letter about a game that start the next one."""
    game, userid = notice.board(), notice.reader.userid
    is_end = isinstance(notice, notices.BoardNotice) and notice.news is notices.News.PLAYED
    if not (game and userid and (is_end or isinstance(notice, TalkSentNotice))):
        return ()
    return playing_again(game, userid) if has_counted(game) else ()
