"""What a process that died has left behind: letters without their place, and drafts of files.

A letter is staged before the command it tells of is done. It names the place where that is written
down, so that the next process can see whether it was, and publish the letter or drop it.
"""

import logging
from contextlib import suppress

from pbm_oust.accounts.account import BadAccount
from pbm_oust.accounts.account_file import parse_account
from pbm_oust.accounts.verification import proofs_of
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.home import Home
from pbm_oust.store.journal import BadJournal
from pbm_oust.store.maildir_outbox import JOURNAL, Staged

log = logging.getLogger("pbm_oust")

_PLAYERS = "players"
_PENDING = "pending"
_REMOVED = "removed"


def board_place(kind: str, board: int) -> str:
    """Return the place of a command that writes to the history of a board."""
    return f"{kind}.{board}"


def player_place(userid: str) -> str:
    """Return the place of a command that makes an account, or proves something for it."""
    return f"{_PLAYERS}.{userid}"


def pending_place(name: str) -> str:
    """Return the place of a command for which a code of this name is mailed."""
    return f"{_PENDING}.{name}"


def removal_place(userid: str) -> str:
    """Return the place of a command that removes an account."""
    return f"{_REMOVED}.{userid}"


def recover(home: Home) -> int:
    """Finish what processes that died have left, and return how many letters that were.

    Commands that are under way in other processes are not disturbed. May raise OSError.
    """
    home.remove_drafts(tuple(KINDS))
    with home.outbox.left_behind() as letters:
        for staged in letters:
            try:
                is_done = _is_done(home, staged)
            except (OSError, BadAccount, BadJournal) as error:
                log.warning("letter %s stays where it is: %s", staged.name, error)
                continue
            home.outbox.settle(staged, is_done)
    return len(letters)


def _is_done(home: Home, staged: Staged) -> bool:
    """Return whether the command that a letter tells of is written down."""
    noun, _, name = staged.place.partition(".")
    if noun in KINDS and name.isdecimal():
        with suppress(NoSuchFile):
            if f" {staged.cause}\n".encode() in home.read_history(noun, int(name)):
                home.sync_history(noun, int(name))
                return True
        return False
    if noun == _PLAYERS:
        with suppress(NoSuchFile):
            account = parse_account(home.read_player(name))
            if staged.cause in (account.message_key, *(proof.name for proof in proofs_of(account))):
                home.sync_player(name)
                return True
        return False
    if noun == _PENDING:
        with suppress(FileNotFoundError):
            home.pending.sync(name)
            return True
        return False
    if noun == _REMOVED:
        return home.is_removed(name)
    return noun == JOURNAL and home.journal.ending(staged.cause) is not None
