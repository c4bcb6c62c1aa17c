"""Plain words from a player's own address, and the commands that they ask for.

Nothing proves who wrote them. So a command is read with a hyphen in place of its password: what
only looks is done, and the rest is done once its player has said yes (`play/verification.py`).
"""

import re
from contextlib import suppress

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import NO_PASSWORD
from pbm_oust.board import Game, Place, Summary
from pbm_oust.grammar import habits, vocabulary
from pbm_oust.grammar.form import Command, Line, to_player
from pbm_oust.grammar.grids import option_of
from pbm_oust.grammar.notation import Text
from pbm_oust.grammar.values import Filter, of_board
from pbm_oust.grammar.wish import next_wish
from pbm_oust.play.context import Look
from pbm_oust.play.finding import BoardSearch, find_latest
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import KINDS, Grid, Kind, Shape, parse_size
from pbm_oust.rules.grid import BadGrid
from pbm_oust.service import table
from pbm_oust.service.answers import Read, any_of, begins_whole, read_signed, without_courtesies
from pbm_oust.store.index import Window

_MOST_CHOICES = 9
"""Of how many boards one may say which is meant."""
_MOST_BOARDS = 200
"""Among how many boards of a player the ones are sought that are meant, the latest."""
_MOST_SENTENCES = 3
"""How many sentences of a line are read."""
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+")
_BOARD, _GAME, _USERID = "BOARD", "GAME", "USERID"
"""Stand in a line for a board that is meant, its game, and the player who asks."""


class NoSuchBoardMeant(UnreadableReason, frozen=True):
    """A sentence speaks of a board that its writer does not play on."""

    other: str
    """The other player, if the sentence names one."""


def is_whole(on: Look, read: Read) -> bool:
    """Return whether a mail gives a whole command: one for anybody, or of some player."""
    if not isinstance(read.command, Command) or read.is_first:
        return False
    signers = read.command.signers
    return not signers or any(map(on.has_account, signers))


def understood(on: Look, read: Read) -> Read:
    """Return what a mail asks for that came from an address of players and is no whole command.

    Its Subject counts, or else the first line of its text. With several such players, or boards,
    there are choices.
    """
    is_command = isinstance(read.command, Command) and not read.is_first
    if table.is_of_letter(on.request.line):
        return read
    above, below = without_courtesies(read.text)
    first, _, rest = below.partition("\n")
    said = {on.request.line: read.text, first: "\n".join(filter(None, (above, rest)))}
    owners = on.owners(on.request.sender)
    for line, text in said.items():
        wrong: Unreadable | None = None
        meant = dict[str, Command]()
        for account in owners:
            try:
                meant |= {each.line(mask=False): each for each in _meant(on, line, account)}
            except Unreadable as error:
                wrong = error
        if meant:
            commands = tuple(meant.values())[:_MOST_CHOICES]
            choices = commands if len(commands) > 1 else ()
            return Read(Line(()), commands[0], text.strip("\n"), choices=choices)
        if wrong:
            return Read(Line(()), wrong)
    name = habits.said_plainly(on.request.line) if is_command else None
    return Read(Line((), table.form_named(name)), Unreadable(table.SaidPlainly())) if name else read


def _meant(on: Look, line: str, account: Account) -> list[Command]:
    """Return what a line asks for whose writer is the player of an account.

    Several, if it may be about several boards. Raises Unreadable if it is about none of theirs.
    """
    if signed := _signed(on, line, account):
        return [signed]
    if table.recognise(line)[0].form and account.userid in vocabulary.fold(line).split():
        return []  # it is meant as a whole command, and may hold a password
    today = on.now.astimezone(account.all_settings.zone).date()
    for sentence in (line, *_SENTENCE_END.split(line)[:_MOST_SENTENCES]):
        for asked in habits.asked_by_player(sentence, KINDS):
            commands = [table.parse_line(each)[1] for each in _lines(on, asked, account)]
            found = [each for each in commands if isinstance(each, Command)]
            if found and asked.sentence:
                return [found[0].with_values(**found[0].form.in_sentence(asked.sentence, today))]
            if found:
                return found
    return []


def _signed(on: Look, line: str, account: Account) -> Command | None:
    """Return the command of a line that may lack its userid and password; None if it is none.

    One whose content is its text is none: nothing proves that its player wrote that. Neither is one
    with a word that may be a password, which would be shown and kept, nor one that wants the
    password itself of a player who has one.
    """
    may_show = to_player(table.VOCABULARY, on.names_for_sender())
    games = () if begins_whole(line) else KINDS
    for whole in (line, *(f"{game} {line}" for game in games)):
        read = read_signed(whole, "", any_of(account.userid))
        if read and isinstance(read.command, Command) and read.line.form:
            is_text = read.line.form.text is Text.CONTENT
            is_shown = all(may_show(word) for word in read.line.words)
            is_enough = read.line.form.run.may_be_sender or not account.has_password
            signed = read.command.with_values(password=NO_PASSWORD)
            return signed if is_enough and is_shown and not is_text else None
    return None


def _lines(on: Look, asked: habits.Asked, account: Account) -> list[str]:
    """Return the lines that are asked for: several, if several boards may be meant.

    Raises Unreadable if none of the player's is.
    """
    words, game = asked.words, asked.game
    filled = asked.line.replace(_USERID, account.userid)
    for name, word in words.items():
        filled = filled.replace(name.upper(), word)
    if _BOARD not in filled:
        return [filled.replace(_GAME, _usual_game(on, game, account))]
    number, other = words.get("number", ""), words.get("other", "")
    found = [
        board
        for board in _boards(on, game, account)
        if (not number or board.board == int(number)) and (not other or other in (board.x, board.o))
    ]
    if not found and (number or not other or on.has_account(other)):
        raise Unreadable(NoSuchBoardMeant(other), number)
    return [
        filled.replace(_GAME, board.kind.name).replace(_BOARD, str(board.board)) for board in found
    ]


def _boards(on: Look, game: str, account: Account) -> tuple[Summary, ...]:
    """Return the boards of a game, or of all, on which a player plays, the latest first."""
    kinds = [KINDS[game]] if game else list(KINDS.values())
    search = BoardSearch(kinds, (account.userid,), Filter.ACTIVE)
    return find_latest(on, search, Window(_MOST_BOARDS)).boards


def _usual_game(on: Look, game: str, account: Account) -> str:
    """Return a game that is named; or else that of the player's latest board, or the first one."""
    latest = () if game else _boards(on, "", account)[:1]
    return game or next((board.kind.name for board in latest), next(iter(KINDS)))


def _size_beside(kind: Kind, grid: Grid, step: int) -> str:
    """Return the option for a larger grid, or a smaller one; nothing if there is none."""
    sign, by = ("x", 2 * step) if grid.shape is Shape.SQUARE else (",", step)
    with suppress(BadGrid):
        beside = parse_size(grid.shape, sign.join(str(length + by) for length in grid.size))
        option, value = option_of(kind, beside)
        return f"-{option}={value}" if kind.plays_on(beside) else ""
    return ""


def fitting(on: Look, read: Read, game: Game, instead: list[Command]) -> list[Command]:
    """Return the commands that fit an answer about a board which is not clear.

    `instead` is what the board would take of what was seen in it. That counts if it has placements,
    or nothing else fits. If there is none, it is a move that could be made; or nothing, if it is
    not the player's turn.
    """
    if any(isinstance(each.get("wish"), Place) for each in read.instead):
        return instead
    words, userid = read.words, on.asker().userid or ""
    grid, other = game.header.grid, game.opponent_of(userid)
    for line in habits.fitting_lines(words.partition("\n")[0]):
        places = {
            _GAME: game.header.kind.name,
            _BOARD: str(game.header.board),
            _USERID: userid,
            "OTHER": other,
            "LARGER": _size_beside(game.header.kind, grid, 1),
            "SMALLER": _size_beside(game.header.kind, grid, -1),
        }
        for place, word in places.items():
            line = line.replace(place, word)
        command = table.parse_line(line)[1]
        if isinstance(command, Command):
            today = on.now.astimezone(on.account(userid).all_settings.zone).date()
            return [command.with_values(**command.form.in_sentence(words, today))]
    if instead:
        return instead
    if game.player_to_move != userid or game.result or not (wish := next_wish(game)):
        return []
    return [table.USUAL.command(**of_board(game), userid=userid, wish=wish, guard=None)]
