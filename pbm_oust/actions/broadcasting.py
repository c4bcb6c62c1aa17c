"""Writing to everybody who wants such mails."""

import secrets
from collections.abc import Iterable
from contextlib import suppress

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.broadcasts import MOST_A_DAY, with_broadcast
from pbm_oust.commands.masking import without_passwords
from pbm_oust.commands.personal import Broadcast
from pbm_oust.membership import signed_off_since
from pbm_oust.notices import Reader, Told
from pbm_oust.outbox import NOWHERE
from pbm_oust.players import Account, BadAccount
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.settings import Switch


def broadcast(command: Broadcast, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Pass the text of a mail on to everybody else, a few times a day at most."""
    text = without_passwords(request.chat, command.password)
    if not text.strip():
        raise NotAllowed(Barred.NOTHING_WRITTEN)

    def change(account: Account) -> Account:
        changed = with_broadcast(account, desk.now())
        if changed is None:
            raise NotAllowed(Barred.TOO_MANY_BROADCASTS, most=MOST_A_DAY)
        return changed

    def tell(account: Account) -> tuple[Told, list[Told]]:
        others = (userid for userid in desk.home.userids() if userid != account.userid)
        notices = notices_to(others, text, account.userid, desk)
        facts = {"count": len(notices), "text": text}
        return Told(desk.player_at(account, request), "broadcast_sent", facts), notices

    return desk.change_account(change, tell, actor, request, Handled("broadcast"))


def announce(text: str, userids: Iterable[str] | None, desk: Desk) -> int:
    """Mail the operator's words to these players, or to all who want such mails.

    Returns to how many. Raises NotAllowed for a userid that nobody has.
    """
    if userids is None:
        notices = notices_to(desk.home.userids(), text, "", desk)
    else:
        readers = [desk.player(desk.account(userid)) for userid in dict.fromkeys(userids)]
        notices = [_notice(text, "", reader) for reader in readers if reader.addresses]
    identity = f"operator {secrets.token_hex(8)}"
    request = Request("", "", "", identity)
    with desk.posting(notices, request, request.cause(""), NOWHERE):
        return len(notices)


def notices_to(userids: Iterable[str], text: str, author: str, desk: Desk) -> list[Told]:
    """Return the notices to those of the players who want such mails and can be reached.

    An account that cannot be read holds nobody else up.
    """
    notices = []
    for userid in userids:
        with suppress(NotAllowed, BadAccount, OSError):
            account = desk.account(userid)
            reader = desk.player(account)
            is_there = reader.addresses and not signed_off_since(account)
            if is_there and reader.settings.broadcasts is Switch.ON:
                notices.append(_notice(text, author, reader))
    return notices


def _notice(text: str, author: str, reader: Reader) -> Told:
    return Told(reader, "broadcast", {"author": author, "text": text})


SIGNED: dict[type, Action] = {Broadcast: broadcast}
