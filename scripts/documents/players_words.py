"""Whether code in the documentation that looks like a command by mail is one."""

import re

from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.settings import NAMES, values_of
from pbm_oust.grammar.vocabulary import fold, in_english
from pbm_oust.refusal import Unreadable
from pbm_oust.rules import KINDS, Shape
from pbm_oust.service.answers import read_answer
from pbm_oust.service.table import FORMS, GENERAL_FORMS, KIND_FORMS, VOCABULARY, parse_line
from scripts.documents.commands import usages

_PLACE = re.compile(r"\b(PASSWORD|USERID|BOARD)\b")
"""A place in a command line, which shows that it is one."""
_NO_COMMAND = re.compile(rf"[0-9]|({'|'.join(shape.value for shape in Shape)})\b")
"""What follows the name of a game if it is not a command: `oust 17`, `oust square 4x4`."""
_OPTION = re.compile(r"--?[a-z]+(?:=\S+)?")
_PLAIN = re.compile(r"[^\W\d_A-Z]+(?: .*)?")
"""What begins with a word in small letters, like all that players write."""
_OF_PLAYERS = {*NAMES, *(value for name in NAMES for value in values_of(name))}


def fault_of_line(line: str) -> str | None:
    """Return what is wrong with a line in a block of code, if it looks like a command."""
    words = line.split()
    return _fault(line.strip()) if words and _looks_like_command(line.strip()) else None


def fault_of_span(text: str, *, is_strict: bool = False) -> str | None:
    """Return what is wrong with code within a sentence, if it looks like a command.

    On a strict page, all code that begins with a small letter has to be something that players can
    write.
    """
    if _looks_like_command(text):
        return _fault(text)
    if is_strict and (_PLAIN.fullmatch(text) or _OPTION.fullmatch(text)) and "@" not in text:
        return None if _is_of_players(text) else f"players cannot write {text!r}"
    return None


def _looks_like_command(text: str) -> bool:
    first, _, rest = text.partition(" ")
    if first == "GAME" or in_english(fold(first)) in KINDS:
        return bool(rest) and not _NO_COMMAND.match(rest)
    return bool(_PLACE.search(text)) and bool(_PLAIN.fullmatch(text)) and "/" not in first


def _fault(text: str) -> str | None:
    """Return what is wrong with a command line; a usage line and a bare name are right too."""
    if text in set(usages()) or _is_read(text):
        return None
    for kind in KINDS:
        if _is_read(re.sub(r"^GAME\b", kind, text)):
            return None
    name = _in_english(
        text.partition(" ")[2] if text.partition(" ")[0] in {*KINDS, "GAME"} else text
    )
    if name in KIND_FORMS or name in GENERAL_FORMS:
        return None
    return f"no command can be read in {text!r}"


def _is_read(text: str) -> bool:
    """Return whether a line is a command once its places are filled in."""
    line = text.replace("[#N]", "")
    line = re.sub(r"\bBOARD\b", "17", line)
    line = re.sub(r"\b(?:NUMBER|BOARDS|N)\b", "4", line)
    line = re.sub(r"\bPLACEMENTS\b|\bPOSES\b", "D4", line)
    line = line.replace("MOTDEPASSE", "rabbithole").replace("PASSWORD", "rabbithole")
    line = re.sub(r"\bUSERID(\d?)\b", r"someone\1", line)
    _, command = parse_line(line)
    return not isinstance(command, Unreadable)


def _is_of_players(text: str) -> bool:
    """Return whether players can write this: in a command, an answer or a setting."""
    if _OPTION.fullmatch(text):
        return _is_option(text)
    if text in _OF_PLAYERS or _in_english(text) in VOCABULARY | {form.name for form in FORMS}:
        return True
    if _is_read(text) or all(_in_english(word) in VOCABULARY for word in text.split()):
        return True
    reply = Ask.on_board(Topic.PLAY, next(iter(KINDS)), 17, 12, "alice")
    return not isinstance(read_answer("", text, reply).command, Unreadable)


def _is_option(text: str) -> bool:
    return any(_is_read(f"{kind} challenge alice bob {text}") for kind in KINDS)


def _in_english(text: str) -> str:
    return " ".join(in_english(fold(word)) for word in text.split())
