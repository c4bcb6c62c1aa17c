"""What a refusal needs besides its reason: where its words are, and what to send instead."""

from pbm_oust.commands.show import Show
from dataclasses import dataclass
from pbm_oust.grammar.command import Command, Partial
from pbm_oust.grammar.words import is_harmless
from pbm_oust.letters.translator import Translator
from pbm_oust.play.notices import RefusalNotice
from pbm_oust.refusal import Reason
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.table import WhichGame, form_of


@dataclass(frozen=True, slots=True)
class Instead:
    """What to send or to answer in place of what was refused; empty if there is nothing."""

    line: str = ""
    others: tuple[str, ...] = ()
    """The same line for the other games, if it is not clear for which one it is."""
    blanks: tuple[str, ...] = ()
    """The places in the line that the reader fills in."""
    answers: tuple[str, ...] = ()
    """What to answer; several, if it is not clear what was meant."""
    wants_password: bool = False
    """Whether one of the answers has to hold the password."""


def instead_of(translator: Translator, notice: RefusalNotice) -> Instead:
    """Return what to send or to answer in place of what was refused."""
    correction, meant, game = notice.correction, notice.instead, notice.game
    whole = [each for each in meant if not translator.answer(each)]
    blanks = tuple(dict.fromkeys(blank for each in whole for blank in form_of(each).blanks(each)))
    if blanks and len(meant) == 1:
        return Instead(translator.line(meant[0]), blanks=blanks)
    wants_password = "PASSWORD" in blanks
    lines = (translator.answer(each) or translator.line(each) for each in meant)
    answers = tuple(dict.fromkeys(lines))
    if game and notice.reader.userid and correction and not answers:
        known = (game.header.kind, game.header.board, notice.reader.userid)
        answers = tuple(filter(None, [translator.answer(correction, known)]))
    wanted = next(iter(meant), correction)
    if answers and wanted and form_of(wanted).command is Show:
        # The answer to a letter shows the board anyway.
        return Instead()
    if correction is None:
        return Instead(answers=answers, wants_password=wants_password)
    line = translator.line(correction)
    blanks = tuple(form_of(correction).blanks(correction))
    others = _of_other_games(correction) if isinstance(notice.refusal.reason, WhichGame) else ()
    return Instead(
        "" if line == notice.sent else line,
        tuple(map(translator.line, others)),
        blanks,
        answers,
        wants_password,
    )


def _of_other_games(command: Command | Partial) -> tuple[Partial, ...]:
    """Return the command of a game for each other game."""
    given = form_of(command).given(command)
    others = [kind for kind in KINDS.values() if kind is not given.get("kind")]
    return tuple(form_of(command).partial(**{**given, "kind": kind}) for kind in others)


def culprit_of(notice: RefusalNotice) -> str:
    """Return the part at fault, if a sentence may name it."""
    culprit = notice.refusal.culprit
    return notice.culprit or (culprit if is_harmless(culprit) else "")


def place_of(reason: type[Reason]) -> str:
    """Return the template in `refusals/` with the words of a reason.

    Each command has its own, such as `commands/seek`; the others are in that of their room, such
    as `board`.
    """
    room, *modules = reason.__module__.split(".")[1:]
    return f"{room}/{modules[0]}" if room == "commands" else room
