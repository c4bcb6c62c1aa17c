"""Asking for a verification: codes to addresses, and commands that nothing proves."""

from collections.abc import Collection, Sequence
from typing import ClassVar

from msgspec import structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import is_same_address, normal_address
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.settings import USUAL
from pbm_oust.accounts.tags import Pending, Purpose, code_for, name_of
from pbm_oust.grammar.form import Command
from pbm_oust.languages import Language
from pbm_oust.play.authentication import (
    PasswordWanted,
    note_charges,
    of_codes,
    of_owner,
    shares_of,
    spend_once,
)
from pbm_oust.play.context import Context, Look, Outcome
from pbm_oust.play.notices import Notice, Reader, Unheard, Verification
from pbm_oust.play.request import Ending, Request, Silence
from pbm_oust.refusal import NotAllowed, Unreadable, UnreadableReason
from pbm_oust.store.limits import FEW_PARTS, Charge, Counted, end_of_limit
from pbm_oust.store.message_keys import outcome_of
from pbm_oust.store.verifications import find_verification, keep_verification, requests_of

NOBODY = "nobody"
"""What stands in place of an address if a code is mailed to none."""


class CodeNotice(Notice, frozen=True):
    """A code, and what it is for."""

    holds_code: ClassVar = True
    code: Secret
    pending: Pending

    def ask(self) -> Verification | Unheard:
        """Return that an answer brings the code back, or nothing if only a page takes it."""
        is_heard = self.pending.purpose is not Purpose.SIGN_IN
        return Verification(self.code) if is_heard else Unheard()


class CodeSentNotice(Notice, frozen=True):
    """Codes were mailed to the addresses to be verified."""

    addresses: tuple[str, ...]
    present: tuple[str, ...] = ()
    """The addresses that the account has."""


def code_of(on: Context, pending: Pending) -> Secret:
    """Return the code of a verification, the same however often it is asked for."""
    return Secret(code_for(on.home.key(), pending))


def is_used(on: Context, pending: Pending) -> bool:
    """Return whether the code of a verification has come back already."""
    return outcome_of(on.snapshot, name_of(code_of(on, pending))) is not None


def ask(on: Context, pending: Pending, addresses: Sequence[str]) -> Outcome:
    """Mail the code of a verification to addresses, and keep what it is for.

    A mail that comes again sends the same letters again, within the same limits. Nothing is sent if
    the code has come back already, or if each address has reached its limit of codes a day.
    """
    code = code_of(on, pending)
    if is_used(on, pending):
        return Outcome(Ending.DONE_BEFORE)
    known = find_verification(on.snapshot, name_of(code), on.now)
    free, charges = list[str](), list[Charge]()
    if pending.purpose in (Purpose.FORGOT, Purpose.SIGN_IN):
        is_own = pending.address != NOBODY and is_among(on.request.sender, addresses)
        charges = list(of_owner(pending.purpose, pending.userid, on.request, is_own=is_own))
        if all(_is_within_limit(on, each) for each in charges):
            free = list({normal_address(each): each for each in addresses}.values())
    else:
        for address in addresses:
            same = sum(is_same_address(address, each) for each in free)
            if _is_within_limit(on, _charge_to(address, on.request, same + 1)):
                free.append(address)
        charges = [_charge_to(address, on.request) for address in free]
    if not free:
        return Outcome(Ending.SILENT, why=Silence.TOO_MANY_CODES)
    if pending.purpose in (Purpose.ADD, Purpose.CHANGE):
        charges += of_codes(len(free), pending.userid)
    note_charges(on, charges)
    notices = tuple(
        CodeNotice(_reader_at(address, pending.language, on.request), code, pending)
        for address in free
    )
    if pending.address == NOBODY:
        keep_verification(on.transaction, name_of(code), structs.replace(pending, userid=""))
        return Outcome(Ending.DONE, dropped=notices[:1])
    keep_verification(on.transaction, name_of(code), known or pending)
    return Outcome(Ending.DONE, notices)


def _is_within_limit(on: Context, charge: Charge) -> bool:
    return end_of_limit(on.snapshot, charge, on.limits, on.now) is None


def spend_time_for_a_code(
    on: Context, asked_for: str, purpose: Purpose = Purpose.FORGOT
) -> Outcome:
    """Do all that `ask` does, for nobody: so it takes as long where there is no account.

    `asked_for` is the userid or the address that somebody asks for.
    """
    pending = Pending(purpose, asked_for, NOBODY, on.now, on.request.identity)
    return ask(on, pending, [on.request.sender])


def together(asked: Sequence[Outcome], *answers: Notice) -> Outcome:
    """Put what was asked for by one mail together; without answers, the codes alone go out."""
    notices = (*(notice for each in asked for notice in each.notices), *answers)
    dropped = tuple(notice for each in asked for notice in each.dropped)
    if not (answers or notices or dropped):
        return Outcome(Ending.SILENT, why=Silence.TOO_MANY_CODES)
    return Outcome(Ending.DONE, notices, dropped=dropped)


def _charge_to(address: str, request: Request, number: int = 1) -> Charge:
    """Return what mails with a code to an address are charged.

    What others ask for does not keep anybody from asking for themselves, and what comes from a few
    hosts that forge the address does not either.
    """
    if not is_same_address(address, request.sender):
        return Charge(Counted.CODES, address, number)
    if request.is_verified:
        return Charge(Counted.OWN_CODES, f"{address}\0verified", number)
    return Charge(Counted.OWN_CODES, address, number, shares_of(request, FEW_PARTS))


def _reader_at(address: str, language: Language, request: Request) -> Reader:
    """Return a reader known only by an address and a language."""
    wrote_from = request.sender if is_same_address(address, request.sender) else ""
    return Reader(
        (address,), wrote_from=wrote_from, settings=structs.replace(USUAL, language=language)
    )


def is_among(sender: str, addresses: Sequence[str]) -> bool:
    """Return whether the sender of a mail has one of some addresses."""
    return any(is_same_address(sender, address) for address in addresses)


MOST_WAITING = 3
"""How many commands of one player wait for a confirmation at most."""


class NotConfirmed(UnreadableReason, frozen=True):
    """An answer to a mail with a code does not agree to what that mail asks."""


class TooManyWait(PasswordWanted, frozen=True):
    """So many commands of the player wait for a confirmation that no further one can."""

    most: int


class UnconfirmedNotice(Notice, frozen=True):
    """A command came from an address of the reader, who is asked whether they wrote it."""

    holds_code: ClassVar = True
    code: Secret
    choices: tuple[tuple[str, Command, str], ...]
    """The commands that may be meant, each with the words that choose it and the other player."""
    has_text: bool
    """Whether a text came with it, which goes to nobody: anybody may have written it."""

    def ask(self) -> Verification:
        """Return that an answer confirms the command."""
        return Verification(self.code)


def code_named(on: Look, name: str) -> Secret:
    """Return the code with a name; one that nobody has got if nothing waits for it any more."""
    pending = find_verification(on.snapshot, name, on.now)
    return Secret(code_for(on.home.key(), pending) if pending else name)


def ask_to_confirm(
    on: Context, account: Account, choices: Sequence[Command], *, is_owner: bool = True
) -> Outcome:
    """Ask at an address whether a command from there is its player's; it waits for a yes.

    With several choices, the answer says which is meant. `is_owner`: whether the account is the
    only one there that may have sent it; otherwise the letter goes to that address alone.

    A mail that comes again asks for nothing more. Raises NotAllowed if too many commands of the
    player wait, and says so once a day.
    """
    reader = on.reader_at(account) if is_owner else on.asker()
    pending = Pending(
        Purpose.UNPROVED,
        account.userid,
        on.request.sender,
        on.now,
        on.message_key(account.userid),
        language=reader.settings.language,
        line="\n".join(each.line(mask=False) for each in choices),
        other=next((each for each in choices[0].signers if each != account.userid), ""),
    )
    code = code_of(on, pending)
    if find_verification(on.snapshot, name_of(code), on.now):
        return Outcome(Ending.SILENT, why=Silence.WAITS_FOR_A_YES)
    waiting = requests_of(on.snapshot, account.userid, account.message_key, on.now)
    if sum(each.purpose is Purpose.UNPROVED for each in waiting) >= MOST_WAITING:
        if not spend_once(on, Charge(Counted.UNCONFIRMED, account.userid)):
            return Outcome(Ending.SILENT, why=Silence.TOO_MANY_WAIT)
        raise NotAllowed(TooManyWait(MOST_WAITING))
    keep_verification(on.transaction, name_of(code), pending)
    lines = [each.line(mask=False).split() for each in choices]
    words = (
        " ".join(word for word in line if any(word not in each for each in lines)) for line in lines
    )
    others = (_other_in(on, each, account.userid) for each in choices)
    named = tuple(zip(words, choices, others, strict=True))
    asked = UnconfirmedNotice(reader, code, named, bool(on.request.chat.strip()))
    return Outcome(Ending.ASKED, (asked,))


def _other_in(on: Look, command: Command, userid: str) -> str:
    """Return the other player of the board that a command is about, if it is about one."""
    is_about_board = command.get("board") and command.get("kind")
    game = on.game_if_any(command["kind"], command["board"]) if is_about_board else None
    return game.opponent_of(userid) if game and game.side_of(userid) else ""


def chosen_line(pending: Pending, chosen: Collection[str]) -> str:
    """Return the line of a command that waits, the one with all words that choose it.

    Raises Unreadable if that is not clear.
    """
    lines = pending.line.split("\n")
    found = [line for line in lines if {*chosen} <= {*line.split()}]
    if len(found) != 1 or (chosen and len(lines) == 1):
        raise Unreadable(NotConfirmed())
    return found[0]
