"""A tournament from its announcement to its winner: by mail, with the operator's commands."""

import random
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbm_oust.mail.inbound import open_inbound
from pbm_oust.play.tournaments import step
from pbm_oust.store import tournaments
from pbm_oust.store.index import BoardName, find_entry, names_of
from pbm_oust.tournaments.cup import Cup, Entry, Every, Out, State
from pbm_oust.tournaments.cup import following as following_month
from tests.support.accounts import make_account
from tests.support.command_line import done
from tests.support.costs import counting
from tests.support.home_by_mail import ADDRESS, Talk, home_of
from tests.support.outbox import letters
from tests.support.postgresql import DatabaseServer
from tests.support.rings import slow
from tests.support.waiting import wait_until

PARTS = 12
"""How many parts of the start of a tournament are looked at: enough to see that they are alike."""
STATEMENTS_OF_A_DRAW, MOST_STATEMENTS = 20, 700
PLAYERS = ("ann", "ben", "cat", "dan", "eve", "fay", "gus")


def league(path: Path, players: tuple[str, ...] = PLAYERS, store: str = "") -> Talk:
    """Return a talk with a home of players who may all write, each at an address of their own.

    `store` is the URL of its database, if that is on a server.
    """
    path.mkdir(mode=0o700)
    stored = f'store = "{store}"\nrelay = "smtp://127.0.0.1:9"\n' if store else ""
    (path / "pbm_oust.toml").write_text(f'address = "{ADDRESS}"\n{stored}')
    home = home_of(path)
    for userid in players:
        make_account(home, userid, f"secret-{userid}", f"{userid}@example.org")
    return Talk(home, now=datetime.now(UTC))


def create(talk: Talk, *options: str) -> str:
    """Let the operator set up a tournament that starts tomorrow; return what is printed."""
    starts = f"{talk.now + timedelta(days=1):%Y-%m-%d}"
    return done(talk.home, "tournaments", "create", "oust", "Cup", "--starts", starts, *options)


def write(talk: Talk, userid: str, words: str) -> list[str]:
    """Send a command of a player, `PW` standing for their password."""
    line = words.replace("PW", f"{userid} secret-{userid}")
    return talk.send(f"{userid}@example.org", line)


def cup_of(talk: Talk) -> Cup:
    """Return the only tournament."""
    cup = talk.home.ask(tournaments.find, "oust", 1)
    assert cup
    return cup


def play_all(talk: Talk, rng: random.Random) -> int:
    """Let somebody resign on each board in play; return how many there were."""
    active = [
        each
        for name in talk.home.ask(names_of, "oust")
        if (each := talk.home.ask(find_entry, name)) and not each.result
    ]
    for board in active:
        loser = rng.choice((board.x, board.o))
        write(talk, loser, f"oust move {board.board} PW resign")
        assert talk.outcome.startswith("done"), talk.outcome
    return len(active)


def play_to_the_end(talk: Talk, seed: int = 1) -> None:
    """Play until the tournament is over, however many rounds it takes."""
    rng = random.Random(seed)
    for _ in range(100):
        talk.now += timedelta(hours=2)
        talk.sweep()
        if cup_of(talk).state is State.OVER:
            return
        play_all(talk, rng)
    raise AssertionError("the tournament does not end")


@pytest.mark.parametrize("games", [1, 2])
@pytest.mark.parametrize("number", [2, 3, 7])
def test_each_pair_plays_what_it_should_until_somebody_has_won(
    tmp_path: Path, number: int, games: int
) -> None:
    talk = league(tmp_path / "home", PLAYERS[:number])
    create(talk, "--section", "3", "--games", str(games), "--size", "5")
    for userid in PLAYERS[:number]:
        write(talk, userid, "oust enter 1 PW")
    talk.now += timedelta(days=1)
    play_to_the_end(talk)
    assert cup_of(talk).winners
    assert done(talk.home, "tournaments", "verify") == "all tournaments agree with their boards\n"
    drawn = talk.home.ask(tournaments.sections, "oust", 1, 1)
    assert sorted(each for section in drawn for each in section.players) == [*PLAYERS[:number]]
    boards = [each for section in drawn for each in talk.home.ask(tournaments.boards_of, section)]
    assert set(Counter(frozenset((each.x, each.o)) for each in boards).values()) == {games}


@pytest.mark.slow
def test_a_tournament_on_a_server_is_played_to_its_end(
    postgresql: DatabaseServer, tmp_path: Path
) -> None:
    talk = league(tmp_path / "home", store=postgresql.make_database())
    create(talk, "--section", "3", "--games", "2", "--size", "5")
    for userid in PLAYERS:
        write(talk, userid, "oust enter 1 PW 2")
    write(talk, "gus", "oust withdraw 1 PW")
    talk.now += timedelta(days=1)
    talk.sweep()
    done(talk.home, "tournaments", "remove", "oust", "1", "ben")
    play_to_the_end(talk)
    assert done(talk.home, "tournaments", "verify") == "all tournaments agree with their boards\n"
    talk.home.close()


def begun(path: Path, *options: str, players: tuple[str, ...] = PLAYERS[:3]) -> Talk:
    """Return a talk in which a tournament of these players has just begun."""
    talk = league(path / "home", players)
    create(talk, "--size", "5", *options)
    for userid in players:
        write(talk, userid, "oust enter 1 PW")
    talk.now += timedelta(days=1)
    talk.sweep()
    return talk


def boards(talk: Talk) -> dict[str, str]:
    """Return who plays on each board, and how its game ended."""
    found = (talk.home.ask(find_entry, name) for name in talk.home.ask(names_of, "oust"))
    return {
        each.name: f"{each.x}-{each.o}" + (f" {each.result.how.value}" if each.result else "")
        for each in found
        if each
    }


def test_a_tournament_is_entered_and_left_by_answers_alone(tmp_path: Path) -> None:
    talk = league(tmp_path / "home")
    write(talk, "ann", "settings PW cups on")
    talk.home.remove_drafts()
    before = set(talk.home.outbox.letters())
    create(talk, "--size", "5")
    (announced,) = letters(talk.home, but=before)
    assert (announced.to, announced.subject) == ("ann@example.org", "new tournament: Cup")
    assert talk.answer(announced, "enter 2", "ann@example.org") == [
        "ann@example.org: you take part: Cup"
    ]
    assert "You play on up to 2 boards of it at once" in talk.text_to("ann@example.org")
    entered = talk.letter_to("ann@example.org")
    assert talk.answer(entered, "table", "ann@example.org") == ["ann@example.org: Cup: table"]
    assert talk.answer(entered, "withdraw", "ann@example.org") == [
        "ann@example.org: withdrawn: Cup"
    ]
    assert talk.home.ask(tournaments.entries, "oust", 1) == []


def test_a_command_that_comes_again_enters_nobody_twice(tmp_path: Path) -> None:
    talk = league(tmp_path / "home")
    create(talk, "--size", "5")
    for _ in range(2):
        talk.send("ann@example.org", "oust enter 1 ann secret-ann", number=7)
    assert talk.letter_to("ann@example.org").subject == "already done"
    assert len(talk.home.ask(tournaments.entries, "oust", 1)) == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("oust enter 2 PW", "There is no tournament oust 2."),
        ("oust withdraw 1 PW", "You do not take part in Cup."),
        ("oust enter 1 PW", "Cup has begun, so nobody can enter it any more."),
        ("oust table 1 9", "Cup has no section 9 in this round."),
        ("oust enter 1 PW many", "I expected a number such as 5, not many."),
    ],
)
def test_what_is_not_possible_is_refused_in_words(tmp_path: Path, line: str, said: str) -> None:
    talk = begun(tmp_path)
    make_account(talk.home, "zoe", "secret-zoe", "zoe@example.org")
    write(talk, "zoe", line)
    assert said in " ".join(talk.text_to("zoe@example.org").split())


def test_who_withdraws_loses_no_finished_game_and_the_others_are_void(tmp_path: Path) -> None:
    talk = begun(tmp_path)
    assert boards(talk) == {"oust 1": "ben-cat", "oust 2": "ann-ben", "oust 3": "cat-ann"}
    write(talk, "ben", "oust move 2 PW resign")
    write(talk, "ann", "oust withdraw 1 PW")
    talk.sweep()
    assert boards(talk) == {
        "oust 1": "ben-cat",
        "oust 2": "ann-ben resign",
        "oust 3": "cat-ann void",
    }
    said = {each.to: " ".join(each.text.split()) for each in talk.letters}
    assert "ann is out of Cup, so this game counts as never begun." in said["cat@example.org"]
    assert "You are out of Cup" in said["ann@example.org"]
    write(talk, "cat", "oust move 1 PW resign")
    talk.sweep()
    assert cup_of(talk).winners == ("ben",)
    assert done(talk.home, "tournaments", "verify") == "all tournaments agree with their boards\n"


def test_who_has_won_a_section_and_leaves_plays_in_no_further_round(tmp_path: Path) -> None:
    talk = begun(tmp_path, "--section", "2", players=PLAYERS[:4])
    assert boards(talk) == {"oust 1": "ann-dan", "oust 2": "ben-cat"}
    write(talk, "ann", "oust move 1 PW resign")
    talk.sweep()
    told = {each.to: " ".join(each.text.split()) for each in talk.letters}
    assert "dan plays in the next round." in told["ann@example.org"]
    assert "To leave it, answer this mail" not in told["ann@example.org"]
    assert "To leave it, answer this mail" in told["dan@example.org"]
    talk.now += timedelta(minutes=1)
    write(talk, "dan", "oust withdraw 1 PW")
    write(talk, "ben", "oust move 2 PW resign")
    talk.sweep()
    assert cup_of(talk).winners == ("cat",)
    assert done(talk.home, "tournaments", "verify") == "all tournaments agree with their boards\n"


def test_a_section_whose_games_begin_in_several_parts_is_told_of_all_of_them(
    tmp_path: Path,
) -> None:
    talk = begun(tmp_path, "--section", "7", players=PLAYERS)
    (told,) = (
        each
        for each in talk.letters
        if (each.to, each.subject) == ("ann@example.org", "Cup begins")
    )
    own = [name for name, two in boards(talk).items() if "ann" in two]
    assert len(own) == 6
    assert all(f"{name}: " in told.text for name in own)


def test_who_loses_three_games_on_time_is_out(tmp_path: Path) -> None:
    talk = begun(tmp_path, "--nagtime", "1", "--forfeittime", "1", players=PLAYERS[:4])
    for name, two in boards(talk).items():
        x, o = two.split("-")
        moves = [(x, "A1"), (o, "E5")] + ([] if x == "ann" else [(x, "C3")])
        for mover, cell in moves if "ann" in (x, o) else ():
            write(talk, mover, f"{name.replace(' ', ' move ')} PW {cell}")
            assert talk.outcome.startswith("done"), talk.outcome
    for _ in range(2):  # first comes the reminder
        talk.now += timedelta(days=3)
        talk.sweep()
    entry = talk.home.ask(tournaments.entries_of, "oust", 1, ["ann"])["ann"]
    assert entry.why is Out.TIME
    assert "ann" not in cup_of(talk).winners


def test_games_wait_until_their_players_have_room(tmp_path: Path) -> None:
    players = PLAYERS[:4]
    talk = league(tmp_path / "home", players)
    create(talk, "--size", "5")
    for userid in players:
        write(talk, userid, "oust enter 1 PW 1")
    talk.now += timedelta(days=1)
    talk.sweep()
    assert boards(talk) == {"oust 1": "ann-dan", "oust 2": "ben-cat"}
    write(talk, "ann", "oust move 1 PW resign")
    talk.sweep()
    assert len(boards(talk)) == 2
    write(talk, "ben", "oust move 2 PW resign")
    talk.sweep()
    assert list(boards(talk).values())[2:] == ["ann-ben", "cat-dan"]
    play_to_the_end(talk)
    assert done(talk.home, "tournaments", "verify") == "all tournaments agree with their boards\n"


def test_a_cancelled_tournament_leaves_no_game_in_play(tmp_path: Path) -> None:
    talk = begun(tmp_path)
    done(talk.home, "tournaments", "cancel", "oust", "1", "--yes")
    talk.sweep()
    assert {each.partition(" ")[2] for each in boards(talk).values()} == {"void"}
    assert cup_of(talk).state is State.CANCELLED


def test_too_few_players_are_told_that_it_is_cancelled(tmp_path: Path) -> None:
    talk = league(tmp_path / "home")
    create(talk, "--size", "5")
    write(talk, "ann", "oust enter 1 PW")
    talk.now += timedelta(days=1)
    talk.sweep()
    assert [f"{each.to}: {each.subject}" for each in talk.letters] == [
        "ann@example.org: cancelled: Cup"
    ]


def test_house_players_fill_a_section(tmp_path: Path) -> None:
    talk = begun(tmp_path, "--section", "3", "--fill", "house1", players=PLAYERS[:2])
    assert sorted(boards(talk).values()) == ["ann-ben", "ben-house1", "house1-ann"]


def test_one_that_comes_again_opens_the_next_as_it_starts(tmp_path: Path) -> None:
    talk = begun(tmp_path, "--every", "month")
    following = talk.home.ask(tournaments.find, "oust", 2)
    assert following
    assert following.state is State.OPEN
    assert following.starts == following_month(cup_of(talk).starts, Every.MONTH)


def test_two_servers_that_sweep_at_once_begin_each_game_once(tmp_path: Path) -> None:
    talk = league(tmp_path / "home")
    create(talk, "--size", "5", "--section", "7")
    for userid in PLAYERS:
        write(talk, userid, "oust enter 1 PW")
    talk.now += timedelta(days=1)
    beside = [threading.Thread(target=talk.sweep) for _ in range(3)]
    for thread in beside:
        thread.start()
    for thread in beside:
        thread.join()
    talk.sweep()
    assert sorted(Counter(boards(talk).values()).values()) == [1] * 21


@pytest.mark.parametrize("number", [60, slow(1000)])
def test_a_tournament_of_many_begins_in_parts_that_are_no_larger(
    number: int, tmp_path: Path
) -> None:
    with counting() as disk:
        talk = Talk(home_of(tmp_path / "home"), now=datetime.now(UTC))
        home = talk.home
        for userid in (players := [f"player{each}" for each in range(number)]):
            make_account(home, userid, "secret", f"{userid}@example.org")
        create(talk, "--size", "5")
        for userid in players:
            home.do(tournaments.enter, cup_of(talk), Entry(userid, talk.now))
        talk.now += timedelta(days=1)
        work = open_inbound(home, ADDRESS, lambda: talk.now).work
        parts = list[tuple[int, int, int]]()
        while len(parts) < PARTS:
            before = disk.costs.statements, len(boards(talk)), len(home.outbox.letters())
            assert work.carry_out(lambda on: step(on, "oust", 1)).what
            statements = disk.costs.statements - before[0]
            begun = len(boards(talk)) - before[1]
            parts.append((statements, begun, len(home.outbox.letters()) - before[2]))
        home.close()
    assert parts.pop(0)[0] < STATEMENTS_OF_A_DRAW + 2 * number, "one row for each who plays"
    most_statements, most_boards, most_letters = map(max, zip(*parts, strict=True))
    assert most_boards == 10, "those of one section of five"
    assert most_letters == 2 * most_boards + 5
    assert most_statements < MOST_STATEMENTS


def test_other_mails_are_answered_while_a_large_tournament_begins(tmp_path: Path) -> None:
    players = tuple(f"player{each}" for each in range(40))
    talk = league(tmp_path / "home", players)
    create(talk, "--size", "5", "--games", "2")
    for userid in players:
        talk.home.do(tournaments.enter, cup_of(talk), Entry(userid, talk.now))
    talk.now += timedelta(days=1)
    beside = Talk(talk.home, now=talk.now)
    sweeping = threading.Thread(target=beside.sweep)
    sweeping.start()
    wait_until(lambda: talk.home.ask(names_of, "oust"), "the first board")
    assert write(talk, "player0", "help")
    begun = len(talk.home.ask(names_of, "oust"))
    sweeping.join()
    assert begun < len(talk.home.ask(names_of, "oust")) == 160


def test_a_damaged_board_begins_no_other_game_of_its_pair(tmp_path: Path) -> None:
    talk = begun(tmp_path)
    name = BoardName("oust", 1)
    data = talk.home.ask(talk.home.boards.history, name) + b"nonsense\n"
    talk.home.do(talk.home.boards.put, name, None, data)
    talk.now += timedelta(hours=2)
    write(talk, "ann", "oust move 2 PW resign")
    talk.sweep()
    assert len(talk.home.ask(names_of, "oust")) == 3


def test_a_player_keeps_their_place_under_another_userid(tmp_path: Path) -> None:
    talk = begun(tmp_path)
    done(talk.home, "players", "rename", "ann", "nan")
    (section,) = talk.home.ask(tournaments.sections, "oust", 1, 1)
    assert section.players == ("nan", "ben", "cat")
    talk.sweep()
    assert len(boards(talk)) == 3


def test_who_is_forgotten_stands_in_no_tournament(tmp_path: Path) -> None:
    talk = league(tmp_path / "home")
    create(talk, "--size", "5")
    write(talk, "ann", "oust enter 1 PW")
    write(talk, "ann", "forget PW really")
    assert talk.home.ask(tournaments.entries, "oust", 1) == []
