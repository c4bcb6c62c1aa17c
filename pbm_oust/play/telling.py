"""Telling the players of a board what happened on it: who gets a mail, and what is queued."""

from collections.abc import Callable, Sequence
from itertools import filterfalse, takewhile
from typing import Any

from msgspec import structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.queue import is_passed_for, leads_to, tree, waiting
from pbm_oust.accounts.settings import MailWhen, Switch
from pbm_oust.board import Deed, Game, Record, Ruling, Verb
from pbm_oust.play.context import Context, Look
from pbm_oust.play.notices import BoardNotice, News, Notice, QueuedTurns, Reader
from pbm_oust.store.analyses import obstacle_to
from pbm_oust.store.home import Home
from pbm_oust.store.ladders import climb_by
from pbm_oust.store.letters import Letter, LetterState, may_show_board_since, unsent_about
from pbm_oust.store.ratings import changes_by
from pbm_oust.store.tournaments import cup_of_board
from pbm_oust.store.verifications import bounces_of_each


def _ahead(players: Sequence[Account], game: Game, since: int) -> QueuedTurns:
    """Return which records of a board from `since` on were settled ahead by its players."""
    queued, passed = set[int](), set[int]()
    for record in game.records[since - 1 :]:
        if any(leads_to(account.queue, game, record) for account in players):
            queued.add(record.number)
        if is_passed_for(game, record):
            passed.add(record.number)
    return QueuedTurns(frozenset(queued), frozenset(passed))


def _with_own(seen: QueuedTurns, reader: Account, game: Game, since: int) -> QueuedTurns:
    """Return the same with what the reader has queued: what still waits, and what was dropped."""
    plans = [plan for plan in reader.queue if plan.is_on(game)] if reader.queue else []
    if not plans:
        return seen
    left = waiting(reader.queue, reader.userid, game)
    mine = {plan.key_at(number): number for plan in plans for number in seen.queued}
    played = [mine.get(record.message_key, 0) for record in game.records[since - 1 :]]
    before = game.after(max([since - 1, *played]))
    went = () if left or game.result else waiting(reader.queue, reader.userid, before)
    return structs.replace(seen, waiting=tree(left), dropped=tree(went))


def drop_plans(on: Context, game: Game) -> None:
    """Remove what players have queued on a board, with the unit of work: its game is over."""
    for account in on.players_of(game):
        kept = tuple(plan for plan in account.queue if not plan.is_on(game))
        if len(kept) < len(account.queue):
            on.save(structs.replace(account, queue=kept))


def note_said(on: Context, game: Game) -> None:
    """Let a player's account keep what they write to the other one."""
    account, text = on.own, on.request.chat
    said = account.with_said(game.name, game.opponent_of(account.userid), text, on.now)
    if said is not account:
        on.save(said)


def tell_players(
    on: Context,
    game: Game,
    news: News,
    *,
    actor: Account | None,
    chat: str = "",
    told_from: int = 0,
    leaving: str = "",
    back: str = "",
    make: Callable[..., BoardNotice] = BoardNotice,
) -> list[Notice]:
    """Return the notices that show a board to its players, and to those who watch it.

    `actor` is the player whose request this answers; None if the server or its operator acted.
    `chat` is what the actor wrote for the other player. `told_from` is the number of the first
    record that the players have not been told of, 0 for the latest. `make` makes their notices,
    from the fields of a BoardNotice. `leaving` is the userid of a player who leaves the server, and
    `back` that of one whose vacation has ended with this.

    Players are not mailed what their settings exclude, unless something was written for them.
    Those who watch are told of everything except what was written.
    """
    acting = actor.userid if actor else ""
    players = on.players_of(game)
    known = {game.x, game.o, acting}
    watching = [each for each in on.watchers_of(game) if each.userid not in known]
    # What came back is asked once for all of them.
    on.returned_from(*[address for each in (*players, *watching) for address in each.addresses])
    readers = list[tuple[Account, Reader]]()
    unreachable = disabled = reached = ""
    for account in players:
        if account.userid == acting:
            continue
        reader = on.reader(account)
        readers.append((account, reader))
        if reader.addresses:
            reached = reached or account.userid
        elif account.disabled:
            disabled = disabled or account.userid
        elif not account.is_house:
            unreachable = unreachable or account.userid
    counts = game.result is not None and game.summary.counts
    rated = changes_by(on.snapshot, game.summary) if counts else None
    changes = (rated.x, rated.o) if rated else ()
    is_counting = counts and not rated
    climb = climb_by(on.snapshot, game) if game.result and game.header.terms.binding else None
    of = game.header.kind.name, game.header.board
    cup, round_ = cup_of_board(on.snapshot, *of) if game.result else (None, 0)
    own: dict[str, Any] = {"cup": cup, "round": round_} if cup else {}
    own["is_analysed"] = counts and obstacle_to(game, on.home) is None
    since = told_from or len(game.records)
    seen = _ahead(players, game, since)
    gone = leaving or gone_from(on, game)

    def notice(reader: Reader, account: Account, *, answers: bool = False) -> BoardNotice:
        return make(
            reader,
            news,
            game,
            unreachable=unreachable if answers else "",
            changes=changes,
            climb=climb,
            **own,
            is_counting=is_counting,
            told_from=told_from if answers else _told_from(reader, game, told_from),
            chat="" if answers else chat,
            chat_from=acting,
            back=back,
            passed_on=reached if answers and chat.strip() else "",
            disabled=disabled if answers else "",
            gone=gone,
            note=account.note_about(game.name),
            ahead=_with_own(seen, account, game, since),
            heard=on.request.heard if answers else None,
        )

    told = list[Notice]()
    if actor:
        answer = notice(on.reader_at(actor), actor, answers=True)
        if not _is_copy(answer):
            told.append(answer)
    for account, reader in readers:
        made = notice(reader, account)
        if made.chat.strip() or made.ahead.dropped or _is_mailed(reader, news, game, since):
            told.append(made)
    for watcher in watching:
        made = BoardNotice(
            on.reader(watcher),
            news,
            game,
            changes=changes,
            climb=climb,
            **own,
            is_counting=is_counting,
            told_from=told_from,
            back=back,
            ahead=seen,
            is_watched=True,
        )
        told.append(made)
    return told


def _is_mailed(reader: Reader, news: News, game: Game, since: int) -> bool:
    """Return whether a player who did not write wants a mail about the latest records."""
    when = reader.settings.mail
    if when is MailWhen.EACH or news is News.STARTED or game.result:
        return True
    if any(_is_of_server(record, game, reader) for record in game.records[since - 1 :]):
        return True
    is_asked = bool(game.offer and game.offer.side and game.owner(game.offer.side) != reader.userid)
    return is_asked or (when is MailWhen.MINE and game.player_to_move == reader.userid)


def _is_copy(made: BoardNotice) -> bool:
    """Return whether a notice tells players only of their own move, and they do not want that.

    Whoever wrote more than the move is told how it was read.
    """
    game, is_wanted = made.game, made.reader.settings.mine is Switch.ON
    is_plain = made.news is News.PLAYED and game.records[-1].is_playing and not game.result
    is_silent = not (made.unreachable or made.disabled or made.ahead.dropped or made.heard)
    return (
        is_plain
        and is_silent
        and not is_wanted
        and game.actor == made.reader.userid
        and (game.player_to_move != made.reader.userid)
    )


def _told_from(reader: Reader, game: Game, told_from: int) -> int:
    """Return the number of the first record to tell a player of; 0 for the latest alone.

    Players who do not get a mail for each record are told of all that the other player did in one
    go.
    """
    if reader.settings.mail is MailWhen.EACH or not game.records:
        return told_from
    first = game.records[(told_from or len(game.records)) - 1]
    earlier = reversed(game.records.first(first.number - 1))
    same = takewhile(lambda each: each.side is first.side and each.action is not Deed.SWAP, earlier)
    return first.number - sum(1 for _ in same)


def _is_of_server(record: Record, game: Game, reader: Reader) -> bool:
    """Return whether a record is something that the server or its operator did or told a player."""
    ruling = record.action
    if not isinstance(ruling, Ruling):
        return False
    is_for_other = ruling.side is not None and game.owner(ruling.side) != reader.userid
    return not (ruling.verb is Verb.REMIND and is_for_other)


def done_before(on: Context, game: Game) -> BoardNotice:
    """Return that the command was done when the mail came the first time, with the board now."""
    account = on.own
    return BoardNotice(
        on.reader_at(account),
        News.DONE_BEFORE,
        game,
        note=account.note_about(game.name),
        ahead=_with_own(QueuedTurns(), account, game, game.next_number),
        gone=gone_from(on, game),
    )


def gone_from(on: Look, game: Game) -> str:
    """Return the userid of a player of a game that is over who has no account; empty if all do."""
    players = (game.x, game.o) if game.result else ()
    return next(filterfalse(on.account_if_any, players), "")


def untold_letters(on: Look, game: Game, since: int, player: Account) -> list[Letter] | None:
    """Return the letters that tell a player of the records of a board from `since` on.

    None if the player may know of one of them already: a letter about it has left, was opened in
    the outbox or may not have been written, or another letter may show the board. Letters to an
    address leave in the order in which they were written.
    """
    kind, board = game.header.kind.name, game.header.board
    letters = unsent_about(on.snapshot, player.addresses, kind, board, since)
    for record in game.records[since - 1 :]:
        about = [letter for letter in letters if _tells_of(letter, record)]
        if about and len(about) != about[0].head.copies:
            return None
        if not about and not _was_out_of_reach(on, player, record):
            return None
    if not all(_is_unopened(letter, on.home) for letter in letters):
        return None
    first = min((letter.id for letter in letters), default=0)
    is_told = first and may_show_board_since(on.snapshot, player.addresses, first)
    return None if is_told else letters


def _tells_of(letter: Letter, record: Record) -> bool:
    return letter.head.about is not None and letter.head.about.record == record.number


def _is_unopened(letter: Letter, home: Home) -> bool:
    """Return whether a letter waits, and nobody has begun to send or read it.

    A letter that is held back may have been sent before the backup was restored.
    """
    if letter.state is LetterState.FILE:
        return not letter.file or home.outbox.has_new(letter.file)
    return letter.state is LetterState.WAITING and not letter.is_leaving


def _was_out_of_reach(on: Look, player: Account, record: Record) -> bool:
    """Return whether a player got no letter about a record because all their addresses bounced."""
    returned = bounces_of_each(on.snapshot, player.addresses).values()
    return all(each.is_suspended and each.bounces[-1].at < record.at for each in returned)
