"""How a command is written: its fields in their order, in the words of a language."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from enum import Enum
from functools import cache
from itertools import cycle
from types import MappingProxyType
from typing import Generic, TypeVar, Union

from pbm_oust.accounts.password import Secret
from pbm_oust.board.game import Game
from pbm_oust.grammar.parts import Option, Parameter, Rest
from pbm_oust.languages import ENGLISH, Language, Section
from pbm_oust.refusal import Refusal
from pbm_oust.rules.position import Kind


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


_PLACE = re.compile(r"\b[A-Z]{4,}[12]?\b")
_WORD = re.compile(r"[a-z]+")
_OPTION = re.compile(r"(?<![\w-])(--?)([a-z]+)")


@cache
def words_of(language: Language, section: Section = Section.COMMANDS) -> Mapping[str, str]:
    """Return a language's translations of words, by these words.

    Those of the section come first; all but options may stand in each other's places.
    """
    alone = section is Section.OPTIONS
    others = () if alone else (Section.COMMANDS, Section.WORDS, Section.SETTINGS)
    chosen: dict[str, str] = {}
    for each in (section, *others):
        for alias, english in language.words[each].items():
            chosen.setdefault(english, alias)
    return MappingProxyType(chosen)


def word_in(word: str, language: Language, section: Section = Section.COMMANDS) -> str:
    """Return a part of a usage line in the words of a language.

    Examples are `pass`, `PLACEMENTS[#N]` and `pass|swap`.
    """
    known = words_of(language, section)
    return place_in(said_in(word, language, known, section), language)


def said_in(
    word: str, language: Language, known: Collection[str], section: Section = Section.WORDS
) -> str:
    """Return a part of a line in a language: known words such as `if` and `pass` are translated.

    All others are a player's own, and stay as they are.
    """
    chosen = words_of(language, section)
    if word in known and word in chosen:
        return chosen[word]
    return _WORD.sub(
        lambda found: chosen.get(found[0], found[0]) if found[0] in known else found[0], word
    )


def option_in(text: str, language: Language) -> str:
    """Return options in the words of a language: `-size=13`, `[-hex|-hex=7]`."""
    chosen = words_of(language, Section.OPTIONS)
    return _OPTION.sub(lambda found: found[1] + chosen.get(found[2], found[2]), text)


def place_in(name: str, language: Language) -> str:
    """Return the name of a place in a line, such as PLACEMENTS[#N], in a language."""
    return _PLACE.sub(lambda found: language.placeholders.get(found[0], found[0]), name)


C_co = TypeVar("C_co", bound=Command, covariant=True)

KIND = "kind"
"""The field of a command that holds its game."""
OF_LETTER = ("BOARD", "USERID", "PASSWORD")
"""What an answer to a letter about a board need not say, in the order of the forms."""


Known = tuple[Kind, int, str]
"""What an answer inherits from its letter: the game, the board, and the userid of its reader."""


@dataclass(frozen=True, slots=True)
class Notation(Generic[C_co]):
    """The name of a command, and what follows it.

    The fields of the command are its kind, if it has one, and then what the parameters and the
    rest read, in their order.
    """

    name: str
    command: type[C_co]
    parameters: tuple[Parameter, ...] = ()
    rest: Rest[object] | None = None
    options: tuple[Option[object], ...] = ()
    _: KW_ONLY
    settled: Callable[[Command], Mapping[str, object]] | None = None
    """Returns what a command must set by options, if it has any."""
    implied: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    """The fields that its name implies, if it is a short form of another one."""
    is_usual: bool = False
    """Whether an answer to a letter need not name it."""
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The names of the fields of its command."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(each.name for each in fields(self.command)))

    @property
    def is_of_kind(self) -> bool:
        """Whether it begins with the name of a game."""
        return KIND in self.names

    @property
    def is_about_board(self) -> bool:
        """Whether a letter about a board has all its parameters, so that answers need not."""
        names = tuple(parameter.name for parameter in self.parameters)
        return bool(names) and names == OF_LETTER[: len(names)]

    @property
    def words(self) -> frozenset[str]:
        """The words of the grammar that may follow its parameters."""
        return self.rest.known | self.rest.fixed if self.rest else frozenset()

    def format(
        self, command: Command | Partial, language: Language = ENGLISH, *, mask: bool = True
    ) -> str:
        """Return the line of a command, in the words of a language.

        If it is masked, the names of their places stand for passwords.
        """
        given, options = self.given(command), self._set_by(command)
        if mask:
            given = self._masked(given)
        kind = given.get(KIND)
        words = [kind.name] if isinstance(kind, Kind) else self._blank(kind, language)
        words += self._name_in(language)
        for name, parameter in zip(self.fields, self.parameters, strict=False):
            value = given.get(name, Blank(parameter.name))
            words += self._blank(value, language) or [
                value.text if isinstance(value, Secret) else str(value)
            ]
        words += self._rest_in(given, language, lambda rest, value: rest.write(value)) or []
        for option in self.options:
            if isinstance(kind, Kind) and option.sets in options:
                words.append(option_in(option.write(kind, options[option.sets]), language))
        return " ".join(filter(None, words))

    def format_answer(
        self,
        command: Command | Partial,
        known: Known | None = None,
        language: Language = ENGLISH,
    ) -> str:
        """Return how an answer to a letter gives a command, in the words of a language.

        `known` is what the letter knows. The text is empty if such an answer would need a
        password.
        """
        given = self.given(command)
        told = dict(zip((KIND, "board", "userid"), known, strict=True)) if known else {}
        if any(given.get(name, value) != value for name, value in told.items()):
            return ""
        board = known[1] if known else 0
        words = self._rest_in(given, language, lambda rest, value: rest.write_answer(value, board))
        if words is None or not (self.is_about_board or (self.rest and self.rest.complete)):
            return ""
        return " ".join([*([] if self.is_usual else self._name_in(language)), *words])

    def blanks(self, command: Command | Partial) -> list[str]:
        """Return the names of what has to be put into the line of a command, passwords too."""
        given = self._masked(self.given(command))
        values = [
            given.get(name, Blank(parameter.name))
            for name, parameter in zip(self.fields, self.parameters, strict=False)
        ]
        values += [self._value_of(self.rest, given)] if self.rest else []
        return [value.name for value in values if isinstance(value, Blank)]

    def usages(self, kind: Kind | None, language: Language = ENGLISH) -> list[str]:
        """Return the lines that show how to write the command, for a game if it is about games."""
        front = kind.name if kind and self.is_of_kind else ""
        return self.usages_with(front, self.options_of(kind) if kind else (), language)

    def options_of(self, kind: Kind) -> tuple[str, ...]:
        """Return how the help of a game shows the options that it has."""
        return tuple(filter(None, (option.shown(kind) for option in self.options)))

    def usages_with(
        self, front: str, options: Iterable[str], language: Language = ENGLISH
    ) -> list[str]:
        """Return how to write the command after some word, followed by options."""
        words = [front, *self._name_in(language), *(part.name for part in self.parameters)]
        alternatives = self.rest.shown if self.rest else ("",)
        behind = [option_in(option, language) for option in options]
        lines = ((*words, self._place_in(shown, language), *behind) for shown in alternatives)
        return [place_in(" ".join(filter(None, line)), language) for line in lines]

    def checked(self, command: Command) -> C_co:
        """Return a command, typed as what this form builds. Raises TypeError for any other."""
        if not isinstance(command, self.command):
            raise TypeError(f"{type(command).__name__} is not built by the form {self.name}")
        return command

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields that parameters and rest fill, and those after them."""
        return self.names[1:] if self.is_of_kind else self.names

    def given(self, command: Command | Partial) -> Mapping[str, object]:
        """Return the known fields of a command."""
        if isinstance(command, Partial):
            return command.given
        own = self.checked(command)
        return {name: getattr(own, name) for name in self.names}

    def rest_fields(self, value: Sequence[object]) -> dict[str, object]:
        """Return the fields that the rest fills, with their values."""
        begin = len(self.parameters)
        return dict(zip(self.fields[begin:], value, strict=False))

    def _set_by(self, command: Command | Partial) -> Mapping[str, object]:
        """Return what a command must set by options."""
        if isinstance(command, Partial):
            return command.options
        return self.settled(command) if self.settled else _NOTHING

    def _masked(self, given: Mapping[str, object]) -> Mapping[str, object]:
        """Return fields with blanks for secrets."""
        secret: dict[str, object] = {
            name: Blank(parameter.name)
            for name, parameter in zip(self.fields, self.parameters, strict=False)
            if parameter.is_secret
        }
        if self.rest and self.rest.is_secret and self._value_of(self.rest, given):
            secret |= self.rest_fields([Blank(self.rest.place)])
        return {**given, **secret}

    def _value_of(self, rest: Rest[object], given: Mapping[str, object]) -> object:
        """Return what follows the parameters, or the Blank for that; None for nothing."""
        begin = len(self.parameters)
        names = self.fields[begin : begin + rest.fills]
        values = [given[name] for name in names if name in given]
        blank = next((each for each in values if isinstance(each, Blank)), None)
        if blank or len(values) < rest.fills:
            return blank or (Blank(rest.shown[0]) if rest.least else None)
        return values[0] if rest.fills == 1 else tuple(values)

    def _rest_in(
        self,
        given: Mapping[str, object],
        language: Language,
        write: Callable[[Rest[object], object], Iterable[str] | None],
    ) -> list[str] | None:
        """Return the words after the parameters; None if `write` has none for them."""
        value = self._value_of(self.rest, given) if self.rest else None
        if self.rest is None or value is None or isinstance(value, Blank):
            return self._blank(value, language)
        words = write(self.rest, value)
        if words is None:
            return None
        placed = zip(words, cycle(self.rest.sections), strict=False)
        return [said_in(word, language, self.words, section) for word, section in placed]

    def _name_in(self, language: Language) -> list[str]:
        return [word_in(word, language) for word in self.name.split()]

    def _blank(self, value: object, language: Language) -> list[str]:
        """Return the name of a Blank; nothing for any other value."""
        return [self._place_in(value.name, language)] if isinstance(value, Blank) else []

    def _place_in(self, name: str, language: Language) -> str:
        section = self.rest.sections[0] if self.rest else Section.WORDS
        return place_in(said_in(name, language, self.words, section), language)
