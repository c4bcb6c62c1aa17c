"""Links that are proofs, signing in and up, sessions, and ending letters of one sort by a link.

Guesses of links are counted for who makes them.
"""

import asyncio
import hmac
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct, structs
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.accounts import tags
from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import is_same_address, parse_address
from pbm_oust.accounts.asks import BROADCASTS, DIGEST, PUZZLES, Ask, Claim, Topic, verified
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.settings import USUAL, Settings
from pbm_oust.commands.account import VERIFY, UseridTaken, free_userid
from pbm_oust.commands.invite import keep_away
from pbm_oust.grammar.values import read_new_userid
from pbm_oust.languages import Language
from pbm_oust.letters.layout import Block
from pbm_oust.mail.clients import note_guess
from pbm_oust.play.authentication import answer_proved_by, spend, spend_once
from pbm_oust.play.context import Context, Outcome
from pbm_oust.play.notices import Reader
from pbm_oust.play.performed import Performed
from pbm_oust.play.request import Ending
from pbm_oust.play.request import Request as Asked
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.play.verification import ask, spend_time_for_a_code, together
from pbm_oust.refusal import NotAllowed, Refusal
from pbm_oust.store.accounts import accounts_at
from pbm_oust.store.limits import Charge, Counted, end_of_limit
from pbm_oust.store.message_keys import KeyOutcome, note_key, outcome_of
from pbm_oust.store.verifications import find_verification, forget_verification
from pbm_oust.web import addresses, forms
from pbm_oust.web.ground import KEPT_SECRET, Ground, ground_of, source_of
from pbm_oust.web.speaking import language_asked

_SAFE, _PLAIN = "__Host-session", "session"
"""The names of the cookie: with the first, browsers heed that only TLS carries it."""
_BACK = "back"
"""The cookie with the page that somebody wanted to see before they signed in."""
_LONGEST_BACK = 1000
_LONGEST_ONCE = 64
CHECK, ONCE = "check", "once"
"""The hidden fields of a form: the token of the session's forms, and what tells it from others."""
ANSWER_SECONDS = 0.25
"""When each address is answered, so that the time does not say whether a player has it."""
MOST_LINKS = 5
"""How many links a form has mailed, where several players share an address."""
_SIGNING_IN = tags.Purpose.SIGNUP, tags.Purpose.FORGOT
"""Whoever brings one of these back is signed in, too: it proves as much as one for that."""
_NOWHERE = "-"


Proved = TypeVar("Proved")


async def proved(found: Proved | None, request: Request) -> Proved:
    """Return `found`, the proof by the link of a request, or refuse a link that proves nothing.

    Raises HTTPException then: 410, or 429 if too many such links have come from the same host or
    network. A link that proves something works however many did not.
    """
    if found is not None:
        return found
    work, source = ground_of(request).work, source_of(request)
    note_guess("link", source)
    charge = Charge(Counted.WRONG_LINKS, source)
    if await run_in_threadpool(work.change, lambda on: spend_once(on, charge)):
        raise HTTPException(410)
    now = work.now()
    ends = work.home.ask(end_of_limit, charge, work.limits, now) or now
    raise HTTPException(429, headers={"Retry-After": str(int((ends - now).total_seconds()) + 1)})


def claim_of(text: str, ground: Ground) -> Claim | None:
    """Parse the tag of an address of ours at the end of a link; None if it is that of no ask."""
    local, _, host = ground.address.rpartition("@")
    tag = tags.parse_tag(f"{local}+{text}@{host}", ground.address)
    return tag if isinstance(tag, Claim) else None


def proved_by_tag(text: str, ground: Ground) -> Ask | None:
    """Verify the tag of an address of ours at the end of a link; None if it proves nothing."""
    claim = claim_of(text, ground)
    if claim and claim.ask.ends_invitations:
        return verified(claim, ground.home.key(), "")
    return ground.work.look(partial(answer_proved_by, claim=claim)) if claim else None


class SignedIn(Struct, frozen=True):
    """A player who is signed in."""

    session: tags.SignIn
    account: Account
    check: str
    """The token of their forms."""

    @property
    def userid(self) -> str:
        """The player's userid."""
        return self.account.userid

    @property
    def settings(self) -> Settings:
        """The player's settings."""
        return self.account.all_settings

    @property
    def language(self) -> Language:
        """The player's language."""
        return self.settings.language

    def hidden(self) -> dict[str, str]:
        """Return the hidden fields of a form of this player."""
        return {CHECK: self.check, ONCE: secrets.token_hex(8)}


def player_page(
    request: Request,
    player: SignedIn,
    template: str,
    form: Mapping[str, str],
    fault: forms.Mistake | None,
    *,
    name: str | None = None,
    **given: Any,
) -> Response:
    """Return a page of a player who is signed in, whose form may be shown once more.

    A form that was refused has what was typed; `fault` says why. `name` is the form's name; without
    one, it is the command of the form.
    """
    typed = forms.filled(form.get("command", "") if name is None else name, form, fault)
    done = "" if form else request.query_params.get(forms.DONE, "")
    return ground_of(request).secret_page(
        request, player.language, template, player=player, done=done, **given, **typed
    )


class NotSignedIn(Exception):
    """A page is only for players who are signed in."""


def sent_to_sign_in(request: Request) -> Response:
    """Send somebody who is not signed in to where they can sign in, and note where they were."""
    response = RedirectResponse(addresses.SIGN_IN, 303, KEPT_SECRET)
    path = f"{request.url.path}?{request.url.query}".rstrip("?")
    if request.method == "GET" and len(path) < _LONGEST_BACK:
        _set(response, request, _BACK, path, tags.SIGN_IN_LIFETIME)
    return response


def _wanted(request: Request) -> str:
    """Return the page that somebody wanted to see before they signed in, or their own page.

    A cookie may come from elsewhere, so only a page of players is believed.
    """
    path = request.cookies.get(_BACK, "")
    return path if path.startswith(f"{addresses.MINE}/") else addresses.MINE


def begun(userid: str, request: Request) -> Response:
    """Answer that a player is signed in from now on, and show the page that they wanted to see."""
    ground = ground_of(request)
    session = tags.SignIn.begin(userid, ground.clock(), secrets.token_hex(8))
    text = tags.format_session(session, ground.home.key(), ground.work.account(userid))
    response = RedirectResponse(_wanted(request), 303, KEPT_SECRET)
    if _BACK in request.cookies:
        _set(response, request, _BACK, "", timedelta())
    _set(response, request, _cookie_for(request), text, tags.SESSION_LIFETIME)
    return response


def player_if_any(request: Request) -> SignedIn | None:
    """Return the player who is signed in; None if nobody is."""
    text = request.cookies.get(_cookie_for(request), "")
    parsed = tags.parse_session(text) if text else None
    if parsed is None:
        return None
    (session, token), ground = parsed, ground_of(request)
    with ground.work.reading() as on:
        account, is_over = on.account_if_any(session.userid), outcome_of(on.snapshot, session.key)
    if account is None or account.disabled_since or is_over:
        return None
    key = ground.home.key()
    proving = tags.proved_by(session, token, key, account, ground.clock())
    if proving is None:
        return None
    return SignedIn(session, account, tags.form_token(session, key, proving))


def player_of(request: Request) -> SignedIn:
    """Return the player who is signed in. Raises NotSignedIn."""
    player = player_if_any(request)
    if player is None:
        raise NotSignedIn
    return player


async def form_of_player(request: Request) -> tuple[SignedIn, Mapping[str, str]]:
    """Return the player who is signed in, and the form from a page of theirs.

    Raises NotSignedIn and HTTPException.
    """
    player, form = player_of(request), await forms.form_of(request)
    if not hmac.compare_digest(form.get(CHECK, "").encode(), player.check.encode()):
        raise HTTPException(403)
    return player, form


def _set(response: Response, request: Request, name: str, text: str, lasts: timedelta) -> None:
    """Let a browser keep a cookie; one that lasts no time is gone."""
    response.set_cookie(
        name,
        text,
        max_age=int(lasts.total_seconds()),
        path="/",
        secure=_is_safe(request),
        httponly=True,
        samesite="lax",
    )


def _cookie_for(request: Request) -> str:
    """Return the name of the cookie."""
    return _SAFE if _is_safe(request) else _PLAIN


def _is_safe(request: Request) -> bool:
    """Return whether browsers reach the pages by TLS, as the configuration or the proxy says."""
    return ground_of(request).base.startswith("https:") or request.url.scheme == "https"


async def look_at_form(request: Request) -> Response:
    """Answer with the form that asks for an address."""
    if player_if_any(request):
        return RedirectResponse(addresses.MINE, 303, KEPT_SECRET)
    return _sign_in_page(request)


async def ask_for_link(request: Request) -> Response:
    """Mail a link to the address in a form, if a player has it; the answer does not say so."""
    form, ground = await forms.form_of(request), ground_of(request)
    if not ground.base:
        raise HTTPException(404)
    typed = form.get("address", "").strip()
    try:
        address = parse_address(typed)
    except ValueError:
        return _sign_in_page(request, "wrong", typed=typed)
    asked, is_mailed = asked_by_stranger(request), False
    answered = asyncio.create_task(asyncio.sleep(ANSWER_SECONDS))
    with suppress(NotAllowed):
        is_mailed = await run_in_threadpool(_mail_links, address, asked, ground)
    await answered
    if not is_mailed:
        return _sign_in_page(request, "often", 429)
    return _sign_in_page(request, "mailed")


async def sign_out(request: Request) -> Response:
    """End a session, so that its cookie counts no more, and answer with the front page."""
    player, _ = await form_of_player(request)
    home, now = ground_of(request).home, ground_of(request).work.now()
    await run_in_threadpool(home.do, note_key, player.session.key, KeyOutcome.DONE, now)
    response = RedirectResponse(addresses.FRONT, 303, KEPT_SECRET)
    _set(response, request, _cookie_for(request), "", timedelta())
    return response


def _sign_in_page(request: Request, told: str = "", status: int = 200, typed: str = "") -> Response:
    """Return the form; `told` is what came of it: `wrong`, `often` or `mailed`."""
    language, wanted = language_asked(request), _wanted(request)
    return ground_of(request).secret_page(
        request, language, "sign_in", status, told=told, typed=typed, wanted=wanted
    )


def _mail_links(address: str, asked: Asked, ground: Ground) -> bool:
    """Mail a link for each player who has an address; return whether the limits let one go.

    Where there is no such player, as much is done and counted. Raises NotAllowed at a limit.
    """

    def deed(on: Context) -> bool:
        spend(on, [Charge(Counted.ANSWERS, asked.sender)])
        accounts = [each for each in accounts_at(on.snapshot, address) if not each.disabled_since]
        mailed = list[Outcome]()
        for account in accounts[:MOST_LINKS]:
            own = next(each for each in account.addresses if is_same_address(each, address))
            language = account.all_settings.language
            pending = tags.Pending(
                tags.Purpose.SIGN_IN, account.userid, own, on.now, asked.identity, language=language
            )
            mailed.append(ask(on, pending, [own]))
        if not accounts:
            mailed.append(spend_time_for_a_code(on, address, tags.Purpose.SIGN_IN))
        made = structs.replace(together(mailed), is_proved=True)
        return Performed(made, on).settle(ground.work.write).ending is Ending.DONE

    return ground.work.change(deed, asked)


def asked_by_stranger(request: Request) -> Asked:
    """Return the request of somebody who is not signed in.

    The host that it comes from stands for their address: the page tells them all there is to tell.
    """
    sender = source_of(request) or _NOWHERE
    return forms.asked_of(request, secrets.token_hex(8), sender, language=language_asked(request))


def asked_by_player(
    player: SignedIn, form: Mapping[str, str], request: Request, line: str
) -> Asked:
    """Return the request of a player's form, as a mail of theirs that says the same."""
    return forms.asked_of(
        request,
        f"{player.session.name} {form.get(ONCE, '')[:_LONGEST_ONCE]}",
        player.account.first_address,
        line=" ".join(line.split()),
        chat=forms.text_in(form),
        language=player.language,
        signed_in=player.userid,
    )


async def look_at_sign_up(request: Request) -> Response:
    """Answer with the form of an account."""
    return _sign_up_page(request, {})


def _sign_up_page(
    request: Request, form: Mapping[str, str], fault: forms.Mistake | None = None
) -> Response:
    """Return the form, with why it was refused, and with what was typed."""
    typed = forms.filled("signup", form, fault)
    return ground_of(request).page(request, "sign_up", is_full=False, **typed)


def _no_account_page(request: Request, form: Mapping[str, str]) -> Response:
    """Return the form, and that no account can be made today from where it comes."""
    ground, typed = ground_of(request), forms.filled("signup", form)
    most = ground.work.limits.most(Counted.SIGNUPS_OF_SOURCE)
    return ground.page(request, "sign_up", 429, is_full=True, most=most, **typed)


async def sign_up(request: Request) -> Response:
    """Ask for the account in a form, and say what comes next.

    Whoever forms come from is told of a name that somebody has as often as anything is answered.
    """
    form, ground = await forms.form_of(request), ground_of(request)
    if not ground.base:
        raise HTTPException(404)
    if not form.get("rest", "").strip():
        return RedirectResponse(addresses.SIGN_UP, 303)
    asked = asked_by_stranger(request)
    try:
        asked = structs.replace(asked, line=forms.line_of("signup", form))
        deed = partial(name_refused, read_new_userid(form.get("userid", "").strip()))
        if refused := await run_in_threadpool(ground.work.change, deed, asked):
            raise refused
    except Refusal as refusal:
        reader = Reader((), settings=structs.replace(USUAL, language=asked.language))
        said = forms.reason_of(refusal, reader, ground)
        return _sign_up_page(request, form, forms.Mistake.of(refusal, form, said))
    carried = await forms.carry_out(asked, ground)
    if carried.limit == Counted.SIGNUPS_OF_SOURCE.word:
        return _no_account_page(request, form)
    if carried.is_refused:
        said = list(forms.said(carried.told, ground))
        return _sign_up_page(request, form, carried.fault(form, said))
    return forms.answer_page(request, carried, asked.language, back=addresses.SIGN_UP)


def name_refused(userid: str, on: Context) -> NotAllowed | None:
    """Return why nobody can have a userid, if somebody has it. Raises NotAllowed at a limit."""
    free = free_userid(on, userid)
    if free == userid:
        return None
    spend(on, [Charge(Counted.ANSWERS, on.request.sender)])
    return NotAllowed(UseridTaken(userid, free), userid)


async def look_at_code(request: Request) -> Response:
    """Answer with what a code is for, and a button that does it."""
    return _code_page(request, await _proved(request))


def _code_page(request: Request, pending: tags.Pending, refused: Sequence[Block] = ()) -> Response:
    """Return the page of a code with its button, and with the reason if it was refused."""
    ground = ground_of(request)
    return ground.secret_page(request, pending.language, "code", pending=pending, refused=refused)


async def bring(request: Request) -> Response:
    """Do what a code is for."""
    pending, form = await _proved(request), await forms.form_of(request)
    ground, code = ground_of(request), _code_in(request)
    if pending.purpose is tags.Purpose.SIGN_IN:
        userid = await run_in_threadpool(_sign_in, code, ground)
        if userid is None:
            raise HTTPException(410)
        return begun(userid, request)
    carried = await forms.carry_out(
        _asked_by_code(code, form.get("new", ""), pending, request), ground
    )
    if carried.is_done and pending.purpose in _SIGNING_IN:
        return begun(pending.userid, request)
    if carried.is_refused and pending.purpose is tags.Purpose.FORGOT:
        return _code_page(request, pending, list(forms.said(carried.told, ground)))
    return forms.answer_page(request, carried, pending.language, back=addresses.FRONT)


async def _proved(request: Request) -> tags.Pending:
    """Return the verification of the code in a request. Raises HTTPException if there is none."""
    return await proved(_pending(_code_in(request), ground_of(request).work), request)


def _code_in(request: Request) -> Secret:
    return Secret(request.path_params["code"].lower())


def _pending(code: Secret, work: UnitOfWork) -> tags.Pending | None:
    """Return the verification that waits for a code; None if it has been used or has ended."""
    return work.home.ask(find_verification, tags.name_of(code), work.now())


def _sign_in(code: Secret, ground: Ground) -> str | None:
    """Use a code up that signs a player in; return their userid, or None if it is used up."""

    def deed(on: Context) -> str | None:
        pending = find_verification(on.snapshot, name, on.now)
        if pending is None or on.account_if_any(pending.userid) is None:
            return None
        note_key(on.transaction, name, KeyOutcome.DONE, on.now)
        forget_verification(on.transaction, name)
        return pending.userid

    name = tags.name_of(code)
    return ground.work.change(deed)


def _asked_by_code(code: Secret, new: str, pending: tags.Pending, request: Request) -> Asked:
    """Return the request of a mail that brings a code back, perhaps with a new password."""
    verify = VERIFY.command(code=code, new=Secret(new.strip()) if new.strip() else None)
    line, identity = verify.line(mask=False), tags.name_of(code)
    return forms.asked_of(request, identity, pending.address, line=line, language=pending.language)


async def look_at_unsubscribing(request: Request) -> Response:
    """Answer with what a link ends, and a button that does it."""
    asked, ground = await _unsubscribing(request), ground_of(request)
    if asked.ends_invitations:
        return ground.secret_page(request, language_asked(request), "off", userid="", is_done=False)
    language = ground.work.account(asked.userid).all_settings.language
    return ground.secret_page(
        request,
        language,
        "off",
        is_done=False,
        userid=asked.userid,
        board="" if asked.name in (BROADCASTS, DIGEST, PUZZLES) else asked.name,
        is_digest=asked.name == DIGEST,
        is_puzzle=asked.name == PUZZLES,
    )


async def unsubscribe(request: Request) -> Response:
    """End what a link ends, and say so.

    Mail programs send a form by themselves to the link in the head of a letter (RFC 8058), so any
    form will do.
    """
    asked, ground = await _unsubscribing(request), ground_of(request)
    if asked.ends_invitations:
        await run_in_threadpool(ground.work.change, partial(keep_away, name=asked.about[0]))
        return ground.secret_page(request, language_asked(request), "off", userid="", is_done=True)
    account = ground.work.account(asked.userid)
    language = account.all_settings.language
    identity = f"off {secrets.token_hex(8)}"
    told = forms.asked_of(request, identity, account.first_address, language=language, reply=asked)
    carried = await forms.carry_out(told, ground)
    return forms.answer_page(request, carried, language, back=addresses.FRONT)


async def _unsubscribing(request: Request) -> Ask:
    """Return the subscription that a link ends. Raises HTTPException if it proves nothing."""
    found = proved_by_tag(request.path_params["tag"], ground_of(request))
    return await proved(found if found and found.topic is Topic.OFF else None, request)
