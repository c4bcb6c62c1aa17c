"""Playing: a board on which one may act, as a page with buttons, and playing by a link.

The last part of a link is what stands behind the `+` of a letter's reply address, and is worth the
same: one record of one board, for one player, until their next password. Looking changes nothing;
a form is carried out as the same words in an answer by mail are, once however often it is sent.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from msgspec import Struct, field, structs
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.queue import Clause, leads_to, tree, waiting
from pbm_oust.board import WISHED, Game, Place
from pbm_oust.board.game import placed
from pbm_oust.board.reasons import AfterTurn, AgainstRules, OffGrid
from pbm_oust.board.record import Placement
from pbm_oust.commands.play import QUEUE
from pbm_oust.experiments.pie import first_stone
from pbm_oust.grammar.vocabulary import fold
from pbm_oust.grammar.wish import cells_in
from pbm_oust.grammar.wording import parts_of
from pbm_oust.letters.layout import Block, Paragraph
from pbm_oust.play.context import Look
from pbm_oust.refusal import Illegal, NotAllowed
from pbm_oust.render.html import Marks, marks_of
from pbm_oust.render.svg import Free, board_svg
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS, Position, Side
from pbm_oust.store.analyses import kept
from pbm_oust.store.boards import Board
from pbm_oust.store.index import BoardName
from pbm_oust.web import addresses
from pbm_oust.web.boards import belongs_to, beside, judged, news, rows_around
from pbm_oust.web.forms import DONE, Carried, asked_of, carry_out, form_of, kept_from, said, text_in
from pbm_oust.web.ground import KEPT_SECRET, ground_of
from pbm_oust.web.sign_in import ONCE, SignedIn, proved, proved_by_tag

_LONGEST = 3000
"""How many characters of a turn are read: 625 cells have room."""
_AFTER = "after"
"""The field of an address with the number of the record after which the board is shown."""
_ASKED_TWICE = ("resign", "decline")
"""The deeds that a page confirms before they are done."""
_DEEDS = {deed.value for deed in WISHED}


class TurnSoFar(Struct, frozen=True):
    """A turn as far as it has been put together."""

    cells: tuple[str, ...]
    position: Position
    """The position after these placements."""
    marks: Marks
    moves: tuple[tuple[Side, Placement], ...]
    """The placements that led to it."""
    refusal: Illegal | None = None
    """Why the placement that was tapped last is not legal."""

    @property
    def text(self) -> str:
        """The cells as players write them: `B4,E3`; empty if there are none."""
        return ",".join(self.cells)

    @property
    def is_whole(self) -> bool:
        """Whether another placement cannot follow."""
        return bool(self.cells) and not (self.position.is_mid_turn and not self.position.result)


def turn_of(game: Game, text: str) -> TurnSoFar:
    """Return the longest beginning of some placements that can be made, as a turn."""
    cells, refusal = cells_of(text), None
    while cells:
        try:
            position, done = placed(game, Place(cells))
        except Illegal as refused:
            match refused.reason:
                case OffGrid(nth=nth) | AfterTurn(nth=nth) | AgainstRules(nth=nth):
                    cells, refusal = cells[: nth - 1], refused
                case _:
                    break
        except NotAllowed:
            break
        else:
            latest = taken = 0
            for each in done:
                latest |= game.header.grid.parse_cell(each.cell)
                taken |= each.taken
            moves = tuple((game.to_move, each) for each in done)
            return TurnSoFar(cells, position, Marks(latest, taken), moves, refusal)
    return TurnSoFar((), game.position, marks_of(game), game.latest_two_turns, refusal)


def sole_placement(position: Position) -> str:
    """Return the name of the one cell where the side to move may place; empty unless it is one."""
    cells = position.placements()
    return position.grid.format_cell(cells) if cells.bit_count() == 1 else ""


def cells_of(text: str) -> tuple[str, ...]:
    """Return the cells of a turn as a page has them; none if that is no list of cells.

    Of a text that is too long, the last one is left out, whose name may be cut.
    """
    text = text if len(text) <= _LONGEST else text[:_LONGEST].rpartition(",")[0]
    parts = parts_of(fold(text))
    return tuple(cell.upper() for part in parts for cell in cells_in(part))


class Sitting(Struct, frozen=True):
    """A player who sits at a board: what their forms may do there, and where these go."""

    reply: Ask
    path: str
    hidden: Mapping[str, str] = field(default_factory=dict)
    """The hidden fields of each form."""
    is_signed_in: bool = False
    note: str = ""
    """The note of a player who is signed in, which only they see."""
    plans: tuple[Clause, ...] = ()
    """The queue of a player as far as it waits: a clause for each answer."""
    has_queued: bool = False
    """Whether the latest record came from what they had queued."""

    def exploring(self, number: int) -> str:
        """Return the address where they plan turns from the position after so many records."""
        here = self.reply.name
        path = addresses.of_board(here, number) if self.is_signed_in else self.path
        return addresses.of_exploring(path)


def own_sitting(player: SignedIn, game: Game, number: int) -> Sitting:
    """Return a player who is signed in at a board, whose forms may make the record of a number."""
    header, account = game.header, player.account
    reply = Ask.on_board(Topic.PLAY, header.kind.name, header.board, number, player.userid)
    return Sitting(
        reply,
        addresses.of_own(game.name),
        player.hidden(),
        is_signed_in=True,
        note=account.note_about(game.name),
        plans=tree(waiting(account.queue, account.userid, game)),
        has_queued=any(leads_to(account.queue, game, each) for each in game.records[-1:]),
    )


def board_at(on: Look, sitting: Sitting) -> Board:
    """Return the board at which a player sits. Raises HTTPException if it is gone."""
    reply = sitting.reply
    try:
        return on.board(KINDS[reply.kind], reply.number)
    except NotAllowed:
        raise HTTPException(410) from None


def page_at(
    sitting: Sitting,
    request: Request,
    form: Mapping[str, str] = MappingProxyType({}),
    told: Sequence[Block] = (),
) -> Response:
    """Return the board of a player, after the placements that have been tapped.

    If a form was refused, `told` says why, and the page has what was typed. Raises HTTPException if
    the board is gone.
    """
    ground, reply, given = ground_of(request), sitting.reply, form or request.query_params
    with ground.work.reading() as on:
        board = board_at(on, sitting)
        game, settings = board.game, on.account(reply.userid).all_settings
        seats, belongs, said_there = beside(on, game), belongs_to(on, board), said_on(on, game)
        analysis = kept(on.snapshot, game)
    count, number = len(game.records), addresses.number_in(given.get(_AFTER, ""))
    number = count if number is None else min(number, count)
    turn, ask = turn_of(game, given.get("turn", "")), given.get("ask", "")
    is_current = game.meets_guard(reply.record)
    is_mine = is_current and not game.result and game.player_to_move == reply.userid
    can_place = is_mine and not turn.is_whole and not game.must_pass
    can_place = can_place and number == count
    language = settings.language
    translator = ground.templates_in(language).translator
    title = translator.gettext("Board %(name)s", name=game.name)

    def tap(cell: str) -> str:
        return f"?turn={','.join((*turn.cells, cell))}#board"

    def address_after(other: int) -> str:
        return sitting.path if other == count else f"{sitting.path}?{_AFTER}={other}"

    taps = tap if can_place else None
    shown, marks, moves = structs.replace(game, position=turn.position), turn.marks, turn.moves
    if number < count:
        shown = game.after(number)
        marks, moves = marks_of(shown), shown.latest_two_turns
    return ground.secret_page(
        request,
        language,
        "play",
        picture=board_svg(
            shown.position,
            marks,
            title,
            translator.gettext,
            taps=taps,
            free=Free.ALL,
            moves=moves,
        ),
        game=game,
        turn=turn,
        shown=shown,
        number=number,
        rows=rows_around(number, enumerate(game.records, 1)),
        judged=judged(analysis, game, number, address_after, translator) if analysis else None,
        address_after=address_after,
        beside=seats,
        belongs=belongs,
        said=said_there,
        zone=settings.zone,
        first_stone=first_stone(game.header.kind, game.position) if game.can_swap else None,
        is_current=is_current,
        can_place=can_place,
        sole=sole_placement(turn.position) if can_place else "",
        tap=tap,
        turns=int(is_mine),
        sitting=sitting,
        asks=ask if ask in _ASKED_TWICE else "",
        done=given.get(DONE, ""),
        is_against_house=game.opponent_of(reply.userid) in HOUSE,
        answers=[block for block in told if isinstance(block, Paragraph)],
        kept=kept_from(form, form.get("command") or form.get("deed", "")),
    )


def said_on(on: Look, game: Game) -> list[tuple[datetime, str, str]]:
    """Return the chat of the players of a board: the time, the writer and the text of each."""
    players = {game.x, game.o}
    texts = ((account.userid, each) for account in on.players_of(game) for each in account.said)
    return sorted(
        (each.at, userid, each.text)
        for userid, each in texts
        if each.name == game.name and {userid, each.to} == players
    )


def unread_by(on: Look, userid: str, game: Game) -> list[str]:
    """Return the chat for a player on a board since they last did or said something there."""
    said, side = said_on(on, game), game.side_of(userid)
    own = [record.at for record in game.records if game.owned_now(record) is side]
    own += [at for at, by, _ in said if by == userid]
    latest = max(own, default=game.header.started)
    return [text for at, by, text in said if by != userid and at > latest]


async def act_at(sitting: Sitting, form: Mapping[str, str], request: Request) -> Response:
    """Carry a form out as a mail that says the same in answer to a letter; show what came of it."""
    carried = await carried_at(sitting, form, request)
    if carried is None:
        return RedirectResponse(sitting.path, 303, KEPT_SECRET)
    if carried.is_done:
        return carried.leads_to(sitting.path)
    return page_at(sitting, request, form, list(said(carried.told, ground_of(request))))


async def carried_at(sitting: Sitting, form: Mapping[str, str], request: Request) -> Carried | None:
    """Carry a form out as a mail that says the same in answer to a letter.

    Returns what came of it; None if it asks for nothing.
    """
    ground, reply, wish = ground_of(request), sitting.reply, _wish(form)
    if not wish:
        return None
    sender = ground.work.account(reply.userid).first_address
    once = form.get(ONCE, "") if form.get("deed") == QUEUE.name else ""
    digest = hashlib.sha256("\0".join((*reply.words(), wish, once)).encode()).hexdigest()
    return await carry_out(asked_of(request, digest, sender, chat=wish, reply=reply), ground)


def _wish(form: Mapping[str, str]) -> str:
    """Return the text of an answer by mail that asks for the same; empty if for nothing."""
    deed, cells = form.get("deed", ""), cells_of(form.get("turn", ""))
    text = text_in(form)
    if deed == "turn" and cells:
        return f"{','.join(cells)}\n{text}"
    if deed == QUEUE.name:
        return " ".join([deed, *form.get("rest", "").split()])
    if deed in _DEEDS:
        return f"{deed}\n{text}"
    return f"chat\n{text}" if deed == "chat" and text else ""


async def look(request: Request) -> Response:
    """Answer with the board of a link, after the placements that have been tapped."""
    return page_at(await sitting_of(request), request)


async def events(request: Request) -> Response:
    """Answer with news of the board of a link."""
    reply = (await sitting_of(request)).reply
    return news(request, BoardName(reply.kind, reply.number), reply.userid)


async def act(request: Request) -> Response:
    """Carry a form out, and show what came of it."""
    return await act_at(await sitting_of(request), await form_of(request), request)


async def sitting_of(request: Request) -> Sitting:
    """Return the player of a link at their board. Raises HTTPException if it proves nothing."""
    found = proved_by_tag(request.path_params["tag"], ground_of(request))
    if not (found and found.topic is Topic.PLAY):
        found = None
    reply = await proved(found, request)
    await ground_of(request).read_first(KINDS[reply.kind], reply.number, request)
    return Sitting(reply, addresses.of_playing(request.path_params["tag"]))
