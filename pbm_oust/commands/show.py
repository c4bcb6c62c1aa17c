"""The commands that look, at lists and at boards; and those that watch a board, or no longer.

They are list, games, history, standings and ratings; next, show, showas, all show, sgf and why.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from msgspec import structs

from pbm_oust.accounts.account import MOST_WATCHED
from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.clock import turn_of
from pbm_oust.accounts.items import Seek, board_of
from pbm_oust.board import Game, Summary
from pbm_oust.board.ratings import RatingChange, SizeClass, Standing
from pbm_oust.board.reasons import GameOver, NoSuchRecord, OfBoard, game_in
from pbm_oust.grammar import values
from pbm_oust.grammar.form import AnsweredBy, Command, Cost, Form, MissingWord, names_shown
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Rest
from pbm_oust.grammar.vocabulary import find_command_word, find_word
from pbm_oust.play import notices
from pbm_oust.play.context import Context, Outcome, answered, done
from pbm_oust.play.finding import (
    BoardSearch,
    Found,
    active_games,
    find_boards,
    find_games,
    find_latest,
)
from pbm_oust.play.moving import Provenance, is_over, origin_of, side_on
from pbm_oust.play.starting import open_seeks
from pbm_oust.play.telling import gone_from
from pbm_oust.play.unit_of_work import ForAnybody, ForPlayer
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.index import Window
from pbm_oust.store.ratings import best_players, explain, is_counting

HEADING = Heading.LOOKING


class GamesNotice(notices.Notice, frozen=True):
    """A list of boards."""

    page: notices.Page[Summary]
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""
    following: Command
    """The command for the page that follows, with what was asked for."""

    def ask(self) -> Ask | None:
        """Return that an answer plays on the boards of its reader."""
        return notices.sheet_of(self.page.rows, self.reader.account, self.more())


class ListNotice(notices.Notice, frozen=True):
    """A list of active boards, open challenges, and boards that ended lately."""

    kinds_asked: tuple[Kind, ...]
    active: notices.Page[Summary]
    seeks: tuple[tuple[Seek, str], ...]
    """Open challenges with the userids of those who made them."""
    seeks_left_out: int
    """The number of open challenges that are not listed."""
    ended: notices.Page[Summary]
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""
    has_house: bool
    """Whether the house plays here."""

    def ask(self) -> Ask | None:
        """Return that an answer plays on the boards of its reader."""
        return notices.sheet_of(self.active.rows, self.reader.account)

    def offers(self) -> tuple[Ask, ...]:
        """Return the open challenges that its reader may join: those of others."""
        userid = self.reader.account.userid if self.reader.account else None
        return tuple(
            Ask.numbered(Topic.JOIN, seek.kind, seek.number, userid)
            for seek, seeker in self.seeks
            if userid and seeker != userid
        )


class HistoryNotice(notices.Notice, frozen=True):
    """A list of finished boards, the latest first."""

    page: notices.Page[Summary]
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""
    following: Command
    """The command for the page that follows, with what was asked for."""


def _read_kinds(words: Sequence[str]) -> tuple[Kind, ...]:
    return tuple(KINDS[name] for name in dict.fromkeys(find_word(word, KINDS) for word in words))


def _write_kinds(kinds: tuple[Kind, ...]) -> list[str]:
    return [kind.name for kind in kinds]


LATE = timedelta(days=30)
"""How long finished boards are listed beside active ones."""


def list_games(
    on: Context, kind: Kind, userids: tuple[str, ...], which: values.Filter, page: int = 1
) -> Outcome:
    """List the boards of these players, or of everybody, that pass the filter."""
    most = on.room.lines
    found = find_boards(on, BoardSearch([kind], userids, which), notices.part_of(page, most))
    shown = _page(page, found, most)
    names = names_shown(userids, on.names_for_sender())
    following = GAMES.command(kind=kind, userids=names, which=which, page=shown.following)
    reader = on.as_owner(on.asker(), userids)
    return answered(GamesNotice(reader, shown, found.damaged, following))


def list_all(on: Context, kinds: tuple[Kind, ...]) -> Outcome:
    """List the boards of these games, or of all, that go on or ended lately."""
    kinds = kinds or tuple(KINDS.values())
    most = on.room.lines
    active = find_boards(on, BoardSearch(kinds), Window(most))
    late = BoardSearch(kinds, (), values.Filter.INACTIVE, on.now - LATE)
    ended = find_boards(on, late, Window(most))
    seeks = open_seeks(on, kinds)
    notice = ListNotice(
        on.as_owner(on.asker()),
        kinds,
        _page(1, active, most),
        tuple(seeks[:most]),
        len(seeks[most:]),
        _page(1, ended, most),
        active.damaged,
        on.has_house,
    )
    return answered(notice)


def list_past(on: Context, kind: Kind, userids: tuple[str, ...], page: int = 1) -> Outcome:
    """List finished boards of these players, or of everybody, with results, the latest first."""
    most = on.room.lines
    past = BoardSearch([kind], userids, values.Filter.INACTIVE)
    found = find_latest(on, past, notices.part_of(page, most))
    shown = _page(page, found, most)
    names = names_shown(userids, on.names_for_sender())
    following = HISTORY.command(kind=kind, userids=names, page=shown.following)
    return answered(HistoryNotice(on.asker(), shown, found.damaged, following))


def _page(number: int, found: Found[Summary], most: int) -> notices.Page[Summary]:
    return notices.Page(number, found.boards, found.count, most)


class StandingsNotice(notices.Notice, frozen=True):
    """The players of a game by their ratings."""

    tables: tuple[tuple[SizeClass, notices.Page[Standing]], ...]
    """A page of the players of each class of sizes."""
    longest: notices.Page[Standing]
    """That of the class with the most players."""
    following: Command
    """The command for the page that follows, with what was asked for."""
    is_counting: bool
    """Whether games are being counted, so that ratings may change."""


class RatingsNotice(notices.Notice, frozen=True):
    """The games of players, and what each did to the rating."""

    page: notices.Page[tuple[str, SizeClass, list[tuple[str, RatingChange]]]]
    """Userids, sizes of boards, and the names of games with the changes they made; it counts the
    games."""
    following: Command
    """The command for the page that follows, with what was asked for."""
    is_counting: bool
    """Whether games are being counted, so that ratings may change."""


def show_standings(on: Context, kind: Kind, page: int = 1) -> Outcome:
    """List the players of a game by their ratings."""
    most = on.room.lines
    found = best_players(on.snapshot, kind, notices.part_of(page, most))
    pages = [(best.size, notices.Page(page, best.standings, best.count, most)) for best in found]
    nobody: notices.Page[Standing] = notices.Page(page, (), 0, most)
    longest = max((each for _, each in pages), key=lambda each: each.count, default=nobody)
    notice = StandingsNotice(
        on.asker(),
        tuple((size, each) for size, each in pages if each.rows),
        longest,
        STANDINGS.command(kind=kind, page=longest.following),
        is_counting(on.snapshot, kind),
    )
    return answered(notice)


def show_ratings(on: Context, kind: Kind, userids: tuple[str, ...], page: int = 1) -> Outcome:
    """Show where the ratings of these players come from, or list all ratings."""
    most = on.room.lines
    if not userids:
        return show_standings(on, kind, page)
    found = explain(on.snapshot, kind, userids, notices.part_of(page, most))
    shown = notices.Page(page, found.players, found.count, most)
    names = names_shown(userids, on.names_for_sender())
    following = RATINGS.command(kind=kind, userids=names, page=shown.following)
    may_change = is_counting(on.snapshot, kind)
    return answered(RatingsNotice(on.asker(), shown, following, may_change))


def _board_as_it_is(_: Command, refusal: Refusal) -> Command | None:
    """Return the command that draws the board that a refusal is about as it is now."""
    game = game_in(refusal.reason)
    if game is None:
        return None
    boards = (values.BoardAt(game.header.board),)
    return SHOW.command(kind=game.header.kind, boards=boards, userids=(), which=values.Filter.ALL)


class BoardsNotice(notices.Notice, frozen=True):
    """Several boards of a game, as they were asked for."""

    kind: Kind
    views: tuple[tuple[Game, bool], ...]
    """Games, and whether each is shown as it was earlier."""
    left_out: int = 0
    """The number of boards that one letter does not show."""
    damaged: tuple[str, ...] = ()
    """The names of boards that cannot be read."""
    notes: Mapping[str, str] = {}
    """The reader's notes, by the names of the boards."""
    asked: tuple[str, ...] = ()
    """The players whose boards were asked for."""

    def shows(self) -> tuple[notices.ShownBoard, ...]:
        """Return the boards."""
        return tuple(notices.ShownBoard(game, not is_past) for game, is_past in self.views)


class AllNotice(notices.Notice, frozen=True):
    """Boards of all games, as they were asked for."""

    asked_for: str
    """Whose boards were asked for, and with which filter: `alice bob active`."""
    games: tuple[Game, ...]
    left_out: int
    """The number of boards that one letter does not show."""
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""

    def shows(self) -> tuple[notices.ShownBoard, ...]:
        """Return the boards."""
        return tuple(map(notices.ShownBoard, self.games))


_Chosen = tuple[tuple[values.BoardAt, ...], tuple[str, ...], values.Filter]


def _read_boards_or_userids(words: Sequence[str]) -> _Chosen:
    """Return the boards that all of the words name, or else userids and the filter after them."""
    if _is_board(words):
        return tuple(values.read_board_at(word) for word in words), (), values.Filter.ALL
    userids, chosen = values.read_userids_and_filter(words)
    if not userids:
        raise Unreadable(MissingWord(("BOARD", "USERID")))
    return (), userids, chosen


def _write_boards_or_userids(chosen: _Chosen) -> list[str]:
    """Return the words for these boards, or for userids and a filter."""
    boards, userids, filtered = chosen
    return [*map(str, boards)] if boards else values.write_userids_and_filter((userids, filtered))


def _of_letter(words: Sequence[str], board: int) -> Sequence[str]:
    """Return the words of an answer to a letter about a board, where `#5` is of that board."""
    if words and not words[0].startswith("#"):
        return words
    return [f"{board}{''.join(words)}"]


def _write_answer(chosen: _Chosen, board: int) -> list[str] | None:
    """Return the words for a board in an answer to a letter about it."""
    match chosen[0]:
        case (values.BoardAt(number, None),) if number == board:
            return []
        case (values.BoardAt(number, record),) if number == board:
            return [f"#{record}"]
    return None


def _read_boards_or_filter(
    words: Sequence[str],
) -> tuple[tuple[values.BoardAt, ...], values.Filter]:
    """Return the boards that some words name, or a filter. Raises Unreadable."""
    if _is_board(words):
        return tuple(values.read_board_at(word) for word in words), values.Filter.ALL
    userids, chosen = values.read_userids_and_filter(words)
    if userids:
        raise Unreadable(values.BadFilter(), words[0])
    return (), chosen


def _read_all_show(words: Sequence[str]) -> tuple[tuple[str, ...], values.Filter]:
    """Return what follows `all show`. Raises Unreadable."""
    find_command_word(words[0], ["show"])
    userids, chosen = values.read_userids_and_filter(words[1:])
    if not userids:
        raise Unreadable(MissingWord(("USERID",)))
    return userids, chosen


def _is_board(words: Sequence[str]) -> bool:
    return bool(words) and words[0][:1].isdigit()


def show(
    on: Context,
    kind: Kind,
    boards: tuple[values.BoardAt, ...],
    userids: tuple[str, ...],
    which: values.Filter,
    *,
    notes: Mapping[str, str] | None = None,
    reader: notices.Reader | None = None,
) -> Outcome:
    """Draw these boards, or the boards of these players that pass the filter.

    `notes` are the reader's, by the names of boards.
    """
    notes = notes or {}
    reader = reader or on.asker()
    most = _most_drawn(reader, on)
    damaged: tuple[str, ...] = ()
    if boards:
        views = tuple(_view_at(on, kind, at) for at in boards[: max(1, most)])
        count = len(boards)
    else:
        found = find_games(on, BoardSearch([kind], userids, which), most)
        views = tuple((game, False) for game in found.boards)
        count, damaged = found.count, found.damaged
    left_out = max(0, count - max(1, most))
    if len(views) == 1 and not (left_out or damaged):
        game, is_past = views[0]
        note, gone = notes.get(game.name, ""), gone_from(on, game)
        told = notices.BoardNotice(reader, notices.News.SHOWN, game, is_past, note=note, gone=gone)
        return answered(told)
    reader = on.as_owner(reader, userids)
    asked = tuple(filter(on.names_for_sender(), userids))
    notice = BoardsNotice(reader, kind, views, left_out, damaged, notes, asked)
    return answered(notice)


def show_as(
    on: Context, kind: Kind, boards: tuple[values.BoardAt, ...], which: values.Filter
) -> Outcome:
    """Draw boards as a player sees them, only for the sender.

    They are the player's own ones that pass the filter, if none are named. In these games everybody
    sees the same.
    """
    reader = structs.replace(on.reader_at(on.own), addresses=on.asker().addresses)
    userids, notes = () if boards else (on.own.userid,), on.own.notes_by_board
    return show(on, kind, boards, userids, which, notes=notes, reader=reader)


def show_all(on: Context, userids: tuple[str, ...], which: values.Filter) -> Outcome:
    """Draw the boards of these players in all games."""
    reader = on.asker()
    most = _most_drawn(reader, on)
    found = find_games(on, BoardSearch(KINDS.values(), userids, which), most)
    notice = AllNotice(
        on.as_owner(reader, userids),
        " ".join((*names_shown(userids, on.names_for_sender()), which.value)),
        games=found.boards,
        left_out=max(0, found.count - most),
        damaged=found.damaged,
    )
    return answered(notice)


def _most_drawn(reader: notices.Reader, on: Context) -> int:
    """Return how many boards the answer draws: one at most for a stranger."""
    is_player = reader.userid is not None or on.is_known(on.request.sender)
    return on.room.boards if is_player else min(1, on.room.boards)


def _view_at(on: Context, kind: Kind, at: values.BoardAt) -> tuple[Game, bool]:
    """Return a board as it was asked for, and whether that is an earlier state."""
    game = on.game(kind, at.board)
    if at.number in (None, len(game.records)):
        return game, False
    if at.number is None or at.number > len(game.records):
        raise NotAllowed(NoSuchRecord(game, at.number), f"#{at.number}")
    return game.after(at.number), True


class NextNotice(notices.Notice, frozen=True):
    """No board waits for the reader."""


def show_next(on: Context) -> Outcome:
    """Show a player the board that has waited longest for them, or say that none does."""
    reader, account = on.reader_at(on.own), on.own
    games = active_games(on, account.userid, is_to_move=True)
    longest = min(games, key=lambda game: turn_of(game, {}).began, default=None)
    if longest is None:
        return answered(NextNotice(reader))
    note = account.note_about(longest.name)
    return answered(notices.BoardNotice(reader, notices.News.SHOWN, longest, note=note))


class SgfNotice(notices.Notice, frozen=True):
    """The record of a board, attached as a file."""

    game: Game


def send_sgf(on: Context, kind: Kind, board: int) -> Outcome:
    """Mail the record of a board as an SGF file."""
    game = on.game(kind, board)
    return answered(SgfNotice(on.asker(), game), board=game.name)


class WhyNotice(notices.Notice, frozen=True):
    """How a record came about."""

    origin: Provenance

    def board(self) -> Game:
        """Return the game of the board."""
        return self.origin.game

    def ask(self) -> Ask | None:
        """Return what an answer does on the board."""
        return notices.answer_on(self.origin.game, self.reader.account)

    def topic(self) -> str:
        """Return what sets the letter apart: the record too."""
        return f"{self.origin.game.name}.why.{self.origin.record.number}"


def why(on: Context, kind: Kind, board: int, number: int | None) -> Outcome:
    """Tell a player of a board which mail led to one of its records, or to the latest."""
    game = on.game(kind, board)
    side_on(on.own.userid, game)
    return answered(WhyNotice(on.reader_at(on.own), origin_of(on.snapshot, game, number)))


def _read_record(words: Sequence[str]) -> int | None:
    return next(map(values.read_guard, values.at_most_one(words)), None)


def _record_of_letter(words: Sequence[str], board: int) -> Sequence[str]:
    """Return the words of an answer to a letter about a board, which may name it: `17#5`."""
    first, sign, number = words[0].partition("#") if words else ("", "", "")
    return [f"#{number}", *words[1:]] if sign and first == str(board) else words


class PlaysThere(OfBoard, NotAllowedReason, frozen=True):
    """A player would watch a board on which they play."""


class TooManyWatched(OfBoard, NotAllowedReason, frozen=True):
    """The player has reached the limit of watched boards."""

    most: int
    """The limit."""


def _all_boards(command: Command, refusal: Refusal) -> Command | None:
    """Return the list of all boards, if there is no such board."""
    is_unknown = isinstance(refusal.reason, NoSuchBoard)
    every = {"userids": (), "which": values.Filter.ACTIVE}
    return GAMES.command(kind=command["kind"], **every) if is_unknown else None


def _boards_of_sender(command: Command, refusal: Refusal) -> Command | None:
    """Return the list of a player's boards, or of all, if there is no such board."""
    kind, userid = command.get("kind"), command.get("userid")
    if not (isinstance(refusal.reason, NoSuchBoard) and kind):
        return None
    userids = (userid,) if userid else ()
    return GAMES.command(kind=kind, userids=userids, which=values.Filter.ACTIVE)


class WatchNotice(notices.Notice, frozen=True):
    """A board is watched from now on, or no longer."""

    game: Game
    is_watched: bool
    names: tuple[str, ...]
    """The names of all boards that the reader watches."""

    def shows(self) -> tuple[notices.ShownBoard, ...]:
        """Return the board, if it is watched."""
        return (notices.ShownBoard(self.game),) if self.is_watched else ()


def watch(on: Context, kind: Kind, board: int) -> Outcome:
    """Mail a player every record of a board of others from now on."""
    game = on.game(kind, board)
    if game.result:
        raise NotAllowed(GameOver(game))
    if game.side_of(on.own.userid):
        raise NotAllowed(PlaysThere(game))
    others = [name for name in _watched(on) if name != game.name]
    if len(others) >= MOST_WATCHED:
        raise NotAllowed(TooManyWatched(game, MOST_WATCHED))
    account = on.save(on.own.with_watched((*others, game.name)))
    return done([WatchNotice(on.reader_at(account), game, True, _watched(on))], game.name)


def unwatch(on: Context, kind: Kind, board: int) -> Outcome:
    """Mail a player no more records of a board."""
    game = on.game(kind, board)
    others = (name for name in on.own.watched_boards if name != game.name)
    account = on.save(on.own.with_watched(others))
    return done([WatchNotice(on.reader_at(account), game, False, _watched(on))], game.name)


def _watched(on: Context) -> tuple[str, ...]:
    """Return the names of the boards that the player watches and that go on."""
    return tuple(name for name in on.own.watched_boards if not is_over(on, *board_of(name)))


GAMES = Form(
    "games",
    rest=Rest(
        ("userids", "which"),
        (f"[USERID..] [{values.FILTERS}]",),
        values.read_userids_and_filter,
        values.write_userids_and_filter,
        least=0,
        fixed=values.FILTER_WORDS,
    ),
    options=(notices.PAGE,),
    cost=Cost(work=2),
    from_any=_boards_of_sender,
    run=ForAnybody(list_games),
)
ANY_GAMES = Rest(("kinds",), ("[GAME..]",), _read_kinds, _write_kinds, least=0)
"""The games that a list is about; all if none is named."""
LIST = Form(
    "list",
    rest=ANY_GAMES,
    is_of_kind=False,
    needs_own_mail=True,
    cost=Cost(work=2),
    of_player=GAMES,
    run=ForAnybody(list_all),
)
HISTORY = Form(
    "history",
    rest=Rest(("userids",), ("[USERID..]",), values.read_userids, tuple, least=0),
    options=(notices.PAGE,),
    cost=Cost(work=2),
    run=ForAnybody(list_past),
)
STANDINGS = Form(
    "standings",
    options=(notices.PAGE,),
    needs_own_mail=True,
    cost=Cost(work=2),
    run=ForAnybody(show_standings),
)
RATINGS = Form(
    "ratings",
    rest=HISTORY.rest,
    options=(notices.PAGE,),
    needs_own_mail=True,
    run=ForAnybody(show_ratings),
)
SHOW = Form(
    "show",
    rest=Rest(
        ("boards", "userids", "which"),
        ("BOARD[#N]..", f"USERID.. [{values.FILTERS}]"),
        _read_boards_or_userids,
        _write_boards_or_userids,
        fixed=values.FILTER_WORDS,
        write_answer=_write_answer,
        complete=_of_letter,
    ),
    from_any=_board_as_it_is,
    run=ForAnybody(show),
)
FORMS: tuple[Form[ForPlayer | ForAnybody], ...] = (
    LIST,
    GAMES,
    Form(
        "next",
        values.OWN,
        is_of_kind=False,
        answers={Topic.PLAY: AnsweredBy.NAME},
        cost=Cost(work=2),
        run=ForPlayer(show_next),
    ),
    SHOW,
    Form(
        "showas",
        values.OWN,
        Rest(
            ("boards", "which"),
            ("BOARD[#N]..", f"[{values.FILTERS}]"),
            _read_boards_or_filter,
            lambda chosen: _write_boards_or_userids((chosen[0], (), chosen[1])),
            least=0,
            fixed=values.FILTER_WORDS,
        ),
        run=ForPlayer(show_as),
    ),
    Form(
        "all",
        rest=Rest(
            ("userids", "which"),
            (f"show USERID.. [{values.FILTERS}]",),
            _read_all_show,
            lambda chosen: ["show", *values.write_userids_and_filter(chosen)],
            fixed=values.FILTER_WORDS | {"show"},
        ),
        is_of_kind=False,
        run=ForAnybody(show_all),
    ),
    Form("sgf", (values.BOARD,), cost=Cost(work=2), run=ForAnybody(send_sgf)),
    Form(
        "why",
        values.OF_BOARD,
        Rest(
            ("number",),
            ("[#N]",),
            _read_record,
            lambda number: [] if number is None else [f"#{number}"],
            least=0,
            complete=_record_of_letter,
        ),
        run=ForPlayer(why, brings_back=False),
    ),
    Form("watch", values.OF_BOARD, instead=_all_boards, run=ForPlayer(watch)),
    Form(
        "unwatch",
        values.OF_BOARD,
        answers={Topic.OFF: AnsweredBy.ANYTHING},
        instead=_all_boards,
        run=ForPlayer(unwatch),
    ),
    HISTORY,
    STANDINGS,
    RATINGS,
)
