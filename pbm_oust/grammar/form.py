"""What a command looks like: forms, their parameters and options, and how they read words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pbm_oust.grammar.words import NoneOfThese, find_word, fold, is_harmless, meant_by
from pbm_oust.refusal import Refusal, Unreadable, UnreadableReason
from pbm_oust.rules.position import Kind


@dataclass(frozen=True, slots=True)
class MissingWord(UnreadableReason):
    """A line ends too early."""

    missing: tuple[str, ...]
    """What could follow: the names of places, or words."""


@dataclass(frozen=True, slots=True)
class SurplusWord(UnreadableReason):
    """A line has more words than its command takes."""


@dataclass(frozen=True, slots=True)
class UnknownOption(UnreadableReason):
    """A word is no option of the command."""

    known: tuple[str, ...]
    resembles: str | None

    @property
    def instead(self) -> str | None:
        """What to write in the place of the word."""
        return self.resembles


@dataclass(frozen=True, slots=True)
class OptionTwice(UnreadableReason):
    """An option says again what another one has said."""


@dataclass(frozen=True, slots=True)
class BadOptionValue(UnreadableReason):
    """An option has a value that it does not take."""

    forms: tuple[str, ...]
    """How it can be written."""
    takes: str
    """Which values it takes, as `Option.takes` says."""


IsUserid = Callable[[str], bool]
"""Tells whether a word is the userid of an account."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One word that a form wants in its place."""

    name: str
    """As the help shows it and a correction stands it in: USERID."""
    read: Callable[[str], object]
    """Returns the word's value. Raises Unreadable."""
    is_secret: bool = False


@dataclass(frozen=True, slots=True)
class Rest:
    """All the words that remain after a form's parameters."""

    shown: tuple[str, ...]
    """The alternatives as the help shows them: BOARD[#N].."""
    read: Callable[[Sequence[str]], object]
    """Returns the value of the words, which are at least `least`. Raises Unreadable."""
    least: int = 1
    known: frozenset[str] = frozenset()
    """Words that may be shown again because they can be nothing but these."""
    is_secret: bool = False
    fixed: frozenset[str] = frozenset()
    """Further words of the grammar, which other languages may have words for."""


@dataclass(frozen=True, slots=True)
class Option:
    """A word `-name` or `-name=value` that may stand anywhere behind the command's words."""

    name: str
    shown: Callable[[Kind], str]
    """Returns how the help of a game shows it; an empty text where the game has no use for it."""
    read: Callable[[Kind, str | None], object]
    """Returns the value of what stands behind `=`. Raises ValueError if there is no such value."""
    takes: str
    """Which values those are: "square", "hex", "days" or "nothing"; empty for the game's shape."""
    sets: str
    """The keyword of `Form.build` that takes the value. Two options that set the same exclude each
    other."""


@dataclass(frozen=True, slots=True)
class Form:
    """One command: its name, what follows it, and what it builds."""

    name: str
    build: Callable[..., Any]
    """Makes the command from the values of parameters, rest and options; of a game, from the kind
    first."""
    parameters: tuple[Parameter, ...] = ()
    rest: Rest | None = None
    options: tuple[Option, ...] = ()
    is_of_kind: bool = True
    """Whether the name of a game stands in front."""

    @property
    def topic(self) -> str:
        """What the help about it is asked for by: the first word of its name."""
        return self.name.partition(" ")[0]

    def usages(self, kind: Kind | None) -> list[str]:
        """Return the lines that show how the command is written, for a game if it is of games."""
        words = [*([kind.name] if kind and self.is_of_kind else []), self.name]
        words += [parameter.name for parameter in self.parameters]
        options = [option.shown(kind) for option in self.options] if kind else []
        alternatives = self.rest.shown if self.rest else ("",)
        return [" ".join(filter(None, [*words, shown, *options])) for shown in alternatives]

    def read(self, words: Sequence[str], kind: Kind | None, proof: object = None) -> Any:
        """Return the command that the words behind the command's own make. Raises Unreadable.

        `proof` takes the place of the word that stands where the password does.
        """
        plain, options = self._part(words)
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
            values.append(self.rest.read(rest))
        if kind is None:
            return self.build(*values)
        return self.build(kind, *values, **self._read_options(options, kind))

    def correction(self, words: Sequence[str], kind: Kind | None, is_userid: IsUserid) -> str:
        """Return the line that these words should have been, with names where words are wanting.

        What might be a password is replaced by the name of its place.
        """
        plain, options = self._part(words)
        corrected = [*([kind.name] if kind else []), self.name]
        right_options: list[str] = []
        for nth, parameter in enumerate(self.parameters):
            word = plain[nth] if nth < len(plain) else None
            corrected.append(_word_or_name(parameter, word, is_userid))
        rest = plain[len(self.parameters) :]
        if self.rest and (self.rest.least or rest):
            known, is_secret = self.rest.known, self.rest.is_secret
            kept = [
                word
                for word in rest
                if (is_harmless(word) or is_userid(word) or fold(word) in known) and not is_secret
            ]
            readable = kept and _is_read(self.rest.read, kept)
            # A rest of fixed words may be left out; none of them is put into anybody's mouth.
            instead = [] if known and not self.rest.least else [self.rest.shown[0]]
            corrected += kept if readable else instead
        for word in options:
            if kind and is_harmless(word) and self._are_options([*right_options, word], kind):
                right_options.append(word)
        return " ".join([*corrected, *right_options])

    def secret_places(self, words: Sequence[str]) -> set[int]:
        """Return which of the words, behind the command's own, stand in a password's place."""
        plain, _ = self._part(words)
        rest_is_secret = self.rest is not None and self.rest.is_secret
        secret = [parameter.is_secret for parameter in self.parameters]
        secret += [rest_is_secret] * (len(plain) - len(secret))
        places = (nth for nth, word in enumerate(words) if word in plain)
        return {nth for nth, is_secret in zip(places, secret, strict=False) if is_secret}

    def _are_options(self, words: Sequence[str], kind: Kind) -> bool:
        return _is_read(lambda some: self._read_options(some, kind), words)

    def _part(self, words: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the plain words and the options among some words."""
        if not self.options:
            return list(words), []
        plain = [word for word in words if not fold(word).startswith("-")]
        return plain, [word for word in words if fold(word).startswith("-")]

    def _read_options(self, words: Sequence[str], kind: Kind) -> dict[str, object]:
        found: dict[str, object] = {}
        by_name = {option.name: option for option in self.options}
        for word in words:
            name, equals, value = fold(word).lstrip("-").partition("=")
            try:
                option = by_name[find_word(name, by_name)]
            except Unreadable as error:
                reason = error.reason
                known = reason.known if isinstance(reason, NoneOfThese) else ()
                raise Unreadable(UnknownOption(known, meant_by(error)), word) from None
            if option.sets in found:
                raise Unreadable(OptionTwice(), word)
            try:
                found[option.sets] = option.read(kind, value if equals else None)
            except ValueError:
                forms = tuple(option.shown(kind).strip("[]").split("|"))
                takes = option.takes or kind.own_shape.value
                raise Unreadable(BadOptionValue(forms, takes, right=forms[0]), word) from None
        return found


def _word_or_name(parameter: Parameter, word: str | None, is_userid: IsUserid) -> str:
    """Return a word that is right in a parameter's place and can be shown, or the place's name."""
    if parameter.is_secret or word is None or not (is_harmless(word) or is_userid(word)):
        return parameter.name
    return word if _is_read(parameter.read, word) else parameter.name


def _is_read(read: Callable[[Any], object], text: object) -> bool:
    try:
        read(text)
    except Refusal:
        return False
    return True
