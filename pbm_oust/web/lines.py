"""Lines of commands, put together from the fields of a form, which have the names of their parts.

    command=challenge kind=oust userid1=alice userid2=bob option.size=11

What follows the parameters is `rest`, or has the names that the help gives its words. A field that
is empty is as if it were not there.
"""

import re
from collections.abc import Iterator, Mapping

from pbm_oust.accounts.password import NO_PASSWORD
from pbm_oust.grammar.parts import BadOptionValue, Option
from pbm_oust.play.authentication import WrongPassword
from pbm_oust.refusal import NotAllowed, Unreadable
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.service.table import AnyForm, form_named

_PLACE = re.compile("[A-Z]+")
"""The name of a word in the help."""
_SET = "on"
"""What a box says that is ticked."""


def line_of(name: str, fields: Mapping[str, str], userid: str = "") -> str:
    """Return the line of a command, as its player would write it.

    The player who is signed in need not say who they are. Raises KeyError for no command, and
    Refusal for a field that is not what it is for: none is two words of a line.
    """
    form = form_named(name)
    fields = _checked(form, fields)
    own = {"userid": userid, "password": NO_PASSWORD.text} if userid else {}
    words = [fields.get("kind", "") if form.is_of_kind else "", form.name]
    words += (_word(part.name.lower(), fields, own) for part in form.parameters)
    words += [*_rest(form, fields), *_options(form, fields)]
    return " ".join(" ".join(words).split())


def _checked(form: AnyForm, fields: Mapping[str, str]) -> Mapping[str, str]:
    """Return the fields of a form as its parts are written. Raises Refusal."""
    checked = dict(fields)
    for part in form.parameters:
        word = fields.get(part.name.lower(), "").strip()
        if not word:
            continue
        part.read(word)
        if word.split() != [word]:  # only of a password is that not said yet
            raise NotAllowed(WrongPassword())
    for option in form.options:
        name = f"option.{option.name}"
        value = fields.get(name, "").strip()
        if value and value != _SET:
            checked[name] = "".join(value.lower().replace("\N{MULTIPLICATION SIGN}", "x").split())
            _check_option(option, KINDS[fields["kind"]], checked[name], value)
    return checked


def _check_option(option: Option[object], kind: Kind, value: str, typed: str) -> None:
    try:
        option.read(kind, value)
    except ValueError:
        takes = option.takes or kind.own_shape.value
        raise Unreadable(BadOptionValue(option.forms(kind), takes), typed) from None


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
