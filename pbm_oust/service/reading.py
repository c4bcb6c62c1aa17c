"""What a mail asks for: the command in its line, in an answer to a letter, or of a code."""

from typing import TYPE_CHECKING

from pbm_oust.accounts.answered import (
    BROADCASTS,
    DIGEST,
    Answered,
    Correspondence,
    Joining,
    Reply,
    Unsubscribing,
)
from pbm_oust.accounts.items import board_of
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.settings import MailWhen, Switch
from pbm_oust.commands.play import Move
from pbm_oust.commands.seek import Join
from pbm_oust.commands.settings import Settle
from pbm_oust.commands.talk import Message
from pbm_oust.commands.verify import Verify, has_new_password
from pbm_oust.commands.watch import Unwatch
from dataclasses import dataclass, replace
from pbm_oust.grammar.aliases import ALIASES, in_english, language_of
from pbm_oust.grammar.command import Command, Meant, Text
from pbm_oust.grammar.line import Line
from pbm_oust.grammar.words import UnknownWord, first_words, fold, language_like
from pbm_oust.languages import Language
from pbm_oust.play.notices import Heard
from pbm_oust.play.request import Request
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.table import VOCABULARY, form_of, format_command, granted, parse_line

if TYPE_CHECKING:
    from pbm_oust.service.answer_lines import Answer


@dataclass(frozen=True, slots=True)
class NotConfirmed(UnreadableReason):
    """An answer to a mail with a code does not agree to what that mail asks."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a mail asks for, as far as it is understood."""

    line: Line
    """The line that the command was read from."""
    command: Command | Unreadable
    """The command, or why there is none."""
    text: str
    """What else the sender wrote."""
    reply: Answered | None = None
    """The letter that is answered, if that takes the place of a password."""
    instead: Meant = ()
    """What an unreadable answer may have meant."""
    heard: Heard | None = None
    """How an answer was read that holds more than its command."""

    @property
    def language(self) -> Language | None:
        """The language of the line's words, if it has words that are not English."""
        spoken = language_of(self.line.words[: self.line.own_words or 1])
        wrong = self.command
        if spoken or not isinstance(wrong, Unreadable) or not isinstance(wrong.reason, UnknownWord):
            return spoken
        return language_like(wrong.culprit, VOCABULARY.difference(ALIASES))


def read_request(request: Request, *, is_whole_mail: bool = True) -> Read:
    """Return what a request asks for. Only a whole mail may ask for it in plain words."""
    wish = granted(request.line) if is_whole_mail and not (request.code or request.reply) else ""
    read = _read(replace(request, line=wish) if wish else request)
    command, unsure = read.command, request.unsure
    is_unseen = isinstance(command, Command) and form_of(command).text is Text.UNSEEN
    if is_unseen or not unsure.strip():
        return read
    return replace(read, text="\n".join(filter(None, (read.text, unsure))).strip("\n"))


def _read(request: Request) -> Read:
    """Return what a request asks for, without the text that may be quoted."""
    if isinstance(request.reply, Unsubscribing):
        return Read(Line(()), _ending(request.reply), "", request.reply)
    if request.fault:
        return Read(Line(()), Unreadable(request.fault), request.chat, request.reply)
    if isinstance(request.reply, Correspondence):
        return _read_letter(request.chat, request.reply)
    if isinstance(request.reply, Joining):
        return _read_joining(request, request.reply)
    if isinstance(request.reply, Reply):
        from pbm_oust.service.answers import read_answer

        answer = read_answer(request.line, request.chat, request.reply, request.unsure)
        reply = None if answer.is_whole else request.reply
        read = Read(answer.line, answer.command, answer.text, reply, answer.instead)
        return replace(read, heard=_heard(answer))
    line = request.line
    if request.code:
        from pbm_oust.grammar.agreement import refuses

        found = _line_with(request.code, request.line, request.chat)
        if found is None and (refuses(request.line) or refuses(request.chat)):
            no = Verify(request.code, None, is_agreed=False)
            return Read(Line((form_of(no).name,)), no, request.chat)
        if found is None:
            return Read(Line(()), Unreadable(NotConfirmed()), request.chat)
        line = found
    shown, command = parse_line(line)
    return Read(shown, command, request.chat, heard=_heard_below(command, request.chat))


def _heard_below(command: Command | Unreadable, text: str) -> Heard | None:
    """Return what to tell of a command that stands below a move, and is not carried out."""
    if not isinstance(command, Move) or not text.strip():
        return None
    from pbm_oust.service.answers import further_below

    further = further_below(command, text)
    return Heard(None, further) if further else None


def _read_letter(text: str, letter: Correspondence) -> Read:
    """Return what an answer to what a player wrote says: a whole command, or more for that player.

    It is a command only if its first line begins with the name of a game and can be read.
    """
    first, _, rest = text.strip().partition("\n")
    if any(fold(word) in KINDS for word in first_words(first, 1)):
        line, command = parse_line(first)
        if not isinstance(command, Unreadable):
            return Read(line, command, rest.strip("\n"))
    return Read(Line(()), Message(letter.userid, letter, (letter.to,)), text, letter)


def _read_joining(request: Request, joining: Joining) -> Read:
    """Return what a mail says that a link has begun: its Subject joins an open challenge.

    With another Subject it is a mail like any other.
    """
    line, command = parse_line(request.line)
    kind, number = KINDS[joining.kind], joining.number
    join = Join(kind, number, joining.userid, joining)
    begun = [in_english(fold(word)) for word in first_words(request.line, 3)]
    if begun != [kind.name, form_of(join).name, str(number)]:
        return Read(line, command, request.chat)
    return Read(line, join, request.chat, joining)


def _ending(asked: Unsubscribing) -> Command:
    """Return the command that ends letters of one sort."""
    if asked.what == BROADCASTS:
        return Settle(asked.userid, asked, (("broadcasts", Switch.OFF.value),))
    if asked.what == DIGEST:
        return Settle(asked.userid, asked, (("mail", MailWhen.OFF.value),))
    kind, board = board_of(asked.what)
    return Unwatch(KINDS[kind], board, asked.userid, asked)


def _heard(answer: "Answer") -> Heard | None:
    """Return what to tell the player of how an answer was read, if it is not as they wrote it."""
    command = answer.command
    if not isinstance(command, Move) or not (answer.is_worded or answer.further):
        return None
    return Heard(command.wish if answer.is_worded else None, answer.further)


def _line_with(code: Secret, subject: str, text: str) -> str | None:
    """Return the line that brings a code back, or None if its mail does not say that it shall.

    The sender's own words must hold the code, agree, or give a new password: anything else may
    be the automatic answer of somebody who is away.
    """
    from pbm_oust.grammar.agreement import agrees

    verify = Verify(code, None)
    begun = [in_english(fold(word)) for word in first_words(subject, 2)]
    if begun == [form_of(verify).name, code.text]:
        return subject
    holds_code = code.text in fold(text).split()
    is_meant = holds_code or agrees(subject) or agrees(text) or has_new_password(text)
    return format_command(verify, mask=False) if is_meant else None
