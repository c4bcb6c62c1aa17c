"""What a command looks like: the form that reads and writes its words."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeVar

from pbm_oust.accounts.address import MOST_ADDRESSES, normal_address, parse_address
from pbm_oust.accounts.password import Secret
from pbm_oust.grammar.notation import (
    KIND,
    OF_LETTER,
    Blank,
    Command,
    Heading,
    Notation,
    Partial,
    Text,
)
from pbm_oust.grammar.parts import (
    Rest,
    names_of,
    options_in,
    read_options,
    read_right_options,
    rest,
    without_options,
)
from pbm_oust.grammar.words import MASK, fold, is_harmless, is_of, without_accents
from pbm_oust.refusal import Refusal, Unreadable, UnreadableReason
from pbm_oust.rules.position import Kind

MayShow = Callable[[str], bool]
"""Returns whether a word may be shown."""

_FIGURES = re.compile(
    r"#?\d{1,9}(#\d{1,9})?"  # the number of a board, of a record, or both
    r"|[a-z]\d{1,2}([,;][a-z]\d{1,2})*(#\d{1,9})?"  # placements
    r"|\d{4}-\d{1,2}-\d{1,2}",  # a day
    re.ASCII,
)
_PLAIN_WORD = re.compile(r"-{0,2}[A-Za-z]{1,16}(=\d{1,4}([x,]\d{1,2})?)?|\d{1,2}[A-Za-z]", re.ASCII)
UNNAMED = "..."
"""Stands for a name that is not shown."""


def to_player(
    vocabulary: Collection[str], is_userid: MayShow, *, may_be_secret: bool = True
) -> MayShow:
    """Return what may be shown to a player: what cannot be a password.

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
    """Return what may be shown to a stranger; the first of `words` that is fit is one of that.

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
    """Return names as strangers may see them: of those that are not public, one at most."""
    unknown = [name for name in names if not is_public(name)]
    kept = unknown[0] if unknown and is_plain(unknown[0]) else None
    shown = (name if name == kept or is_public(name) else UNNAMED for name in names)
    return tuple(dict.fromkeys(shown))


C_co = TypeVar("C_co", bound=Command, covariant=True)


@dataclass(frozen=True, slots=True)
class MissingWord(UnreadableReason):
    """A line ends too early."""

    missing: tuple[str, ...]
    """What could follow: the names of places, or words."""


class SurplusWord(UnreadableReason):
    """A line has more words than its command takes."""


@dataclass(frozen=True, slots=True)
class Form(Notation[C_co]):
    """One command: how it is written, what it builds, and where the help has it."""

    heading: Heading = field(kw_only=True)
    """Where the overview of the help shows it."""
    rank: int = field(kw_only=True)
    """Its place under the heading; commands that share a place are in the order of their names."""
    text: Text = field(default=Text.BESIDE, kw_only=True)
    plays_again: bool = field(default=False, kw_only=True)
    """Whether it starts the next game of players who have just ended one.

    The last letters of a game offer it, and an answer to them may be its name.
    """
    build: Callable[..., C_co] | None = field(default=None, kw_only=True)
    """Makes the command from its fields and options, if that takes more than setting fields."""

    @property
    def topic(self) -> str:
        """The subject of its help: the first word of its name."""
        return self.name.partition(" ")[0]

    def read(self, words: Sequence[str], kind: Kind | None, proof: object = None) -> C_co:
        """Return the command made by the words after its name. Raises Unreadable.

        `proof` takes the place of the word in the password's place.
        """
        plain = self._with_number_behind(self._plain(words))
        wanted = len(self.parameters)
        values = [
            proof if proof and parameter.is_secret else parameter.read(word)
            for parameter, word in zip(self.parameters, plain, strict=False)
        ]
        rest = plain[wanted:]
        if len(plain) < wanted:
            raise Unreadable(MissingWord((self.parameters[len(plain)].name,)))
        if self.rest is None and rest:
            raise Unreadable(SurplusWord(), rest[0])
        if self.rest is not None:
            if len(rest) < self.rest.least:
                raise Unreadable(MissingWord(self.rest.shown))
            values += _apart(self.rest, self.rest.read(rest))
        given = dict(zip(self.fields, values, strict=False)) | dict(self.implied)
        if kind is not None:
            given |= {KIND: kind, **read_options(self.options, self._options(words), kind)}
        build: Callable[..., C_co] = self.build or self.command
        return build(**given)

    def read_answer(
        self, words: Sequence[str], kind: Kind, board: int, userid: str, proof: object
    ) -> C_co:
        """Return the command made by an answer to a letter about a board. Raises Unreadable.

        `proof` proves that it answers the letter, and takes the place of a password.
        """
        if self.rest and self.rest.complete:
            words = self.rest.complete(words, board)
        told = [str(board), userid, OF_LETTER[-1]][: len(self.parameters)]
        return self.read([*told, *words], kind, proof)

    def partial(self, words: str = "", /, **given: object) -> Partial:
        """Return a command with only some fields known, and the words after its parameters.

        Raises Unreadable for other words, and TypeError for what is not one of its fields.
        """
        strange = given.keys() - {KIND, *self.fields}
        if strange or (words and not self.rest):
            raise TypeError(f"{self.name} has no {', '.join(strange) or 'words behind it'}")
        if words and self.rest:
            given |= self.rest_fields(_apart(self.rest, self.rest.read(words.split())))
        return Partial(self.command, given | dict(self.implied), form=self.name)

    def whole(self, command: Command | Partial) -> C_co | None:
        """Return a command of which nothing but a password is missing; None if more is."""
        if isinstance(command, Command):
            return self.checked(command)
        secret = {
            name: Blank(part.name)
            for name, part in zip(self.fields, self.parameters, strict=False)
            if part.is_secret
        }
        known = {
            name: value for name, value in command.given.items() if not isinstance(value, Blank)
        }
        if not secret.keys() | known.keys() >= {*self.names}:
            return None
        build: Callable[..., C_co] = self.command
        return build(**secret | known)

    def new_password(self, command: Command) -> tuple[Secret | None, str]:
        """Return the password that a command gives an account, and the userid if it has one.

        The password is None if the command gives none.
        """
        are_new = [part.is_new for part in self.parameters]
        are_new += [self.rest.is_new] if self.rest else []
        if not any(are_new):
            return None, ""
        given = self.given(command)
        values = (given[name] for name, is_new in zip(self.fields, are_new, strict=False) if is_new)
        new = next((each for each in values if isinstance(each, Secret)), None)
        return new, str(given.get("userid", ""))

    def correction(self, words: Sequence[str], kind: Kind | None, may_show: MayShow) -> Partial:
        """Return the command that these words should have been, with blanks for those missing.

        Whatever may not be shown is also a blank.
        """
        plain = self._with_number_behind(self._plain(words))
        given: dict[str, object] = {} if kind is None else {KIND: kind}
        for name, parameter, word in zip(self.fields, self.parameters, plain, strict=False):
            if not parameter.is_secret and may_show(word):
                given |= _if_read(name, parameter.read, word)
        rest = plain[len(self.parameters) :]
        if self.rest and rest:
            given |= self._corrected(self.rest, rest, may_show)
        options = read_right_options(self.options, self._options(words), kind) if kind else {}
        return Partial(self.command, given | dict(self.implied), options, self.name)

    def secret_places(self, words: Sequence[str]) -> set[int]:
        """Return which of the words after the command's name are in a password's place."""
        plain = self._plain(words)
        rest_is_secret = self.rest is not None and self.rest.is_secret
        secret = [parameter.is_secret for parameter in self.parameters]
        secret += [rest_is_secret] * (len(plain) - len(secret))
        places = (nth for nth, word in enumerate(words) if word in plain)
        return {nth for nth, is_secret in zip(places, secret, strict=False) if is_secret}

    def _plain(self, words: Sequence[str]) -> list[str]:
        return without_options(words) if self.options else list(words)

    def _with_number_behind(self, words: list[str]) -> list[str]:
        """Return words with the number of a record behind them if it is at the board: `17#5`."""
        takes_number = self.rest and any("#N" in shown for shown in self.rest.shown)
        if not (words and "#" in words[0] and takes_number and self.is_about_board):
            return words
        board, sign, number = words[0].partition("#")
        is_whole = len(words) >= len(self.parameters)
        return [board, *words[1:], *([sign + number] if sign and is_whole else [])]

    def _options(self, words: Sequence[str]) -> list[str]:
        return options_in(words) if self.options else []

    def _corrected(
        self, rest: Rest[object], words: Sequence[str], may_show: MayShow
    ) -> dict[str, object]:
        """Return the fields that are right in what follows the parameters."""
        shown = (word for word in words if not rest.is_secret)
        kept = [word for word in shown if may_show(word) or fold(word) in rest.known]
        read = _if_read("", rest.read, kept) if kept else {}
        if read:
            return self.rest_fields(_apart(rest, read[""]))
        # A rest of fixed words, or of the number of a record, may be left out; we choose none.
        can_be_chosen = rest.known or rest.place.startswith("[#")
        return {} if can_be_chosen and not rest.least else self.rest_fields([Blank(rest.place)])


def _apart(rest: Rest[object], value: object) -> Sequence[object]:
    """Return the values of the fields that a rest fills."""
    return value if rest.fills > 1 and isinstance(value, tuple) else (value,)


W = TypeVar("W")


def _if_read(name: str, read: Callable[[W], object], text: W) -> dict[str, object]:
    """Return the value of a text by a name; nothing if it cannot be read."""
    try:
        return {name: read(text)}
    except Refusal:
        return {}


_OPTION = re.compile(r"--?([a-z]+)(?:=[0-9]{1,4}(?:[x,][0-9]{1,2})?)?")


@dataclass(frozen=True, slots=True)
class Line:
    """The words of a line, and the command that its first words name, if any."""

    words: tuple[str, ...]
    form: Form[Command] | None = None
    kind: Kind | None = None
    own_words: int = 0
    """How many words name the command; what follows are its parameters."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words after the command's name."""
        return self.words[self.own_words :]

    def shown(self, may_show: MayShow, instead: str = MASK) -> str:
        """Return the line without the words that may not be shown.

        Those in a password's place are masked; for others, except options of the command, stands
        `instead`.
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
        found = _OPTION.fullmatch(without_accents(fold(word)))
        return bool(found and found[1] in self._options())

    def place_in(self, shown: str, culprit: str) -> int | None:
        """Return where the part at fault begins in the line as it is shown, or None.

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
        """Return what is shown for a word: also its name, if it is an option of the command."""
        name, equals, _ = word.partition("=")
        plain = without_accents(fold(name)).lstrip("-")
        is_option = equals and word.startswith("-") and plain in self._options()
        return f"{name}={instead}" if is_option else instead

    def _options(self) -> frozenset[str]:
        return names_of(self.form.options) if self.form else frozenset()

    def correction(self, may_show: MayShow, wrong: str = "", right: str = "") -> Partial | None:
        """Return the command that was probably meant, or None if that is not known.

        `right` replaces the word `wrong`, if what is right is known.
        """
        if self.form is None:
            return None
        words = [right if right and word == wrong else word for word in self.arguments]
        return self.form.correction(words, self.kind, may_show)


class BadAddress(UnreadableReason):
    """A word is not a mail address."""


def read_addresses(words: Sequence[str]) -> tuple[str, ...]:
    """Return addresses, each one once, as it was first written. Raises Unreadable."""
    found = list[str]()
    if len(words) > MOST_ADDRESSES:
        raise Unreadable(SurplusWord(), words[MOST_ADDRESSES])
    for word in words:
        try:
            found.append(parse_address(word))
        except ValueError:
            raise Unreadable(BadAddress(), word) from None
    return tuple({normal_address(each): each for each in reversed(found)}.values())[::-1]


ADDRESSES = rest(("[ADDRESS..]",), read_addresses, tuple, least=0)
