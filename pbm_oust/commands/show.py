"""The commands that look at boards: next, show, showas, all show, sgf, why; watch and unwatch."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import structs

from pbm_oust.accounts.account import MOST_WATCHED, Account
from pbm_oust.accounts.clock import turn_of
from pbm_oust.accounts.items import board_of
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.tags import Reply, SheetReply
from pbm_oust.board import Game
from pbm_oust.board.reasons import GameOver, NoSuchRecord, OfBoard
from pbm_oust.commands.lists import Games
from pbm_oust.grammar import values
from pbm_oust.grammar.form import Cost, Form, MissingWord, SurplusWord, names_shown
from pbm_oust.grammar.notation import BoardCommand, Command, Heading, OwnCommand
from pbm_oust.grammar.parts import rest
from pbm_oust.grammar.vocabulary import find_command_word
from pbm_oust.play import notices
from pbm_oust.play.finding import Wish, active_games, find_games
from pbm_oust.play.forms import ForAnybody, ForPlayer
from pbm_oust.play.moving import Provenance, is_over, origin_of, side_on
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.telling import gone_from
from pbm_oust.play.unit_of_work import UnitOfWork, as_owner
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.open_boards import read_game


class Show(Command, frozen=True):
    """Draw these boards, or the boards of these players that pass the filter."""

    kind: Kind
    boards: tuple[values.BoardAt, ...]
    userids: tuple[str, ...]
    filter: values.Filter


def board_as_it_is(game: Game) -> Show:
    """Return the command that draws the board of a game as it is now."""
    return Show(game.header.kind, (values.BoardAt(game.header.board),), (), values.Filter.ALL)


class ShowAs(Command, frozen=True):
    """Draw boards as a player sees them; in these games everybody sees the same."""

    kind: Kind
    userid: str
    password: Secret
    boards: tuple[values.BoardAt, ...]
    filter: values.Filter
    """Which of the player's own boards, if none are named."""


class AllShow(Command, frozen=True):
    """Draw the boards of these players in all games."""

    userids: tuple[str, ...]
    filter: values.Filter


class BoardsNotice(notices.Notice, frozen=True):
    """Several boards of a game, as they were asked for."""

    template = "boards"
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

    def answer(self) -> SheetReply | None:
        """Return that an answer plays on the boards of its reader."""
        return notices.sheet_of(
            (game for game, is_past in self.views if not is_past), self.reader.account
        )


class AllNotice(notices.Notice, frozen=True):
    """Boards of all games, as they were asked for."""

    template = "all"
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

    def answer(self) -> SheetReply | None:
        """Return that an answer plays on the boards of its reader."""
        return notices.sheet_of(self.games, self.reader.account)


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
    command: Show,
    request: Request,
    work: UnitOfWork,
    notes: Mapping[str, str] | None = None,
    reader: notices.Reader | None = None,
) -> Handled:
    """Answer with boards drawn; `notes` are the reader's, by the names of boards."""
    notes = notes or {}
    reader = reader or work.sender_of(request)
    most = _most_drawn(reader, request, work)
    damaged: tuple[str, ...] = ()
    if command.boards:
        views = tuple(_view_at(work, command.kind, at) for at in command.boards[: max(1, most)])
        count = len(command.boards)
    else:
        found = find_games(work, Wish([command.kind], command.userids, command.filter), most)
        views = tuple((game, False) for game in found.boards)
        count, damaged = found.count, found.damaged
    left_out = max(0, count - max(1, most))
    if len(views) == 1 and not (left_out or damaged):
        game, is_past = views[0]
        note, gone = notes.get(game.name, ""), gone_from(game, work)
        told = notices.BoardNotice(reader, notices.News.SHOWN, game, is_past, note=note, gone=gone)
        return work.answer(told, request)
    reader = as_owner(reader, work.home, command.userids)
    asked = tuple(filter(work.names_for(request), command.userids))
    notice = BoardsNotice(reader, command.kind, views, left_out, damaged, notes, asked)
    return work.answer(notice, request)


def show_as(command: ShowAs, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Answer only the sender, with boards drawn as a player sees them."""
    addresses = work.sender_of(request).addresses
    reader = structs.replace(work.player_at(actor.account, request), addresses=addresses)
    userids = () if command.boards else (actor.userid,)
    meant = Show(command.kind, command.boards, userids, command.filter)
    return show(meant, request, work, actor.account.notes_by_board, reader)


def show_all(command: AllShow, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the drawn boards of players in all games."""
    reader = work.sender_of(request)
    most = _most_drawn(reader, request, work)
    found = find_games(work, Wish(KINDS.values(), command.userids, command.filter), most)
    notice = AllNotice(
        as_owner(reader, work.home, command.userids),
        " ".join((*names_shown(command.userids, work.names_for(request)), command.filter.value)),
        games=found.boards,
        left_out=max(0, found.count - most),
        damaged=found.damaged,
    )
    return work.answer(notice, request)


def _most_drawn(reader: notices.Reader, request: Request, work: UnitOfWork) -> int:
    """Return how many boards the answer draws: one at most for a stranger."""
    is_player = reader.userid is not None or work.is_known(request.sender)
    return work.room.boards if is_player else min(1, work.room.boards)


def _view_at(work: UnitOfWork, kind: Kind, at: values.BoardAt) -> tuple[Game, bool]:
    """Return a board as it was asked for, and whether that is an earlier state."""
    game = read_game(work.home, kind, at.board)
    if at.number in (None, len(game.records)):
        return game, False
    if at.number is None or at.number > len(game.records):
        raise NotAllowed(NoSuchRecord(game, at.number), f"#{at.number}")
    return game.after(at.number), True


class Next(OwnCommand, frozen=True):
    """Draw the board that has waited longest for a player."""


class NextNotice(notices.Notice, frozen=True):
    """No board waits for the reader."""

    template = "next"


def show_next(command: Next, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Show a player the board that has waited longest for them, or say that none does."""
    reader = work.player_at(actor.account, request)
    games = active_games(actor.userid, work.home, is_to_move=True)
    longest = min(games, key=lambda game: turn_of(game, {}).began, default=None)
    if longest is None:
        return work.answer(NextNotice(reader), request)
    note = actor.account.note_about(longest.name)
    return work.answer(notices.BoardNotice(reader, notices.News.SHOWN, longest, note=note), request)


class Sgf(Command, frozen=True):
    """Mail the record of a board as an SGF file."""

    kind: Kind
    board: int


class SgfNotice(notices.Notice, frozen=True):
    """The record of a board, attached as a file."""

    template = "sgf"
    game: Game

    def board(self) -> Game:
        """Return the game of the board."""
        return self.game


def send_sgf(command: Sgf, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the record of a board as a file."""
    game = read_game(work.home, command.kind, command.board)
    handled = Handled(Outcome.ANSWERED, game.name)
    return work.answer(SgfNotice(work.sender_of(request), game), request, handled)


class Why(BoardCommand, frozen=True):
    """Tell one of its players which mail led to a record of a board."""

    number: int | None
    """The number of the record; None for the latest."""


class WhyNotice(notices.Notice, frozen=True):
    """How a record came about."""

    template = "why"
    origin: Provenance

    def board(self) -> Game:
        """Return the game of the board."""
        return self.origin.game

    def answer(self) -> Reply | None:
        """Return what an answer does on the board."""
        return notices.answer_on(self.origin.game, self.reader.account)

    def topic(self) -> str:
        """Return what sets the letter apart: the record too."""
        return f"{self.origin.game.name}.why.{self.origin.record.number}"


def why(command: Why, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Tell a player of a board how one of its records came about."""
    game = read_game(work.home, command.kind, command.board)
    side_on(actor.userid, game)
    origin = origin_of(game, command.number, work.home)
    return work.answer(WhyNotice(work.player_at(actor.account, request), origin), request)


def _read_record(words: Sequence[str]) -> int | None:
    if len(words) > 1:
        raise Unreadable(SurplusWord(), words[1])
    return values.read_guard(words[0]) if words else None


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


class _OfWatched(BoardCommand, frozen=True):
    """A command about a board of others."""

    def instead(self, refusal: Refusal) -> Command | None:
        """Return the list of all boards, if there is no such board."""
        is_unknown = isinstance(refusal.reason, NoSuchBoard)
        return Games(self.kind, (), values.Filter.ACTIVE) if is_unknown else None


class Watch(_OfWatched, frozen=True):
    """Get every record of a board by mail."""


class Unwatch(_OfWatched, frozen=True):
    """Get no more records of a board by mail."""


class WatchNotice(notices.OutcomeNotice, frozen=True):
    """A board is watched from now on, or no longer."""

    template = "watch"
    game: Game
    is_watched: bool
    names: tuple[str, ...]
    """The names of all boards that the reader watches."""

    def board(self) -> Game:
        """Return the game of the board."""
        return self.game

    def shows(self) -> tuple[notices.ShownBoard, ...]:
        """Return the board, if it is watched."""
        return (notices.ShownBoard(self.game),) if self.is_watched else ()


def watch(command: Watch, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Mail a player the records of a board on which they do not play."""
    game = read_game(work.home, command.kind, command.board)
    if game.result:
        raise NotAllowed(GameOver(game))
    if game.side_of(actor.userid):
        raise NotAllowed(PlaysThere(game))

    def change(account: Account) -> Account:
        names = [name for name in account.watched_boards if name != game.name]
        going_on = [name for name in names if not is_over(*board_of(name), work)]
        if len(going_on) >= MOST_WATCHED:
            raise NotAllowed(TooManyWatched(game, MOST_WATCHED))
        return account.with_watched((*going_on, game.name))

    return _change_watched(change, game, True, actor, request, work)


def unwatch(command: Unwatch, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Mail a player no more records of a board."""
    game = read_game(work.home, command.kind, command.board)

    def change(account: Account) -> Account:
        return account.with_watched(name for name in account.watched_boards if name != game.name)

    return _change_watched(change, game, False, actor, request, work)


def _change_watched(
    change: Callable[[Account], Account],
    game: Game,
    is_watched: bool,
    actor: Actor,
    request: Request,
    work: UnitOfWork,
) -> Handled:
    def tell(account: Account) -> WatchNotice:
        names = tuple(name for name in account.watched_boards if not is_over(*board_of(name), work))
        return WatchNotice(work.player_at(account, request), game, is_watched, names)

    return work.change_account(change, tell, actor, request, board=game.name)


FORMS = (
    Form(
        "next",
        Next,
        values.OWN,
        heading=Heading.LOOKING,
        rank=25,
        by_letter=True,
        cost=Cost(work=2),
        run=ForPlayer(show_next),
    ),
    Form(
        "show",
        Show,
        rest=rest(
            ("BOARD[#N]..", f"USERID.. [{values.FILTERS}]"),
            _read_boards_or_userids,
            _write_boards_or_userids,
            fills=3,
            fixed=values.FILTER_WORDS,
            write_answer=_write_answer,
            complete=_of_letter,
        ),
        heading=Heading.LOOKING,
        rank=30,
        run=ForAnybody(show),
    ),
    Form(
        "showas",
        ShowAs,
        values.OWN,
        rest(
            ("BOARD[#N]..", f"[{values.FILTERS}]"),
            _read_boards_or_filter,
            lambda chosen: _write_boards_or_userids((chosen[0], (), chosen[1])),
            least=0,
            fills=2,
            fixed=values.FILTER_WORDS,
        ),
        heading=Heading.LOOKING,
        rank=40,
        run=ForPlayer(show_as),
    ),
    Form(
        "all",
        AllShow,
        rest=rest(
            (f"show USERID.. [{values.FILTERS}]",),
            _read_all_show,
            lambda chosen: ["show", *values.write_userids_and_filter(chosen)],
            fills=2,
            fixed=values.FILTER_WORDS | {"show"},
        ),
        heading=Heading.LOOKING,
        rank=50,
        run=ForAnybody(show_all),
    ),
    Form(
        "sgf",
        Sgf,
        (values.BOARD,),
        heading=Heading.LOOKING,
        rank=55,
        cost=Cost(work=2),
        run=ForAnybody(send_sgf),
    ),
    Form(
        "why",
        Why,
        values.OF_BOARD,
        rest(
            ("[#N]",),
            _read_record,
            lambda number: [] if number is None else [f"#{number}"],
            least=0,
            complete=_record_of_letter,
        ),
        heading=Heading.LOOKING,
        rank=55,
        run=ForPlayer(why, brings_back=False),
    ),
    Form("watch", Watch, values.OF_BOARD, heading=Heading.LOOKING, rank=60, run=ForPlayer(watch)),
    Form(
        "unwatch",
        Unwatch,
        values.OF_BOARD,
        heading=Heading.LOOKING,
        rank=70,
        run=ForPlayer(unwatch),
    ),
)
