"""No handful of strangers uses up what all need: each has a share, and something is left."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pbm_oust.mail.inbound import Envelope, Inbound, open_inbound
from pbm_oust.play.authentication import of_boards, shares_of
from pbm_oust.play.request import Request
from pbm_oust.store.index import BoardName
from pbm_oust.store.limits import LEAST_BYTES, USUAL_LIMITS, Counted, Limits, count, end_of_limit
from pbm_oust.web.app import make_app
from pbm_oust.web.ground import MOST_WAITING_OF_ONE, Ground, Made, OneByOne
from pbm_oust.web.live import MOST_WATCHING, MOST_WATCHING_OF_ONE, Live, Looker, TooManyWatch
from tests.speed.long import KIND, long_history
from tests.support.accounts import codes, make_account
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, Talk, home_of, new_id
from tests.support.mails import mail
from tests.support.outbox import letters
from tests.web.test_costs import got, status

HOSTS = [f"192.0.{nth}.7" for nth in range(10)]
OTHER, ELSEWHERE = "198.51.100.1", "2001:db8:1:1::/64"
ZOE = "zoe@example.net"


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.begin(tmp_path / "home", ALICE, BOB)


Send = Callable[[str, str, str], int]


def sending(talk: Talk, limits: Limits = USUAL_LIMITS) -> Send:
    """Return what sends a line from a host as somebody, and returns how many letters go to them."""
    inbound: Inbound = open_inbound(talk.home, ADDRESS, lambda: NOON, limits)

    def send(host: str, sender: str, line: str) -> int:
        before = len(letters(talk.home))
        inbound.take(
            mail(f"From: {sender}", f"Subject: {line}", new_id()),
            Envelope(sender, (ADDRESS,), host),
        )
        return sum(each.to == sender for each in letters(talk.home)[before:])

    return send


@pytest.mark.parametrize("host", [OTHER, ELSEWHERE, "192.0.77.7"])
def test_sign_ups_from_ten_hosts_do_not_close_sign_up(talk: Talk, host: str) -> None:
    send = sending(talk, Limits({Counted.ALL_SIGNUPS: 20, Counted.ALL_CODES: 20}))
    for nth, each in enumerate(3 * HOSTS):
        send(each, f"m{nth}@x{nth}.example", f"signup zoe{nth} rabbithole")
    assert 10 <= len(list(codes(talk.home))) < 20
    assert send(host, ZOE, "signup zoe rabbithole") == 1


def test_hosts_of_one_network_have_one_share(talk: Talk) -> None:
    send = sending(talk, Limits({Counted.ALL_SIGNUPS: 20}))
    for nth in range(8):
        send(f"192.0.2.{nth}", f"m{nth}@x{nth}.example", f"signup zoe{nth} rabbithole")
    assert len(list(codes(talk.home))) == 2


def test_mail_that_names_no_host_leaves_half_for_others(talk: Talk) -> None:
    send = sending(talk, Limits({Counted.ALL_SIGNUPS: 20}))
    for nth in range(20):
        send("", f"m@x{nth}.example", f"signup zoe{nth} rabbithole")
    assert len(list(codes(talk.home))) == 10
    assert send(OTHER, ZOE, "signup zoe rabbithole") == 1


def test_answers_to_ten_hosts_leave_some_for_others(talk: Talk) -> None:
    send = sending(talk, Limits({Counted.ALL_ANSWERS: 20}))
    for nth, each in enumerate(3 * HOSTS):
        send(each, f"m{nth}@x{nth}.example", f"oust show {nth}")
    assert send(OTHER, ZOE, "list") == 1


@pytest.mark.parametrize("forged", ["mallory@example.com", ALICE])
def test_ten_hosts_keep_no_player_from_a_code_whatever_they_forge(talk: Talk, forged: str) -> None:
    send = sending(talk)
    for each in 3 * HOSTS:
        send(each, forged, "forgot alice")
    assert len(list(codes(talk.home))) < 20
    assert send(OTHER, ALICE, "forgot alice") == 1


def test_hosts_that_forge_an_address_keep_nobody_from_signing_up_there(talk: Talk) -> None:
    send = sending(talk)
    for nth, each in enumerate(5 * HOSTS[:5]):
        send(each, ZOE, f"oust show {nth}")
        send(each, ZOE, f"signup m{nth} rabbithole a{nth}@x{nth}.example")
        send(each, ZOE, f"signup m{nth} rabbithole")
    assert send(OTHER, ZOE, "signup zoe rabbithole") == 1


def test_players_who_start_many_boards_leave_some_to_others(talk: Talk) -> None:
    limits = Limits({Counted.BOARDS: 20, Counted.CHALLENGES: 20})

    def is_free(userid: str) -> bool:
        return not any(
            talk.home.ask(end_of_limit, each, limits, NOON) for each in of_boards(1, userid)
        )

    def start(userid: str) -> None:
        for each in of_boards(1, userid):
            talk.home.database.write(partial(count, charge=each, now=NOON))

    for userid in ["mallory", "eve", "trudy", "oscar", "craig"]:
        while is_free(userid):
            start(userid)
    assert is_free("alice")


def test_a_share_is_that_of_a_network_or_of_a_domain() -> None:
    def holders(sender: str, source: str, *, is_verified: bool = False) -> list[str]:
        asked = Request("", "", sender, "", source, is_verified=is_verified)
        return [each.holder for each in shares_of(asked)]

    assert holders(ZOE, "192.0.2.7") == ["192.0.2.0/24"]
    assert holders(ZOE, "2001:db8:1:2::/64") == ["2001:db8:1::/48"]
    assert holders("zoe@a.b.Example.net", "", is_verified=True) == ["example.net"]
    assert holders("zoe@a.b.example.net", "") == ["example.net", "unnamed"]


# What goes to an address that did not ask


def test_letters_and_bytes_to_a_forged_sender_are_bounded(talk: Talk) -> None:
    most = 10 * LEAST_BYTES
    many = {Counted.HELP: 1000, Counted.ANSWERS_TO_SOURCE: 1000, Counted.BYTES: most}
    send = sending(talk, Limits(many))
    for nth in range(40):
        send(HOSTS[nth % 10], ZOE, f"help {nth}")
        send(HOSTS[nth % 10], ZOE, "help oust churn commands tutorial board figures time")
    to_zoe = [each for each in letters(talk.home) if each.to == ZOE]
    # The largest answer that was begun, and the letter that says that no more come.
    assert 1 < len(to_zoe) <= 11
    assert sum(len(each.text.encode()) for each in to_zoe) < most + 90_000
    assert send(OTHER, ZOE, "signup zoe rabbithole") == 1


# Pages


async def begun(live: Live, looker: Looker, held: AsyncExitStack) -> AsyncIterator[str]:
    """Return the events of a page that is live."""
    events = live.events(looker.userid, looker)
    await anext(events)
    held.push_async_callback(events.aclose)  # type: ignore[attr-defined] # it is a generator
    return events


@pytest.mark.parametrize("hosts", [HOSTS[:1], HOSTS[:5]])
def test_five_accounts_do_not_take_the_live_pages_of_all_players(
    hosts: list[str], talk: Talk
) -> None:
    async def look() -> None:
        live = Live(talk.home)
        async with AsyncExitStack() as held:
            pages = [
                await begun(live, Looker(hosts[nth % len(hosts)], f"mallory{nth}"), held)
                for _ in range(MOST_WATCHING_OF_ONE)
                for nth in range(MOST_WATCHING // MOST_WATCHING_OF_ONE)
            ]
            with pytest.raises(TooManyWatch):
                live.events("mallory1", Looker(OTHER, "mallory1"))
            for _ in range(2):
                await begun(live, Looker(OTHER, "alice"), held)
                await begun(live, Looker(hosts[0], "bob"), held)
            ended = [each async for each in pages[0]]
            assert ended == []
            live.end()

    asyncio.run(look())


def test_hosts_that_wait_for_much_leave_room_for_others() -> None:
    async def ask() -> None:
        work, waiting = OneByOne(), asyncio.Event()

        async def wait_as(source: str) -> None:
            async with work.of(source):
                await waiting.wait()

        sources = [f"h{nth}" for nth in range(40)]
        crowd = [
            asyncio.create_task(wait_as(source))
            for source in sources
            for _ in range(2 * MOST_WAITING_OF_ONE)
        ]
        await asyncio.sleep(0)
        async with work.of("alice"):
            waiting.set()
        ended = await asyncio.gather(*crowd, return_exceptions=True)
        assert ended.count(None) == MOST_WAITING_OF_ONE * len(sources)

    asyncio.run(ask())


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Any]:
    """Return pages of a home with a long board and a short one."""
    home = home_of(tmp_path / "long", ALICE, BOB)
    make_account(home, "carol", "rabbithole")
    histories = {1: long_history(10, 1), 2: long_history(400, 2)}
    lay_histories(home, histories, KIND.name)
    yield make_app(Ground(home, ADDRESS, lambda: NOON, "https://games.example.org"))
    home.database.close()


@pytest.mark.parametrize("ending", ["", ".sgf", ".json", ".atom", ".svg", "/embed", "/explore"])
def test_long_boards_of_one_host_are_read_one_after_the_other_and_others_go_on(
    ending: str, app: Any
) -> None:
    ending = ending.replace("/explore", "/7/explore")

    async def ask() -> None:
        async with app.state.ground.replaying.of(""):
            asked = asyncio.create_task(status(app, f"/{KIND.name}/2{ending}"))
            await asyncio.wait([asked], timeout=0.2)
            assert await status(app, f"/{KIND.name}/1.sgf") == 200
            assert not asked.done()
        assert await asked == 200

    asyncio.run(ask())


def test_a_game_is_written_once_for_each_record(app: Any) -> None:
    ground = app.state.ground
    assert [got(app, f"/{KIND.name}/2.sgf") for _ in range(2)] == [200, 200]

    async def ask() -> None:
        async with ground.replaying.of(""):
            assert await status(app, f"/{KIND.name}/2.sgf") == 200

    asyncio.run(ask())


def test_what_many_ask_for_at_once_is_written_once(app: Any) -> None:
    ground = app.state.ground

    async def ask() -> None:
        async with ground.replaying.of(""):
            asked = [asyncio.create_task(status(app, f"/{KIND.name}/2.sgf")) for _ in range(5)]
            await asyncio.wait(asked, timeout=0.2)
            made = ground.cache.put(
                (BoardName(KIND.name, 2), "sgf"), Made(b"made by others"), version(ground)
            )
        assert await asyncio.gather(*asked) == [200] * 5
        key = BoardName(KIND.name, 2), "sgf"
        assert ground.cache.find(key, version(ground)) is made

    asyncio.run(ask())


def version(ground: Ground) -> int | None:
    return ground.home.ask(ground.home.boards.version, BoardName(KIND.name, 2))
