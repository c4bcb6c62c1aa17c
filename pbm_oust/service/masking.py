"""Texts for other eyes: masking possible passwords, and tokens that prove who sent an answer."""

import re
from collections.abc import Collection

from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.tags import Credential, without_tokens
from pbm_oust.grammar.aliases import ALIASES, without_accents
from pbm_oust.grammar.line import Line
from pbm_oust.grammar.words import MASK, SHORTEST_PASSWORD, fold
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.table import GENERAL_FORMS, KIND_FORMS, VOCABULARY, recognise

_LONGEST_BEGINNING = 8
"""The password of a command is among this many words from its beginning."""

_SHORTEST_BEGINNING = 4
"""How many letters of a general command are needed to recognise it within a text."""


def without_passwords(text: str, password: Credential | None = None) -> str:
    """Return a text for other eyes, with possible passwords masked.

    That is the given password, and any command that may hold one. Tokens that prove who sent an
    answer are masked as well.
    """
    text = without_tokens(text, MASK)
    if isinstance(password, Secret):
        text = re.sub(re.escape(password.text), MASK, text, flags=re.IGNORECASE)
    return "\n".join(_without_secret(line) for line in text.split("\n"))


def _without_secret(text: str) -> str:
    """Return a line of text, masked if a command that takes a password begins anywhere in it."""
    words = text.split()
    for nth, word in enumerate(words):
        if not _may_begin(fold(word)):
            continue
        line, _ = recognise(" ".join(words[nth : nth + _LONGEST_BEGINNING]))
        if line.form and _is_likely(line, line.form.secret_places(line.arguments)):
            masked = line.shown(VOCABULARY, lambda _word: False)
            return " ".join([*words[:nth], masked, *words[nth + _LONGEST_BEGINNING :]])
    return text


def _may_begin(word: str) -> bool:
    """Return whether a command may begin with a word; `for` is more likely the word than forget."""
    plain = without_accents(word)
    names = [*KINDS, *KIND_FORMS]
    if len(word) >= _SHORTEST_BEGINNING or word in GENERAL_FORMS:
        names += [*GENERAL_FORMS, *ALIASES]
    return any(name.startswith((word, plain)) for name in names)


def _is_likely(line: Line, places: Collection[int]) -> bool:
    """Return whether a line with words in place of a password is a command and not a sentence."""
    if not places or line.own_words > 1:
        return bool(places)
    if line.kind:
        return line.arguments[0][:1].isdigit()
    return any(len(line.arguments[place]) >= SHORTEST_PASSWORD for place in places)
