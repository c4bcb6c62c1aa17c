"""A command line as far as it was understood, and how to show it to its writer."""

from itertools import accumulate

from dataclasses import dataclass
from pbm_oust.grammar.aliases import without_accents
from pbm_oust.grammar.command import Command, Partial
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.parts import names_of
from pbm_oust.grammar.showing import MayShow
from pbm_oust.grammar.words import MASK, fold
import re
from pbm_oust.rules.position import Kind

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
