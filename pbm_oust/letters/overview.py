"""The overview of all commands: which belong together, and each written once for all games."""

from dataclasses import replace

from pbm_oust.grammar.form import Form
from pbm_oust.rules.kinds import KINDS
from pbm_oust.service.table import FORMS

FAMILIES = {
    "starting": ("challenge", "seek", "join", "unseek", "replay"),
    "playing": ("move", "queue", "submit", "confirm", "preview", "resign", "decline"),
    "looking": (
        *("list", "games", "show", "showas", "all", "watch", "unwatch"),
        *("history", "standings", "ratings"),
    ),
    "talking": ("chat", "message", "broadcast", "note"),
    "account": (
        *("signup", "verify", "add", "change", "forgot"),
        *("signoff", "delete", "export", "forget"),
    ),
    "settings": ("settings", "vacation", "limit", "reject", "unreject"),
    "general": ("help", "multiple"),
}
"""The topics of the commands that the overview shows together; the template has the headings."""


def usages_by_family() -> dict[str, list[str]]:
    """Return the lines that show how the commands of each family are written."""
    return {
        family: [
            usage
            for topic in topics
            for form in FORMS
            if form.topic == topic
            for usage in brief_usages(form)
        ]
        for family, topics in FAMILIES.items()
    }


def brief_usages(form: Form) -> list[str]:
    """Return how a command is written: once for all games, without options that they differ in."""
    if not form.is_of_kind:
        return form.usages(None)
    if len(_without_kind(form)) == 1:
        return [f"GAME {usage}" for usage in _without_kind(form).pop()]
    alike = _without_kind(replace(form, options=()))
    return [f"GAME {usage} [OPTION..]" for usages in alike for usage in usages]


def _without_kind(form: Form) -> set[tuple[str, ...]]:
    """Return the usages of a command in each game, without its name: one set where all agree."""
    return {
        tuple(usage.removeprefix(f"{kind.name} ") for usage in form.usages(kind))
        for kind in KINDS.values()
    }
