"""Commands, and the forms that read and write their words."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from datetime import date
from enum import Enum
from functools import cached_property
from itertools import accumulate, cycle
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from msgspec import Struct

from pbm_oust.accounts.asks import Ask, Credential, Topic
from pbm_oust.accounts.password import Secret
from pbm_oust.board import Game
from pbm_oust.grammar import notation, parts
from pbm_oust.grammar.vocabulary import (
    MASK,
    fold,
    is_harmless,
    is_of,
    option_parts,
    plain_word,
    without_accents,
)
from pbm_oust.languages import ENGLISH, Language, WordList
from pbm_oust.refusal import Refusal, Unreadable, UnreadableReason
from pbm_oust.rules import Kind

MayShow = Callable[[str], bool]
"""Returns whether a word may be shown."""


class MissingWord(UnreadableReason, frozen=True):
    """A line ends too early."""

    missing: tuple[str, ...]
    """What could follow: the names of places, or words."""


class SurplusWord(UnreadableReason, frozen=True):
    """A line has more words than its command takes."""


class AnsweredBy(Enum):
    """The way an answer to a letter says a command; the values that its ask knows are left out."""

    NAME = "name"
    """The name of the command, and the words behind its parameters."""
    WORDS = "words"
    """The words behind the parameters, without the name."""
    TEXT = "text"
    """A text, all of which is the content."""
    LINK = "link"
    """The game, the name and the number, as a Subject that a link of the letter has begun."""
    ANYTHING = "anything"
    """No word of it: a program may have written the answer."""


class Cost(Struct, frozen=True):
    """The price of a command: work, boards, accounts, codes."""

    work: int = 1
    """The number of usual answers that it is worth; 0 if others pay for it."""
    is_help: bool = False
    """Whether its answer is the help, which anybody may read longer."""
    is_first: bool = False
    """Whether the answer is the first steps, for somebody who has written no command."""
    boards: int = 0
    """Boards that it may start."""
    accounts: int = 0
    """Accounts that it may ask for."""
    codes: int = 0
    """Mails with a code."""


USUAL_COST = Cost()


class Command(Struct, frozen=True):
    """A parsed command: its form and the known values of its parameters, by name.

    A missing value, or a Blank, is one that the reader of the command has to put in.
    """

    form: "Form[Any]"
    given: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        """Return a known value. Raises KeyError for others."""
        return self.given[name]

    def get(self, name: str) -> Any:
        """Return a value; None if it is not known."""
        value = self.given.get(name)
        return None if isinstance(value, notation.Blank) else value

    @property
    def is_whole(self) -> bool:
        """Whether every value is known but the password or code."""
        secret = self.form.secrets
        return all(name in secret or self.knows(name) for name in self.form.names)

    @property
    def signers(self) -> list[str]:
        """The userids whose password the command may carry."""
        return [self.given[name] for name in self.form.run.signers]

    @property
    def proof(self) -> Credential | None:
        """The password or code in the command, if it has one."""
        proof: Credential | None = self.given.get("password") if self.form.run.signers else None
        return proof

    def knows(self, name: str) -> bool:
        """Return whether a value is known."""
        return name in self.given and not isinstance(self.given[name], notation.Blank)

    def line(self, language: Language = ENGLISH, *, mask: bool = True) -> str:
        """Return the line of the command, as `Form.format` does."""
        return self.form.format(self, language, mask=mask)

    def answer(self, known: notation.Known | None = None, language: Language = ENGLISH) -> str:
        """Return the words of an answer to a letter, as `Form.format_answer` does."""
        return self.form.format_answer(self, known, language)

    def with_values(self, **given: object) -> "Command":
        """Return the command with other values."""
        return Command(self.form, {**self.given, **given})


Meant = tuple[Command, ...]
"""Commands, one of which was probably meant."""


R_co = TypeVar("R_co", covariant=True)


_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, eq=False, repr=False)
class Form(Generic[R_co]):
    """A way to write a command: its words, their values, its cost, and its function.

    The names of its values: the kind, if it has one; those that parameters, the rest and options
    set; those that its name implies.
    """

    name: str
    parameters: tuple[parts.Parameter, ...] = ()
    rest: parts.Rest | None = None
    options: tuple[parts.Option, ...] = ()
    _: KW_ONLY
    run: R_co
    """The function of the command, and the proof that it needs; see `play/unit_of_work.py`."""
    is_of_kind: bool = True
    """Whether it begins with the name of a game."""
    text: notation.Text = notation.Text.BESIDE
    cost: Cost | Callable[[Command], Cost] = USUAL_COST
    """The cost of every command of this form, or a function that gives it for one."""
    needs_own_mail: bool = False
    """Whether it cannot be one of several commands of a mail: it writes to addresses that nobody
    has proved, or costs much."""
    plays_again: bool = False
    """Whether it starts the next game of players who have just ended one, whose last letters offer
    it."""
    answers: Mapping[Topic, AnsweredBy] = field(default_factory=dict)
    """The ways answers to letters say it, by the topics of these; to one about settings and the
    like, only if it is the command that the letter names.

    The name of each command about a board answers letters that ask for a turn there.
    """
    thanked_on: Topic | None = None
    """The topic of letters that may be answered with nothing but thanks or congratulations, for
    which the answer to this command thanks in turn."""
    short_for: "Form[R_co] | None" = None
    """The longer form whose commands this one also writes, if it is short for one."""
    implied: Mapping[str, object] = field(default_factory=dict)
    """Values that the name implies, and defaults for others."""
    instead: Callable[[Command, Refusal], Command | None] = lambda *_: None
    """Returns a command to suggest for one that was refused, or None."""
    from_any: Callable[[Command, Refusal], Command | None] = lambda *_: None
    """Returns a command of this form to suggest for one of any form that was refused, or None."""
    with_lines: Callable[[Command, str], tuple[Command, str]] = lambda *given: given
    """Adds what lines of the text below a command say to it, and returns the rest of the text.

    Raises Unreadable.
    """
    in_sentence: Callable[[str, date], Mapping[str, object]] = lambda *_: _NOTHING
    """Returns the values that a sentence which asks for the command gives, by the day today."""
    is_against: bool = False
    """Whether its player and another one are all that it names."""
    of_player: "Form[R_co] | None" = None
    """The form of a game that is meant if a player is named where a game should stand."""
    try_on: Callable[[Command, Game], None] = lambda *_: None
    """Raises the refusal that the board alone would give a command, if any."""

    def __repr__(self) -> str:
        """Return the name."""
        return f"Form({self.name!r})"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the command's values, without those of options."""
        of_kind = (notation.KIND,) if self.is_of_kind else ()
        of_rest = self.rest.sets if self.rest else ()
        said = (*of_kind, *(part.sets for part in self.parameters), *of_rest)
        return tuple(dict.fromkeys((*said, *self.implied)))

    @cached_property
    def known(self) -> frozenset[str]:
        """The names of all values that a command may have."""
        return frozenset((*self.names, *(option.sets for option in self.options)))

    @cached_property
    def is_about_board(self) -> bool:
        """Whether a letter about a board gives all parameters, so that an answer need not."""
        names = tuple(parameter.name for parameter in self.parameters)
        return bool(names) and names == notation.OF_LETTER[: len(names)]

    @property
    def is_usual(self) -> bool:
        """Whether an answer to a letter about a board need not name it."""
        return self.answers.get(Topic.PLAY) is AnsweredBy.WORDS

    @property
    def by_letter(self) -> bool:
        """Whether its name answers a letter about a board, though it is not about that board."""
        return self.answers.get(Topic.PLAY) is AnsweredBy.NAME

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the grammar that may follow its parameters."""
        return self.rest.known | self.rest.fixed if self.rest else frozenset()

    @property
    def topic(self) -> str:
        """The subject of its help: the first word of its name."""
        return self.name.partition(" ")[0]

    @cached_property
    def secrets(self) -> Mapping[str, notation.Blank]:
        """The blank that replaces each password, by the name of its value."""
        return {part.sets: notation.Blank(part.name) for part in self.parameters if part.is_secret}

    @cached_property
    def is_signed(self) -> bool:
        """Whether one of the parameters is a password or a code."""
        return any(part.is_secret and not part.is_new for part in self.parameters)

    @cached_property
    def new_password(self) -> str:
        """The name of the value for a new password; empty if there is none."""
        are_new = [part.sets for part in self.parameters if part.is_new]
        are_new += self.rest.sets if self.rest and self.rest.is_new else []
        return next(iter(are_new), "")

    def read(
        self, words: Sequence[str], kind: Kind | None, known: Mapping[str, object] = _NOTHING
    ) -> Command:
        """Return the command for the words after its name. Raises Unreadable.

        `known` has values that no word says, by their names.
        """
        wanted = [each for each in self.parameters if each.sets not in known]
        plain = self._plain(words, wanted)
        given: dict[str, object] = {**self.implied}
        for parameter, word in zip(wanted, plain, strict=False):
            given[parameter.sets] = parameter.read(word)
        behind = plain[len(wanted) :]
        if len(plain) < len(wanted):
            raise Unreadable(MissingWord((wanted[len(plain)].name,)))
        if self.rest is None and behind:
            raise Unreadable(SurplusWord(), behind[0])
        if self.rest is not None:
            if len(behind) < self.rest.least:
                raise Unreadable(MissingWord(self.rest.shown))
            given |= self._rest_fields(self.rest.read(behind))
        if kind is not None:
            given[notation.KIND] = kind
            if self.options:
                found = parts.read_options(self.options, words, kind)
                usual = {option.sets: option.usual(kind) for option in self.options}
                given |= {name: value for name, value in found.items() if value != usual[name]}
        return Command(self.short_for or self, {**given, **known})

    def read_answer(self, words: Sequence[str], ask: Ask) -> Command:
        """Return the command for the words after its name in an answer. Raises Unreadable."""
        if self.rest and self.rest.complete and ask.is_on_board:
            words = self.rest.complete(words, ask.number)
        known = self.known_to(ask)
        return self.read(words, known.get(notation.KIND), known)

    def known_to(self, ask: Ask) -> dict[str, Any]:
        """Return the values of the command that the ask of a letter has, by their names."""
        return {name: value for name, value in ask.values.items() if name in self.names}

    def command(self, words: str = "", /, **given: object) -> Command:
        """Return a command with these values, and the values of the words after its parameters.

        Raises Unreadable for other words, and TypeError for an unknown name.
        """
        strange = given.keys() - self.known
        if strange or (words and not self.rest):
            raise TypeError(f"{self.name} has no {', '.join(strange) or 'words behind it'}")
        if words and self.rest:
            given |= self._rest_fields(self.rest.read(words.split()))
        return Command(self, {**self.implied, **given})

    def correction(self, words: Sequence[str], kind: Kind | None, may_show: MayShow) -> Command:
        """Return the command closest to these words, with blanks for missing ones.

        A word that may not be shown becomes a blank too.
        """
        plain = self._plain(words, [*self.parameters])
        given: dict[str, object] = {**self.implied}
        if kind is not None:
            given[notation.KIND] = kind
            given |= parts.read_right_options(self.options, words, kind)
        for parameter, word in zip(self.parameters, plain, strict=False):
            if not parameter.is_secret and may_show(word):
                with suppress(Refusal):
                    given[parameter.sets] = parameter.read(word)
        behind = plain[len(self.parameters) :]
        if self.rest and self.rest.is_secret and not self.rest.is_new:
            given |= self._rest_fields(notation.Blank(self.rest.place))
        elif self.rest and behind:
            given |= self._corrected(self.rest, behind, may_show)
        return Command(self, given)

    def secret_places(self, words: Sequence[str]) -> set[int]:
        """Return the indices of the words in the places of passwords."""
        plain = parts.without_options(words) if self.options else list(words)
        rest_is_secret = self.rest is not None and self.rest.is_secret
        secret = [parameter.is_secret for parameter in self.parameters]
        secret += [rest_is_secret] * (len(plain) - len(secret))
        places = (nth for nth, word in enumerate(words) if word in plain)
        return {nth for nth, is_secret in zip(places, secret, strict=False) if is_secret}

    def _plain(self, words: Sequence[str], wanted: Sequence[parts.Parameter]) -> list[str]:
        """Return the words without options; the record number of `17#5` becomes the last word.

        They begin with those of the wanted parameters.
        """
        plain = parts.without_options(words) if self.options else list(words)
        is_board_said = self.is_about_board and wanted[:1] == [*self.parameters[:1]]
        if not (plain and "#" in plain[0] and self.rest and is_board_said):
            return plain
        if not any("#N" in shown for shown in self.rest.shown):
            return plain
        board, sign, number = plain[0].partition("#")
        is_whole = len(plain) >= len(wanted)
        return [board, *plain[1:], *([sign + number] if sign and is_whole else [])]

    def _corrected(
        self, rest: parts.Rest, words: Sequence[str], may_show: MayShow
    ) -> dict[str, object]:
        """Return the valid values among the words after the parameters."""
        shown = (word for word in words if not rest.is_secret)
        kept = [word for word in shown if may_show(word) or fold(word) in rest.known]
        if kept:
            with suppress(Refusal):
                return self._rest_fields(rest.read(kept))
        # A rest of fixed words, or of one number, may be left out; we choose none.
        can_be_chosen = rest.known or (rest.place[0] == "[" and ".." not in rest.place)
        return (
            {}
            if can_be_chosen and not rest.least
            else self._rest_fields(notation.Blank(rest.place))
        )

    def format(self, command: Command, language: Language = ENGLISH, *, mask: bool = True) -> str:
        """Return the command as a line in a language.

        If it is masked, passwords are replaced by the names of their places.
        """
        given = self.masked(command) if mask else command.given
        kind = given.get(notation.KIND)
        words = [kind.name] if isinstance(kind, Kind) else self._blank(kind, language)
        words += self._name_in(language)
        for parameter in self.parameters:
            value = given.get(parameter.sets, notation.Blank(parameter.name))
            words += self._blank(value, language) or [
                value.text if isinstance(value, Secret) else str(value)
            ]
        if self.rest:
            value = self._value_of(self.rest, given)
            words += self._blank(value, language) or self._in_words(
                () if value is None else self.rest.write(value), language
            )
        if self.options and isinstance(kind, Kind):
            words += [
                notation.option_in(option.write(kind, given[option.sets]), language)
                for option in self.options
                if option.sets in given
            ]
        return " ".join(filter(None, words))

    def format_answer(
        self, command: Command, known: notation.Known | None = None, language: Language = ENGLISH
    ) -> str:
        """Return the command as words of an answer to a letter, in a language.

        `known` holds the values that the letter gives. The text is empty if the answer would need a
        password.
        """
        if not (self.is_about_board or self.by_letter or (self.rest and self.rest.complete)):
            return ""
        given = command.given
        for name, value in zip((notation.KIND, "board", "userid"), known or (), strict=False):
            if given.get(name, value) != value:
                return ""
        words = [] if self.is_usual else self._name_in(language)
        if self.rest is None:
            return " ".join(words)
        value = self._value_of(self.rest, given)
        if value is None or isinstance(value, notation.Blank):
            return " ".join([*words, *self._blank(value, language)])
        own = self.rest.write_answer
        written = own(value, known[1] if known else 0) if own else self.rest.write(value)
        return "" if written is None else " ".join([*words, *self._in_words(written, language)])

    def blanks(self, command: Command) -> list[str]:
        """Return the names of the blanks in the command's line, passwords included."""
        given = self.masked(command)
        values = [given.get(part.sets, notation.Blank(part.name)) for part in self.parameters]
        values += [self._value_of(self.rest, given)] if self.rest else []
        return [value.name for value in values if isinstance(value, notation.Blank)]

    def usages(self, kind: Kind | None, language: Language = ENGLISH) -> list[str]:
        """Return the usage lines of the command, for a game if it is about games."""
        front = kind.name if kind and self.is_of_kind else ""
        return self.usages_with(front, self.options_of(kind) if kind else (), language)

    def options_of(self, kind: Kind) -> tuple[str, ...]:
        """Return the options of a game as its help shows them."""
        return tuple(filter(None, (option.shown(kind) for option in self.options)))

    def usages_with(
        self, front: str, options: Iterable[str], language: Language = ENGLISH
    ) -> list[str]:
        """Return the usage lines that begin with a word, followed by options."""
        words = [front, *self._name_in(language), *(part.name for part in self.parameters)]
        alternatives = self.rest.shown if self.rest else ("",)
        behind = [notation.option_in(option, language) for option in options]
        lines = ((*words, self._place_in(shown, language), *behind) for shown in alternatives)
        return [notation.place_in(" ".join(filter(None, line)), language) for line in lines]

    def masked(self, command: Command) -> Mapping[str, object]:
        """Return the known values of a command, with blanks for secrets."""
        given = {**command.given, **self.secrets}
        if self.rest and self.rest.is_secret and self._value_of(self.rest, given):
            given |= self._rest_fields(notation.Blank(self.rest.place))
        return given

    def _rest_fields(self, value: object) -> dict[str, object]:
        """Return the values that the rest sets, by name; a Blank stands for all of them."""
        names = self.rest.sets if self.rest else ()
        values = value if len(names) > 1 and isinstance(value, tuple) else (value,)
        return dict(zip(names, values, strict=False))

    def _value_of(self, rest: parts.Rest, given: Mapping[str, object]) -> object:
        """Return the value of the rest, a Blank if it is missing, or None if there is no rest."""
        values = list[object]()
        for name in rest.sets:
            if name not in given:
                return notation.Blank(rest.shown[0]) if rest.least else None
            if isinstance(value := given[name], notation.Blank):
                return value
            values.append(value)
        return values[0] if len(values) == 1 else tuple(values)

    def _in_words(self, written: Iterable[str], language: Language) -> list[str]:
        """Return the words of the rest in a language."""
        if language is ENGLISH:
            return list(written)
        word_lists = cycle(self.rest.word_lists) if self.rest else ()
        placed = zip(written, word_lists, strict=False)
        return [notation.said_in(word, language, self.words, among) for word, among in placed]

    def _name_in(self, language: Language) -> list[str]:
        words = self.name.split()
        return (
            words if language is ENGLISH else [notation.word_in(word, language) for word in words]
        )

    def _blank(self, value: object, language: Language) -> list[str]:
        """Return the name of a Blank; nothing for any other value."""
        return [self._place_in(value.name, language)] if isinstance(value, notation.Blank) else []

    def _place_in(self, name: str, language: Language) -> str:
        if language is ENGLISH:
            return name
        among = self.rest.word_lists[0] if self.rest else WordList.WORDS
        return notation.place_in(notation.said_in(name, language, self.words, among), language)


_FIGURES = re.compile(
    r"#?\d{1,9}(#\d{1,9})?"  # the number of a board, of a record, or both
    r"|[a-z]\d{1,2}([,;][a-z]\d{1,2})*[,;]?(#\d{1,9})?"  # placements
    r"|\d{4}-\d{1,2}-\d{1,2}",  # a day
    re.ASCII,
)
_PLAIN_WORD = re.compile(r"-{0,2}[A-Za-z]{1,16}(=\d{1,4}([x,]\d{1,2})?)?|\d{1,2}[A-Za-z]", re.ASCII)
UNNAMED = "..."
"""Replaces a name that is not shown."""


def to_player(
    vocabulary: Collection[str], is_userid: MayShow, *, may_be_secret: bool = True
) -> MayShow:
    """Return a test for words that a player may see: none that could be a password.

    `may_be_secret`: whether there may be a password among the words.
    """
    if not may_be_secret:
        return lambda word: True
    return lambda word: is_harmless(word) or is_of(vocabulary, word) or is_userid(word)


def to_stranger(
    vocabulary: Collection[str],
    is_userid: MayShow,
    words: Iterable[str] = (),
    *,
    may_be_secret: bool = True,
) -> MayShow:
    """Return a test for words that a stranger may see, with at most one unknown name from `words`.

    `may_be_secret`: whether there may be a password among them.
    """

    def is_known(word: str) -> bool:
        is_figure = bool(_FIGURES.fullmatch(fold(word)))
        return is_figure or is_of(vocabulary, word) or is_userid(word)

    others = (word for word in words if is_plain(word) and (is_harmless(word) or not may_be_secret))
    other = next((word for word in others if not is_known(word)), None)
    return lambda word: word == other or is_known(word)


def is_plain(word: str) -> bool:
    """Return whether a word is short and has only plain letters, or is an option or a cell."""
    return bool(_PLAIN_WORD.fullmatch(word))


def names_shown(names: Collection[str], is_public: MayShow) -> tuple[str, ...]:
    """Return names as strangers may see them: all public ones, and at most one other."""
    unknown = [name for name in names if not is_public(name)]
    kept = unknown[0] if unknown and is_plain(unknown[0]) else None
    shown = (name if name == kept or is_public(name) else UNNAMED for name in names)
    return tuple(dict.fromkeys(shown))


_OPTION = re.compile(r"--?([a-z]+)(?:[=:](?:hex|square)?[0-9]{1,4}(?:[x,*\u00d7][0-9]{1,2})?)?")


class Line(Struct, frozen=True):
    """The words of a line, and the command named by the first ones, if any."""

    words: tuple[str, ...]
    form: Form[Any] | None = None
    kind: Kind | None = None
    own_words: int = 0
    """The number of words in the command's name; the parameters follow."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words after the command's name."""
        return self.words[self.own_words :]

    def shown(self, may_show: MayShow, instead: str = MASK) -> str:
        """Return the line without words that may not be shown.

        In the place of a password stands a mask; any other such word, but for the names of options,
        becomes `instead`.
        """
        secret: set[int] = set()
        if self.form:
            places = self.form.secret_places(self.arguments)
            secret = {self.own_words + place for place in places}
        return " ".join(
            word
            if nth not in secret and (may_show(word) or self.is_option(word))
            else self._masked(word, MASK if nth in secret else instead)
            for nth, word in enumerate(self.words)
        )

    def is_option(self, word: str) -> bool:
        """Return whether a word is an option of the command, with a figure or without."""
        found = _OPTION.fullmatch(plain_word(word))
        return bool(found and found[1] in self._options())

    def place_in(self, shown: str, culprit: str) -> int | None:
        """Return the index of the character in the shown line where its fault begins, or None.

        The parameters are searched first, whole words before parts of words, in either case.
        """
        words = shown.split(" ")
        starts = list(accumulate((len(word) + 1 for word in words), initial=0))
        numbered = list(enumerate(words))
        ordered = numbered[self.own_words :] + numbered[: self.own_words]
        folded = fold(culprit)
        for is_at_fault in (folded.__eq__, lambda word: folded in word):
            for nth, word in ordered:
                if culprit and is_at_fault(fold(word)):
                    return starts[nth] + fold(word).index(folded)
        return None

    def _masked(self, word: str, instead: str) -> str:
        """Return the replacement for a word; an option keeps its name."""
        name, sign, value = option_parts(word)
        is_option = sign and word.startswith("-") and without_accents(name) in self._options()
        return f"{word[: len(word) - len(value)]}{instead}" if is_option else instead

    def _options(self) -> frozenset[str]:
        return parts.names_of(self.form.options) if self.form else frozenset()

    def correction(self, may_show: MayShow, wrong: str = "", right: str = "") -> Command | None:
        """Return the command that was probably meant, or None.

        `right` replaces the word `wrong`, if the right word is known.
        """
        if self.form is None:
            return None
        words = [right if right and word == wrong else word for word in self.arguments]
        return self.form.correction(words, self.kind, may_show)
