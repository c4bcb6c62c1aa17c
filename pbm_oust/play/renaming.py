"""Giving a player another userid: on all boards, and in the accounts of others.

All of it is one transaction; the files of histories are written anew afterwards.
"""

import hashlib
import re
from functools import partial

from msgspec import structs

from pbm_oust.accounts.account import Account, placeholder
from pbm_oust.play.finding import active_games, boards_naming
from pbm_oust.play.notices import Notice
from pbm_oust.play.request import Request
from pbm_oust.play.rulings import request_of
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules import KINDS
from pbm_oust.store import index, ladders, tournaments
from pbm_oust.store.accounts import merge_accounts, rename_account
from pbm_oust.store.database import Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.letters import files_to, remove_letters_to
from pbm_oust.store.message_keys import give_causes
from pbm_oust.store.open_boards import has_played, read_game
from pbm_oust.store.verifications import forget_bounces, forget_player


class RenamedNotice(Notice, frozen=True):
    """A player has another userid: the reader, or somebody who plays with the reader."""

    old: str
    new: str
    is_joined: bool
    """Whether the userid belonged to another account of the player."""


def check_boards(userid: str, home: Home) -> None:
    """Check that all boards of a player replay, before anything changes.

    Raises DamagedHistory.
    """
    for name in boards_naming(userid, home):
        read_game(home, KINDS[name.kind], name.board)


def rename_in_texts(old: str, new: str, work: UnitOfWork) -> None:
    """Let what those have written who have played with a player name them differently."""
    named = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])", re.IGNORECASE)
    games = (read_game(work.home, KINDS[at.kind], at.board) for at in boards_naming(old, work.home))
    for other in sorted({userid for game in games for userid in (game.x, game.o)} - {old}):
        account = work.account_if_any(other)
        if not account:
            continue
        notes = {board: named.sub(new, note) for board, note in account.notes_by_board.items()}
        said = tuple(structs.replace(each, text=named.sub(new, each.text)) for each in account.said)
        if (notes, said) != (account.notes_by_board, account.said):
            work.save(structs.replace(account.with_notes(notes), said=said))


def free_placeholder(home: Home) -> str:
    """Return a userid to stand for a player who is forgotten, one that was never used before."""
    number = 1
    while has_played(word := placeholder(number), home):
        number += 1
    return word


def forget_addresses(account: Account, home: Home) -> None:
    """Forget the bounces of a player's addresses, and the letters that wait for them.

    Addresses that somebody else also has are left alone.
    """
    for address in account.addresses:
        if len(home.accounts_at(address)) < 2:
            home.do(forget_bounces, address)
            files = home.ask(files_to, address)
            home.withhold(filter(home.outbox.has_new, files))
            home.do(remove_letters_to, address)


class CannotMove(Exception):
    """A player cannot be renamed or merged; the message says why. Nothing has changed."""


def rename_player(old: str, new: str, work: UnitOfWork) -> int:
    """Give a player another userid, and return the number of boards that have it now.

    Raises CannotMove; NotAllowed if there is no such player; DamagedHistory for a board that must
    be repaired first.
    """
    return work.retried(partial(_rename, old, new))


def _rename(old: str, new: str, work: UnitOfWork) -> int:
    account = work.account(old)
    if work.has_account(new) or has_played(new, work.home):
        raise CannotMove(f"the userid {new} belongs to somebody already")
    renamed = structs.replace(account, userid=new)
    notices = _notices(account, renamed, new, "renamed", work)
    with work.answering(_request(account, new)).posting(notices):
        count = rename_in_games(old, new, work.home)
        work.home.do(forget_player, old, account.message_key)
        work.home.do(rename_account, account.changed_at(work.now()), new)
    return count


def rename_in_games(old: str, new: str, home: Home) -> int:
    """Give a player another userid on boards, in tournaments and on ladders.

    Returns the number of boards that have it now.
    """

    def deed(transaction: Transaction) -> int:
        count = home.boards.rename_player(transaction, old, new)
        tournaments.rename(transaction, old, new)
        ladders.rename(transaction, old, new)
        return count

    return home.database.write(deed)


def merge_players(old: str, into: str, work: UnitOfWork) -> int:
    """Give a player's boards and addresses to another one, and return the number of boards.

    Raises as `rename_player` does.
    """
    if old == into:
        raise CannotMove("these are one account")
    return work.retried(partial(_merge, old, into))


def _merge(old: str, into: str, work: UnitOfWork) -> int:
    account, target = work.account(old), work.account(into)
    both = work.home.ask(index.boards_between, old, into)
    if both:
        raise CannotMove(f"both have played on {', '.join(map(str, both))}")
    notices = _notices(account, target, into, "merged", work)
    with work.answering(_request(account, into)).posting(notices):
        count = rename_in_games(old, into, work.home)
        work.home.do(give_causes, old, into)
        work.home.do(forget_player, old, account.message_key)
        work.home.do(merge_accounts, target.changed_at(work.now()), account)
    return count


def _notices(
    account: Account, target: Account, new: str, how: str, work: UnitOfWork
) -> list[RenamedNotice]:
    """Return what the player and their opponents are told."""
    old = account.userid
    owners = {userid for game in active_games(old, work.home) for userid in (game.x, game.o)}
    readers = [work.player(target)]
    readers += [
        work.player(work.account(userid))
        for userid in sorted(owners - {old, new})
        if work.has_account(userid)
    ]
    is_joined = how == "merged"
    return [RenamedNotice(reader, old, new, is_joined) for reader in readers if reader.addresses]


def _request(account: Account, new: str) -> Request:
    parts = f"{account.userid}\0{new}\0{account.joined}"
    return request_of(f"operator {hashlib.sha256(parts.encode()).hexdigest()[:16]}")
