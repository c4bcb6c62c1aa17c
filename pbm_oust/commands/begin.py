"""Beginning by letter: the first letter to a stranger, and the answer that makes an account.

The letter shows an empty board against a house player. Nothing is kept of whoever gets it: its ask
holds all. An answer proves the address, makes the account, starts the board, and plays on it.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache, partial
from pkgutil import get_data

from msgspec import Struct, structs

from pbm_oust.accounts.account import Account, GivenUserid, is_reserved
from pbm_oust.accounts.address import exact_address
from pbm_oust.accounts.asks import ANY, Ask, Topic, invited
from pbm_oust.accounts.password import nobodys_password
from pbm_oust.accounts.settings import USUAL
from pbm_oust.board import Game, Header, Place
from pbm_oust.board.header import Terms
from pbm_oust.board.history import read_history
from pbm_oust.board.notation import USERID, format_wish
from pbm_oust.commands.account import free_userid
from pbm_oust.commands.challenge import header_of
from pbm_oust.commands.invite import (
    AcceptedNotice,
    declined,
    gone,
    invitation_again,
    keep_away,
    offer_to,
)
from pbm_oust.grammar import values
from pbm_oust.grammar.form import AnsweredBy, Cost, Form, SurplusWord
from pbm_oust.grammar.habits import named_in, said_plainly
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Rest
from pbm_oust.grammar.vocabulary import fold, in_english, without_accents
from pbm_oust.grammar.wish import read_wish
from pbm_oust.grammar.wording import agrees, is_placements, refuses
from pbm_oust.play import authentication
from pbm_oust.play.context import Context, Look, Outcome, answered, done
from pbm_oust.play.notices import BoardNotice, Meaning, News, Notice, Reader, ShownBoard
from pbm_oust.play.renaming import RenamedNotice, rename_player
from pbm_oust.play.request import Actor, Ending, id_of
from pbm_oust.play.starting import check_house, check_two, objections, with_house_terms
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import ForAnybody, ForPlayer
from pbm_oust.refusal import (
    NotAllowed,
    NotAllowedReason,
    Refusal,
    Unreadable,
    UnreadableReason,
)
from pbm_oust.robot.levels import HOUSE, LEVELS
from pbm_oust.rules import KINDS, Shape, parse_size
from pbm_oust.store.boards import challenge_remark
from pbm_oust.store.limits import Counted

HEADING = Heading.ACCOUNT

FIRST_GRID = parse_size(Shape.SQUARE, "7")
"""The grid of the board that the first letter offers."""
FIRST_OPPONENT = LEVELS[0].userid
"""The house player there, the easiest."""
_BEGUN = 7
"""The number of records after which a letter shows the example."""
_NO_LETTER = re.compile("[^a-z0-9_-]")
_SHORTEST_NAME, _LONGEST_NAME = 2, 17
_ANYBODY = "player"
"""The userid of who has no name that can be one; a number goes behind it."""
_WITH, _AS, _NO, _NEVER = "with", "as", "off", "never"
_FIXED = frozenset((_WITH, _AS, _NO, _NEVER))
_LEAVING = ("signoff", "delete")
"""What sentences ask for that say no to a first letter."""


# The first letter


class StartNotice(Notice, frozen=True):
    """The first letter: this server and its games, and how to begin."""

    has_house: bool
    """Whether the house plays here."""
    game: Game | None
    """The board that it shows: the one that an answer begins, or an example; none if it is short,
    because its reader has got it today already."""
    is_offered: bool = False
    """Whether an answer begins the board."""

    def board(self) -> None:
        """Return that the letter belongs to the thread of no board."""

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the board."""
        return (ShownBoard(self.game, is_now=self.is_offered),) if self.game else ()

    def ask(self) -> Ask | None:
        """Return that an answer begins the board, if it is offered."""
        kind = self.game.header.kind if self.game and self.is_offered else None
        return Ask(Topic.BEGIN, (kind.name,)) if kind else None


class NotBegunNotice(Notice, frozen=True):
    """The reader does not want to begin."""

    inviter: str = ""
    """The userid of the player whose invitation they decline, if it is one."""
    is_final: bool = False
    """Whether they want no invitations any more."""

    def ask(self) -> Meaning | None:
        """Return that they may still change their mind about an invitation."""
        return Ask(Topic.INVITATION, (self.inviter,)) if self.inviter else None


@cache
def whole_example() -> Game:
    """Return a game that two players have played to its end."""
    return read_history(get_data(__package__, "example.txt") or b"").game


@cache
def example_game() -> Game:
    """Return the same game when it has just begun, after a turn that takes a stone."""
    return whole_example().after(_BEGUN)


def first_game(kind: str, now: datetime) -> Game:
    """Return the board that the first letter offers to a stranger, who is x."""
    return Game.start(Header(KINDS[kind], 1, FIRST_GRID, "x", FIRST_OPPONENT, Terms(), now))


def first_letter(on: Context, reader: Reader) -> Outcome:
    """Tell somebody how to begin; a stranger is offered a board.

    Whoever answers an invitation gets that once more.
    """
    if invitation := invitation_again(on, reader):
        return answered(invitation)
    if reader.userid or not on.has_house:
        return answered(StartNotice(reader, on.has_house, example_game()))
    greeted = on.number_counted(Counted.FIRST_LETTERS, on.request.sender)
    game = None if greeted > 1 else first_game(next(iter(KINDS)), on.now)
    return answered(StartNotice(reader, on.has_house, game, is_offered=True))


# The answer that begins


class Beginning(Struct, frozen=True):
    """The wish of somebody who answers the first letter."""

    place: Place | None = None
    """The first placements."""
    opponent: str = ""
    """The userid of whom to play; empty for a house player."""
    userid: str = ""
    """The userid that they want; empty if any will do."""
    is_declined: bool = False
    """Whether they do not want to."""
    is_final: bool = False
    """Whether they want no invitations any more, either."""


class UnknownBeginning(UnreadableReason, frozen=True):
    """The words are neither a point, nor a player, nor a userid."""


def _read_beginning(words: Sequence[str]) -> Beginning:
    """Return what the words of an answer to the first letter say. Raises Unreadable."""
    said = " ".join([*(in_english(word, _FIXED) for word in words[:1]), *words[1:]])
    if is_placements(said):
        place, _ = read_wish(words)
        return Beginning(place) if isinstance(place, Place) else Beginning()
    if not words or agrees(said):
        return Beginning()
    if said.split()[0].strip(".!,") == _NEVER:
        return Beginning(is_declined=True, is_final=True)
    if refuses(said) or fold(said) == _NO or said_plainly(said) in _LEAVING:
        return Beginning(is_declined=True)
    if USERID.fullmatch(opponent := named_in(said, "opponent")):
        return Beginning(opponent=opponent)
    if USERID.fullmatch(userid := named_in(said, "userid")):
        return Beginning(userid=values.read_new_userid(userid))
    raise Unreadable(UnknownBeginning(), words[0])


def _write_beginning(how: Beginning) -> list[str]:
    if how.is_declined:
        return [_NEVER if how.is_final else _NO]
    if how.place:
        return [format_wish(how.place)]
    if how.opponent:
        return [_WITH, how.opponent]
    return [_AS, how.userid] if how.userid else []


class NameTaken(NotAllowedReason, frozen=True):
    """Somebody else has the userid that is wanted."""

    userid: str
    free: str
    """A similar one that nobody has."""


class UnknownOpponent(NotAllowedReason, frozen=True):
    """Nobody whom a stranger may know has the userid of whom they want to play."""

    house: str
    """The house player that plays at once."""


class NotFirstStone(NotAllowedReason, frozen=True):
    """The first placement is not one stone on a point of the empty board."""

    first: str
    """The name of the first point."""
    last: str


class OnlyInviter(NotAllowedReason, frozen=True):
    """The answer to an invitation names another player than the one who sent it."""

    inviter: str


class SeveralAccounts(NotAllowedReason, frozen=True):
    """Several accounts have the address from which the first letter was answered."""

    userids: tuple[str, ...]


def key_of_beginning(ask: Ask, address: str) -> str:
    """Return the key of the board that the answers to a guest's letter begin: one for all."""
    return id_of(ask.topic.value, ask.about[0], ask.day, exact_address(address))


_BEGINNING = (Topic.BEGIN, Topic.INVITATION)


def asked_of_player(on: Look, guest: Ask, address: str) -> Ask | None:
    """Return what a guest's letter asks of the player whose address it went to; None for others.

    It asks for the first record of the board that it has begun, or else for any command. An
    invitation goes on to ask what it did, until it is answered.
    """
    owners = on.owners(address)
    if guest.topic not in _BEGINNING or len(owners) != 1:
        return None
    userid, game = owners[0].userid, _begun_by(on, guest, address)
    if game and game.side_of(userid):
        kind, board = game.header.kind.name, game.header.board
        return Ask.on_board(Topic.PLAY, kind, board, 1, userid)
    return None if guest.topic is Topic.INVITATION else Ask(Topic.DO, (ANY,), userid)


def _begun_by(on: Look, guest: Ask, address: str) -> Game | None:
    """Return the game of the board that the answer to a guest's letter has begun, or None."""
    if guest.topic is Topic.BEGIN:
        return on.started_by(key_of_beginning(guest, address))
    offer = offer_to(on, guest, address)
    board = offer.invitation.board if offer else None
    return on.game_if_any(KINDS[offer.invitation.kind], board) if offer and board else None


def begin(on: Context, how: Beginning) -> Outcome:
    """Begin as the answer to the first letter or to an invitation says.

    Without one, the first letter is the answer. It makes an account without a password, and a
    board, and plays there. Whoever plays against the house hears of all that with its move. Raises
    a refusal before anything is written.
    """
    guest, address = on.request.guest, on.request.sender
    if guest is None or guest.topic not in _BEGINNING:
        return first_letter(on, on.as_owner(on.asker()))
    if how.is_declined:
        return _not_begun(on, guest, how)
    found = on.owners(address)
    if len(found) > 1:
        raise NotAllowed(SeveralAccounts(tuple(sorted(each.userid for each in found))))
    known = found[0] if found else None
    game = _begun_by(on, guest, address)
    if game and known:
        shown = BoardNotice(on.reader_at(known), News.DONE_BEFORE, game)
        return Outcome(Ending.DONE_BEFORE, (shown,), game.name)
    if guest.topic is Topic.INVITATION:
        return _accept(on, how, guest, known)
    if known:
        return answered(StartNotice(on.reader_at(known), on.has_house, example_game()))
    opponent = how.opponent or FIRST_OPPONENT
    if opponent not in HOUSE and not on.names_for_sender()(opponent):
        raise NotAllowed(UnknownOpponent(FIRST_OPPONENT))
    account = _new_account(on, how, guest)
    userid = account.userid
    grid = FIRST_GRID if opponent in HOUSE else None
    header = with_house_terms(on, header_of(on, KINDS[guest.kind], userid, opponent, grid))
    game = Game.start(header)
    check_house(on, game, userid)
    for objection in objections(on, on.account(opponent), userid):
        raise objection
    # The house moves at once, and that move tells of all that came before.
    make = None if how.place else partial(BoardNotice, challenger=userid)
    return _start(on, game, account, how, guest, make)


def _not_begun(on: Context, guest: Ask, how: Beginning) -> Outcome:
    """Begin nothing, and tell whoever has invited the sender, if somebody has."""
    told = declined(on, guest)
    if how.is_final:
        keep_away(on, invited(on.home.key(), on.request.sender))
    inviter = guest.about[0] if guest.topic is Topic.INVITATION else ""
    notice = NotBegunNotice(on.asker(), inviter, how.is_final)
    return done([notice, *told]) if told or how.is_final else answered(notice)


def _accept(on: Context, how: Beginning, guest: Ask, known: Account | None) -> Outcome:
    """Begin the board of an invitation for the account that has the address, or for a new one."""
    offer = offer_to(on, guest, on.request.sender)
    if offer is None or offer.invitation.board:
        raise gone(guest)
    inviter = offer.inviter.userid
    if how.opponent not in ("", inviter):
        raise NotAllowed(OnlyInviter(inviter), how.opponent)
    if known and known.disabled:
        raise NotAllowed(authentication.Disabled(known.userid, own=True))
    if wanted := offer.invitation.userid:
        is_free = not how.userid and free_userid(on, wanted) == wanted
        how = structs.replace(how, userid=wanted) if is_free else how
    account = known.with_signed_off(None) if known else _new_account(on, how, guest)
    check_two(account.userid, inviter)
    for objection in objections(on, offer.inviter, account.userid):
        raise objection
    number = on.next_number(KINDS[offer.invitation.kind])
    game = Game.start(offer.invitation.header(number, account.userid, inviter, on.now))
    make = partial(AcceptedNotice, inviter=inviter, address=on.request.sender)
    made = _start(on, game, account, how, guest, make)
    offer.answered(on, board=number)
    return made


def _start(
    on: Context,
    game: Game,
    account: Account,
    how: Beginning,
    guest: Ask,
    make: Callable[..., BoardNotice] | None,
) -> Outcome:
    """Start a board for an account, which may be new, and play the first stone there.

    `make` makes the notices about it, if there are any.
    """
    message_key = on.message_key(account.userid)
    if how.place:
        game = _with_first_stone(game, how.place, on.now, message_key)
    if not on.has_account(account.userid):
        authentication.charge_stranger(on, Cost(work=0, accounts=1))
    authentication.spend(on, authentication.of_boards(1, account.userid))
    account = on.save(account)
    told, news = list[Notice](), News.PLAYED if how.place else News.STARTED
    key = key_of_beginning(guest, on.request.sender)
    on = on.answering(on.request, player=Actor(account, message_key))
    if make:
        told = tell_players(on, game, news, actor=account, make=make)
    on.home.boards.start(on.transaction, game, challenge_remark(key))
    return done(told, game.name, len(game.records))


def _new_account(on: Look, how: Beginning, guest: Ask) -> Account:
    """Return a new account without a password. Raises NotAllowed if a wanted userid is taken."""
    address = on.request.sender
    userid = _userid_for(on, how.userid, address)
    return Account(
        userid,
        nobodys_password(userid),
        (address,),
        on.now,
        key_of_beginning(guest, address),
        given=() if how.userid else (GivenUserid(userid),),
    ).with_settings(structs.replace(USUAL, language=on.request.language))


def _with_first_stone(game: Game, place: Place, now: datetime, message_key: str) -> Game:
    """Return the game after the first stone. Raises NotAllowed if it cannot be placed."""
    try:
        return game.act(game.to_move, place, now, message_key)
    except Refusal:
        names = game.header.grid.names(game.header.grid.cells)
        raise NotAllowed(NotFirstStone(names[0], names[-1]), ",".join(place.cells)) from None


def _checked(on: Look, wanted: str) -> str:
    """Return a userid that is wanted. Raises NotAllowed if somebody else has or had it."""
    free = free_userid(on, wanted)
    if free != wanted:
        raise NotAllowed(NameTaken(wanted, free), wanted)
    return wanted


def _userid_for(on: Look, wanted: str, address: str) -> str:
    """Return the userid of a new account. Raises NotAllowed if a wanted one is taken."""
    if wanted:
        return _checked(on, wanted)
    names = (*on.request.name.split()[:1], address.partition("@")[0], _ANYBODY)
    plain = (_NO_LETTER.sub("", without_accents(name.lower())).strip("-_") for name in names)
    cut = (word[:_LONGEST_NAME].lstrip("0123456789-_") for word in plain)
    fits = (word for word in cut if len(word) >= _SHORTEST_NAME and not is_reserved(word))
    return free_userid(on, next(fits, _ANYBODY))


BEGIN = Form(
    "begin",
    rest=Rest(
        ("how",),
        ("[PLACEMENTS]", f"{_WITH} USERID", f"{_AS} USERID"),
        _read_beginning,
        _write_beginning,
        least=0,
        fixed=_FIXED,
    ),
    is_of_kind=False,
    needs_own_mail=True,
    answers={Topic.BEGIN: AnsweredBy.WORDS, Topic.INVITATION: AnsweredBy.WORDS},
    run=ForAnybody(begin),
)


# The name


class NameChosen(NotAllowedReason, frozen=True):
    """The userid is one that the player has chosen, and only the operator changes it."""

    userid: str


def call_me(on: Context, new: str) -> Outcome:
    """Give a player another userid, once, in place of the one that the server has given."""
    account = on.own
    if new == account.userid and account.given:
        return Outcome(Ending.DONE_BEFORE, (_renamed(on, account, account.given[0].given),))
    if not account.has_given_userid:
        raise NotAllowed(NameChosen(account.userid))
    moved = rename_player(on, account.userid, _checked(on, new))
    renamed = structs.replace(account, userid=new)
    others = tuple(each for each in moved.notices if each.reader.userid != new)
    return done([_renamed(on, renamed, account.userid), *others])


def _renamed(on: Look, account: Account, old: str) -> RenamedNotice:
    """Return the notice of a player who has changed their own userid."""
    reader = on.reader_at(account)
    return RenamedNotice(reader, old, account.userid, is_joined=False, is_own=True)


def _read_name(words: Sequence[str]) -> str:
    if len(words) > 1:
        raise Unreadable(SurplusWord(), words[1])
    return values.read_new_userid(words[0])


CALL = Form(
    "call me",
    values.OWN,
    rest=Rest(("new",), ("NEWUSERID",), _read_name, lambda new: [new]),
    is_of_kind=False,
    needs_own_mail=True,
    answers={Topic.PLAY: AnsweredBy.NAME},
    run=ForPlayer(call_me),
)
FORMS: tuple[Form[ForAnybody | ForPlayer], ...] = (BEGIN, CALL)
