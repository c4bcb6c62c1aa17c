"""Corrections of lines that were sent: the fault, and a command in its place."""

from typing import NamedTuple

from msgspec import Struct, structs

from pbm_oust.accounts.account import Account, bare_userid
from pbm_oust.board import Game
from pbm_oust.grammar import vocabulary
from pbm_oust.grammar.form import (
    UNNAMED,
    Command,
    Line,
    MayShow,
    Meant,
    MissingWord,
    to_player,
    to_stranger,
)
from pbm_oust.grammar.notation import Blank
from pbm_oust.grammar.parts import without_options
from pbm_oust.grammar.values import of_board
from pbm_oust.grammar.vocabulary import MASK
from pbm_oust.grammar.wish import next_wish
from pbm_oust.play.authentication import PasswordWanted
from pbm_oust.play.context import Look
from pbm_oust.play.notices import Reader
from pbm_oust.play.unit_of_work import ForCode, ForEither, ForPlayer
from pbm_oust.refusal import Reason, Refusal, Unreadable, UnreadableReason
from pbm_oust.rules import KINDS
from pbm_oust.service import table
from pbm_oust.service.answers import Read


class Correction(Struct, frozen=True):
    """A line as it was sent, what is wrong with it and where, and what to send instead."""

    refusal: Refusal
    sent: str
    """The line, with what may not be shown masked."""
    culprit: str
    culprit_at: int
    """The place in the line at which the part at fault begins."""
    command: Command | None
    """The command to send instead; None if none is known, or if just that was sent."""


class _Sight(NamedTuple):
    """A view of a line: the words that may be shown again to whoever has sent it."""

    may_show: MayShow
    instead: str
    """Stands for a word that may not be shown."""
    is_known: bool
    """Whether it is certain who has sent it."""

    def shows(self, command: Command | None) -> bool:
        """Return whether every word of a command may be shown; blanks and options always may."""
        words = command.line().split() if command else ()
        return all(self.may_show(word) or word.isupper() or word.startswith("-") for word in words)


def corrected(
    on: Look,
    refusal: Refusal,
    read: Read,
    found: tuple[Game, Reader] | None,
    *,
    is_proved: bool,
) -> Correction:
    """Correct a line that was refused; `found` is the board that it is probably about."""
    line, reason, sight = (
        read.line,
        refusal.reason,
        _sight(on, refusal, read, is_proved=is_proved),
    )
    wrong = refusal.culprit
    if not (sight.is_known or sight.may_show(wrong) or line.is_option(wrong)):
        refusal = type(refusal)(reason)
    # The Subject of our own letter was not written by the sender.
    is_ours = isinstance(reason, table.AnswerToBoard) and table.is_of_letter(on.request.line)
    sent = "" if is_ours else line.shown(sight.may_show, sight.instead)
    command = signed(on, _right(on, refusal, wrong, read, sight), reason)
    if found:
        command = playable(command, *found)
    if command and command.line() == sent:
        command = None
    at = line.place_in(sent, refusal.culprit)
    culprit = "" if at is None else refusal.culprit
    return Correction(refusal, sent, culprit, at or 0, command)


def _sight(on: Look, refusal: Refusal, read: Read, *, is_proved: bool) -> _Sight:
    """Return what may be shown of a line that was refused."""
    line, command, is_userid = read.line, read.command, on.names_for_sender()
    # Whoever sends a code has it from the letter that went to their address.
    is_known = is_proved or (isinstance(command, Command) and isinstance(command.form.run, ForCode))
    is_secret = table.may_hold_password(line, on.request.reply)
    if is_known:
        may_show = to_player(table.VOCABULARY, is_userid, may_be_secret=is_secret)
        return _Sight(may_show, MASK, is_known)
    words = [refusal.culprit, *line.words]
    may_show = to_stranger(table.VOCABULARY, is_userid, words, may_be_secret=is_secret)
    return _Sight(may_show, MASK if is_secret else UNNAMED, is_known)


def _right(on: Look, refusal: Refusal, wrong: str, read: Read, sight: _Sight) -> Command | None:
    """Return what to send in place of a line with a wrong word, as far as that may be shown."""
    command, reason = read.command, refusal.reason
    is_wanted = isinstance(reason, PasswordWanted)
    may_be_right = read.line.form and read.line.form.secret_places(read.line.arguments)
    if is_wanted and on.request.reply and isinstance(command, Command):
        return command
    if isinstance(command, Unreadable) or is_wanted:
        right = reason.instead if isinstance(reason, UnreadableReason) else None
        meant = (read.meant or read.line).correction(sight.may_show, wrong, right or "")
        if meant and (is_wanted or on.request.reply or not may_be_right):
            meant = _by_sender(on, meant)
        instead = _tried(on, meant) if meant else None
        is_sure = instead is meant
    else:
        instead, is_sure = advise(command, refusal), False
    return instead if is_sure or sight.is_known or sight.shows(instead) else None


def _tried(on: Look, meant: Command) -> Command | None:
    """Return what was probably meant, or what its board would take in place of that."""
    kind, number = meant.get("kind"), meant.get("board")
    if kind is None or number is None:
        return meant
    game = on.game_if_any(kind, number)
    return tried(meant, game) if game else meant


def all_tried(meant: Meant, game: Game, userid: str) -> list[Command]:
    """Return what a player may have meant on a board, or what it would take in place of that."""
    found: list[Command] = []
    for each in meant:
        possible = tried(filled(each, game, userid), game)
        if possible and possible not in found:
            found.append(possible)
    return found


def advise(command: Command, refusal: Refusal) -> Command | None:
    """Return what to send instead of a command that was refused, or None if nothing is known."""
    form: table.AnyForm = command.form
    others = (each.from_any(command, refusal) for each in table.FORMS)
    return form.instead(command, refusal) or next(filter(None, others), None)


def tried(meant: Command, game: Game) -> Command | None:
    """Return what was probably meant, if it can be done on a board; otherwise what can be done.

    Only what the board alone decides is tried.
    """
    if meant.is_whole:
        try:
            meant.form.try_on(meant, game)
        except Refusal as refusal:
            return advise(meant, refusal)
    return meant


def filled(meant: Command, game: Game, userid: str) -> Command:
    """Return what a player probably meant, with what the letter about a board knows.

    Where a move is missing, an example stands for it.
    """
    if meant.is_whole:
        return meant
    known = {**of_board(game), "userid": userid, "wish": next_wish(game), "guard": None}
    names = meant.form.names
    return meant.form.command(**{name: known[name] for name in names if name in known})


_USERID, _FIRST_USERID, _SECOND_USERID = "userid", "x", "o"


def owner(on: Look) -> Account | None:
    """Return the only account that has the address of a request's sender, or None."""
    return on.as_owner(on.asker()).account


def completed(on: Look, read: Read) -> Read:
    """Return a challenge that names one player as one by whoever has the sender's address.

    A list of a player is taken for one of their boards. Anything else is returned as it was read.
    """
    line, wrong = read.line, read.command
    if line.form and line.form.is_against:
        return _against(on, read)
    of_player = line.form.of_player if line.form else None
    if of_player and isinstance(wrong, Unreadable) and _names_player(on, wrong):
        meant = Line(line.words, of_player, next(iter(KINDS.values())), 1)
        which = Unreadable(table.WhichGame(of_player.name))
        return structs.replace(read, line=meant, command=which)
    if not isinstance(wrong, Unreadable) or not isinstance(wrong.reason, MissingWord):
        return read
    named = without_options(line.arguments)
    if not (line.form and isinstance(line.form.run, ForEither)) or len(named) != 1:
        return read
    account = owner(on)
    if account is None or account.userid == bare_userid(named[0]) or not on.has_account(named[0]):
        return read
    words = (*line.words[: line.own_words], account.userid, *line.arguments)
    whole, command = table.parse_line(" ".join(words))
    return (
        read
        if isinstance(command, Unreadable)
        else structs.replace(read, line=whole, command=command)
    )


_MISSING = "?"
"""Stands for a word that a line lacks."""
_MOST_AGAINST = 3
"""How many words a command against another player has: both players and a password."""


def _against(on: Look, read: Read) -> Read:
    """Return a command of one player against another that has its words in another order.

    Some name both side by side, as in a challenge, or the other one alone. If it cannot be done,
    whoever has the sender's address is the one who would do it.
    """
    line = read.line
    said = without_options(line.arguments)
    named = [word for word in said if on.names_for_sender()(word)]
    if len(said) > _MOST_AGAINST or not named or said[0] != named[0]:
        return read
    account = owner(on)
    own = account.userid if account else ""
    others = [word for word in named if bare_userid(word) != own]
    if len(named) > 1:
        by, against = (own, others[0]) if len(others) == 1 else (named[0], named[1])
    elif others and (own or len(said) == 1):
        by, against = own or _MISSING, others[0]
    else:
        return read
    password = next((word for word in said if word not in named), _MISSING)
    words = (*line.words[: line.own_words], by, password, against)
    read = structs.replace(read, meant=structs.replace(line, words=words))
    is_other_order = len(said) == _MOST_AGAINST and said[:2] == named
    return (
        structs.replace(read, command=table.parse_line(" ".join(words))[1])
        if is_other_order
        else read
    )


def _names_player(on: Look, wrong: Unreadable) -> bool:
    """Return whether the unknown word of a line is a player."""
    is_unknown = isinstance(wrong.reason, vocabulary.UnknownWord)
    return is_unknown and on.names_for_sender()(wrong.culprit)


def signed(on: Look, correction: Command | None, reason: Reason) -> Command | None:
    """Return a command to send; if it lacks a userid, with that of the sender's address.

    A challenge that names one player is by whoever has that address. A sentence may say more.
    """
    if correction is None:
        return None
    if on.request.reply:
        return correction
    form = correction.form
    is_challenge = isinstance(form.run, ForEither)
    place = _SECOND_USERID if is_challenge else _USERID
    if place not in form.names or correction.knows(place):
        return correction
    account = owner(on)
    if account is None and is_challenge:
        # Whoever names one player does not say who they are themselves.
        named = correction.get(_FIRST_USERID)
        return correction.with_values(x=Blank("USERID"), o=named) if named else correction
    if account is None or correction.get(_FIRST_USERID) == account.userid:
        return correction
    own: dict[str, object] = {_USERID: account.userid}
    if is_challenge:
        own = {_FIRST_USERID: account.userid}
        named = correction.get(_FIRST_USERID)
        own |= {_SECOND_USERID: named} if named else {}
    if isinstance(reason, table.SaidPlainly):
        today = on.now.astimezone(account.all_settings.zone).date()
        own |= form.in_sentence(on.request.line, today)
    return correction.with_values(**own)


def _by_sender(on: Look, meant: Command) -> Command:
    """Return a command to send as one by whoever has sent a mail, as far as that is known.

    Nobody else can be meant to do it whose password is not there, or wrong.
    """
    reply, account = on.request.reply, owner(on)
    userid = reply.userid if reply else account.userid if account else ""
    is_other = isinstance(meant.form.run, ForPlayer) and userid and meant.knows(_USERID)
    return meant.with_values(**{_USERID: userid}) if is_other else meant


def playable(correction: Command | None, game: Game, reader: Reader) -> Command | None:
    """Return what a player may have meant on a board, with an example where they gave no move."""
    if correction is None or reader.userid is None:
        return correction
    lacks_move = "wish" in correction.form.names and not correction.knows("wish")
    meant = filled(correction, game, reader.userid) if lacks_move else correction
    return tried(meant, game)


def board_meant(on: Look, read: Read) -> tuple[Game, Reader] | None:
    """Return the board of a mail that looks like an answer to a letter about it, and its player.

    None if whoever has the sender's address does not play there.
    """
    line, wrong = read.line, read.command
    is_answer = isinstance(wrong, Unreadable) and isinstance(wrong.reason, table.AnswerToBoard)
    number = line.words[1].rstrip(":") if is_answer and len(line.words) > 1 else ""
    if line.kind is None or not number.isdecimal():
        return None
    reader = on.as_owner(on.asker())
    game = on.game_if_any(line.kind, int(number))
    return (game, reader) if game and reader.userid and game.side_of(reader.userid) else None
