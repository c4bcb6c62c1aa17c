"""Letters about a board that have not left, so that their reader does not know what they say."""

from pbm_oust.accounts.account import Account
from pbm_oust.board.game import Game
from pbm_oust.board.record import Record
from pbm_oust.store.bounces import bounces_of
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Letter, State, may_show_board_since, unsent_about


def untold_letters(game: Game, since: int, player: Account, home: Home) -> list[Letter] | None:
    """Return the letters that tell a player of the records of a board from `since` on.

    None if the player may know of one of them already: a letter about it has left, was opened in
    the outbox or may not have been written, or another letter may show the board. Letters to an
    address leave in the order in which they were written.
    """
    kind, board = game.header.kind.name, game.header.board
    letters = home.ask(unsent_about, player.addresses, kind, board, since)
    for record in game.records[since - 1 :]:
        about = [letter for letter in letters if _tells_of(letter, record)]
        if about and len(about) != about[0].head.copies:
            return None
        if not about and not _was_out_of_reach(player, record, home):
            return None
    if not all(_is_unopened(letter, home) for letter in letters):
        return None
    first = min((letter.id for letter in letters), default=0)
    is_told = first and home.ask(may_show_board_since, player.addresses, first)
    return None if is_told else letters


def _tells_of(letter: Letter, record: Record) -> bool:
    return letter.head.about is not None and letter.head.about.record == record.number


def _is_unopened(letter: Letter, home: Home) -> bool:
    """Return whether a letter waits, and nobody has begun to send or read it.

    A letter that is held back may have been sent before the backup was restored.
    """
    if letter.state is State.FILE and letter.file:
        return home.maildir.has_new(letter.file)
    return letter.state is State.WAITING and not letter.is_leaving


def _was_out_of_reach(player: Account, record: Record, home: Home) -> bool:
    """Return whether a player got no letter about a record because all their addresses bounced."""
    returned = [home.ask(bounces_of, address) for address in player.addresses]
    return all(each.is_suspended and each.bounces[-1].at < record.at for each in returned)
