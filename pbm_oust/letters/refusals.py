"""Why a command was not carried out, put into words by the templates in `refusals/`."""

from collections.abc import Mapping

from jinja2 import Environment

from pbm_oust.grammar.words import is_harmless
from pbm_oust.play.notices import RefusalNotice
from pbm_oust.refusal import Reason


def explained(notice: RefusalNotice, facts: Mapping[str, object], templates: Environment) -> str:
    """Return what the macro of a reason says.

    It is given the reason, and the part at fault where that may be shown again.
    """
    refusal = notice.refusal
    harmless = refusal.culprit if is_harmless(refusal.culprit) else ""
    culprit = notice.culprit or harmless
    if isinstance(refusal.reason, Reason):
        words = templates.get_template(f"refusals/{place_of(type(refusal.reason))}.txt")
        explain = getattr(words.make_module(dict(facts)), refusal.reason.word())
        return str(explain(refusal.reason, culprit))
    words = templates.get_template(f"refusals/{refusal.family}.txt")
    explain = getattr(words.make_module(dict(facts)), refusal.reason.value)
    return str(explain({"culprit": culprit, "facts": refusal.facts}))


def place_of(reason: type[Reason]) -> str:
    """Return where in `refusals/` the words of a reason stand.

    Those of a command are in a template of its own, as `commands/seek`; all others are in that of
    their room, as `board`.
    """
    room, *modules = reason.__module__.split(".")[1:]
    return f"{room}/{modules[0]}" if room == "commands" else room
