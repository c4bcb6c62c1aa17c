"""Playing: a board on which one may act, as a page with buttons, and playing by a link.

The last part of a link is what stands behind the `+` of a letter's reply address, and is worth the
same: one record of one board, for one player, until their next password. Looking changes nothing;
a form is carried out as the same words in an answer by mail are, once however often it is sent.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.tags import AnswerPurpose, Reply
from pbm_oust.board.game import Game, placed
from pbm_oust.board.reasons import AfterTurn, AgainstRules, OffGrid
from pbm_oust.board.record import WISHED, Place
from pbm_oust.grammar.wish import cells_in
from pbm_oust.grammar.wording import parts_of
from pbm_oust.grammar.words import fold
from pbm_oust.letters.layout import Block, Paragraph
from pbm_oust.play.request import Request as Asked
from pbm_oust.refusal import Illegal, NotAllowed
from pbm_oust.render.html import Marks, marks_of
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Position, Side
from pbm_oust.store.open_boards import game_if_any
from pbm_oust.web.boards import drawn
from pbm_oust.web.cache import KEPT_SECRET
from pbm_oust.web.forms import carry_out, form_of, kept_from, said, text_in
from pbm_oust.web.ground import Ground, ground_of, source_of
from pbm_oust.web.links import proved, proved_by_tag

_LONGEST = 2000
"""How many characters of a turn are read: 625 cells have room."""
_ASKED_TWICE = ("resign", "decline")
"""What a page asks once more about before it is done."""
_DEEDS = {deed.value for deed in WISHED}


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as far as it has been put together."""

    cells: tuple[str, ...]
    position: Position
    """The position after these placements."""
    marks: Marks

    @property
    def text(self) -> str:
        """The cells as players write them: `B4,E3`; empty if there are none."""
        return ",".join(self.cells)

    @property
    def is_whole(self) -> bool:
        """Whether another placement cannot follow."""
        return bool(self.cells) and not (self.position.is_mid_turn and not self.position.result)

    def text_with(self, cell: str) -> str:
        """Return the cells with one more."""
        return ",".join((*self.cells, cell))


def turn_of(game: Game, text: str) -> Turn:
    """Return the longest beginning of some placements that can be made, as a turn."""
    return _turn(game, cells_of(text)) or Turn((), game.position, marks_of(game))


def cells_of(text: str) -> tuple[str, ...]:
    """Return the cells of a turn as a page has them; none if that is no list of cells."""
    parts = parts_of(fold(text[:_LONGEST]))
    return tuple(cell.upper() for part in parts for cell in cells_in(part))


def _turn(game: Game, cells: tuple[str, ...]) -> Turn | None:
    """Return the longest beginning of some placements; None if none of them can be made."""
    if not cells:
        return None
    try:
        position, done = placed(game, Place(cells))
    except Illegal as refused:
        match refused.reason:
            case OffGrid(nth=nth) | AfterTurn(nth=nth) | AgainstRules(nth=nth):
                return _turn(game, cells[: nth - 1])
        return None
    except NotAllowed:
        return None
    latest = taken = 0
    for each in done:
        latest |= game.header.grid.parse_cell(each.cell)
        taken |= each.taken
    return Turn(cells, position, Marks(latest, taken))


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices of one of the two players of a board."""

    game: Game
    turn: Turn
    """The turn as far as it has been put together."""
    userid: str
    is_current: bool = True
    """Whether the page still counts: nothing has been played since."""

    @property
    def side(self) -> Side | None:
        """The side of the player."""
        return self.game.side_of(self.userid)

    @property
    def other(self) -> str:
        """The userid of the other player."""
        return self.game.opponent_of(self.userid)

    @property
    def can_act(self) -> bool:
        """Whether anything can be done on the board."""
        return self.is_current and not self.game.result

    @property
    def is_mine(self) -> bool:
        """Whether it is the player's turn."""
        return self.can_act and self.game.player_to_move == self.userid

    @property
    def can_place(self) -> bool:
        """Whether a stone can be placed, or one more."""
        return self.is_mine and not self.turn.is_whole and not self.game.must_pass

    @property
    def can_pass(self) -> bool:
        """Whether the player has to pass."""
        return self.is_mine and self.game.must_pass

    @property
    def can_swap(self) -> bool:
        """Whether the player may take the other side."""
        return self.is_mine and self.game.can_swap

    @property
    def can_answer(self) -> bool:
        """Whether the other player has offered something that waits for an answer."""
        return self.can_act and self.game.is_offered_to(self.side)

    @property
    def can_offer(self) -> bool:
        """Whether the player may propose a draw."""
        return self.can_act and self.game.offer is None

    @property
    def can_take_back(self) -> bool:
        """Whether the player may ask to take back their latest turn."""
        return self.can_offer and self.side is not None and self.game.has_played(self.side)

    @property
    def can_decline(self) -> bool:
        """Whether the player may leave the board as if it had never begun."""
        return self.can_act and self.side is not None and not self.game.has_played(self.side)


@dataclass(frozen=True, slots=True)
class Papers:
    """What lies before a player who is signed in, and only they see."""

    note: str
    plans: tuple[str, ...]
    """What they have queued that still waits."""
    hidden: Mapping[str, str]
    """What a form about them carries without showing it."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """A player who sits at a board: what their forms may do there, and where these go."""

    reply: Reply
    path: str
    hidden: Mapping[str, str] = field(default_factory=dict)
    """What each form carries without showing it."""
    papers: Papers | None = None
    """What lies before the player, if they are signed in."""


def look_at(sitting: Sitting, request: Request) -> Response:
    """Answer with the board of a player, after the placements that have been tapped."""
    query, game = request.query_params, _game(sitting, ground_of(request))
    turn, ask = turn_of(game, query.get("turn", "")), query.get("ask", "")
    asks = ask if ask in _ASKED_TWICE else ""
    return _page(sitting, request, game, turn, asks=asks, is_done="done" in query)


async def act_at(sitting: Sitting, form: Mapping[str, str], request: Request) -> Response:
    """Carry a form out, and show what came of it."""
    ground, wish = ground_of(request), _wish(form)
    if not wish:
        return RedirectResponse(sitting.path, 303, KEPT_SECRET)
    carried = await carry_out(_asked(wish, sitting.reply, ground, request), ground)
    if carried.is_done:
        return RedirectResponse(f"{sitting.path}?done", 303, KEPT_SECRET)
    return again_at(sitting, form, request, list(said(carried.told, ground)))


def again_at(
    sitting: Sitting, form: Mapping[str, str], request: Request, told: Sequence[Block]
) -> Response:
    """Return the page of a sitting with why a form was refused, and with what was typed."""
    game = _game(sitting, ground_of(request))
    return _page(sitting, request, game, turn_of(game, form.get("turn", "")), told=told, form=form)


def _game(sitting: Sitting, ground: Ground) -> Game:
    """Return the game of a sitting. Raises HTTPException if it is gone."""
    game = game_if_any(ground.home, KINDS[sitting.reply.kind], sitting.reply.board)
    if game is None:
        raise HTTPException(410)
    return game


def _page(
    sitting: Sitting,
    request: Request,
    game: Game,
    turn: Turn,
    *,
    asks: str = "",
    told: Sequence[Block] = (),
    form: Mapping[str, str] = MappingProxyType({}),
    is_done: bool = False,
) -> Response:
    """Return the page of a sitting."""
    ground, reply = ground_of(request), sitting.reply
    choices = Choices(game, turn, reply.userid, game.meets_guard(reply.number))
    language = settings_of(ground.work.account(reply.userid)).language
    translator = ground.templates_in(language).translator
    title = translator.gettext("Board %(name)s", name=game.name)

    def tap(cell: str) -> str:
        return f"?turn={turn.text_with(cell)}#board"

    taps = tap if choices.can_place else None
    return ground.secret_page(
        language,
        "play",
        picture=drawn(turn.position, turn.marks, title, translator, taps=taps),
        game=game,
        turn=turn,
        choices=choices,
        sitting=sitting,
        asks=asks,
        is_done=is_done,
        answers=[block for block in told if isinstance(block, Paragraph)],
        kept=kept_from(form, form.get("command") or form.get("deed", "")),
    )


def _wish(form: Mapping[str, str]) -> str:
    """Return what an answer by mail would say that asks for the same; empty if for nothing."""
    deed, cells = form.get("deed", ""), cells_of(form.get("turn", ""))
    text = text_in(form)
    if deed == "turn" and cells:
        return f"{','.join(cells)}\n{text}"
    if deed in _DEEDS:
        return f"{deed}\n{text}"
    return f"chat\n{text}" if deed == "chat" and text else ""


def _asked(wish: str, reply: Reply, ground: Ground, request: Request) -> Asked:
    """Return the request of a mail that says the same in answer to a letter."""
    account = ground.work.account(reply.userid)
    digest = hashlib.sha256("\0".join((*reply.parts(), wish)).encode()).hexdigest()
    return Asked(
        line="",
        chat=wish,
        sender=account.first_address,
        identity=f"web {digest}",
        source=source_of(request),
        reply=reply,
    )


async def look(request: Request) -> Response:
    """Answer with the board of a link, after the placements that have been tapped."""
    return look_at(await _sitting(request), request)


async def act(request: Request) -> Response:
    """Carry a form out, and show what came of it."""
    return await act_at(await _sitting(request), await form_of(request), request)


async def _sitting(request: Request) -> Sitting:
    """Return where a link lets its player sit. Raises HTTPException if it proves nothing."""
    found = proved_by_tag(request.path_params["tag"], ground_of(request))
    if not (isinstance(found, Reply) and found.purpose is AnswerPurpose.PLAY):
        found = None
    return Sitting(await proved(found, request), request.url.path)
