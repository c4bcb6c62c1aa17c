"""Giving a player another userid: on all boards, and in the accounts of others.

All of it is one transaction; the files of histories are written anew afterwards.
"""

import hashlib
import re

from msgspec import structs

from pbm_oust.accounts.account import Account, placeholder
from pbm_oust.play.context import Context, Look, Outcome
from pbm_oust.play.finding import active_games
from pbm_oust.play.notices import Notice
from pbm_oust.play.request import Ending
from pbm_oust.rules import KINDS
from pbm_oust.store import index, ladders, tournaments
from pbm_oust.store.accounts import accounts_at, merge_accounts, rename_account
from pbm_oust.store.letters import files_to, remove_letters_to
from pbm_oust.store.message_keys import give_causes
from pbm_oust.store.verifications import forget_bounces, forget_player


class RenamedNotice(Notice, frozen=True):
    """A player has another userid: the reader, or somebody who plays with the reader."""

    old: str
    new: str
    is_joined: bool
    """Whether the userid belonged to another account of the player."""
    is_own: bool = False
    """Whether the reader has changed their own userid."""


def rename_in_texts(on: Context, old: str, new: str) -> None:
    """Let what those have written who have played with a player name them differently."""
    named = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])", re.IGNORECASE)
    names = index.boards_with(on.snapshot, old)
    games = [on.game(KINDS[name.kind], name.board) for name in names]
    for other in sorted({userid for game in games for userid in (game.x, game.o)} - {old}):
        account = on.account_if_any(other)
        if not account:
            continue
        notes = {board: named.sub(new, note) for board, note in account.notes_by_board.items()}
        said = tuple(structs.replace(each, text=named.sub(new, each.text)) for each in account.said)
        if (notes, said) != (account.notes_by_board, account.said):
            on.save(structs.replace(account.with_notes(notes), said=said))


def free_placeholder(on: Look) -> str:
    """Return a userid to stand for a player who is forgotten, one that was never used before."""
    number = 1
    while index.has_played(on.snapshot, word := placeholder(number)):
        number += 1
    return word


def forget_addresses(on: Context, account: Account) -> None:
    """Forget the bounces of a player's addresses, and the letters that wait for them.

    Addresses that somebody else also has are left alone. A letter that a mail program has just
    opened is theirs.
    """
    for address in account.addresses:
        if len(accounts_at(on.snapshot, address)) < 2:
            forget_bounces(on.transaction, address)
            on.withhold(filter(on.home.outbox.has_new, files_to(on.snapshot, address)))
            remove_letters_to(on.transaction, address)


class CannotMove(Exception):
    """A player cannot be renamed or merged; the message says why. Nothing has changed."""


class Moved(Outcome, frozen=True, kw_only=True):
    """Boards that have got another player."""

    count: int


def rename_player(on: Context, old: str, new: str) -> Moved:
    """Give a player another userid, on all boards.

    Raises CannotMove; NotAllowed if there is no such player; DamagedHistory for a board that must
    be repaired first.
    """
    account = on.account(old)
    if on.has_account(new) or index.has_played(on.snapshot, new):
        raise CannotMove(f"the userid {new} belongs to somebody already")
    told = _notices(on, account, structs.replace(account, userid=new), new, is_joined=False)
    count = rename_in_games(on, old, new)
    forget_player(on.transaction, old, account.message_key)
    rename_account(on.transaction, account.changed_at(on.now), new)
    return Moved(Ending.DONE, told, identity=_identity(account, new), count=count)


def rename_in_games(on: Context, old: str, new: str) -> int:
    """Give a player another userid on boards, in tournaments and on ladders.

    Returns the number of boards that have it now.
    """
    count = on.home.boards.rename_player(on.transaction, old, new)
    tournaments.rename(on.transaction, old, new)
    ladders.rename(on.transaction, old, new)
    return count


def merge_players(on: Context, old: str, into: str) -> Moved:
    """Give a player's boards and addresses to another one.

    Raises as `rename_player` does.
    """
    if old == into:
        raise CannotMove("these are one account")
    account, target = on.account(old), on.account(into)
    both = index.boards_between(on.snapshot, old, into)
    if both:
        raise CannotMove(f"both have played on {', '.join(map(str, both))}")
    told = _notices(on, account, target, into, is_joined=True)
    count = rename_in_games(on, old, into)
    give_causes(on.transaction, old, into)
    forget_player(on.transaction, old, account.message_key)
    merge_accounts(on.transaction, target.changed_at(on.now), account)
    return Moved(Ending.DONE, told, identity=_identity(account, into), count=count)


def _notices(
    on: Look, account: Account, target: Account, new: str, *, is_joined: bool
) -> tuple[RenamedNotice, ...]:
    """Return what the player and their opponents are told."""
    old = account.userid
    owners = {userid for game in active_games(on, old) for userid in (game.x, game.o)}
    others = map(on.account_if_any, sorted(owners - {old, new}))
    readers = [on.reader(each) for each in (target, *others) if each]
    return tuple(
        RenamedNotice(reader, old, new, is_joined) for reader in readers if reader.addresses
    )


def _identity(account: Account, new: str) -> str:
    parts = f"{account.userid}\0{new}\0{account.joined}"
    return f"operator {hashlib.sha256(parts.encode()).hexdigest()[:16]}"
