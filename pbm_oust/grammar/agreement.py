"""Whether a text agrees to what a letter asks: a line of its own that says only yes. Pure."""

from pbm_oust.grammar.aliases import without_accents
from pbm_oust.grammar.words import fold
from pbm_oust.languages import LANGUAGES

_YES = {word for language in LANGUAGES.values() for word in language.yes}
_ENDS = ".,!:;-"


def agrees(text: str) -> bool:
    """Return whether the first line of a text says yes, in any language, and nothing else.

    What somebody writes below it does not matter: thanks, or their name.
    """
    first = text.strip().partition("\n")[0]
    words = (word.strip(_ENDS) for word in fold(without_accents(first)).split())
    return " ".join(filter(None, words)) in _YES
