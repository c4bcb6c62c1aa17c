"""What happens in a cup by itself: it begins, its games begin and are void, its rounds end.

All of it is done in steps, each of them one transaction that is bounded, so that no mail waits for
a cup with many players. What a step does follows from what is written alone, so that it is done
once, whoever does it and however often it is tried.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import groupby
from typing import Any

from msgspec import Struct, structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.settings import Switch
from pbm_oust.board import Game, Header, Ruling, Summary, Terms, Verb, has_counted
from pbm_oust.board.notation import format_terms
from pbm_oust.board.ratings import START
from pbm_oust.play.context import Context, Look, Outcome
from pbm_oust.play.notices import BoardNotice, News, Notice, Reader
from pbm_oust.play.request import Ending, id_of
from pbm_oust.play.rulings import rule_board
from pbm_oust.play.starting import with_house_terms, write_board
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS, Grid, Kind, Side
from pbm_oust.store import tournaments
from pbm_oust.store.accounts import accounts_after, is_there, present
from pbm_oust.store.index import Window, count_active
from pbm_oust.store.ratings import standings_on
from pbm_oust.store.tournaments import Progress, Section
from pbm_oust.tournaments import cup as cups
from pbm_oust.tournaments.cup import Cup, Entry, Every, Out, Score, State

MOST_AT_ONCE = 10
"""How many boards begin, or are void, in one transaction."""
TOLD_AT_ONCE = 50
"""How many players are told of a cup in one transaction."""
_ALL = Window(100)
"""The open cups of a game among which the next one is found."""
LOOK_AGAIN = timedelta(hours=1)
"""When to look again whether players have room for the games that wait."""


class TournamentBoardNotice(BoardNotice, frozen=True, kw_only=True):
    """A board of a tournament begins, or ends because one of its players is out."""

    cup: Cup
    round: int
    out: str = ""
    """The userid of the player who is out, if the game ends for that."""


class SectionTable(Struct, frozen=True):
    """The standings of a section."""

    section: Section
    scores: tuple[Score, ...]
    boards: tuple[Summary, ...]
    out: frozenset[str] = frozenset()
    """Who is out of the cup."""

    def between(self, one: str, other: str) -> list[Summary]:
        """Return the boards of two players."""
        return [each for each in self.boards if {each.x, each.o} == {one, other}]

    def rows(self) -> list[tuple[Score, list[list[tuple[str, Summary]]]]]:
        """Return the crosstable: how each player has fared against each, in the same order.

        That is their boards, each with `1` for a win, `=` for a draw, `0` for a loss, and `.` as
        long as the game goes on. Games that do not count are left out.
        """
        found = defaultdict[tuple[str, str], list[tuple[str, Summary]]](list)
        for each in self.boards:
            if has_counted(each) or not each.result:
                found[each.x, each.o].append((_mark(each, each.x), each))
                found[each.o, each.x].append((_mark(each, each.o), each))
        order = [score.userid for score in self.scores]
        return [(score, [found[score.userid, other] for other in order]) for score in self.scores]

    def fields(self) -> dict[str, Any]:
        """Return the section as JSON has it."""
        return {
            "round": self.section.round,
            "section": self.section.section,
            "is_over": self.section.is_over,
            "table": [score.fields() for score in self.scores],
            "boards": [board.name for board in self.boards],
        }

    def points_of(self, userid: str) -> int:
        """Return the points of a player."""
        return next(each.points for each in self.scores if each.userid == userid)

    def winners(self) -> list[str]:
        """Return the winners of the section, whose games are over."""
        return cups.winners(self.scores, self.out)

    def equals(self) -> list[list[Score]]:
        """Return each group of players with equally many points, without those who have none."""
        groups = (list(group) for _, group in groupby(self.scores, lambda each: each.points))
        return [group for group in groups if len(group) > 1 and group[0].points]


def _mark(game: Summary, userid: str) -> str:
    """Return what a crosstable says about a game of a player."""
    if not game.result:
        return "."
    return "=" if not game.winner else "1" if game.winner == userid else "0"


def entering(cup: Cup, userid: str | None) -> Ask | None:
    """Return the ask of a letter about a tournament; None for a reader without an account."""
    return Ask.numbered(Topic.TOURNAMENT, cup.kind, cup.number, userid) if userid else None


class TournamentNotice(Notice, frozen=True):
    """A cup, how far it has come, and the tables of some sections."""

    news: cups.CupNews
    cup: Cup
    entered: int
    """How many players take part, or did."""
    tables: tuple[SectionTable, ...] = ()
    entry: Entry | None = None
    """The entry of the reader, if they have one."""
    following: Cup | None = None
    """The next cup of the game that can be entered, if this one is over."""
    is_thanked: bool = False
    """Whether it answers thanks or congratulations."""

    @property
    def kind(self) -> Kind:
        """The game that is played."""
        return KINDS[self.cup.kind]

    def own(self) -> list[Summary]:
        """Return the boards of the reader in the tables."""
        userid = self.reader.userid
        return [
            each for table in self.tables for each in table.boards if userid in (each.x, each.o)
        ]

    def waiting(self) -> int:
        """Return how many games of the reader have not begun yet, because a player has no room."""
        others = sum(len(table.scores) - 1 for table in self.tables)
        return others * self.cup.games - len(self.own())

    def may_leave(self) -> bool:
        """Return whether the reader takes part and has something left to play."""
        if not self.entry or self.entry.out or self.cup.state is not State.RUNNING:
            return self.entry is not None and self.cup.state is State.OPEN
        return any(
            self.entry.userid in (each.winners() if each.section.is_over else each.section.players)
            for each in self.tables
        )

    def ask(self) -> Ask | None:
        """Return that an answer is about the tournament."""
        return entering(self.cup, self.reader.userid)

    def topic(self) -> str:
        """Return a word for the Message-ID, made of the cup, its round and the news."""
        return f"{self.cup.name}.{self.cup.round}.{self.news.value}"


class CupOutcome(Outcome, frozen=True):
    """The outcome of one step of what is due in a cup."""

    what: str | None = None
    """The deed in words, empty if there is nothing to tell; None if nothing was due."""


def go_on(work: UnitOfWork, kind: str, number: int) -> str:
    """Do all that is due in a cup, step by step; return what was done last, or an empty text.

    Raises OSError.
    """
    done = ""
    while (did := work.carry_out(lambda on: step(on, kind, number)).what) is not None:
        done = did or done
    return done


def step(on: Context, kind: str, number: int) -> CupOutcome:
    """Do one step of what is due in a cup."""
    cup = tournaments.find(on.snapshot, kind, number)
    if cup is None:
        return CupOutcome(Ending.ANSWERED)
    if cup.telling:
        return _did(cup.telling.value, [_tell_some(on, cup, cup.telling)])
    if cup.state is State.OPEN:
        return _did(begin(on, cup)) if cup.starts <= on.now else CupOutcome(Ending.ANSWERED)
    section = tournaments.due_section(on.snapshot, cup, on.now)
    if section:
        return _play(on, cup, section)
    if cup.state is State.RUNNING and tournaments.is_round_over(on.snapshot, cup):
        return _did(_end_round(on, cup))
    tournaments.keep(on.transaction, cup)
    return CupOutcome(Ending.ANSWERED)


def _did(what: str, beside: Iterable[Outcome] = ()) -> CupOutcome:
    return CupOutcome(Ending.DONE, beside=tuple(beside), what=what)


# How a cup begins and ends


def begin(on: Context, cup: Cup) -> str:
    """Draw the first round of a cup, or cancel it if too few take part."""
    entries = tournaments.entries(on.snapshot, cup.kind, cup.number)
    there = present(on.snapshot, (each.userid for each in entries))
    players = [each.userid for each in entries if each.userid in there]
    for userid in _fillers(on, cup, players):
        tournaments.enter(on.transaction, cup, Entry(userid, on.now))
        players.append(userid)
    if cup.every:
        _set_up_next(on, cup, cup.every)
    if len(players) < cups.SMALLEST:
        return cancel(on, cup)
    begun = structs.replace(cup, state=State.RUNNING, round=1, telling=None, told="")
    tournaments.keep(on.transaction, begun)
    tournaments.draw(
        on.transaction, begun, cups.draw(_by_strength(on, cup, players), cup.size), on.now
    )
    return "begin"


def take_out(on: Context, cup: Cup, entry: Entry, why: Out) -> None:
    """Take a player out of a cup: before it starts as if they had never entered it.

    Once it runs, what they have played counts, also what they have begun to play: they resign it.
    Their other games become void.
    """
    if cup.state is State.OPEN:
        tournaments.leave(on.transaction, cup, entry.userid)
        return
    tournaments.enter(on.transaction, cup, structs.replace(entry, out=on.now, why=why))
    section = tournaments.section_of(on.snapshot, cup, entry.userid)
    if section and not section.is_over:
        tournaments.let_wait(on.transaction, section, on.now, section.progress)


def announce(
    on: Context, kind: Kind, grid: Grid, terms: Terms, starts: datetime, **given: Any
) -> Cup:
    """Open a new cup with the next number of its game; its other fields may be given."""
    number = tournaments.next_number(on.snapshot, kind.name)
    fields = {"title": f"{kind.title} cup {number}", "size": cups.USUAL_SIZE, **given}
    cup = Cup(
        kind=kind.name,
        number=number,
        grid_name=str(grid),
        terms_words=format_terms(terms),
        starts=starts,
        **fields,
    )
    open_cup(on, cup)
    return cup


def open_cup(on: Context, cup: Cup) -> None:
    """Open a new cup for players to enter, and announce it to those who want to know."""
    announced = structs.replace(cup, telling=cups.CupNews.ANNOUNCED, told="")
    tournaments.keep(on.transaction, announced, on.now)


def cancel(on: Context, cup: Cup) -> str:
    """Cancel a cup; what is in play becomes void, and those who have entered are told."""
    cancelled = structs.replace(cup, state=State.CANCELLED, telling=cups.CupNews.CANCELLED, told="")
    tournaments.keep(on.transaction, cancelled, on.now)
    tournaments.look_at_all(on.transaction, cup, on.now)
    return "cancel"


def _fillers(on: Look, cup: Cup, players: Sequence[str]) -> Iterable[str]:
    """Yield the house players who fill the last section of a cup."""
    number = len(players)
    for userid in cup.house:
        if userid in players or not on.has_house or number % cup.size == 0:
            continue
        number += 1
        yield userid


def _set_up_next(on: Context, cup: Cup, every: Every) -> None:
    """Open the cup that follows one which comes again."""
    starts = cups.following(cup.starts, every)
    while starts <= on.now:
        starts = cups.following(starts, every)
    number = tournaments.next_number(on.snapshot, cup.kind)
    open_cup(on, structs.replace(cup, number=number, starts=starts))


def _end_round(on: Context, cup: Cup) -> str:
    """End the latest round of a cup: who has won a section plays on, unless there was only one."""
    winners = tournaments.winners_of_round(on.snapshot, cup, cup.round)
    number = tournaments.count_sections(on.snapshot, cup)
    if number > 1:
        winners = _still_in(on, cup, winners)
    if number > 1 and len(winners) > 1:
        following = structs.replace(cup, round=cup.round + 1)
        players = _by_strength(on, cup, winners)
        drawn = cups.draw(players, cup.size, fewer_than=number)
        tournaments.keep(on.transaction, following)
        tournaments.draw(on.transaction, following, drawn, on.now)
        return f"round {following.round}"
    told = cups.CupNews.OVER
    over = structs.replace(cup, state=State.OVER, winners=tuple(winners), telling=told, told="")
    tournaments.keep(on.transaction, over, on.now)
    return "end"


def _still_in(on: Look, cup: Cup, userids: Sequence[str]) -> list[str]:
    """Return which of some players have not left a cup and the server."""
    entries = tournaments.entries_of(on.snapshot, cup.kind, cup.number, userids)
    there = present(on.snapshot, userids).union(HOUSE)
    return [each for each in userids if each in there and each in entries and not entries[each].out]


def _by_strength(on: Look, cup: Cup, players: Sequence[str]) -> list[str]:
    """Return players by their ratings on such boards, the highest first; else as they entered."""
    rated = standings_on(on.snapshot, KINDS[cup.kind], cup.grid, players)
    return sorted(players, key=lambda userid: -(rated[userid].rating if userid in rated else START))


# The games of a section


def _play(on: Context, cup: Cup, section: Section) -> CupOutcome:
    """Look at a section: some of its games end or begin, as far as they can, or it is over."""
    boards = tournaments.boards_of(on.snapshot, section)
    if tournaments.has_damaged(on.snapshot, section):
        tournaments.let_wait(on.transaction, section, on.now + LOOK_AGAIN, section.progress)
        return _did("")
    is_cancelled = cup.state is State.CANCELLED
    gone = {} if is_cancelled else _out(on, cup, section, boards)
    out = frozenset(section.players if is_cancelled else gone)
    active = [each for each in boards if each.result is None]
    left = [each for each in active if {each.x, each.o} & out]
    made = [_end(on, cup, section, board, gone) for board in left[:MOST_AT_ONCE]]
    wanted = cups.pairings(section.players, cup.games)
    rooms = cache(partial(_room, on, cup))
    ready = cups.to_begin(wanted, boards, out, rooms)
    begun = ready[:MOST_AT_ONCE]
    played = cups.times_played(boards)
    for pairing in begun:
        made.append(_start(on, cup, section, pairing, played[pairing.players]))
        played[pairing.players] += 1
    if len(left) > MOST_AT_ONCE or len(ready) > MOST_AT_ONCE:
        tournaments.let_wait(on.transaction, section, on.now, section.progress)
        return _did("play", made)
    if section.progress is Progress.DRAWN and not is_cancelled:
        made.append(_tell(on, cup, cups.CupNews.BEGUN, section))
    waiting = len(cups.to_begin(wanted, boards, out, lambda _: None)) - len(begun)
    if waiting or begun or len(active) > len(left):
        again = on.now + LOOK_AGAIN if waiting else None
        tournaments.let_wait(on.transaction, section, again, Progress.BEGUN)
        return _did("play" if begun or left else "", made)
    scores = cups.table(section.players, boards)
    winners = () if is_cancelled else cups.winners(scores, out)
    tournaments.end_section(on.transaction, section, winners)
    if is_cancelled:
        return _did("", made)
    if not section.is_over and tournaments.count_sections(on.snapshot, cup) > 1:
        over = structs.replace(section, progress=Progress.OVER)
        made.append(_tell(on, cup, cups.CupNews.SECTION_OVER, over))
    tournaments.keep(on.transaction, cup, on.now)
    return _did("section over", made)


def _out(on: Context, cup: Cup, section: Section, boards: Iterable[Summary]) -> dict[str, Out]:
    """Return the players of a section who are out of a cup and why, who left first coming first.

    Who is out from now on is noted.
    """
    entries = tournaments.entries_of(on.snapshot, cup.kind, cup.number, section.players)
    late, there = cups.times_lost(boards), present(on.snapshot, section.players)
    found = list[tuple[datetime, str, Out]]()
    for userid in section.players:
        entry = entries.get(userid) or Entry(userid, on.now)
        why = entry.why
        if why is None and userid not in there and userid not in HOUSE:
            why = Out.GONE
        elif why is None and late.get(userid, 0) >= cups.MOST_TIMES_LOST:
            why = Out.TIME
        if why:
            found.append((entry.out or on.now, userid, why))
        if why and not entry.out:
            gone = structs.replace(entry, out=on.now, why=why)
            tournaments.enter(on.transaction, cup, gone)
    found.sort(key=lambda each: each[:2])
    return {userid: why for _, userid, why in found}


def _room(on: Look, cup: Cup, userid: str) -> int | None:
    """Return on how many more boards of a cup a player plays; None for any number."""
    entries = tournaments.entries_of(on.snapshot, cup.kind, cup.number, [userid])
    account = on.account_if_any(userid)
    rooms = list[int]()
    if userid in entries and (most := entries[userid].most):
        rooms.append(most - tournaments.count_in_play(on.snapshot, cup, userid))
    if account and account.board_limit:
        rooms.append(account.board_limit - count_active(on.snapshot, userid))
    return max(0, min(rooms)) if rooms else None


def _start(on: Context, cup: Cup, section: Section, pairing: cups.Pairing, before: int) -> Outcome:
    """Begin a game of a section, and show it to its players, who have played so many before."""
    kind = KINDS[cup.kind]
    number = on.next_number(kind)
    header = Header(kind, number, cup.grid, pairing.x, pairing.o, cup.terms, on.now)
    game = Game.start(with_house_terms(on, header))
    key = id_of(cup.name, section.round, *sorted(pairing.players), before)
    make = partial(TournamentBoardNotice, cup=cup, round=section.round)
    told = tell_players(on, game, News.STARTED, actor=None, make=make)
    return write_board(on, game, told, source=section.source, identity=key)


def _end(
    on: Context, cup: Cup, section: Section, board: Summary, gone: Mapping[str, Out]
) -> Outcome:
    """End a game of a player who is out of a cup, or one of a cup that is cancelled.

    Whoever has begun to play it resigns it; else it counts as never begun.
    """
    first = next((userid for userid in gone if userid in (board.x, board.o)), "")
    make = partial(TournamentBoardNotice, cup=cup, round=section.round, out=first)

    def decide(game: Game) -> Ruling | Side | None:
        if game.result:
            return None
        side = game.side_of(first)
        resigns = side and gone[first] is not Out.EXCUSED and game.has_played(side)
        return side if resigns else Ruling(Verb.VOID)

    return rule_board(on, board.kind, board.board, decide, make=make)


# Tables, and who is told


def table_of(on: Look, section: Section, cup: Cup) -> SectionTable:
    """Return the standings of a section."""
    boards = tuple(tournaments.boards_of(on.snapshot, section))
    entries = tournaments.entries_of(on.snapshot, cup.kind, cup.number, section.players)
    out = frozenset(userid for userid, each in entries.items() if each.out)
    return SectionTable(section, tuple(cups.table(section.players, boards)), boards, out)


def tables_of(on: Look, cup: Cup, round_: int) -> tuple[SectionTable, ...]:
    """Return the tables of a round of a cup."""
    sections = tournaments.sections(on.snapshot, cup.kind, cup.number, round_)
    return tuple(table_of(on, section, cup) for section in sections)


def _tell(on: Context, cup: Cup, news: cups.CupNews, section: Section) -> Outcome:
    """Tell the players of a section what happened in it."""
    return _told(on, cup, news, section.players, (table_of(on, section, cup),))


def _tell_some(on: Context, cup: Cup, news: cups.CupNews) -> Outcome:
    """Tell some of those who are to know of a cup what happened, and note who has been told."""
    if news is cups.CupNews.ANNOUNCED:
        accounts = accounts_after(on.snapshot, cup.told, TOLD_AT_ONCE)
        userids = [each.userid for each in accounts]
        readers = [each.userid for each in accounts if _wants_announcement(each)]
    else:
        readers = userids = tournaments.entered_after(on.snapshot, cup, cup.told, TOLD_AT_ONCE)
    tables = tables_of(on, cup, cup.round)[:1] if news is cups.CupNews.OVER else ()
    is_last = len(userids) < TOLD_AT_ONCE
    told = structs.replace(
        cup, telling=None if is_last else news, told="" if is_last else userids[-1]
    )
    is_announced = told.state is State.OPEN and is_last
    tournaments.keep(on.transaction, told, cup.starts if is_announced else on.now)
    return _told(on, told, news, readers, tables)


def _wants_announcement(account: Account) -> bool:
    return is_there(account) and account.all_settings.cups is Switch.ON


def _told(
    on: Context,
    cup: Cup,
    news: cups.CupNews,
    userids: Iterable[str],
    tables: tuple[SectionTable, ...],
) -> Outcome:
    """Return the outcome that tells some players of a cup."""
    key = id_of(cup.name, cup.round, news.value, *(each.section.section for each in tables))
    accounts = [account for account in map(on.account_if_any, userids) if account]
    readers = [on.reader(each) for each in accounts if not each.is_house]
    return Outcome(Ending.DONE, tuple(notices_of(on, cup, news, readers, tables)), identity=key)


class Medal(Struct, frozen=True):
    """The place of a player in a cup that is over."""

    cup: Cup
    place: int
    """Their place in its last round; 1 for who has won, or shares that."""


MOST_MEDALS = 12
"""How many cups a player has medals of: the latest."""


def medals_of(on: Look, userid: str) -> list[Medal]:
    """Return the places of a player in the last rounds of cups, the latest cup first."""
    found = list[Medal]()
    for cup in tournaments.finals_of(on.snapshot, userid, MOST_MEDALS):
        section = tournaments.section_of(on.snapshot, cup, userid)
        table = table_of(on, section, cup) if section else None
        if table and userid not in table.out:
            place = next(each.place for each in table.scores if each.userid == userid)
            found.append(Medal(cup, 1 if userid in cup.winners else place))
    return found


def cups_going_on(on: Look, kinds: Iterable[Kind], most: int) -> list[tuple[Cup, int]]:
    """Return so many cups of each game that go on, those first that can be entered.

    With each is told how many players take part.
    """
    part = Window(most)
    found = [
        cup
        for kind in kinds
        for cup in tournaments.cups(on.snapshot, kind.name, cups.GOING_ON, part)
    ]
    found.sort(key=lambda cup: (cup.state is not State.OPEN, cup.starts))
    return [(cup, tournaments.count_entries(on.snapshot, cup)) for cup in found]


def notices_of(
    on: Look,
    cup: Cup,
    news: cups.CupNews,
    readers: Sequence[Reader],
    tables: tuple[SectionTable, ...],
    *,
    is_thanked: bool = False,
) -> Iterator[TournamentNotice]:
    """Yield a notice of a cup for each of some readers."""
    userids = [each.userid or "" for each in readers]
    count = tournaments.count_entries(on.snapshot, cup)
    entries = tournaments.entries_of(on.snapshot, cup.kind, cup.number, userids)
    is_ended = cup.state in cups.ENDED
    opened = tournaments.cups(on.snapshot, cup.kind, [State.OPEN], _ALL) if is_ended else []
    following = min(opened, key=lambda each: each.starts, default=None)
    for reader, userid in zip(readers, userids, strict=True):
        yield TournamentNotice(
            reader, news, cup, count, tables, entries.get(userid), following, is_thanked
        )
