"""Who is signed in: the cookie of their browser, and the token of their forms."""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.accounts.account import Account, disabled_since
from pbm_oust.accounts.settings import Settings, settings_of
from pbm_oust.accounts.tags import (
    LIFETIME,
    FormsOf,
    Session,
    format_session,
    is_proved,
    parse_session,
    token_for,
)
from pbm_oust.languages import Language
from pbm_oust.store.message_keys import KeyOutcome, note_key, outcome_of
from pbm_oust.web import addresses
from pbm_oust.web.forms import form_of
from pbm_oust.web.ground import ground_of
from pbm_oust.web.kept import KEPT_SECRET

_SAFE, _PLAIN = "__Host-session", "session"
"""The names of the cookie: with the first, browsers heed that only TLS carries it."""
CHECK, ONCE = "check", "once"
"""The hidden fields of a form: the token of the session's forms, and what tells it from others."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A player who is signed in."""

    session: Session
    account: Account
    check: str
    """The token of their forms."""

    @property
    def userid(self) -> str:
        """The player's userid."""
        return self.account.userid

    @property
    def address(self) -> str:
        """The first address of the player; empty if they have none."""
        return next(iter(self.account.addresses), "")

    @property
    def settings(self) -> Settings:
        """What the player has settled."""
        return settings_of(self.account)

    @property
    def language(self) -> Language:
        """The player's language."""
        return self.settings.language

    def hidden(self) -> dict[str, str]:
        """Return what a form of this player carries without showing it."""
        return {CHECK: self.check, ONCE: secrets.token_hex(8)}


class NotSignedIn(Exception):
    """A page is only for players who are signed in."""


def begun(userid: str, request: Request) -> Response:
    """Answer that a player is signed in from now on, and show their page."""
    ground = ground_of(request)
    session = Session.begin(userid, ground.clock(), secrets.token_hex(8))
    text = format_session(session, ground.home.key(), ground.work.account(userid))
    response = RedirectResponse(addresses.MINE, 303, KEPT_SECRET)
    return _with_cookie(response, request, text, int(LIFETIME.total_seconds()))


def end(player: SignedIn, request: Request) -> Response:
    """End a session, so that its cookie counts no more, and answer with the front page."""
    ground = ground_of(request)
    ground.home.do(note_key, player.session.key, KeyOutcome.DONE, ground.work.now())
    response = RedirectResponse(addresses.FRONT, 303, KEPT_SECRET)
    return _with_cookie(response, request, "", 0)


def player_if_any(request: Request) -> SignedIn | None:
    """Return who is signed in; None if nobody is."""
    text = request.cookies.get(_name_for(request), "")
    parsed = parse_session(text) if text else None
    if parsed is None:
        return None
    (session, token), ground = parsed, ground_of(request)
    account, key = ground.work.account_if_any(session.userid), ground.home.key()
    if account is None or disabled_since(account):
        return None
    if not is_proved(session, token, key, account, ground.clock()):
        return None
    if ground.home.ask(outcome_of, session.key):
        return None
    return SignedIn(session, account, token_for(key, account, FormsOf(session)))


def player_of(request: Request) -> SignedIn:
    """Return who is signed in. Raises NotSignedIn."""
    player = player_if_any(request)
    if player is None:
        raise NotSignedIn
    return player


async def form_of_player(request: Request) -> tuple[SignedIn, Mapping[str, str]]:
    """Return who is signed in, and the form that comes from a page of theirs.

    Raises NotSignedIn and HTTPException.
    """
    player, form = player_of(request), await form_of(request)
    if not hmac.compare_digest(form.get(CHECK, "").encode(), player.check.encode()):
        raise HTTPException(403)
    return player, form


def _with_cookie(response: Response, request: Request, text: str, seconds: int) -> Response:
    response.set_cookie(
        _name_for(request),
        text,
        max_age=seconds,
        path="/",
        secure=_is_safe(request),
        httponly=True,
        samesite="lax",
    )
    return response


def _name_for(request: Request) -> str:
    return _SAFE if _is_safe(request) else _PLAIN


def _is_safe(request: Request) -> bool:
    """Return whether browsers reach the pages by TLS, as the configuration or the proxy says."""
    return ground_of(request).base.startswith("https:") or request.url.scheme == "https"
