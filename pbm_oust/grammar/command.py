"""What every command is: a value, read from a line and written as a line."""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from types import MappingProxyType
from typing import Union

from pbm_oust.board.game import Game
from dataclasses import dataclass
from pbm_oust.refusal import Refusal


class Heading(Enum):
    """The heading of a command in the overview of the help; the template has the words."""

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
    """It may be passed on to the other player along with what the command does."""
    CONTENT = "content"
    """It is what the command is about. In an answer to a letter it may begin after the command."""
    UNSEEN = "unseen"
    """Only the server reads it, so nothing in it is masked."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a line asks for. Its fields are the kind, if it is about a game, and what is read."""

    def instead(self, refusal: Refusal) -> Union["Command", "Partial", None]:
        """Return what to send instead of this command, or None if nothing is known.

        `refusal` says why it was refused.
        """
        return None

    def try_on(self, game: Game) -> None:
        """Raise the refusal that this would meet on a board, if the board alone decides that."""


@dataclass(frozen=True, slots=True)
class Blank:
    """Stands for words that the reader has to put in; `name` is what is shown for them."""

    name: str


_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Partial:
    """A command that is not fully known. What is missing is shown as blanks."""

    command: type[Command]
    given: Mapping[str, object]
    """The known fields, by their names; a Blank stands for what is to be put in."""
    options: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    """The values of options, by what they set."""
    form: str = ""
    """The name of the form that writes it, if that is not the usual one."""


Meant = tuple[Command | Partial, ...]
"""Commands of which one may have been meant."""


def partial(command: type[Command], **given: object) -> Partial:
    """Return a command with only these fields known."""
    return Partial(command, given)
