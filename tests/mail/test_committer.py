"""Mails in the thread of the sessions: what has begun comes to its end, whoever goes away."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pytest

from pbm_oust.mail.clients import Patience
from pbm_oust.mail.handler import Handler
from pbm_oust.mail.inbound import envelope_of, open_inbound
from pbm_oust.mail.workers import Committer, Workers
from pbm_oust.store.home import Home
from tests.support.listening import ADDRESS, ALICE, NOW, command
from tests.support.waiting import PATIENCE

HELP = command("help")


def test_what_is_begun_when_the_server_stops_is_committed_all_the_same(home: Home) -> None:
    stopped = ThreadPoolExecutor(1)
    stopped.shutdown()
    inbound = open_inbound(home, ADDRESS, lambda: NOW)
    told = envelope_of(ALICE, [ADDRESS])

    async def take_twice() -> None:
        committer = Committer(home.database, stopped)
        for _ in range(2):
            async with asyncio.timeout(PATIENCE):
                await inbound.take_with(committer, HELP, told)

    asyncio.run(take_twice())
    assert len(home.outbox.letters()) == 2


def test_a_mail_that_the_server_does_not_finish_before_it_stops_stays_with_its_sender(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "pbm_oust")
    inbound = open_inbound(home, ADDRESS, lambda: NOW)
    told = envelope_of(ALICE, [ADDRESS])

    async def stop_meanwhile() -> None:
        disk = Lock()
        with ThreadPoolExecutor(1) as waiting, disk:
            waiting.submit(disk.acquire)
            committer = Committer(home.database, waiting)
            mail = asyncio.create_task(inbound.take_with(committer, HELP, told))
            await asyncio.sleep(0)
            mail.cancel()
            await asyncio.wait([mail])

    asyncio.run(stop_meanwhile())
    assert 'outcome="kept by the sender: the server stops"' in caplog.text


def test_the_mail_of_a_client_that_goes_away_counts(home: Home) -> None:
    async def go_away() -> bool:
        with Workers() as workers:
            handler = Handler(open_inbound(home, ADDRESS, lambda: NOW), workers, lambda: None)
            workers.note(ALICE, is_proved=True)
            told = envelope_of(ALICE, [ADDRESS])
            client = asyncio.create_task(handler.take(HELP, told, Patience()))
            while not handler.at_work:
                await asyncio.sleep(0)
            work = list(handler.at_work)
            client.cancel()
            await asyncio.wait(work)
            return workers.is_trusted(ALICE)

    assert not asyncio.run(go_away())
    assert len(home.outbox.letters()) == 1
