"""From a request to what it writes: records, accounts and notices."""

from collections.abc import Callable
from functools import partial

from msgspec import Struct, structs

from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.tags import Reply, SheetReply
from pbm_oust.board import Game
from pbm_oust.commands.account import VERIFY
from pbm_oust.commands.general import MULTIPLE
from pbm_oust.commands.settings import tell_unknown
from pbm_oust.grammar.form import UNNAMED, Command, Cost, MayShow, Meant, to_player, to_stranger
from pbm_oust.grammar.notation import Heading, Text
from pbm_oust.grammar.vocabulary import MASK
from pbm_oust.play import authentication
from pbm_oust.play.moving import come_back
from pbm_oust.play.notices import Notice, RefusalNotice
from pbm_oust.play.request import Actor, Handled, Outcome, RefusedBefore, Request, Silence, silent
from pbm_oust.play.starting import check_two, start_board
from pbm_oust.play.unit_of_work import ForAnybody, ForEither, ForPlayer, Service, UnitOfWork
from pbm_oust.play.verification import ask_to_confirm
from pbm_oust.refusal import NotAllowed, Refusal, Unreadable, UnreadableReason
from pbm_oust.rules import KINDS
from pbm_oust.service import reading, table
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.open_boards import game_if_any
from pbm_oust.store.verifications import bounces_of, forget_bounces


class DoneBeforeNotice(Notice, frozen=True):
    """A mail has come again, and what it asked for was done before."""


def handle(request: Request, work: UnitOfWork) -> Handled:
    """Carry out a request: on return, what it does and the letters about it are on the disk.

    Raises OSError, DamagedHistory or AccountDamaged if that failed through no fault of the sender;
    nothing has changed then. A mail that only looks at a damaged board is told so instead.
    """
    deed = prepare(request, work)
    return work.retried(deed.carry_out, shares=deed.shares)


class PreparedRequest(Struct, frozen=True):
    """A request that was read, and is carried out in a transaction."""

    carry_out: Callable[[UnitOfWork], Handled]
    shares: bool
    """Whether other servers of a home may do such deeds meanwhile: it is a move."""


def prepare(request: Request, work: UnitOfWork) -> PreparedRequest:
    """Read a request, which needs nobody else, and return what carries it out."""
    proved = work.proved if work.is_within else set()
    sheet = None if request.fault else request.reply
    read, asked = _read(request, is_whole_mail=not work.is_within)

    def carry_out(work: UnitOfWork) -> Handled:
        given = {"vocabulary": table.VOCABULARY, "proved": proved}
        if isinstance(sheet, SheetReply):
            handled = _take_sheet(sheet, structs.replace(work, request=request, **given))
        else:
            handled = _handle(read, structs.replace(work, request=asked, **given))
        # Letters reach whoever writes again, whatever bounced before.
        if not work.is_within and work.home.ask(bounces_of, request.sender).bounces:
            work.home.do(forget_bounces, request.sender)
        return handled

    return PreparedRequest(carry_out, shares=reading.is_move(read.command) and not sheet)


def _read(request: Request, *, is_whole_mail: bool = True) -> tuple[reading.Read, Request]:
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
        unsure="",
    )
    return read, _masked(read.command, asked)


def _masked(command: Command | Unreadable, request: Request) -> Request:
    """Return a request without passwords in what is passed on with its command."""
    if isinstance(command, Unreadable):
        return request
    form, chat = command.form, request.chat
    password = command.proof
    if form.text is not Text.UNSEEN:
        chat = table.without_passwords(chat, password)
    left_out = request.left_out and table.without_passwords(request.left_out, password)
    return structs.replace(request, chat=chat, left_out=left_out)


def _take_sheet(sheet: SheetReply, work: UnitOfWork) -> Handled:
    """Carry out an answer to a letter that shows several boards."""
    from pbm_oust.service.answers import answer_sheet

    try:
        meant = answer_sheet(sheet, work, _SERVICE)
    except Unreadable as error:
        meant = structs.replace(work.request, fault=error.reason)
    if isinstance(meant, Handled):
        return structs.replace(meant, command="multiple")
    read, asked = _read(meant)
    return _handle(read, work.answering(asked))


def _handle(read: reading.Read, work: UnitOfWork) -> Handled:
    """Carry out a request, or answer why it is not done."""
    if isinstance(read.command, Unreadable):
        read = reading.completed(read, work)
        work = work.answering(_masked(read.command, work.request))
    if isinstance(read.command, Unreadable):
        return _refuse(read.command, read, None, work)
    form: table.AnyForm = read.command.form
    actor = None
    try:
        proof = read.command.proof
        may_prove = work.request.is_proved or form.is_signed or proof is not None
        cost = form.cost if isinstance(form.cost, Cost) else form.cost(read.command)
        if not may_prove:
            if work.request.doubt and form is not MULTIPLE:  # its lines may prove it
                return structs.replace(silent(work.request.doubt), command=form.name)
            authentication.charge_stranger(cost, work)
        if isinstance(form.run, ForEither):
            password = proof if isinstance(proof, Secret) else None
            userids = read.command.signers
            actor = authentication.sender_among(userids, password, work)
        elif isinstance(form.run, ForPlayer) and proof:
            may_be_sender = form.run.may_be_sender
            userid = read.command["userid"]
            try:
                actor = authentication.authenticate(
                    userid, proof, work, may_be_sender=may_be_sender
                )
            except NotAllowed:
                if not work.was_done(userid):
                    raise
                # It has changed what would prove it.
                return structs.replace(answer_done_before(work), command=form.name)
        is_proved = may_prove or bool(actor and actor.is_proved)
        if work.request.left_out and not (is_proved or form.text is Text.UNSEEN):
            work = work.answering(structs.replace(work.request, left_out=""))
        if is_proved:
            authentication.charge_player(cost, actor, work)
        handled = _run(read.command, actor, work)
        if is_proved and actor and actor.account.all_settings.has_untold and not work.is_within:
            tell_unknown(actor.userid, structs.replace(work, read={}))
        return structs.replace(handled, command=form.name, is_proved=is_proved or handled.is_proved)
    except DamagedHistory as damage:
        if _waits_for_repair(form, actor):
            raise
        handled = _refuse(damage.refusal(), read, None, work)
        return structs.replace(handled, command=form.name, board=str(damage.name))
    except Refusal as refusal:
        return structs.replace(_refuse(refusal, read, actor, work), command=form.name)


def _run(command: Command, actor: Actor | None, work: UnitOfWork) -> Handled:
    """Run a command; `actor` is its player. Raises Refusal."""
    run = command.form.run
    given = dict(command.given)
    match run, actor:
        case ForPlayer(), Actor():
            del given["userid"], given["password"]
            handled = run.run(actor, work, **given)
            is_away = run.brings_back and actor.account.signed_off
            if is_away and handled.outcome is not Outcome.DONE_BEFORE:
                come_back(actor.userid, work)
            return handled
        case ForEither(), Actor():
            x, o = command.signers
            check_two(x, o)
            if command.proof:
                come_back(actor.userid, work)
            other = o if actor.userid == x else x
            ask = partial(ask_to_confirm, command, other, actor, work)
            del given["password"]
            header = partial(run.header, work, **given)
            return start_board(command["kind"], header, actor, work, ask)
        case ForAnybody(), _:
            return run.run(work, _SERVICE, **given) if run.takes_service else run.run(work, **given)
    raise NotAllowed(authentication.StrangeAddress())


def _waits_for_repair(form: table.AnyForm, actor: Actor | None) -> bool:
    """Return whether a mail is kept by its sender, not refused, while a board of it is damaged.

    So it is if it changes something and carries a proof of who sent it.
    """
    if isinstance(form.run, ForEither):
        return actor is not None and actor.is_proved
    # One of several commands may have to.
    is_several = isinstance(form.run, ForAnybody) and form.run.takes_service
    return is_several or (form.is_signed and form not in table.FORMS_UNDER[Heading.LOOKING])


def _refuse(refusal: Refusal, read: reading.Read, actor: Actor | None, work: UnitOfWork) -> Handled:
    """Answer with what was sent, what is wrong with it, and what to send instead."""
    is_charged, proof = False, None
    if isinstance(read.command, Command):
        proof = read.command.proof
        is_charged = not (read.command.form.is_signed or proof)
    is_proved = bool(work.request.reply or work.request.confirmed or (actor and proof))
    is_command = read.line.form and not isinstance(refusal.reason, table.AnswerToBoard)
    doubt = work.request.doubt or (None if is_command else work.request.mark)
    is_guess = authentication.is_guess(refusal.reason)
    if doubt and not is_proved:
        return Handled(Outcome.SILENT, why=doubt, is_guess=is_guess)
    try:
        is_last = authentication.charge_refusal(refusal, work, is_charged=is_charged)
    except NotAllowed as reached:
        refusal, is_last = reached, False
        is_guess = authentication.is_guess(refusal.reason)
    reason = refusal.reason
    if isinstance(reason, authentication.TooMuch) and not authentication.is_to_be_told(
        reason, work
    ):
        why, limit = Silence.LIMIT, reason.limit
        return Handled(Outcome.SILENT, why=why, limit=limit, is_guess=is_guess)
    left = 1
    if not (is_proved or work.is_within):
        left = authentication.number_left(refusal, work, is_guess=is_guess)
    if left < 0:
        why = Silence.TOO_MANY_EQUAL_REFUSALS
        return Handled(Outcome.SILENT, why=why, is_guess=is_guess)
    line, command = read.line, read.command
    answered, instead = None, list[Command]()
    if isinstance(refusal, Unreadable) and isinstance(work.request.reply, Reply):
        answered = game_if_any(work.home, KINDS[work.request.reply.kind], work.request.reply.board)
        if answered:
            instead = _all_tried(read.instead, answered, work.request.reply.userid)
    reader = work.sender()
    found = reading.board_meant(read, work)
    if found:
        answered, reader = found
    correction: Command | None
    is_userid, wrong = work.names_for_sender(), refusal.culprit
    # Whoever sends a code has it from the letter that went to their address.
    is_known = is_proved or (isinstance(command, Command) and command.form is VERIFY)
    is_secret = table.may_hold_password(line, work.request.reply)
    own = to_player(table.VOCABULARY, is_userid, may_be_secret=is_secret)
    words = [wrong, *line.words]
    stranger = to_stranger(table.VOCABULARY, is_userid, words, may_be_secret=is_secret)
    may_show = own if is_known else stranger
    if not (is_known or may_show(wrong) or line.is_option(wrong)):
        refusal = type(refusal)(reason)
    # The Subject of our own letter was not written by the sender.
    is_ours = isinstance(reason, table.AnswerToBoard) and table.is_of_letter(work.request.line)
    as_sent = "" if is_ours else line.shown(may_show, MASK if is_known or is_secret else UNNAMED)
    if isinstance(command, Unreadable) or isinstance(reason, authentication.PasswordWanted):
        right = reason.instead if isinstance(reason, UnreadableReason) else None
        meant = line.correction(may_show, wrong, right or "")
        correction = _tried(meant, work) if meant else None
    else:
        meant, correction = None, reading.advise(command, refusal)
    if correction is not meant and not is_known and not _is_shown(correction, may_show):
        correction = None
    correction = reading.signed(correction, reason, work)
    if found:
        correction = reading.playable(correction, *found)
    culprit_at = line.place_in(as_sent, refusal.culprit)
    notice = RefusalNotice(
        reader,
        refusal,
        as_sent,
        culprit="" if culprit_at is None else refusal.culprit,
        culprit_at=culprit_at or 0,
        correction=None if correction and correction.line() == as_sent else correction,
        instead=tuple(instead),
        answered=answered,
        replied=work.request.reply,
        is_last=not left,
        is_last_unreadable=is_last,
    )
    board = notice.game.name if notice.game else ""
    handled = Handled(Outcome.REFUSED, board, why=reason, is_proved=is_proved, is_guess=is_guess)
    if actor and work.request.message_id and not isinstance(reason, RefusedBefore):
        return work.answer_refused(notice, actor, handled)
    return work.answer(notice, handled)


def _all_tried(meant: Meant, game: Game, userid: str) -> list[Command]:
    """Return what a player may have meant on a board, or what it would take in place of that."""
    found: list[Command] = []
    for each in meant:
        possible = reading.tried(reading.filled(each, game, userid), game)
        if possible and possible not in found:
            found.append(possible)
    return found


def _tried(meant: Command, work: UnitOfWork) -> Command | None:
    """Return what was probably meant, or what its board would take in place of that."""
    kind, number = meant.get("kind"), meant.get("board")
    if kind is None or number is None:
        return meant
    game = game_if_any(work.home, kind, number)
    return reading.tried(meant, game) if game else meant


def _is_shown(command: Command | None, may_show: MayShow) -> bool:
    """Return whether every word of a command may be shown; blanks and options always may."""
    words = command.line().split() if command else ()
    return all(may_show(word) or word.isupper() or word.startswith("-") for word in words)


def answer_done_before(work: UnitOfWork) -> Handled:
    """Answer a mail that was carried out when it came before."""
    notice = DoneBeforeNotice(work.sender())
    return work.answer(notice, Handled(Outcome.DONE_BEFORE))


def _carry_out_line(work: UnitOfWork) -> Handled:
    read = reading.Read(*table.parse_line(work.request.line), work.request.chat)
    return _handle(read, work.answering(_masked(read.command, work.request)))


_SERVICE = Service(table.parse_line, handle, _carry_out_line)
