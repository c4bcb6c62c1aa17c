"""Carrying out what players send from a page: as a mail would, with the answer on the page."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from pbm_oust.commands.account import WelcomeNotice
from pbm_oust.letters.layout import Block
from pbm_oust.letters.words import words_in
from pbm_oust.mail.clients import Patience
from pbm_oust.play.notices import BoardNotice, Notice, Reader, RefusalNotice
from pbm_oust.play.request import Handled, Outcome, Request
from pbm_oust.play.unit_of_work import NotDerived
from pbm_oust.play.verification import CodeNotice
from pbm_oust.refusal import Refusal
from pbm_oust.service.service import handle
from pbm_oust.store.letters import Draft
from pbm_oust.web.drawing import TooManyWait
from pbm_oust.web.ground import Ground

_MAILED_TOO = BoardNotice, WelcomeNotice
"""Answers that also go by mail: further mails answer them."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What came of a request, and what the page tells of it."""

    handled: Handled
    told: tuple[Notice, ...]

    @property
    def is_refused(self) -> bool:
        """Whether nothing was done, because something was wrong with it."""
        return self.handled.outcome is Outcome.REFUSED

    @property
    def is_done(self) -> bool:
        """Whether what was asked for is done, perhaps since before."""
        return self.handled.outcome in (
            Outcome.DONE,
            Outcome.DONE_BEFORE,
            Outcome.DONE_IN_PART,
        )


async def carry_out(request: Request, ground: Ground) -> Carried:
    """Carry out a request from a page; its answers are told there, all else goes by mail.

    Passwords are hashed one after another. Those that come from one host wait for one another, and
    the answer to a wrong one as long as by mail. Raises HTTPException if too many wait.
    """
    async with AsyncExitStack() as turn:
        has_turn = False
        while True:
            try:
                carried = await run_in_threadpool(_carry_out, request, ground)
            except NotDerived as password:
                if not has_turn:
                    await _enter(turn, request, ground)
                    has_turn = True
                derive = partial(ground.work.passwords.derive, password.needed)
                await ground.hashing.do(derive)
                continue
            if carried.handled.is_guess:
                await asyncio.sleep(Patience().wrong_password)
            return carried


async def _enter(turn: AsyncExitStack, request: Request, ground: Ground) -> None:
    """Wait for the turn of the host of a request. Raises HTTPException if too many wait."""
    try:
        await turn.enter_async_context(ground.hashing.of(request.source))
    except TooManyWait:
        raise HTTPException(503, headers={"Retry-After": "60"}) from None


def _carry_out(request: Request, ground: Ground) -> Carried:
    work = ground.work
    told: dict[tuple[str, str], Notice] = {}  # a deed that is tried again tells the same again

    def write(notice: Notice, asked: Request) -> list[Draft]:
        if not notice.reader.asked or isinstance(notice, CodeNotice):
            return work.write(notice, asked)
        told[notice.template, notice.topic()] = notice
        return work.write(notice, asked) if isinstance(notice, _MAILED_TOO) else []

    handled = handle(request, replace(work, write=write))
    return Carried(handled, tuple(told.values()))


def said(notices: Iterable[Notice], ground: Ground, *, is_line: bool = False) -> Iterator[Block]:
    """Yield what notices say, as their letters would; of a refusal, the reason alone.

    `is_line` says that a whole line was written, which may be put right.
    """
    for notice in notices:
        words = words_in(notice.reader.settings.language, ground.address)
        if isinstance(notice, RefusalNotice):
            yield from words.reason(notice, is_line=is_line)
        else:
            yield from words.of(notice).blocks


def reason_of(refusal: Refusal, reader: Reader, ground: Ground) -> list[Block]:
    """Return why a form was refused before anything was asked of the service."""
    notice = RefusalNotice(
        reader, refusal, "", culprit=refusal.culprit, culprit_at=0, correction=None
    )
    return list(said([notice], ground))
