"""Notices put into words by the templates."""

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache, cached_property, partial

from pbm_oust.accounts.account import HOUSE
from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.answered import Answered, Reply
from pbm_oust.accounts.clock import Clock
from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_wish
from pbm_oust.board.summary import Summary, summary_of
from pbm_oust.commands.play import suggested
from pbm_oust.commands.talk import TalkSentNotice
from pbm_oust.grammar.command import Blank, Partial
from pbm_oust.grammar.suggest import legal_near, next_wish
from pbm_oust.languages import ENGLISH, LANGUAGES, Language, Section
from pbm_oust.letters.figures import FIGURES
from pbm_oust.letters.help import Help, shown_in_any, wrapped_usage
from pbm_oust.letters.html import Pages
from pbm_oust.letters.layout import (
    WIDTH,
    Block,
    Written,
    beside,
    blocks,
    indented,
    item,
)
from pbm_oust.letters.marks import OFFERS, Marked, board_below, quoted
from pbm_oust.letters.records import Carriage, is_mailable, name_of_sgf, names_of_files, whole_game
from pbm_oust.letters.refusals import culprit_of, instead_of, place_of
from pbm_oust.letters.tables import (
    board_row,
    how_ended,
    name_of,
    past_rows,
    seek_rows,
    standing_rows,
)
from pbm_oust.letters.templates import filled, text_templates
from pbm_oust.letters.translator import Translator
from pbm_oust.play.notices import BoardNotice, Notice, Reader, RefusalNotice, has_counted
from pbm_oust.render.text import cells_text, in_columns, players_text
from pbm_oust.render.visible import visible_line
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind, choices
from pbm_oust.service.table import form_named, playing_again


class Words:
    """The templates of one language. `address` is where commands are sent."""

    def __init__(self, address: str, language: Language = ENGLISH) -> None:
        self._translator = translator = Translator(language)
        self._templates = text_templates(translator)
        self._help = help_ = Help(language, self._render, self._rules)
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
            option=translator.option,
        )
        self._templates.tests.update(with_help=help_.has_page)
        self._templates.globals.update(
            address=address,
            width=WIDTH,
            is_same_address=is_same_address,
            kinds=tuple(KINDS.values()),
            house=HOUSE,
            Section=Section,
            languages=tuple(LANGUAGES.values()),
            reader_language=language,
            drawn=drawn,
            links_to_join=Marked(OFFERS),
            picture=_picture,
            whole_game=whole_game,
            names_of_files=names_of_files,
            name_of_sgf=name_of_sgf,
            is_mailable=is_mailable,
            choices=choices,
            number_of=int.bit_count,
            cells_text=cells_text,
            ordinal=translator.ordinal,
            decimal=translator.decimal,
            factor=translator.factor,
            grid_text=translator.grid_text,
            words_of=translator.action,
            words_of_wish=lambda wish: translator.word(format_wish(wish)),
            told_in=self._told_in,
            summary_of=summary_of,
            name_of=partial(name_of, translator),
            rows_of=self._rows,
            past_rows=partial(past_rows, translator, self._ended_by),
            seek_rows=partial(seek_rows, translator),
            standing_rows=partial(standing_rows, translator),
            shown_in_any=shown_in_any,
            legal_near=legal_near,
            words_of_kind=self.words_of_kind,
            place_of=lambda reason: place_of(type(reason)),
            culprit_of=culprit_of,
            instead_of=partial(instead_of, translator),
            help_pages=help_.pages,
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

    @cached_property
    def pages(self) -> Pages:
        """The letters as HTML, which many mails do not have."""
        return Pages(self._translator)

    def of(
        self,
        notice: Notice,
        answered: Answered | None = None,
        carriage: Carriage = Carriage.LINES,
        link: str = "",
    ) -> Written:
        """Return what the letter about a notice says.

        `answered` is what an answer to it means, if that needs no password. `carriage` is how it
        carries the records of a game that is over. `link` is where the page is that plays like an
        answer, if there is one.
        """
        given = {field.name: getattr(notice, field.name) for field in fields(notice)}
        answering = answered.word if answered else ""
        reply = answered if isinstance(answered, Reply) else None
        again = _playing_again(notice) if reply else ()
        given |= {"notice": notice, "answering": answering, "again": again}
        given |= {"carried": carriage.value, "link": link}
        body = self._render(f"mail/{notice.template}", **given)
        subject, _, rest = body.partition("\n")
        reader = notice.reader
        head = (
            self._render("shared/head", reader=reader) if reader.returned or reader.left_out else ""
        )
        written = (*blocks(head), *blocks(rest, notice.shows(), notice.offers()))
        subject = visible_line(subject.removeprefix("Subject: "))
        return Written(subject, written, reply.purpose if reply else None, again)

    def reason(self, notice: RefusalNotice, *, is_line: bool) -> tuple[Block, ...]:
        """Return why a command was refused that a page has sent, and nothing about mail.

        `is_line` says that it was written as a line, which may be put right.
        """
        better = instead_of(self._translator, notice)
        given = {field.name: getattr(notice, field.name) for field in fields(notice)}
        given |= {"notice": notice, "answering": "", "better": better, "is_line": is_line}
        return tuple(blocks(self._render("shared/reason", **given)))

    def _told_in(self, notice: Notice, carried: str) -> tuple[str, str]:
        """Return the Subject and the text of a letter, to use in another one."""
        written = self.of(notice, carriage=Carriage(carried))
        return written.subject, written.text

    def left_out(self, count: int) -> str:
        """Return what stands at the end of a letter that lacks so many lines."""
        return self._render("shared/left_out", count=count)

    def help_page(self, subject: str) -> str | None:
        """Return the page of the help about a subject, or None if there is none."""
        found = self.help_blocks(subject)
        return None if found is None else Written(subject, found).text.rstrip("\n")

    def help_blocks(self, subject: str) -> tuple[Block, ...] | None:
        """Return the blocks of that page, or None if there is none."""
        page = self._help.page(subject)
        return None if page is None else tuple(blocks(page))

    def summaries(self) -> dict[str, list[tuple[str, str]]]:
        """Return the commands below each heading of the overview, each with what it does."""
        heading = self._macro("help/headings", "heading")
        return {heading(each.value): found for each, found in self._help.summaries().items()}

    @cached_property
    def ratings(self) -> object:
        """What is said about ratings: `arithmetic(change)`, `boards_of(size)`, `counting()`."""
        return self._templates.get_template("shared/rating.txt").module

    def how_ended(self, board: Summary) -> str:
        """Return who won a finished game and how, or that nobody did."""
        return how_ended(self._translator, self._ended_by, board)

    def outcome(self, board: Summary) -> str:
        """Return who has won a game, that nobody has, or who is to move."""
        return self._macro("shared/game", "outcome")(board)

    def _rows(self, boards: Iterable[Summary]) -> list[str]:
        """Return a line for each board of a list."""
        return in_columns(
            board_row(self._translator, board, self.outcome(board)) for board in boards
        )

    def _rules(self, kind: Kind) -> str:
        return self._macro(f"kinds/{kind.name}", "rules")(kind)

    def _ended_by(self, kind: Kind, how: str) -> str:
        return self._macro(f"kinds/{kind.name}", "ended_by")(how)

    @cached_property
    def about_games(self) -> object:
        """What is said about one game: `latest(..)`, `ending(..)`, `whose_turn(..)`."""
        return self._templates.get_template("shared/game.txt").module

    def until(self, game: Game, clock: Clock, reader: Reader) -> str:
        """Return until when the player to move has time."""
        return self._macro("shared/game", "until")(game, clock, reader).strip()

    @cached_property
    def about_options(self) -> object:
        """What each option of a challenge means, by its name."""
        return vars(self._templates.get_template("help/options.txt").module)["about"]

    def words_of_kind(self, kind: Kind) -> object:
        """Return what is said about one kind of games alone: `ended(how)`, `took(..)`."""
        return self._templates.get_template(f"kinds/{kind.name}.txt").module

    def _macro(self, template: str, name: str) -> Callable[..., str]:
        """Return a macro of a template that needs no notice."""
        macro = getattr(self._templates.get_template(f"{template}.txt").module, name)
        return lambda *given: str(macro(*given))

    def _render(self, template: str, **given: object) -> str:
        return filled(self._templates, template, given)


@cache
def words_in(language: Language, address: str) -> Words:
    """Return the words of a language. A process prepares them once, because that takes time."""
    return Words(address, language)


def _picture(name: str) -> str:
    """Return a board of the help."""
    from pbm_oust.letters.pictures import picture

    return picture(name)


def drawn(game: Game) -> Marked:
    """Return the mark of a board below its heading."""
    return board_below(players_text(game))


def example(game: Game) -> Partial | None:
    """Return a move that the player to move could make; None if the game is over."""
    wish = next_wish(game)
    return suggested(game, game.player_to_move, wish) if wish else None


def command(
    name: str, kind: Kind | Blank | str | None = None, words: object = "", **given: object
) -> Partial:
    """Return a command for a template, by the name of its form; `kind` is a game or its name.

    What is not given is left blank. `words` are those after its parameters, in English.
    """
    if kind:
        given["kind"] = KINDS[kind] if isinstance(kind, str) else kind
    return form_named(name).partial(str(words), **given)


def on_board(name: str, game: Game, words: object = "", **given: object) -> Partial:
    """Return a command about the board of a game for a template, as `command` does."""
    return command(name, game.header.kind, words, board=game.header.board, **given)


def _playing_again(notice: Notice) -> tuple[Partial, ...]:
    """Return what the reader of a letter about a game may answer to start the next one."""
    game, userid = notice.board(), notice.reader.userid
    is_ended = isinstance(notice, BoardNotice) and notice.tells_the_end
    is_talk = isinstance(notice, TalkSentNotice) and game and has_counted(game)
    return playing_again(game, userid) if game and userid and (is_ended or is_talk) else ()
