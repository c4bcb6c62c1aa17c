"""What happens in a cup by itself: it begins, its games begin and are void, its rounds end.

All of it is done in steps, each of them one transaction that is bounded, so that no mail waits for
a cup with many players. What a step does follows from what is written alone, so that it is done
once, whoever does it and however often it is tried.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import cache, partial
from itertools import groupby
from typing import Any

from msgspec import Struct, structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.settings import Switch
from pbm_oust.accounts.tags import Entering
from pbm_oust.board import Game, Header, Ruling, Summary, Verb, has_counted
from pbm_oust.board.ratings import START
from pbm_oust.play.notices import BoardNotice, News, Notice, Reader
from pbm_oust.play.rulings import id_of, request_of, rule_board
from pbm_oust.play.starting import count_active, post_board, with_house_terms
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import tournaments
from pbm_oust.store.accounts import accounts_after, is_there, present
from pbm_oust.store.home import Home
from pbm_oust.store.index import Window
from pbm_oust.store.open_boards import next_number
from pbm_oust.store.ratings import standings_on
from pbm_oust.store.tournaments import Progress, Section
from pbm_oust.tournaments import cup as cups
from pbm_oust.tournaments.cup import Cup, Entry, Every, Out, Score, State

MOST_AT_ONCE = 10
"""How many boards begin, or are void, in one transaction."""
TOLD_AT_ONCE = 50
"""How many players are told of a cup in one transaction."""
LOOK_AGAIN = timedelta(hours=1)
"""When to look again whether players have room for the games that wait."""


class TournamentBoardNotice(BoardNotice, frozen=True, kw_only=True):
    """A board of a tournament begins, or is void because one of its players is out."""

    cup: Cup
    round: int
    out: str = ""
    """The userid of the player who is out, if the game is void for that."""


class SectionTable(Struct, frozen=True):
    """How the players of a section stand."""

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
        """Return what JSON says about it."""
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
        """Return who has won the section, if its games are over."""
        return cups.winners(self.scores, self.out)

    def equals(self) -> list[list[Score]]:
        """Return the players who have as many points as others and have beaten somebody."""
        groups = (list(group) for _, group in groupby(self.scores, lambda each: each.points))
        return [group for group in groups if len(group) > 1 and group[0].points]


def _mark(game: Summary, userid: str) -> str:
    """Return what a crosstable says about a game of a player."""
    if not game.result:
        return "."
    return "=" if not game.winner else "1" if game.winner == userid else "0"


def entering(cup: Cup, userid: str | None) -> Entering | None:
    """Return what an answer to a letter about a tournament is."""
    return Entering(userid, cup.kind, cup.number) if userid else None


class TournamentNotice(Notice, frozen=True):
    """A cup, how far it has come, and the tables of some sections."""

    news: cups.CupNews
    cup: Cup
    entered: int
    """How many players take part, or did."""
    tables: tuple[SectionTable, ...] = ()
    entry: Entry | None = None
    """The entry of the reader, if they have one."""

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

    def answer(self) -> Entering | None:
        """Return that an answer is about the tournament."""
        return entering(self.cup, self.reader.userid)

    def topic(self) -> str:
        """Return which letter about which cup it is."""
        return f"{self.cup.name}.{self.cup.round}.{self.news.value}"


def go_on(work: UnitOfWork, kind: str, number: int) -> str:
    """Do all that is due in a cup, step by step; return what was done last, or an empty text.

    Raises OSError.
    """
    done = ""
    while (did := work.retried(partial(step, kind, number))) is not None:
        done = did or done
    return done


def step(kind: str, number: int, work: UnitOfWork) -> str | None:
    """Do one step of what is due in a cup; return what it was, or None if nothing is."""
    home, now = work.home, work.now()
    cup = home.ask(tournaments.find, kind, number)
    if cup is None:
        return None
    if cup.telling:
        return _tell_some(cup, cup.telling, work)
    if cup.state is State.OPEN:
        return begin(cup, work) if cup.starts <= now else None
    section = home.ask(tournaments.due_section, cup, now)
    if section:
        return _play(cup, section, work)
    if cup.state is State.RUNNING and home.ask(tournaments.is_round_over, cup):
        return _end_round(cup, work)
    home.do(tournaments.keep, cup)
    return None


# How a cup begins and ends


def begin(cup: Cup, work: UnitOfWork) -> str:
    """Draw the first round of a cup, or cancel it if too few take part."""
    home, now = work.home, work.now()
    entries = home.ask(tournaments.entries, cup.kind, cup.number)
    there = home.ask(present, (each.userid for each in entries))
    players = [each.userid for each in entries if each.userid in there]
    for userid in _fillers(cup, players, work):
        home.do(tournaments.enter, cup, Entry(userid, now))
        players.append(userid)
    if cup.every:
        _set_up_next(cup, cup.every, work)
    if len(players) < cups.SMALLEST:
        return cancel(cup, work)
    begun = structs.replace(cup, state=State.RUNNING, round=1, telling=None, told="")
    home.do(tournaments.keep, begun)
    home.do(tournaments.draw, begun, cups.draw(_by_strength(cup, players, work), cup.size), now)
    return "begin"


def take_out(cup: Cup, entry: Entry, why: Out, work: UnitOfWork) -> None:
    """Take a player out of a cup: before it starts as if they had never entered it.

    Once it runs, what they still play becomes void, and what they have played counts.
    """
    home, now = work.home, work.now()
    if cup.state is State.OPEN:
        home.do(tournaments.leave, cup, entry.userid)
        return
    home.do(tournaments.enter, cup, structs.replace(entry, out=now, why=why))
    section = home.ask(tournaments.section_of, cup, entry.userid)
    if section and not section.is_over:
        home.do(tournaments.let_wait, section, now, section.progress)


def open_cup(cup: Cup, work: UnitOfWork) -> None:
    """Open a new cup for players to enter, and announce it to those who want to know."""
    announced = structs.replace(cup, telling=cups.CupNews.ANNOUNCED, told="")
    work.home.do(tournaments.keep, announced, work.now())


def cancel(cup: Cup, work: UnitOfWork) -> str:
    """Cancel a cup; what is in play becomes void, and those who have entered are told."""
    home, now = work.home, work.now()
    cancelled = structs.replace(cup, state=State.CANCELLED, telling=cups.CupNews.CANCELLED, told="")
    home.do(tournaments.keep, cancelled, now)
    home.do(tournaments.look_at_all, cup, now)
    return "cancel"


def _fillers(cup: Cup, players: Sequence[str], work: UnitOfWork) -> Iterable[str]:
    """Yield the house players who fill the last section of a cup."""
    number = len(players)
    for userid in cup.house:
        if userid in players or not work.has_house or number % cup.size == 0:
            continue
        number += 1
        yield userid


def _set_up_next(cup: Cup, every: Every, work: UnitOfWork) -> None:
    """Open the cup that follows one which comes again."""
    starts = cups.following(cup.starts, every)
    while starts <= work.now():
        starts = cups.following(starts, every)
    number = work.home.ask(tournaments.next_number, cup.kind)
    open_cup(structs.replace(cup, number=number, starts=starts), work)


def _end_round(cup: Cup, work: UnitOfWork) -> str:
    """End the latest round of a cup: who has won a section plays on, unless there was only one."""
    home, now = work.home, work.now()
    winners = home.ask(tournaments.winners_of_round, cup, cup.round)
    number = home.ask(tournaments.count_sections, cup)
    if number > 1:
        winners = _still_in(cup, winners, work)
    if number > 1 and len(winners) > 1:
        following = structs.replace(cup, round=cup.round + 1)
        players = _by_strength(cup, winners, work)
        drawn = cups.draw(players, cup.size, fewer_than=number)
        home.do(tournaments.keep, following)
        home.do(tournaments.draw, following, drawn, now)
        return f"round {following.round}"
    told = cups.CupNews.OVER
    over = structs.replace(cup, state=State.OVER, winners=tuple(winners), telling=told, told="")
    home.do(tournaments.keep, over, now)
    return "end"


def _still_in(cup: Cup, userids: Sequence[str], work: UnitOfWork) -> list[str]:
    """Return which of some players have not left a cup and the server."""
    entries = work.home.ask(tournaments.entries_of, cup.kind, cup.number, userids)
    there = work.home.ask(present, userids).union(HOUSE)
    return [each for each in userids if each in there and not entries[each].out]


def _by_strength(cup: Cup, players: Sequence[str], work: UnitOfWork) -> list[str]:
    """Return players by their ratings on such boards, the highest first; else as they entered."""
    rated = work.home.ask(standings_on, KINDS[cup.kind], cup.grid, players)
    return sorted(players, key=lambda userid: -(rated[userid].rating if userid in rated else START))


# The games of a section


def _play(cup: Cup, section: Section, work: UnitOfWork) -> str:
    """Look at a section: some of its games end or begin, as far as they can, or it is over."""
    home, now = work.home, work.now()
    boards = home.ask(tournaments.boards_of, section)
    if home.ask(tournaments.has_damaged, section):
        home.do(tournaments.let_wait, section, now + LOOK_AGAIN, section.progress)
        return ""
    is_cancelled = cup.state is State.CANCELLED
    out = frozenset(section.players) if is_cancelled else _out(cup, section, boards, work)
    active = [each for each in boards if each.result is None]
    void = [each for each in active if {each.x, each.o} & out]
    for board in void[:MOST_AT_ONCE]:
        _void(cup, section, board, out, work)
    wanted = cups.pairings(section.players, cup.games)
    rooms = cache(partial(_room, cup, work))
    ready = cups.to_begin(wanted, boards, out, rooms)
    begun = ready[:MOST_AT_ONCE]
    played = cups.times_played(boards)
    for pairing in begun:
        _start(cup, section, pairing, played[pairing.players], work)
        played[pairing.players] += 1
    if len(void) > MOST_AT_ONCE or len(ready) > MOST_AT_ONCE:
        home.do(tournaments.let_wait, section, now, section.progress)
        return "play"
    if section.progress is Progress.DRAWN and not is_cancelled:
        _tell(cup, cups.CupNews.BEGUN, section, work)
    waiting = len(cups.to_begin(wanted, boards, out, lambda _: None)) - len(begun)
    if waiting or begun or len(active) > len(void):
        again = now + LOOK_AGAIN if waiting else None
        home.do(tournaments.let_wait, section, again, Progress.BEGUN)
        return "play" if begun or void else ""
    scores = cups.table(section.players, boards)
    home.do(tournaments.end_section, section, () if is_cancelled else cups.winners(scores, out))
    if is_cancelled:
        return ""
    if not section.is_over and home.ask(tournaments.count_sections, cup) > 1:
        over = structs.replace(section, progress=Progress.OVER)
        _tell(cup, cups.CupNews.SECTION_OVER, over, work)
    home.do(tournaments.keep, cup, now)
    return "section over"


def _out(cup: Cup, section: Section, boards: Iterable[Summary], work: UnitOfWork) -> frozenset[str]:
    """Return which players of a section are out of a cup, after noting who is from now on."""
    entries = work.home.ask(tournaments.entries_of, cup.kind, cup.number, section.players)
    late, there = cups.times_lost(boards), work.home.ask(present, section.players)
    out = set[str]()
    for userid in section.players:
        entry = entries.get(userid) or Entry(userid, work.now())
        why = entry.why
        if why is None and userid not in there and userid not in HOUSE:
            why = Out.GONE
        elif why is None and late.get(userid, 0) >= cups.MOST_TIMES_LOST:
            why = Out.TIME
        if why:
            out.add(userid)
        if why and not entry.out:
            gone = structs.replace(entry, out=work.now(), why=why)
            work.home.do(tournaments.enter, cup, gone)
    return frozenset(out)


def _room(cup: Cup, work: UnitOfWork, userid: str) -> int | None:
    """Return on how many more boards of a cup a player plays; None for any number."""
    entries = work.home.ask(tournaments.entries_of, cup.kind, cup.number, [userid])
    account = work.account_if_any(userid)
    rooms = list[int]()
    if userid in entries and (most := entries[userid].most):
        rooms.append(most - work.home.ask(tournaments.count_in_play, cup, userid))
    if account and account.board_limit:
        rooms.append(account.board_limit - count_active(userid, work.home))
    return max(0, min(rooms)) if rooms else None


def _start(
    cup: Cup, section: Section, pairing: cups.Pairing, before: int, work: UnitOfWork
) -> None:
    """Begin a game of a section, and show it to its players, who have played so many before."""
    kind = KINDS[cup.kind]
    number = next_number(work.home, kind)
    header = Header(kind, number, cup.grid, pairing.x, pairing.o, cup.terms, work.now())
    game = Game.start(with_house_terms(header, work))
    key = id_of(cup.name, section.round, *sorted(pairing.players), before)
    work = work.answering(request_of(key))
    make = partial(TournamentBoardNotice, cup=cup, round=section.round)
    notices = tell_players(game, News.STARTED, work, actor=None, make=make)
    post_board(game, notices, key, work, source=section.source)


def _void(
    cup: Cup, section: Section, board: Summary, out: frozenset[str], work: UnitOfWork
) -> None:
    """End a game of a player who is out of a cup as never begun."""
    gone = next(userid for userid in (board.x, board.o) if userid in out)
    make = partial(TournamentBoardNotice, cup=cup, round=section.round, out=gone)

    def decide(game: Game) -> Ruling | None:
        return None if game.result else Ruling(Verb.VOID)

    rule_board(work, board.kind, board.board, decide, make=make)


# Tables, and who is told


def table_of(section: Section, cup: Cup, work: UnitOfWork) -> SectionTable:
    """Return how the players of a section stand."""
    boards = tuple(work.home.ask(tournaments.boards_of, section))
    entries = work.home.ask(tournaments.entries_of, cup.kind, cup.number, section.players)
    out = frozenset(userid for userid, each in entries.items() if each.out)
    return SectionTable(section, tuple(cups.table(section.players, boards)), boards, out)


def tables_of(cup: Cup, round_: int, work: UnitOfWork) -> tuple[SectionTable, ...]:
    """Return the tables of a round of a cup."""
    sections = work.home.ask(tournaments.sections, cup.kind, cup.number, round_)
    return tuple(table_of(section, cup, work) for section in sections)


def _tell(cup: Cup, news: cups.CupNews, section: Section, work: UnitOfWork) -> None:
    """Tell the players of a section what happened in it."""
    _post(cup, news, section.players, (table_of(section, cup, work),), work)


def _tell_some(cup: Cup, news: cups.CupNews, work: UnitOfWork) -> str:
    """Tell some of those who are to know of a cup what happened, and note who has been told."""
    home = work.home
    if news is cups.CupNews.ANNOUNCED:
        accounts = home.ask(accounts_after, cup.told, TOLD_AT_ONCE)
        userids = [each.userid for each in accounts]
        readers = [each.userid for each in accounts if _wants_announcement(each)]
    else:
        readers = userids = home.ask(tournaments.entered_after, cup, cup.told, TOLD_AT_ONCE)
    tables = tables_of(cup, cup.round, work)[:1] if news is cups.CupNews.OVER else ()
    is_last = len(userids) < TOLD_AT_ONCE
    told = structs.replace(
        cup, telling=None if is_last else news, told="" if is_last else userids[-1]
    )
    _post(told, news, readers, tables, work)
    home.do(
        tournaments.keep, told, cup.starts if told.state is State.OPEN and is_last else work.now()
    )
    return news.value


def _wants_announcement(account: Account) -> bool:
    return is_there(account) and account.all_settings.cups is Switch.ON


def _post(
    cup: Cup,
    news: cups.CupNews,
    userids: Iterable[str],
    tables: tuple[SectionTable, ...],
    work: UnitOfWork,
) -> None:
    """Send a letter about a cup to some players."""
    key = id_of(cup.name, cup.round, news.value, *(each.section.section for each in tables))
    work = work.answering(request_of(key))
    accounts = [account for account in map(work.account_if_any, userids) if account]
    readers = [work.player(each) for each in accounts if not each.is_house]
    notices = list(notices_of(cup, news, readers, tables, work))
    with work.posting(notices):
        pass


class Medal(Struct, frozen=True):
    """What a player has achieved in a cup that is over."""

    cup: Cup
    place: int
    """Their place in its last round; 1 for who has won, or shares that."""


MOST_MEDALS = 12
"""How many cups a player has medals of: the latest."""


def medals_of(userid: str, work: UnitOfWork) -> list[Medal]:
    """Return the places of a player in the last rounds of cups, the latest cup first."""
    found = list[Medal]()
    for cup in work.home.ask(tournaments.finals_of, userid, MOST_MEDALS):
        section = work.home.ask(tournaments.section_of, cup, userid)
        table = table_of(section, cup, work) if section else None
        if table and userid not in table.out:
            place = next(each.place for each in table.scores if each.userid == userid)
            found.append(Medal(cup, 1 if userid in cup.winners else place))
    return found


def cups_going_on(kinds: Iterable[Kind], most: int, home: Home) -> list[tuple[Cup, int]]:
    """Return so many cups of each game that go on, those first that can be entered.

    With each is told how many players take part.
    """
    part = Window(most)
    found = [
        cup for kind in kinds for cup in home.ask(tournaments.cups, kind.name, cups.GOING_ON, part)
    ]
    found.sort(key=lambda cup: (cup.state is not State.OPEN, cup.starts))
    return [(cup, home.ask(tournaments.count_entries, cup)) for cup in found]


def notices_of(
    cup: Cup,
    news: cups.CupNews,
    readers: Sequence[Reader],
    tables: tuple[SectionTable, ...],
    work: UnitOfWork,
) -> Iterator[TournamentNotice]:
    """Yield what tells some readers of a cup."""
    userids = [each.userid or "" for each in readers]
    count = work.home.ask(tournaments.count_entries, cup)
    entries = work.home.ask(tournaments.entries_of, cup.kind, cup.number, userids)
    for reader, userid in zip(readers, userids, strict=True):
        yield TournamentNotice(reader, news, cup, count, tables, entries.get(userid))
