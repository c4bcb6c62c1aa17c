"""What every command is: a value that a line is read as, and that is written as a line again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Union

from pbm_oust.refusal import Refusal


class Heading(Enum):
    """Under which heading the overview of the help shows a command; the template has the words."""

    STARTING = "starting"
    PLAYING = "playing"
    LOOKING = "looking"
    TALKING = "talking"
    ACCOUNT = "account"
    SETTINGS = "settings"
    GENERAL = "general"


class Text(Enum):
    """What the text of a mail is to its command."""

    BESIDE = "beside"
    """What may be passed on to the other player along with what the command does."""
    CONTENT = "content"
    """What the command is about. In an answer to a letter it may begin behind the command."""
    UNSEEN = "unseen"
    """What the server alone reads, so that nothing of it is masked."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a line asks for. Its fields are the kind, where it is of a game, and what is read."""

    def instead(self, refusal: Refusal) -> Union["Command", "Partial", None]:
        """Return what would be right where this command was refused, or None if nothing is known.

        `refusal` says why it was refused.
        """
        return None


@dataclass(frozen=True, slots=True)
class Blank:
    """Stands for words that its reader has to put in; `name` is what is shown for them."""

    name: str


_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Partial:
    """A command of which not everything is known. What is missing is shown as blanks."""

    command: type[Command]
    given: Mapping[str, object]
    """The fields that are known, by their names; a Blank stands for what is to be put in."""
    options: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    """The values of options, by what they set."""
    form: str = ""
    """The name of the form that writes it, where that is not the usual one."""


def partial(command: type[Command], **given: object) -> Partial:
    """Return a command of which these fields are known."""
    return Partial(command, given)
