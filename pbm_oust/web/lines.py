"""Lines of commands, put together from the fields of a form, which have the names of their parts.

    command=challenge kind=oust userid1=alice userid2=bob option.size=11

What follows the parameters is `rest`, or has the names that the help gives its words. A field that
is empty is as if it were not there.
"""

from collections.abc import Iterator, Mapping

from pbm_oust.accounts.password import NO_PASSWORD
from pbm_oust.regex import regex
from pbm_oust.service.table import AnyForm, form_named

_PLACE = regex("[A-Z]+")
"""The name of a word in the help."""
_SET = "on"
"""What a box says that is ticked."""


def line_of(name: str, fields: Mapping[str, str], userid: str = "") -> str:
    """Return the line of a command, as its player would write it.

    The player who is signed in need not say who they are. Raises KeyError for no command.
    """
    form = form_named(name)
    own = {"userid": userid, "password": NO_PASSWORD.text} if userid else {}
    words = [fields.get("kind", "") if form.is_of_kind else "", form.name]
    words += (_word(part.name.lower(), fields, own) for part in form.parameters)
    words += [*_rest(form, fields), *_options(form, fields)]
    return " ".join(" ".join(words).split())


def _word(name: str, fields: Mapping[str, str], own: Mapping[str, str]) -> str:
    return fields.get(name, "").strip() or own.get(name, "")


def _rest(form: AnyForm, fields: Mapping[str, str]) -> Iterator[str]:
    """Yield what follows the parameters: as a whole, or in fields named as the help has them."""
    yield fields.get("rest", "")
    places = _PLACE.findall(form.rest.shown[0]) if form.rest else ()
    yield from (fields.get(place.lower(), "") for place in places)


def _options(form: AnyForm, fields: Mapping[str, str]) -> Iterator[str]:
    """Yield the options that fields set."""
    for option in form.options:
        value = fields.get(f"option.{option.name}", "").strip()
        if value == _SET:
            yield f"-{option.name}"
        elif value:
            yield f"-{option.name}={value}"
