"""From a request to what it writes: records, accounts and notices."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple, cast

from msgspec import Struct, structs

from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.password import NO_PASSWORD, Secret
from pbm_oust.accounts.tags import Purpose, name_of
from pbm_oust.board import Game
from pbm_oust.grammar.form import (
    Command,
    Cost,
    Meant,
    SurplusWord,
)
from pbm_oust.grammar.notation import Heading, Text
from pbm_oust.play import authentication
from pbm_oust.play.context import Context, Outcome, answered
from pbm_oust.play.moving import come_back
from pbm_oust.play.notices import BoardNotice, Notice, RefusalNotice, SettingsNotice
from pbm_oust.play.performed import Performed
from pbm_oust.play.request import (
    Actor,
    Ending,
    Handled,
    RefusedBefore,
    Request,
    Silence,
    Write,
    id_of,
    request_of,
    silent,
)
from pbm_oust.play.starting import check_two, new_game, start_board
from pbm_oust.play.telling import done_before
from pbm_oust.play.unit_of_work import (
    ForAnybody,
    ForCode,
    ForEither,
    ForLines,
    ForPlayer,
    UnitOfWork,
)
from pbm_oust.play.verification import ask_to_confirm, chosen_line
from pbm_oust.refusal import NotAllowed, Refusal, Unreadable
from pbm_oust.rules import KINDS
from pbm_oust.service import corrections, plain, reading, table
from pbm_oust.service.answers import AnswerReason, Read, is_move
from pbm_oust.service.several import carry_out_lines
from pbm_oust.service.sheets import answer_sheet
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.message_keys import KeyOutcome, note_key, outcome_of
from pbm_oust.store.verifications import (
    find_verification,
    forget_bounces,
    forget_verification,
    keep_words,
)

_ROBOTIC = 2
"""How many usual answers one is worth to which a program may answer in turn."""
_LONGEST_WORDS = 4000
"""How many characters of an answer that is not clear are kept, to be passed on."""
_LONGEST_LINE = 120
"""How much is told of a line in which letters could not be read."""


class DoneBeforeNotice(Notice, frozen=True):
    """A mail has come again, and what it asked for was done before."""


class CodeUsedNotice(Notice, frozen=True):
    """A code has come back again, and what it was for was done before."""


def handle(request: Request, work: UnitOfWork) -> Handled:
    """Carry out a request: on return, what it does and the letters about it are on the disk.

    Raises OSError, DamagedHistory or AccountDamaged if that failed through no fault of the sender;
    nothing has changed then. A mail that only looks at a damaged board is told so instead.
    """
    deed = prepare(request, work.write)
    return work.change(deed.carry_out, shares=deed.shares)


class PreparedRequest(Struct, frozen=True):
    """A request that was read, and is carried out in a transaction."""

    carry_out: Callable[[Context], Handled]
    shares: bool
    """Whether other servers of a home may do such deeds meanwhile: it is a move."""


def prepare(request: Request, write: Write) -> PreparedRequest:
    """Read a request, which needs nobody else, and return what carries it out."""
    sheet = None if request.fault else request.reply
    read, asked = _read(request)

    def carry_out(on: Context) -> Handled:
        if sheet and sheet.topic is Topic.SHEET:
            handled = _take_sheet(sheet, on.answering(request), write)
        else:
            handled = _handle(read, on.answering(asked), write)
        # Letters reach whoever writes again, whatever bounced before.
        if on.returned_from(request.sender):
            forget_bounces(on.transaction, request.sender)
        return handled

    return PreparedRequest(carry_out, shares=is_move(read.command) and not sheet)


def _read(request: Request, *, is_whole_mail: bool = True) -> tuple[Read, Request]:
    """Return what a request asks for, and the request as it is carried out."""
    read = reading.read_request(request, is_whole_mail=is_whole_mail)
    is_unseen = isinstance(read.command, Command) and read.command.form.text is Text.UNSEEN
    spoken = read.language
    asked = structs.replace(
        request,
        left_out=table.without_passwords(request.lost if is_unseen else request.left_out),
        chat=read.text,
        reply=read.reply,
        answered=request.reply or request.answered,
        language=spoken or request.language,
        spoken=spoken,
        heard=read.heard,
        is_thanks=read.is_thanks,
        unsure="",
    )
    return read, _masked(read.command, asked)


def _masked(command: Command | Unreadable, request: Request) -> Request:
    """Return a request without passwords in what is passed on with its command."""
    if isinstance(command, Unreadable):
        return request
    form, chat, unread = command.form, request.chat, ""
    password = command.proof
    if form.text is not Text.UNSEEN:
        chat = table.without_passwords(chat, password)
        lines = chat.split("\n") if table.NO_LETTER in chat else []
        unread = next((line.strip() for line in lines if table.NO_LETTER in line), "")
    left_out = request.left_out and table.without_passwords(request.left_out, password)
    return structs.replace(request, chat=chat, left_out=left_out, unread=unread[:_LONGEST_LINE])


def _take_sheet(sheet: Ask, on: Context, write: Write) -> Handled:
    """Carry out an answer to a letter that shows several boards."""
    try:
        meant = answer_sheet(on, sheet, partial(_carry_out_line, write))
    except Unreadable as error:
        meant = structs.replace(on.request, fault=error.reason)
    if isinstance(meant, Outcome):
        return Performed(meant, on, table.OF_LINES.name).settle(write)
    read, asked = _read(meant)
    return _handle(read, on.answering(asked), write)


def _handle(read: Read, on: Context, write: Write) -> Handled:
    """Carry out a request, or answer why it is not done."""
    if _is_plain(on.request) and not plain.is_whole(on, read):
        if on.is_known(on.request.sender):
            found = plain.understood(on, read)
            if found is not read:
                asked = structs.replace(on.request, chat=found.text)
                read, on = found, on.answering(_masked(found.command, asked))
        elif reading.names_no_command(read, on.request.line):
            read = reading.first_steps(read.line)
    if read.is_first and not (on.request.is_proved or authentication.may_greet(on)):
        return silent(Silence.GREETED)
    performed = _perform(read, on, write)
    handled = performed.settle(write)
    if handled.is_proved and handled.ending is not Ending.REFUSED:
        _tell_aside(performed.on, write)
    return handled


def _is_plain(request: Request) -> bool:
    """Return whether nothing but its From says who has sent a mail, nor what it answers."""
    is_proved = request.code or request.is_proved or request.fault or request.doubt
    return not (is_proved or request.mark)


def _tell_aside(on: Context, write: Write) -> None:
    """Tell the player of a command once of settings of theirs that mean nothing here any more."""
    account = on.account_if_any(on.player.userid) if on.is_signed else None
    if account and account.all_settings.has_untold:
        identity = id_of("unknown settings", account.userid, on.now)
        aside = on.answering(request_of(identity), player=on.player)
        told = aside.save(account.with_settings(account.all_settings.with_all_told()))
        Performed(answered(SettingsNotice.of(aside.reader(told))), aside).settle(write)


def _carry_out_line(write: Write, request: Request, on: Context) -> tuple[Notice | None, Handled]:
    """Carry out one of several requests of a mail, as `several.CarryOut` has it."""
    read, asked = _read(request, is_whole_mail=False)
    performed = _perform(read, on.answering(asked), write, is_alone=False)
    return performed.answer, performed.settle_beside_answer(write)


def _perform(read: Read, on: Context, write: Write, *, is_alone: bool = True) -> Performed:
    """Carry out a request, or find why it is not done.

    `write` is for what several commands of one mail tell others. `is_alone`: whether it is not one
    of these.
    """
    completed = corrections.completed(on, read)
    if completed is not read:
        read = completed
        on = on.answering(_masked(read.command, on.request))
    if isinstance(read.command, Unreadable):
        return Performed(_refuse(on, read.command, read, is_alone=is_alone), on)
    command = read.command
    form: table.AnyForm = command.form
    is_charged = False
    try:
        proof = command.proof
        is_robotic = _may_be_of_robot(command, on.request)
        is_of_player = on.request.is_proved and not is_robotic
        sender = authentication.sender_of(on, command)
        may_prove = is_of_player or ((form.is_signed or proof is not None) and sender is None)
        cost = form.cost if isinstance(form.cost, Cost) else form.cost(command)
        cost = Cost(is_first=True) if read.is_first else cost
        if is_robotic:
            cost = structs.replace(cost, work=_ROBOTIC * cost.work)
        if not may_prove:
            if on.request.doubt and not isinstance(form.run, ForLines):  # its lines may prove it
                return Performed(Outcome(Ending.SILENT, why=on.request.doubt), on, form.name)
            is_charged = cost.work > 0
            authentication.charge_stranger(on, cost)
        player = None if read.choices else sender or _player_of(command, on)
        is_proved = may_prove or bool(player and player.is_proved)
        request = on.request
        if not (is_proved or form.text is Text.UNSEEN):
            request = structs.replace(request, left_out="", unread="")
        key = name_of(command["code"]) if isinstance(form.run, ForCode) else ""
        on = on.answering(request, player=player, key=key)
        if is_proved:
            authentication.charge_player(on, cost, player)
        if confirmed := _confirmed(command, on, write, is_alone=is_alone):
            return confirmed
        if read.choices:
            made = _ask_which(on, read.choices)
        elif isinstance(form.run, ForLines):
            made = carry_out_lines(on, partial(_carry_out_line, write))
        else:
            made = _once(command, on)
            if made.ending is Ending.ASKED:
                given = {"password": NO_PASSWORD} if isinstance(proof, Ask) else {}
                made = ask_to_confirm(on, on.own, [command.with_values(**given)])
        made = structs.replace(made, is_proved=is_proved or made.is_proved)
    except DamagedHistory as damage:
        if _waits_for_repair(form, on):
            raise
        on = on.answering(on.request)
        made = _refuse(on, damage.refusal(), read, is_alone=is_alone, is_charged=is_charged)
        made = structs.replace(made, board=str(damage.name))
    except Refusal as refusal:
        if isinstance(form.run, ForPlayer) and not on.is_signed and on.was_done(command["userid"]):
            # It has changed what would prove it.
            made = Outcome(Ending.DONE_BEFORE, (DoneBeforeNotice(on.asker()),))
        else:
            made = _refuse(on, refusal, read, is_alone=is_alone, is_charged=is_charged)
    notices = (*authentication.warnings(on), *made.notices)
    return Performed(structs.replace(made, notices=notices), on, form.name)


def _may_be_of_robot(command: Command, request: Request) -> bool:
    """Return whether a command is one that anybody may send, below a letter that takes any.

    A program that answers each letter alike gets fewer letters than a stranger.
    """
    ask = request.reply or request.answered
    is_any = ask is not None and ask.topic is Topic.DO
    return is_any and isinstance(command.form.run, ForAnybody)


def _player_of(command: Command, on: Context) -> Actor | None:
    """Return the player of a command as far as it needs one. Raises NotAllowed."""
    run, proof = command.form.run, command.proof
    if isinstance(run, ForEither):
        password = proof if isinstance(proof, Secret) else None
        found = authentication.sender_among(on, command.signers, password)
        if found is None:
            raise NotAllowed(authentication.StrangeAddress())
        return found
    if isinstance(run, ForPlayer) and proof:
        userid, confirmed = command["userid"], on.request.confirmed
        is_enough = run.may_be_sender or (confirmed and not confirmed.account.has_password)
        if confirmed and confirmed.userid == userid and is_enough:
            return confirmed
        return authentication.authenticate(on, userid, proof, may_be_sender=run.may_be_sender)
    return None


def _once(command: Command, on: Context) -> Outcome:
    """Run a command, unless its mail has come before. Raises Refusal."""
    run, given = command.form.run, dict(command.given)
    if isinstance(run, ForAnybody):
        return run.run(on, **given)
    if isinstance(run, ForCode):
        if outcome_of(on.transaction, on.key):
            return Outcome(Ending.DONE_BEFORE, (CodeUsedNotice(on.asker()),))
        pending = find_verification(on.snapshot, on.key, on.now)
        return run.run(on, pending, table.VOCABULARY, **given)
    starts = isinstance(command.form.cost, Cost) and command.form.cost.boards > 0
    game = None if starts or "board" not in given else on.game(given["kind"], given["board"])
    key = outcome_of(on.transaction, on.key)
    if key is KeyOutcome.REFUSED:
        raise NotAllowed(RefusedBefore(game=game))
    done = on.started_by(on.key) if starts else game
    if key or (done and (starts or done.records.has_message_key(on.key))):
        told = done_before(on, done) if done else DoneBeforeNotice(on.reader_at(on.own))
        return Outcome(Ending.DONE_BEFORE, (told,), done.name if done else "")
    if isinstance(run, ForEither):
        return _challenge(run, command, on)
    del given["userid"], given["password"]
    if not on.player.is_proved and run.without_password:
        return cast(Outcome, run.without_password(on, **given))
    if not on.player.is_proved:
        return _tried(partial(run.run, **given), command, on)
    made: Outcome = run.run(on, **given)
    if run.brings_back:
        come_back(on, on.player.userid)
    return made


def _challenge(run: ForEither, command: Command, on: Context) -> Outcome:
    """Start the board of a command, or check that it could be started and have that confirmed."""
    check_two(*command.signers)
    given = {name: value for name, value in command.given.items() if name != "password"}
    if run.invite and any("@" in each for each in command.signers):
        return run.invite(on, **given)
    header, brings_back = run.header(on, **given), command.proof is not None
    if on.player.is_proved:
        make = partial(BoardNotice, challenger=on.player.userid)
        return start_board(on, header, make=make, brings_back=brings_back)
    new_game(on, header, brings_back=brings_back)
    return Outcome(Ending.ASKED)


class _Undone(Exception):
    """Ends the part of a transaction whose changes are not to stay."""


def _tried(run: Callable[[Context], Outcome], command: Command, on: Context) -> Outcome:
    """Run a command whose player nothing proves, or say that it would change something.

    What it only looks at goes to addresses of its player. Raises Refusal.
    """
    with suppress(_Undone), on.transaction.part():
        made = run(on.beside_others(on.room))
        if made.ending is Ending.ANSWERED and not command.form.needs_own_mail:
            return made
        raise _Undone
    return Outcome(Ending.ASKED)


def _ask_which(on: Context, choices: Meant) -> Outcome:
    """Ask at the sender's address which of several commands is meant."""
    owners = on.owners(on.request.sender)
    return ask_to_confirm(on, owners[0], choices, is_owner=len(owners) == 1)


def _confirmed(command: Command, on: Context, write: Write, *, is_alone: bool) -> Performed | None:
    """Carry out a command that its player has confirmed by a code, if one waits for that.

    Whatever comes of it, it waits no more. Raises Unreadable if it is not clear which is meant.
    """
    is_yes = isinstance(command.form.run, ForCode) and command["is_agreed"]
    pending = find_verification(on.snapshot, on.key, on.now) if is_yes else None
    if not (pending and pending.purpose is Purpose.UNPROVED):
        return None
    line = chosen_line(pending, command["chosen"])
    read = Read(*table.parse_line(line))
    userid = pending.userid
    if line != pending.line and isinstance(read.command, Command):
        userid = next(iter(read.command.signers), userid)
    account = on.account_if_any(userid)
    is_other = account and userid != pending.userid
    if account is None or (is_other and not account.has_exactly(pending.address)):
        return None
    confirmed = Actor(account, pending.message_key)
    asked = structs.replace(on.request, line=line, chat="", code=None, confirmed=confirmed)
    performed = _perform(read, on.answering(asked), write, is_alone=is_alone)
    if performed.outcome.ending is not Ending.REFUSED:
        note_key(on.transaction, on.key, KeyOutcome.DONE, on.now)
    forget_verification(on.transaction, on.key)
    return structs.replace(performed, command=command.form.name)


def _waits_for_repair(form: table.AnyForm, on: Context) -> bool:
    """Return whether a mail is kept by its sender, not refused, while a board of it is damaged.

    So it is if it changes something and carries a proof of who sent it.
    """
    if isinstance(form.run, ForEither):
        return on.is_signed and on.player.is_proved
    # One of several commands may have to.
    is_several = isinstance(form.run, ForLines)
    return is_several or (form.is_signed and form not in table.FORMS_UNDER[Heading.LOOKING])


def _refuse(
    on: Context,
    refusal: Refusal,
    read: Read,
    *,
    is_alone: bool,
    is_charged: bool = False,
) -> Outcome:
    """Tell the sender what was sent, what is wrong with it, and what to send instead.

    `is_alone`: whether it is not one of several commands. `is_charged`: whether the answer was
    charged with the command.
    """
    proof = read.command.proof if isinstance(read.command, Command) else None
    is_proved = bool(on.request.reply or on.request.confirmed or (on.is_signed and proof))
    limited = _limited(
        on, refusal, read, is_proved=is_proved, is_alone=is_alone, is_charged=is_charged
    )
    if isinstance(limited, Outcome):
        return limited
    answered, instead, reply = None, list[Command](), on.request.reply
    seen: Meant = ()
    passes_to = ""
    if isinstance(limited.refusal, Unreadable) and reply and reply.is_on_board:
        answered = on.game_if_any(KINDS[reply.kind], reply.number)
        instead = corrections.all_tried(read.instead, answered, reply.userid) if answered else []
        is_unclear = isinstance(limited.refusal.reason, AnswerReason) and bool(read.words)
        if answered and is_unclear:
            seen = tuple(each for each in read.instead if each.is_whole)
            instead = plain.fitting(on, read, answered, instead)
        if answered and (is_unclear or isinstance(limited.refusal.reason, SurplusWord)):
            passes_to = _kept_for(on, read.words, answered, reply.userid)
    found = corrections.board_meant(on, read)
    right = corrections.corrected(on, limited.refusal, read, found, is_proved=is_proved)
    notice = RefusalNotice(
        found[1] if found else on.asker(),
        right.refusal,
        right.sent,
        culprit=right.culprit,
        culprit_at=right.culprit_at,
        correction=right.command,
        instead=tuple(instead),
        seen=seen,
        passes_to=passes_to,
        answered=found[0] if found else answered,
        replied=reply,
        is_last=limited.is_last,
        is_last_unreadable=limited.is_last_unreadable,
    )
    reason = limited.refusal.reason
    is_kept = on.is_signed and on.request.message_id and not isinstance(reason, RefusedBefore)
    return Outcome(
        Ending.REFUSED,
        (notice,),
        notice.game.name if notice.game else "",
        why=reason,
        is_proved=is_proved,
        is_guess=authentication.is_guess(reason),
        key=KeyOutcome.REFUSED if is_kept else None,
    )


def _kept_for(on: Context, words: str, game: Game, userid: str) -> str:
    """Keep the words of an answer for the other player of a board, and return who that is.

    Nobody, if it is the house, or the words are too long.
    """
    other = on.account_if_any(game.opponent_of(userid))
    if other is None or other.is_house or not 0 < len(words) <= _LONGEST_WORDS:
        return ""
    text = table.without_passwords(words)
    keep_words(on.transaction, userid, game.name, (text, on.request.sender), on.now)
    return other.userid


class _Limited(NamedTuple):
    """A refusal that is answered: the one of the command, or that of a limit."""

    refusal: Refusal
    is_last: bool
    """Whether the same mail gets no answer any more for a while."""
    is_last_unreadable: bool
    """Whether no answer of this player that cannot be read does."""


def _limited(
    on: Context,
    refusal: Refusal,
    read: Read,
    *,
    is_proved: bool,
    is_alone: bool,
    is_charged: bool,
) -> _Limited | Outcome:
    """Return what a refusal is within the limits, or why nobody gets an answer."""
    is_supposed = isinstance(refusal.reason, table.AnswerToBoard | table.SaidPlainly)
    is_command = read.line.form and not is_supposed
    doubt = on.request.doubt or (None if is_command else on.request.mark)
    is_guess = authentication.is_guess(refusal.reason)
    if doubt and not is_proved:
        return Outcome(Ending.SILENT, why=doubt, is_guess=is_guess)
    try:
        is_last = authentication.charge_refusal(on, refusal, is_charged=is_charged)
    except NotAllowed as reached:
        refusal, is_last = reached, False
        is_guess = authentication.is_guess(refusal.reason)
    reason = refusal.reason
    if isinstance(reason, authentication.TooMuch) and not authentication.is_to_be_told(on, reason):
        why, limit = Silence.LIMIT, reason.limit
        return Outcome(Ending.SILENT, why=why, limit=limit, is_guess=is_guess)
    left = 1
    if is_alone and not is_proved:
        left = authentication.number_left(on, refusal, is_guess=is_guess)
    if left < 0:
        why = Silence.TOO_MANY_EQUAL_REFUSALS
        return Outcome(Ending.SILENT, why=why, is_guess=is_guess)
    return _Limited(refusal, not left, is_last)
