"""The settings of a player who is signed in, their vacations and their addresses."""

from collections.abc import Mapping, Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbm_oust.accounts.settings import NAMES, format_setting, values_of
from pbm_oust.accounts.vacations import days_left
from pbm_oust.letters.layout import Block
from pbm_oust.web import addresses
from pbm_oust.web.calendars import calendar_address
from pbm_oust.web.doing import done
from pbm_oust.web.forms import kept_from
from pbm_oust.web.ground import ground_of
from pbm_oust.web.kept import KEPT_SECRET
from pbm_oust.web.sessions import SignedIn, form_of_player, player_of


async def look(request: Request) -> Response:
    """Answer with all that the player has settled, and forms that change it."""
    return settings_page(request, player_of(request), {})


def settings_page(
    request: Request, player: SignedIn, form: Mapping[str, str], refused: Sequence[Block] = ()
) -> Response:
    """Return all that a player has settled; a form that was refused has what was typed."""
    ground = ground_of(request)
    settings, now = player.settings, ground.work.now()
    absences = player.account.vacations
    page = ground.page(
        request,
        "settings",
        templates=ground.templates_in(player.language),
        player=player,
        settings=[(name, format_setting(settings, name), values_of(name)) for name in NAMES],
        absences=[each for each in absences if each.end > now],
        days_left=days_left(absences, now.astimezone(settings.zone).year, settings.zone),
        calendar=calendar_address(player.account, ground),
        refused=refused,
        kept=kept_from(form, form.get("command", "settings")),
        today=now.astimezone(settings.zone).date(),
    )
    page.headers.update(KEPT_SECRET)
    return page


async def settle(request: Request) -> Response:
    """Change what is no longer as a form has it."""
    player, form = await form_of_player(request)
    known = {name: format_setting(player.settings, name) for name in NAMES}
    known |= {each.name: "" for each in player.settings.unknown if each.name in known}
    changes = [
        (name, value)
        for name, before in known.items()
        if (value := "".join(form.get(name, "").split())) and value != before
    ]
    rest = " ".join(f"{name} {value}" for name, value in changes)
    fields = {**form, "command": "settings", "rest": rest}
    again = partial(settings_page, request, player, form)
    return await done(player, fields, request, addresses.SETTINGS, again)


ROUTES = (
    Route(addresses.SETTINGS, look, methods=["GET"]),
    Route(addresses.SETTINGS, settle, methods=["POST"]),
)
