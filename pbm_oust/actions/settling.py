"""What players settle about their mail."""

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.commands.personal import Settle
from pbm_oust.notices import Told
from pbm_oust.players import Account
from pbm_oust.settings import (
    NAMES,
    format_setting,
    settings_of,
    values_of,
    with_setting,
    with_settings,
)


def settle(command: Settle, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Change settings, or show them all."""
    if not command.changes:
        return desk.answer(_told(actor.account, (), request, desk), request)

    def change(account: Account) -> Account:
        settings = settings_of(account)
        for name, value in command.changes:
            settings = with_setting(settings, name, value)
        return with_settings(account, settings)

    def tell(account: Account) -> tuple[Told, list[Told]]:
        return _told(account, tuple(name for name, _ in command.changes), request, desk), []

    return desk.change_account(change, tell, actor, request, Handled("settings changed"))


def _told(account: Account, changed: tuple[str, ...], request: Request, desk: Desk) -> Told:
    settings = settings_of(account)
    rows = [(name, format_setting(settings, name), values_of(name)) for name in NAMES]
    facts = {"rows": rows, "changed": changed}
    return Told(desk.player_at(account, request), "settings", facts)


SIGNED: dict[type, Action] = {Settle: settle}
